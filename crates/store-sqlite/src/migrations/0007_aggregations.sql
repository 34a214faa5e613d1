-- How the user playbooks of a type and version are clustered. `state` is JSON that only the aggregation understands; it holds
-- ids and numbers, no text of users.
CREATE TABLE clusterings (
    org_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    playbook_name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (org_id, agent_version, playbook_name)
) WITHOUT ROWID;
