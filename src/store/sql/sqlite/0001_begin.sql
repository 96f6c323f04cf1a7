-- The first shape of a shard's file. Columns have the names of the fields in model/record.h; an instant that is not set
-- (TIME_NONE) and a text that is empty are NULL; enums are their numbers, which therefore never change.
-- docs/decisions/0006-row-writes.md says what each table and index costs, and why none can go.

-- One row: whose file this is, how far it has come, and who may write.
CREATE TABLE shard (
    number INTEGER PRIMARY KEY,
    id_high_ms INTEGER NOT NULL,
    last_batch INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    nonce_0 INTEGER NOT NULL,
    nonce_1 INTEGER NOT NULL,
    owner_name TEXT,
    owner_url TEXT
) STRICT;

-- (pool, tenant, type, priority) as one small number, so that a job's index entry is short. Never changed, never removed.
CREATE TABLE places (
    id INTEGER PRIMARY KEY,
    pool TEXT NOT NULL,
    tenant TEXT NOT NULL,
    type TEXT NOT NULL,
    priority INTEGER NOT NULL,
    UNIQUE (tenant, type, pool, priority)
) STRICT;

-- tenant is the place's; it is written where there is a name, for the index that keeps names unique.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    place INTEGER NOT NULL,
    status INTEGER NOT NULL,
    version INTEGER NOT NULL,
    cursor_ms INTEGER,
    wake_ms INTEGER,
    held_to_ms INTEGER,
    missed_to_ms INTEGER,
    fired INTEGER NOT NULL,
    anchor_ms INTEGER,
    created_ms INTEGER,
    updated_ms INTEGER,
    tenant TEXT,
    name TEXT,
    def TEXT NOT NULL,
    rules INTEGER NOT NULL
) STRICT;

-- The far tier: what a place has to wait for, in the order of (wake_ms, id).
CREATE INDEX jobs_wake ON jobs (place, wake_ms) WHERE wake_ms IS NOT NULL;

CREATE UNIQUE INDEX jobs_name ON jobs (tenant, name) WHERE name IS NOT NULL;

-- The jobs that follow a zone's rules, to be found when these change. rules is set with def only: a cursor's move does
-- not write it.
CREATE INDEX jobs_rules ON jobs (rules) WHERE rules <> 0;

-- Rules of time zones, as text (calendar/zone_text.h), by their hash.
CREATE TABLE rules (
    hash INTEGER PRIMARY KEY,
    zone TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE versions (
    job INTEGER NOT NULL,
    version INTEGER NOT NULL,
    from_ms INTEGER,
    anchor_ms INTEGER,
    rules INTEGER NOT NULL,
    def TEXT NOT NULL,
    PRIMARY KEY (job, version)
) STRICT, WITHOUT ROWID;

-- last_ and the four texts after it are the attempt that ended the trigger; last_number 0: none.
CREATE TABLE triggers (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL,
    place INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    state INTEGER NOT NULL,
    version INTEGER NOT NULL,
    scheduled_ms INTEGER NOT NULL,
    due_ms INTEGER,
    attempts INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    lost_run INTEGER NOT NULL,
    released_run INTEGER NOT NULL,
    replays INTEGER NOT NULL,
    replay_of INTEGER NOT NULL,
    root INTEGER NOT NULL,
    created_ms INTEGER,
    ended_ms INTEGER,
    reason TEXT,
    last_number INTEGER NOT NULL,
    last_state INTEGER NOT NULL,
    last_started_ms INTEGER,
    last_ended_ms INTEGER,
    last_worker TEXT,
    last_error_code TEXT,
    last_error_message TEXT,
    last_result TEXT,
    payload TEXT,
    target INTEGER NOT NULL,
    replayed_by INTEGER NOT NULL
) STRICT;

-- A job's history by id. The scheduled trigger of a one-time job has the job's id and needs no index to be found.
CREATE INDEX triggers_history ON triggers (job) WHERE job <> id;

-- A job's history by nominal time; and no job fires twice for one (kind 0: schedule).
CREATE UNIQUE INDEX triggers_scheduled
    ON triggers (job, scheduled_ms, (CASE kind WHEN 0 THEN 0 ELSE id END)) WHERE job <> id;

-- WAITING (0) and PENDING (1).
CREATE INDEX triggers_living ON triggers (job) WHERE state <= 1;

-- DEAD (4) and not replayed: the list of dead letters, in the order of ids.
CREATE INDEX triggers_dead ON triggers (state, replayed_by) WHERE state = 4 AND replayed_by = 0;

-- Attempts that did not end their trigger.
CREATE TABLE attempts (
    trigger INTEGER NOT NULL,
    number INTEGER NOT NULL,
    state INTEGER NOT NULL,
    started_ms INTEGER,
    ended_ms INTEGER,
    worker TEXT,
    error_code TEXT,
    error_message TEXT,
    result TEXT,
    PRIMARY KEY (trigger, number)
) STRICT, WITHOUT ROWID;

-- The claims of one batch, packed (store/claims_pack.h).
CREATE TABLE claims (
    id INTEGER PRIMARY KEY,
    claims BLOB NOT NULL
) STRICT;

CREATE TABLE skips (
    job INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER,
    count INTEGER NOT NULL,
    reason INTEGER NOT NULL,
    version INTEGER NOT NULL,
    blocked_by INTEGER NOT NULL,
    decided_ms INTEGER,
    PRIMARY KEY (job, from_ms)
) STRICT, WITHOUT ROWID;

-- ended: ids of jobs, 8 bytes each, little-endian.
CREATE TABLE waits (
    job INTEGER NOT NULL,
    scheduled_ms INTEGER NOT NULL,
    root INTEGER NOT NULL,
    trigger INTEGER NOT NULL,
    is_over INTEGER NOT NULL,
    ended BLOB,
    PRIMARY KEY (job, scheduled_ms, root)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
    upstream INTEGER NOT NULL,
    downstream INTEGER NOT NULL,
    on_end INTEGER NOT NULL,
    since_ms INTEGER,
    since_id INTEGER NOT NULL,
    PRIMARY KEY (upstream, downstream)
) STRICT, WITHOUT ROWID;

CREATE INDEX edges_up ON edges (downstream);

CREATE TABLE settings (
    scope INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (scope, tenant, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE limiters (
    scope INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    tat_ms INTEGER,
    PRIMARY KEY (scope, tenant, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE circuits (
    tenant TEXT NOT NULL,
    type TEXT NOT NULL,
    job INTEGER NOT NULL,
    is_half_open INTEGER NOT NULL,
    open_until_ms INTEGER,
    PRIMARY KEY (tenant, type, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE idems (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    hash_0 INTEGER NOT NULL,
    hash_1 INTEGER NOT NULL,
    result TEXT,
    created_ms INTEGER,
    PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tenants (
    tenant TEXT PRIMARY KEY,
    jobs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
