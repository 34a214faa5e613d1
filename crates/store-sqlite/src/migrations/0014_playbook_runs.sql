-- Runs of Markdown playbooks. `source` is the program as it was when the run began, `entries` the length of its journal,
-- `told_by` the last job whose event is in it.
CREATE TABLE playbook_runs (
    org_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    program TEXT NOT NULL,
    version TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    entries INTEGER NOT NULL,
    told_by INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX playbook_runs_by_time ON playbook_runs (org_id, created_at DESC, id DESC);
CREATE INDEX playbook_runs_by_user ON playbook_runs (org_id, user_id, created_at DESC, id DESC);

-- What happened in a run, in order: JSON that only the engine understands. It goes with its run.
CREATE TABLE playbook_journal (
    org_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (org_id, run_id, position),
    FOREIGN KEY (org_id, run_id) REFERENCES playbook_runs (org_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
