-- One row for each run: what lists show, where its journal ends, who owns it.
CREATE TABLE runs (
    id           INTEGER PRIMARY KEY,
    run          TEXT    NOT NULL UNIQUE,
    plan         TEXT    NOT NULL,
    plan_version INTEGER NOT NULL,
    plan_name    TEXT    NOT NULL,
    status       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL, -- milliseconds since 1970, as every time here
    updated_at   INTEGER NOT NULL,
    journal_end  INTEGER NOT NULL, -- how many records it has
    fence        INTEGER NOT NULL DEFAULT 0,
    owner        TEXT,             -- absent: nobody drives the run
    owner_locked INTEGER NOT NULL DEFAULT 0, -- 1: the owner holds the lock of its name
    claim_until  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_newest_first ON runs (created_at DESC, run);

CREATE TABLE run_tags (
    run   INTEGER NOT NULL, -- runs.id
    key   TEXT    NOT NULL,
    value TEXT    NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

-- The journals. The key is runs.id * 2^32 + the sequence of the record, so that a
-- journal is one range of the table's own tree and an append touches its end alone.
CREATE TABLE records (
    key      INTEGER PRIMARY KEY,
    checksum INTEGER NOT NULL,
    bytes    BLOB    NOT NULL
) STRICT;

-- What could not be read. Sequence 0 is the head of the run.
CREATE TABLE quarantine (
    run      TEXT    NOT NULL,
    sequence INTEGER NOT NULL,
    reason   TEXT    NOT NULL,
    found_at INTEGER NOT NULL,
    PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE plans (
    plan      TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    digest    TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    status    TEXT    NOT NULL,
    stored_at INTEGER NOT NULL,
    document  TEXT    NOT NULL,
    UNIQUE (plan, version)
) STRICT;
