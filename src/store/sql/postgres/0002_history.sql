-- History: triggers and their attempts, in parts by month that are dropped when nothing in them is kept any more.
--
-- A part holds a range of ids, and ids sort by time (base/id.h): so a month is a range, the key (shard, id) holds over
-- all parts, and who knows an id knows the part. What is older than the first month ("belfry migrate" brings it) is in
-- parts named past, which stay. Ids outside of all parts (of a part that was dropped, or of a month that nobody has made a
-- part for) are in the default parts, so a row always has a place. Default parts are to stay small: PostgreSQL reads all
-- of them, with everybody waiting, whenever a part is made.
--
-- What cannot be one index over all parts is that no job fires twice for one nominal time. Each part has it for itself;
-- over parts, belfry.fires_once() looks, in the transaction that writes. That is as good as an index: a shard has one
-- writer at a time (the fence), so nobody else writes between the look and the commit.

-- The months, which come and go. Names of parts: triggers_<suffix>, attempts_<suffix>. from_id is in it, to_id is the next one's.
CREATE TABLE belfry.parts (
    suffix text PRIMARY KEY,
    from_id bigint NOT NULL UNIQUE,
    to_id bigint NOT NULL
);

-- last_ and the four texts after it are the attempt that ended the trigger; last_number 0: none. Most rows are written
-- once, when the trigger has ended. What lives is in this table too, and in indexes of its own.
CREATE TABLE belfry.triggers (
    id bigint NOT NULL,
    job bigint NOT NULL,
    place bigint NOT NULL,
    scheduled_ms bigint NOT NULL,
    due_ms bigint,
    replay_of bigint NOT NULL,
    replayed_by bigint NOT NULL,
    root bigint NOT NULL,
    created_ms bigint,
    ended_ms bigint,
    last_started_ms bigint,
    last_ended_ms bigint,
    version integer NOT NULL,
    attempts integer NOT NULL,
    failures integer NOT NULL,
    lost_run integer NOT NULL,
    released_run integer NOT NULL,
    replays integer NOT NULL,
    last_number integer NOT NULL,
    shard smallint NOT NULL,
    kind smallint NOT NULL,
    state smallint NOT NULL,
    last_state smallint NOT NULL,
    target smallint NOT NULL,
    reason text,
    last_worker text,
    last_error_code text,
    last_error_message text,
    last_result text,
    payload text,
    PRIMARY KEY (shard, id)
) PARTITION BY RANGE (id);

-- How triggers come in, in the order in which the store sends the columns.
CREATE TYPE belfry.trigger_new AS (
    id bigint, job bigint, place bigint, kind smallint, state smallint, version integer, scheduled_ms bigint,
    due_ms bigint, attempts integer, failures integer, lost_run integer, released_run integer, replays integer,
    replay_of bigint, root bigint, created_ms bigint, ended_ms bigint, reason text, last_number integer,
    last_state smallint, last_started_ms bigint, last_ended_ms bigint, last_worker text, last_error_code text,
    last_error_message text, last_result text, payload text, target smallint, replayed_by bigint
);

-- Attempts that did not end their trigger.
CREATE TABLE belfry.attempts (
    trigger bigint NOT NULL,
    number bigint NOT NULL,
    started_ms bigint,
    ended_ms bigint,
    shard smallint NOT NULL,
    state smallint NOT NULL,
    worker text,
    error_code text,
    error_message text,
    result text,
    PRIMARY KEY (shard, trigger, number)
) PARTITION BY RANGE (trigger);

