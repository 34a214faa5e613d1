-- Operations that changed learned rows. `loss` says why what they changed is not known any more.
CREATE TABLE runs (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    actor TEXT,
    automatic INTEGER NOT NULL,
    job INTEGER,
    user_id TEXT,
    scope TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    added INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 0,
    retired INTEGER NOT NULL DEFAULT 0,
    undoes TEXT,
    undone_by TEXT,
    loss TEXT,
    UNIQUE (org_id, id)
);
CREATE INDEX runs_by_arrival ON runs (org_id);
CREATE INDEX runs_by_kind ON runs (org_id, kind);
CREATE INDEX runs_by_state ON runs (org_id, state);
CREATE INDEX runs_by_user ON runs (org_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX runs_by_age ON runs (ended_at);

-- What a run did to rows, in the order in which it did it. `before` holds a deleted row whole and of a changed one the
-- fields that differ, `after` the same fields as they became. `digest_before` and `digest_after` stand for the whole row; none
-- means that there was no row.
CREATE TABLE run_changes (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (key),
    row_kind TEXT NOT NULL,
    row_id TEXT NOT NULL,
    user_id TEXT,
    before TEXT,
    after TEXT,
    digest_before BLOB,
    digest_after BLOB
);
CREATE INDEX run_changes_by_run ON run_changes (run);
CREATE INDEX run_changes_by_row ON run_changes (org_id, row_kind, row_id);
CREATE INDEX run_changes_by_user ON run_changes (org_id, user_id) WHERE user_id IS NOT NULL;
