-- What calls of models cost by day (UTC, counted from 1970-01-01), role and model; kept for ever. `detailed_calls` and
-- `detailed_micros` are the part of it that `model_calls` still holds one by one.
CREATE TABLE cost_days (
    org_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    role TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    saved INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    latency_ms INTEGER NOT NULL,
    detailed_calls INTEGER NOT NULL,
    detailed_micros INTEGER NOT NULL,
    PRIMARY KEY (org_id, day, role, model)
) WITHOUT ROWID;
CREATE INDEX cost_days_by_day ON cost_days (day);

-- The same calls one by one, for a while.
CREATE TABLE model_calls (
    id INTEGER PRIMARY KEY,
    org_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    at INTEGER NOT NULL,
    role TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_version TEXT,
    is_correction INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    tokens_estimated INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL,
    price_known INTEGER NOT NULL,
    latency_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    run TEXT,
    user_id TEXT,
    config TEXT
);
CREATE INDEX model_calls_by_day ON model_calls (org_id, day);
CREATE INDEX model_calls_by_user ON model_calls (org_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX model_calls_by_run ON model_calls (org_id, run) WHERE run IS NOT NULL;
CREATE INDEX model_calls_by_age ON model_calls (day);

-- Answers that unfinished jobs have paid for.
CREATE TABLE saved_answers (
    job_id INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    org_id TEXT NOT NULL,
    user_id TEXT,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (job_id, digest)
) WITHOUT ROWID;
CREATE INDEX saved_answers_by_user ON saved_answers (org_id, user_id);