-- The first id of an instant.
CREATE FUNCTION belfry.id_at(p_at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(0, floor(extract(epoch FROM p_at) * 1000)::bigint - 1704067200000) << 22
$$;

-- The month, as people in UTC have it, so many months after that of an instant.
CREATE FUNCTION belfry.month_at(p_at timestamptz, p_later integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT (date_trunc('month', p_at AT TIME ZONE 'UTC') + p_later * interval '1 month') AT TIME ZONE 'UTC'
$$;

-- Two tables with their indexes; p_bounds is what CREATE TABLE ... PARTITION OF wants.
CREATE FUNCTION belfry.part_make(p_suffix text, p_bounds text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text := 'triggers_' || p_suffix;
    vacuum text := 'WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05)';
BEGIN
    EXECUTE format('CREATE TABLE belfry.%I PARTITION OF belfry.triggers %s %s', name, p_bounds, vacuum);
    EXECUTE format('CREATE TABLE belfry.%I PARTITION OF belfry.attempts %s %s', 'attempts_' || p_suffix, p_bounds,
                   vacuum);
    -- A job's history by id. The scheduled trigger of a one-time job has the job's id and needs no index to be found.
    EXECUTE format('CREATE INDEX %I ON belfry.%I (shard, job, id) WHERE job <> id', 'triggers_history_' || p_suffix,
                   name);
    -- A job's history by nominal time; and no job fires twice for one (kind 0: schedule).
    EXECUTE format('CREATE UNIQUE INDEX %I ON belfry.%I (shard, job, scheduled_ms, '
                   '(CASE kind WHEN 0 THEN 0 ELSE id END)) WHERE job <> id', 'triggers_scheduled_' || p_suffix, name);
    -- WAITING (0) and PENDING (1).
    EXECUTE format('CREATE INDEX %I ON belfry.%I (shard, job, id) WHERE state <= 1', 'triggers_living_' || p_suffix,
                   name);
    -- DEAD (4) and not replayed: the list of dead letters, in the order of ids.
    EXECUTE format('CREATE INDEX %I ON belfry.%I (shard, id) WHERE state = 4 AND replayed_by = 0',
                   'triggers_dead_' || p_suffix, name);
END
$$;

-- Both of these change tables, which servers may not: they run with the rights of who made the schema, and do one
-- thing only, within bounds, for roles that were given it (0001_begin.sql): who may call them can make others wait. Who
-- has to wait for a reader gives up soon, since everybody else waits behind; there is time.

-- The larger one of a pair of parts, in bytes.
CREATE FUNCTION belfry.part_bytes(p_suffix text) RETURNS bigint LANGUAGE sql AS $$
    SELECT greatest(pg_relation_size(format('belfry.%I', 'triggers_' || p_suffix)),
                    pg_relation_size(format('belfry.%I', 'attempts_' || p_suffix)))
$$;

-- Makes the parts up to p_at; true: there were some to make. What was written meanwhile is in the default parts, and
-- its range stays there: a part begins where no id has been given yet.
CREATE FUNCTION belfry.parts_ahead(p_at timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = belfry, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    given bigint := (SELECT max(id_high_ms) FROM shards);
    first timestamptz := month_at(clock_timestamp(), 0);
    is_made boolean := false;
BEGIN
    p_at := least(p_at, clock_timestamp() + interval '100 days');
    IF EXISTS (SELECT FROM parts WHERE to_id > id_at(p_at)) THEN
        RETURN false;
    END IF;
    IF part_bytes('other') > 64 * 1024 * 1024 THEN
        RAISE WARNING 'belfry: the default parts of the history are too large to make a part for another month';
        RETURN false;
    END IF;
    LOCK TABLE triggers, attempts IN ACCESS EXCLUSIVE MODE; -- another shard's owner may be at it
    IF to_timestamp(given / 1000.0) >= first THEN
        first := month_at(to_timestamp(given / 1000.0), 1);
    END IF;
    first := greatest(first, (SELECT to_timestamp(((max(to_id) >> 22) + 1704067200000) / 1000.0) FROM parts));
    WHILE first <= p_at LOOP
        PERFORM part_make(to_char(first AT TIME ZONE 'UTC', 'YYYY_MM'),
                          format('FOR VALUES FROM (%s) TO (%s)', id_at(first), id_at(month_at(first, 1))));
        INSERT INTO parts VALUES (to_char(first AT TIME ZONE 'UTC', 'YYYY_MM'), id_at(first),
                                  id_at(month_at(first, 1)));
        first := month_at(first, 1);
        is_made := true;
    END LOOP;
    RETURN is_made;
END
$$;

-- Drops the parts that end before p_below and hold nothing any more; how many. A part that is still large holds at least
-- the dead rows of what was removed from it: vacuum comes first, so that nobody waits while they are looked at.
CREATE FUNCTION belfry.parts_drop(p_below bigint) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = belfry, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
    part parts;
    is_used boolean;
    dropped integer := 0;
BEGIN
    p_below := least(p_below, id_at(clock_timestamp()));
    FOR part IN SELECT * FROM parts WHERE to_id <= p_below ORDER BY from_id LOOP
        CONTINUE WHEN part_bytes(part.suffix) > 64 * 1024 * 1024;
        FOR look IN 1..2 LOOP -- the second time nobody else can write to it
            EXECUTE format('SELECT EXISTS (SELECT FROM %I) OR EXISTS (SELECT FROM %I)', 'triggers_' || part.suffix,
                           'attempts_' || part.suffix) INTO is_used;
            EXIT WHEN is_used OR look = 2;
            LOCK TABLE triggers, attempts IN ACCESS EXCLUSIVE MODE;
        END LOOP;
        IF NOT is_used THEN
            EXECUTE format('DROP TABLE %I, %I', 'triggers_' || part.suffix, 'attempts_' || part.suffix);
            DELETE FROM parts WHERE suffix = part.suffix;
            dropped := dropped + 1;
        END IF;
    END LOOP;
    RETURN dropped;
END
$$;

REVOKE EXECUTE ON FUNCTION belfry.parts_ahead(timestamptz), belfry.parts_drop(bigint) FROM PUBLIC;

-- What the rule of all parts is held by: p_others of a job's fires have a twin in some part.
CREATE FUNCTION belfry.fires_once(p_others bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF p_others <> 0 THEN
        RAISE EXCEPTION 'a job fires twice for one nominal time' USING ERRCODE = 'unique_violation';
    END IF;
END
$$;

SELECT belfry.part_make('other', 'DEFAULT');
SELECT belfry.part_make('past', format('FOR VALUES FROM (MINVALUE) TO (%s)',
                                       belfry.id_at(belfry.month_at(clock_timestamp(), 0))));
SELECT belfry.parts_ahead(clock_timestamp() + interval '40 days');
