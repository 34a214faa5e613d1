-- How sessions ended, by the word of whoever runs the agent: one for each session of a user.
CREATE TABLE session_outcomes (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    label TEXT,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (org_id, user_id, session_id)
);
CREATE INDEX session_outcomes_by_time ON session_outcomes (org_id, occurred_at);
CREATE INDEX session_outcomes_by_session ON session_outcomes (org_id, session_id, occurred_at);

-- Judged sessions. `covered` is the last turn that was judged.
CREATE TABLE evaluations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    covered INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (org_id, user_id, session_id, agent_version)
);
CREATE INDEX evaluations_by_time ON evaluations (org_id, created_at);
CREATE INDEX evaluations_by_session ON evaluations (org_id, session_id, created_at);

-- Judged learnings: whether what was served to the agent in a session was to the point and helped.
CREATE TABLE learning_evaluations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX learning_evaluations_by_time ON learning_evaluations (org_id, created_at);
CREATE INDEX learning_evaluations_by_user ON learning_evaluations (org_id, user_id, session_id, created_at);
CREATE INDEX learning_evaluations_by_session ON learning_evaluations (org_id, session_id, created_at);
