-- The first shape of a database: schema belfry, with the shards of one installation in it. The columns have the names of
-- the fields in model/record.h; an instant that is not set (TIME_NONE) and a text that is empty are NULL; enums are their
-- numbers, which therefore never change. Numbers without a sign are kept bit for bit in a type of the same size.
-- docs/decisions/0006-row-writes.md says what tables and indexes cost, and why none can go.
--
-- Who may do what. The schema belongs to whoever ran "belfry init" (a role that may CREATE in the database). Servers need
-- less, and should have less:
--
--     CREATE ROLE belfry_server LOGIN PASSWORD '...';
--     GRANT USAGE ON SCHEMA belfry TO belfry_server;
--     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA belfry TO belfry_server;
--     REVOKE INSERT, UPDATE, DELETE ON belfry.parts FROM belfry_server;
--     GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA belfry TO belfry_server;
--
-- (the last three lines again after an upgrade, which may add tables and functions).
-- All servers of an installation use one role: a successor ends the session of an owner whose lease is over, which
-- PostgreSQL allows within a role. Sessions must be the servers' own: a pooler in transaction mode would give advisory
-- locks and prepared statements to others.

-- One row for each shard: how far it has come, who may write, and until when it counts as alive. backend_ is the owner's
-- session: the one that a successor may end. is_filling: "belfry migrate" has begun and has not ended. held: why nothing is
-- given to workers until somebody accepts what is stored (it was restored, perhaps); NULL: it is given.
CREATE TABLE belfry.shards (
    number smallint PRIMARY KEY,
    id_high_ms bigint NOT NULL DEFAULT 0,
    last_batch bigint NOT NULL DEFAULT 0,
    epoch bigint NOT NULL DEFAULT 0,
    nonce_0 bigint NOT NULL DEFAULT 0,
    nonce_1 bigint NOT NULL DEFAULT 0,
    owner_name text,
    owner_url text,
    backend_pid integer,
    backend_start timestamptz,
    until timestamptz,
    is_filling boolean NOT NULL DEFAULT false,
    held text
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- Every batch, in its own transaction: what tells later whether it was committed. Only the newest are kept.
CREATE TABLE belfry.batch_log (
    shard smallint NOT NULL,
    number bigint NOT NULL,
    epoch bigint NOT NULL,
    nonce_0 bigint NOT NULL,
    nonce_1 bigint NOT NULL,
    operations bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (shard, number)
);

-- Where work stands, as numbers: a place is the tenant's number in the upper half of a bigint and the lane's in the lower
-- one, so that an index entry is short and a job changes lanes without anybody knowing its tenant. Rows are never
-- changed and never removed.
CREATE TABLE belfry.tenant_numbers (
    shard smallint NOT NULL,
    number integer NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    PRIMARY KEY (shard, number),
    UNIQUE (shard, tenant)
);

CREATE TABLE belfry.lanes (
    shard smallint NOT NULL,
    number integer NOT NULL,
    priority integer NOT NULL,
    pool text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    PRIMARY KEY (shard, number),
    UNIQUE (shard, pool, type, priority)
);

-- A job's row is written when it is made and when it ends, and at each fire of a recurring one: the room left in a page
-- takes the new version, and that in the index its entry (without it each page of the index is split by the ends of the
-- jobs in it).
CREATE TABLE belfry.jobs (
    id bigint NOT NULL,
    place bigint NOT NULL,
    cursor_ms bigint,
    wake_ms bigint,
    held_to_ms bigint,
    missed_to_ms bigint,
    fired bigint NOT NULL,
    anchor_ms bigint,
    created_ms bigint,
    updated_ms bigint,
    rules bigint NOT NULL,
    version integer NOT NULL,
    shard smallint NOT NULL,
    status smallint NOT NULL,
    name text COLLATE "C",
    def text NOT NULL,
    PRIMARY KEY (shard, id) WITH (fillfactor = 50)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- The far tier: what a place has to wait for. What has ended is not in it, so its size is what waits.
CREATE INDEX jobs_wake ON belfry.jobs (shard, place, wake_ms, id) WHERE wake_ms IS NOT NULL;

CREATE UNIQUE INDEX jobs_name ON belfry.jobs (shard, (place >> 32), name) WHERE name IS NOT NULL;

-- The jobs that follow a zone's rules, to be found when these change.
CREATE INDEX jobs_rules ON belfry.jobs (shard, rules, id) WHERE rules <> 0;

-- How jobs come in, in the order in which the store sends the columns: new rows, and changes.
CREATE TYPE belfry.job_new AS (
    id bigint, place bigint, status smallint, version integer, cursor_ms bigint, wake_ms bigint, held_to_ms bigint,
    missed_to_ms bigint, fired bigint, anchor_ms bigint, created_ms bigint, updated_ms bigint, name text, def text,
    rules bigint
);

CREATE TYPE belfry.job_change AS (
    id bigint, place bigint, status smallint, version integer, cursor_ms bigint, wake_ms bigint, held_to_ms bigint,
    missed_to_ms bigint, fired bigint, anchor_ms bigint, updated_ms bigint, def text, rules bigint
);

-- Rules of time zones, as text (calendar/zone_text.h), by their hash.
CREATE TABLE belfry.rules (
    shard smallint NOT NULL,
    hash bigint NOT NULL,
    zone text NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (shard, hash)
);

CREATE TABLE belfry.versions (
    job bigint NOT NULL,
    version bigint NOT NULL,
    from_ms bigint,
    anchor_ms bigint,
    rules bigint NOT NULL,
    shard smallint NOT NULL,
    def text NOT NULL,
    PRIMARY KEY (shard, job, version)
);

-- The claims of one batch, packed (store/claims_pack.h). They live for moments: compressing them is wasted.
CREATE TABLE belfry.claims (
    id bigint NOT NULL,
    shard smallint NOT NULL,
    claims bytea NOT NULL,
    PRIMARY KEY (shard, id)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

ALTER TABLE belfry.claims ALTER COLUMN claims SET STORAGE EXTERNAL;

CREATE TABLE belfry.skips (
    job bigint NOT NULL,
    from_ms bigint NOT NULL,
    to_ms bigint,
    count bigint NOT NULL,
    blocked_by bigint NOT NULL,
    decided_ms bigint,
    version integer NOT NULL,
    shard smallint NOT NULL,
    reason smallint NOT NULL,
    PRIMARY KEY (shard, job, from_ms)
) WITH (fillfactor = 80);

-- ended: ids of jobs, 8 bytes each, little-endian.
CREATE TABLE belfry.waits (
    job bigint NOT NULL,
    scheduled_ms bigint NOT NULL,
    root bigint NOT NULL,
    trigger bigint NOT NULL,
    shard smallint NOT NULL,
    is_over smallint NOT NULL,
    ended bytea NOT NULL,
    PRIMARY KEY (shard, job, scheduled_ms, root)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE belfry.edges (
    upstream bigint NOT NULL,
    downstream bigint NOT NULL,
    since_ms bigint,
    since_id bigint NOT NULL,
    shard smallint NOT NULL,
    on_end smallint NOT NULL,
    PRIMARY KEY (shard, upstream, downstream)
);

CREATE INDEX edges_up ON belfry.edges (shard, downstream, upstream);

CREATE TABLE belfry.settings (
    shard smallint NOT NULL,
    scope smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (shard, scope, tenant, name)
);

-- One row for each rate that has been used, changed with nearly every batch that uses it.
CREATE TABLE belfry.limiters (
    tat_ms bigint,
    shard smallint NOT NULL,
    scope smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (shard, scope, tenant, name)
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE belfry.circuits (
    job bigint NOT NULL,
    open_until_ms bigint,
    shard smallint NOT NULL,
    is_half_open smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    PRIMARY KEY (shard, tenant, type, job)
) WITH (fillfactor = 50);

CREATE TABLE belfry.idems (
    hash_0 bigint NOT NULL,
    hash_1 bigint NOT NULL,
    created_ms bigint,
    shard smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    result text,
    PRIMARY KEY (shard, tenant, key)
);

-- A tenant's count changes with nearly every batch that makes jobs.
CREATE TABLE belfry.tenants (
    jobs bigint NOT NULL,
    shard smallint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    PRIMARY KEY (shard, tenant)
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- The servers that share the store, as each says of itself every few seconds, for people: nothing is decided by it, and
-- it is written without the fence.
CREATE TABLE belfry.members (
    instance_0 bigint NOT NULL,
    instance_1 bigint NOT NULL,
    started_ms bigint NOT NULL,
    epoch bigint,
    offset_us bigint,
    seen timestamptz NOT NULL,
    shard smallint NOT NULL,
    is_draining boolean NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    version text NOT NULL,
    PRIMARY KEY (shard, instance_0, instance_1)
) WITH (fillfactor = 50);

-- The fence. Every transaction that writes takes the shared lock of its shard (which a successor takes alone before it
-- raises the epoch), and then, in a statement of its own, one of the two functions below. Under READ COMMITTED that
-- statement sees what was committed while the lock was waited for. They raise what ends the rest of the pipeline:
--     YB001   somebody else owns the shard
--     YB002   the batch is not the next one
--     YB003   as many rows were to be there, and were not
-- Both say what the database's clock says, in milliseconds since 1970.

CREATE FUNCTION belfry.clock_ms(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT floor(extract(epoch FROM at) * 1000)::bigint
$$;

-- Prolongs the owner's lease; a lease of 0 ms ends it.
CREATE FUNCTION belfry.hold(p_shard smallint, p_epoch bigint, p_nonce_0 bigint, p_nonce_1 bigint, p_lease_ms bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    now_at timestamptz := clock_timestamp();
BEGIN
    UPDATE belfry.shards SET until = now_at + p_lease_ms * interval '1 millisecond'
        WHERE number = p_shard AND epoch = p_epoch AND nonce_0 = p_nonce_0 AND nonce_1 = p_nonce_1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'shard % was taken over (epoch %, ours was %)', p_shard,
            (SELECT epoch FROM belfry.shards WHERE number = p_shard), p_epoch USING ERRCODE = 'YB001';
    END IF;
    RETURN belfry.clock_ms(now_at);
END
$$;

-- The same, and moves the shard on to the next batch.
CREATE FUNCTION belfry.advance(p_shard smallint, p_epoch bigint, p_nonce_0 bigint, p_nonce_1 bigint,
                               p_lease_ms bigint, p_batch bigint, p_id_high_ms bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    now_at timestamptz := clock_timestamp();
    last bigint;
BEGIN
    UPDATE belfry.shards SET until = now_at + p_lease_ms * interval '1 millisecond',
            last_batch = p_batch, id_high_ms = greatest(id_high_ms, p_id_high_ms)
        WHERE number = p_shard AND epoch = p_epoch AND nonce_0 = p_nonce_0 AND nonce_1 = p_nonce_1
            AND last_batch = p_batch - 1;
    IF NOT FOUND THEN
        PERFORM belfry.hold(p_shard, p_epoch, p_nonce_0, p_nonce_1, p_lease_ms);
        SELECT last_batch INTO last FROM belfry.shards WHERE number = p_shard;
        RAISE EXCEPTION 'batch % does not follow batch %', p_batch, last USING ERRCODE = 'YB002';
    END IF;
    RETURN belfry.clock_ms(now_at);
END
$$;

CREATE FUNCTION belfry.want(p_wanted bigint, p_met bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF p_wanted <> p_met THEN
        RAISE EXCEPTION 'of % rows % are there', p_wanted, p_met USING ERRCODE = 'YB003';
    END IF;
END
$$;
