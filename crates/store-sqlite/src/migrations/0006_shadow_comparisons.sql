-- The answer of a turn compared with its alternative. Who, where and which version is said again here for lists and
-- tallies; it goes with its turn.
CREATE TABLE shadow_comparisons (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    interaction_id INTEGER NOT NULL UNIQUE REFERENCES interactions (id) ON DELETE CASCADE,
    request_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    verdict TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX shadow_comparisons_by_time ON shadow_comparisons (org_id, created_at DESC, id DESC);
CREATE INDEX shadow_comparisons_by_user ON shadow_comparisons (org_id, user_id, created_at DESC, id DESC);
CREATE INDEX shadow_comparisons_by_session ON shadow_comparisons (org_id, session_id, created_at DESC, id DESC);
CREATE INDEX shadow_comparisons_by_request ON shadow_comparisons (org_id, request_id, created_at DESC, id DESC);
CREATE INDEX shadow_comparisons_by_version ON shadow_comparisons (org_id, agent_version, verdict, created_at);

-- Turns with an alternative answer, which are few.
CREATE INDEX interactions_with_shadow ON interactions (org_id, id) WHERE extra ->> '$.shadow' IS NOT NULL;
