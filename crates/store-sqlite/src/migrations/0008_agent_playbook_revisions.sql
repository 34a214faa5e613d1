-- What edits and decisions changed of agent playbooks. `event_id` is the line of the history (`lineage_events`) it belongs to;
-- the text goes with its rule, the line stays.
CREATE TABLE agent_playbook_revisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    agent_playbook_id INTEGER NOT NULL REFERENCES agent_playbooks (id) ON DELETE CASCADE,
    event_id INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX agent_playbook_revisions_by_rule ON agent_playbook_revisions (agent_playbook_id);
CREATE INDEX agent_playbook_revisions_by_event ON agent_playbook_revisions (event_id);
