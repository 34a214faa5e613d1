-- Which rules agents got for their prompts. Neither prompts nor texts of rules are here.
CREATE TABLE injections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    route TEXT NOT NULL,
    session_id TEXT,
    user_id TEXT,
    agent_version TEXT,
    request_id TEXT,
    block TEXT
);
CREATE INDEX injections_by_time ON injections (org_id, at);
CREATE INDEX injections_by_session ON injections (org_id, session_id, at) WHERE session_id IS NOT NULL;
CREATE INDEX injections_by_user ON injections (org_id, user_id, at) WHERE user_id IS NOT NULL;
CREATE INDEX injections_by_age ON injections (at);

-- `wording` is a fingerprint of what the rule said.
CREATE TABLE injected_rules (
    org_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    rule_id TEXT NOT NULL,
    injection INTEGER NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    wording TEXT NOT NULL,
    PRIMARY KEY (org_id, kind, rule_id, injection)
) WITHOUT ROWID;
CREATE INDEX injected_rules_by_injection ON injected_rules (injection);
