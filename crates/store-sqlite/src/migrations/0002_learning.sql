-- How far each extractor has read a user's turns: those up to `covered` were learned from.
CREATE TABLE learning_cursors (
    org_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    extractor TEXT NOT NULL,
    covered INTEGER NOT NULL,
    PRIMARY KEY (org_id, user_id, extractor)
) WITHOUT ROWID;

-- A user's turns in the order of arrival, which is the order of their ids.
CREATE INDEX interactions_by_user_arrival ON interactions (org_id, user_id, id);
