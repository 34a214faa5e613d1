-- The versions of the agent that something was published with, so that a new one is known when it comes.
CREATE TABLE agent_versions (
    org_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    PRIMARY KEY (org_id, agent_version)
) WITHOUT ROWID;
INSERT INTO agent_versions (org_id, agent_version) SELECT DISTINCT org_id, agent_version FROM requests;
