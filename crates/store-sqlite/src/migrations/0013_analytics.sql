-- What is counted by version, type, status, time and request is read from the index alone.
DROP INDEX user_playbooks_by_version;
CREATE INDEX user_playbooks_by_version
    ON user_playbooks (org_id, agent_version, playbook_name, status, created_at, request_id);
CREATE INDEX requests_by_version ON requests (org_id, agent_version, created_at);
