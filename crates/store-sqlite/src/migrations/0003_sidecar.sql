-- The file that holds the indexes in memory as they were at the last orderly end; no row if anything changed since.
CREATE TABLE sidecars (id TEXT NOT NULL);
