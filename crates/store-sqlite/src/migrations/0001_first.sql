-- Every table begins with the org in its keys and indexes. Columns are what queries select by; what
-- they only carry lies in a JSON `body` or `extra`.

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    org_id TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) WITHOUT ROWID;

-- `key` grows in the order of arrival; it also stands for the request in `interactions`.
CREATE TABLE requests (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    extra TEXT,
    UNIQUE (org_id, id)
);
CREATE INDEX requests_by_time ON requests (org_id, created_at);
CREATE INDEX requests_by_user ON requests (org_id, user_id, created_at);
CREATE INDEX requests_by_session ON requests (org_id, session_id, created_at);

CREATE TABLE interactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    request_key INTEGER NOT NULL REFERENCES requests (key),
    created_at INTEGER NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    image_id TEXT,
    extra TEXT
);
CREATE INDEX interactions_by_arrival ON interactions (org_id);
CREATE INDEX interactions_by_time ON interactions (org_id, created_at DESC);
CREATE INDEX interactions_by_user ON interactions (org_id, user_id, created_at DESC);
CREATE INDEX interactions_by_request ON interactions (request_key);
CREATE INDEX interactions_by_image ON interactions (org_id, image_id) WHERE image_id IS NOT NULL;

CREATE TABLE images (
    key INTEGER PRIMARY KEY,
    org_id TEXT NOT NULL,
    id TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (org_id, id)
);

CREATE TABLE profiles (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    last_modified INTEGER NOT NULL,
    time_to_live TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    source TEXT,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (org_id, id)
);
CREATE INDEX profiles_by_time ON profiles (org_id, last_modified DESC, id);
CREATE INDEX profiles_by_user ON profiles (org_id, user_id, last_modified DESC, id);
CREATE INDEX profiles_by_request ON profiles (org_id, request_id);
CREATE INDEX profiles_by_status ON profiles (org_id, status, user_id);

CREATE TABLE user_playbooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT,
    request_id TEXT NOT NULL,
    playbook_name TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    source TEXT,
    status TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX user_playbooks_by_time ON user_playbooks (org_id, created_at);
CREATE INDEX user_playbooks_by_user ON user_playbooks (org_id, user_id, created_at);
CREATE INDEX user_playbooks_by_request ON user_playbooks (org_id, request_id);
CREATE INDEX user_playbooks_by_version ON user_playbooks (org_id, agent_version, playbook_name, status);

CREATE TABLE agent_playbooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    playbook_name TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    playbook_status TEXT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX agent_playbooks_by_time ON agent_playbooks (org_id, created_at);
CREATE INDEX agent_playbooks_by_version
    ON agent_playbooks (org_id, agent_version, playbook_name, playbook_status, status);

CREATE TABLE configs (
    org_id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    secrets BLOB NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE stalls (
    org_id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE operations (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    id TEXT NOT NULL,
    service_name TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (org_id, id)
);
CREATE INDEX operations_by_service ON operations (org_id, service_name, started_at);

-- `place` is where a job stands that is not over: `ready` to be claimed, `waiting` for its time, `behind` another
-- one of its lane, or `running`. What is not `behind` comes first in its lane, and one index sees to it that only
-- one job does.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    user_id TEXT,
    kind TEXT NOT NULL,
    lane TEXT,
    dedup_key TEXT,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    place TEXT,
    fence INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    max_attempts INTEGER NOT NULL,
    run_after INTEGER NOT NULL,
    lease_until INTEGER,
    worker TEXT,
    cancel_asked INTEGER NOT NULL DEFAULT 0,
    progress TEXT,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    history TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX jobs_ready ON jobs (kind, org_id, ifnull(user_id, '')) WHERE place = 'ready';
CREATE INDEX jobs_waiting ON jobs (run_after) WHERE place = 'waiting';
CREATE INDEX jobs_behind ON jobs (org_id, lane) WHERE place = 'behind';
CREATE UNIQUE INDEX jobs_first ON jobs (org_id, lane) WHERE lane IS NOT NULL AND place <> 'behind';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_keys ON jobs (org_id, dedup_key) WHERE state = 'queued';
CREATE INDEX jobs_unfinished ON jobs (org_id, user_id, kind) WHERE finished_at IS NULL;
CREATE INDEX jobs_finished ON jobs (state, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_by_arrival ON jobs (org_id);
CREATE INDEX jobs_by_state ON jobs (org_id, state);
CREATE INDEX jobs_by_kind ON jobs (org_id, kind);
CREATE INDEX jobs_by_user ON jobs (org_id, user_id);

CREATE TABLE lineage_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    action TEXT NOT NULL,
    user_id TEXT,
    request_id TEXT,
    actor TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX lineage_by_subject ON lineage_events (org_id, subject_kind, subject_id);
CREATE INDEX lineage_by_user ON lineage_events (org_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX lineage_of_profiles ON lineage_events (org_id)
    WHERE subject_kind = 'profile' AND request_id IS NOT NULL;
CREATE INDEX lineage_by_request
    ON lineage_events (org_id, subject_kind, user_id, request_id) WHERE request_id IS NOT NULL;

-- Text indexes that still hold words of erased users. Each erasure asks for a round; `running` is the one
-- that is under way, or 0.
CREATE TABLE purges (
    index_name TEXT NOT NULL PRIMARY KEY,
    round INTEGER NOT NULL,
    running INTEGER NOT NULL
) WITHOUT ROWID;

-- `body` holds the terms that `reflexio_search::terms` made of the row's text, `scope` one token for the
-- org and one for the user. The ascii tokenizer only cuts at ASCII punctuation and white space, of which
-- the terms hold none.
CREATE VIRTUAL TABLE interactions_fts USING fts5
    (scope, body, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE VIRTUAL TABLE profiles_fts USING fts5
    (scope, body, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE VIRTUAL TABLE user_playbooks_fts USING fts5
    (scope, body, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE VIRTUAL TABLE agent_playbooks_fts USING fts5
    (scope, body, content = '', contentless_delete = 1, tokenize = 'ascii');

-- What made vectors; `key` stands for it beside them. At most one is in use. `queued` tells whether all rows
-- with vectors of other models wait for new ones.
CREATE TABLE vector_models (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    in_use INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    UNIQUE (id, dimension)
);

-- Rows whose text waits for a vector. `wording` changes with every edit, so that a vector of an old text is
-- not taken; `refused` says why the model did not want the text.
CREATE TABLE unembedded (
    org_id TEXT NOT NULL,
    kind INTEGER NOT NULL,
    key INTEGER NOT NULL,
    wording INTEGER NOT NULL,
    refused TEXT,
    PRIMARY KEY (org_id, kind, key)
) WITHOUT ROWID;

-- `vector` holds little-endian 32-bit numbers.
CREATE TABLE interactions_vectors (key INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE profiles_vectors (key INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE user_playbooks_vectors (key INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE agent_playbooks_vectors (key INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
