-- Runs that look for a better wording of a playbook, or measure how much it helps. `run` is the search itself, JSON that only the optimiser understands.
CREATE TABLE optimizations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    job_id INTEGER,
    successor_id INTEGER,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    body TEXT NOT NULL,
    run TEXT
);
CREATE INDEX optimizations_by_time ON optimizations (org_id, purpose, created_at DESC, id DESC);
CREATE INDEX optimizations_by_target
    ON optimizations (org_id, purpose, target_kind, target_id, created_at DESC, id DESC);
CREATE INDEX optimizations_by_job ON optimizations (job_id) WHERE job_id IS NOT NULL;
-- One run per playbook and purpose at a time.
CREATE UNIQUE INDEX optimizations_open ON optimizations (org_id, purpose, target_kind, target_id)
    WHERE finished_at IS NULL;

-- Whose situations a run replays: it goes with the first of these users who is erased.
CREATE TABLE optimization_windows (
    optimization_id INTEGER NOT NULL REFERENCES optimizations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (optimization_id, number)
) WITHOUT ROWID;
CREATE INDEX optimization_windows_by_user ON optimization_windows (org_id, user_id);

CREATE TABLE optimization_candidates (
    optimization_id INTEGER NOT NULL REFERENCES optimizations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (optimization_id, number)
) WITHOUT ROWID;

-- What was said in replays, and what the judge thinks of it.
CREATE TABLE optimization_trials (
    optimization_id INTEGER NOT NULL REFERENCES optimizations (id) ON DELETE CASCADE,
    candidate INTEGER NOT NULL,
    window_number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (optimization_id, candidate, window_number)
) WITHOUT ROWID;

CREATE TABLE optimization_events (
    optimization_id INTEGER NOT NULL REFERENCES optimizations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    org_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (optimization_id, number)
) WITHOUT ROWID;
