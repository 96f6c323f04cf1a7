/* pg_statements_write: the SQL that changes rows, and what only an owner asks.
 *
 * Rules: (1) a statement takes a whole run of equal operations: an array for each column (pg_array.h), in the order of
 *            the columns here, or where it runs for every job an array of rows (pg_rows.h). Elements that are NULL
 * where the column is not are the column's zero. (2) INSERT relies on keys being unique; UPDATE and DELETE count what
 * they met, and belfry.want ends the transaction where that is not all (rule 2 of model/batch.h). See:   rule 1 of
 * pg_statements.h
 */
#ifndef STORE_POSTGRES_PG_STATEMENTS_WRITE_H
#define STORE_POSTGRES_PG_STATEMENTS_WRITE_H

/* Numbers of advisory locks: (class, shard). The first is a session's own as long as it owns the shard, the second is
 * the fence, the third is taken by who changes the schema. */
#define PG_LOCK_OWNER "1650811393"
#define PG_LOCK_FENCE "1650811394"
#define PG_LOCK_SCHEMA "1650811395"

/* The rows of a table that meet keys, each with its ctid; as v, for UPDATE ... FROM and DELETE ... USING. */
#define PG_FOUND(keys, names, table, condition)                                                                        \
    "(SELECT u.*, x.at" PG_EACH(keys " u" names, "ctid AS at", table, condition) "x OFFSET 0) v"

/* The same of a table in parts, in which a ctid is not all: WHERE is PG_MET, with the column that parts go by, as which
 * the first of names must be known. */
#define PG_FOUND_IN_PARTS(keys, names, table, condition)                                                               \
    "(SELECT u.*, x.at, x.part" PG_EACH(keys " u" names, "ctid AS at, tableoid AS part", table,                        \
                                        condition) "x OFFSET 0) v"
#define PG_MET(alias, column)                                                                                          \
    " WHERE " alias ".ctid = v.at AND " alias ".tableoid = v.part AND " alias ".shard = $1::smallint AND " alias       \
    "." column " = v.id"

/* Deletes what meets keys, and wants all of it. */
#define PG_DELETE(keys, names, table, condition)                                                                       \
    "WITH w AS (DELETE FROM " table " d USING " PG_FOUND(                                                              \
        keys, names, table, condition) " WHERE d.ctid = v.at RETURNING 1) SELECT want($2::bigint, count(*)) FROM w"

/* The tables that a copy of another store fills; and triggers and attempts. */
#define PG_FILLED(X)                                                                                                   \
    X("jobs")                                                                                                          \
    X("versions")                                                                                                      \
    X("claims")                                                                                                        \
    X("skips")                                                                                                         \
    X("waits")                                                                                                         \
    X("edges")                                                                                                         \
    X("settings")                                                                                                      \
    X("limiters")                                                                                                      \
    X("circuits")                                                                                                      \
    X("idems")                                                                                                         \
    X("tenants")                                                                                                       \
    X("rules")

#define PG_EMPTIED(table)                                                                                              \
    "x" table " AS (DELETE FROM " table " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " table                             \
    " WHERE shard = $1::smallint LIMIT $2::bigint))), "

/* Of tables in parts: by the column that parts go by. */
#define PG_EMPTIED_PARTS(table, column)                                                                                \
    "x" table " AS (DELETE FROM " table " WHERE shard = $1::smallint AND " column " = ANY (ARRAY(SELECT " column       \
    " FROM " table " WHERE shard = $1::smallint ORDER BY " column " LIMIT $2::bigint))), "

#define PG_LEFT(table) "EXISTS (SELECT FROM " table " WHERE shard = $1::smallint) OR "

#define PG_WRITE_TABLE(X)                                                                                              \
    /* the fence: only postgres_fence.c */                                                                             \
    X(SQL_BEGIN_WRITE, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")                                              \
    X(SQL_COMMIT, "COMMIT")                                                                                            \
    X(SQL_FENCE_SHARED, "SELECT pg_advisory_xact_lock_shared(" PG_LOCK_FENCE ", $1::smallint)")                        \
    X(SQL_FENCE_ALONE, "SELECT pg_advisory_xact_lock(" PG_LOCK_FENCE ", $1::smallint)")                                \
    X(SQL_HOLD, "SELECT hold($1::smallint, $2::bigint, $3::bigint, $4::bigint, $5::bigint)")                           \
    X(SQL_ADVANCE, "SELECT advance($1::smallint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, "         \
                   "$7::bigint)")                                                                                      \
    X(SQL_RAISE, "UPDATE shards SET epoch = epoch + 1, nonce_0 = $2::bigint, nonce_1 = $3::bigint, "                   \
                 "until = clock_timestamp() + $4::bigint * interval '1 millisecond', owner_name = $5::text, "          \
                 "owner_url = $6::text, backend_pid = pg_backend_pid(), backend_start = $7::text::timestamptz "        \
                 "WHERE number = $1::smallint AND ($8::smallint = 1 OR NOT is_filling) "                               \
                 "RETURNING epoch, clock_ms(clock_timestamp())")                                                       \
    X(SQL_LOCK_TRY, "SELECT pg_try_advisory_lock(" PG_LOCK_OWNER ", $1::smallint)::int")                               \
    X(SQL_LOCK_FREE, "SELECT pg_advisory_unlock(" PG_LOCK_OWNER ", $1::smallint)::int")                                \
    /* A new session of the owner. */                                                                                  \
    X(SQL_REJOIN, "UPDATE shards SET backend_pid = pg_backend_pid(), backend_start = $2::text::timestamptz "           \
                  "WHERE number = $1::smallint")                                                                       \
    X(SQL_HELD_SET, "UPDATE shards SET held = nullif($2::text, '') WHERE number = $1::smallint")                       \
    /* Ends others' sessions that own the shard or are writing to it: the one in the shard's row, if its lease is over \
     * (or it was ours: $3 to $5), and those that have done nothing for so long. One that is just about to acquire is  \
     * neither. */                                                                                                     \
    X(SQL_LOCKS_END,                                                                                                   \
      "SELECT pg_terminate_backend(k.pid)::int FROM pg_locks k JOIN pg_stat_activity a ON a.pid = k.pid "              \
      "JOIN shards s ON s.number = $1::smallint WHERE k.locktype = 'advisory' "                                        \
      "AND k.classid IN (" PG_LOCK_OWNER ", " PG_LOCK_FENCE ") AND k.objid = s.number AND k.objsubid = 2 "             \
      "AND k.granted AND k.pid <> pg_backend_pid() "                                                                   \
      "AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "                             \
      "AND ((k.pid = s.backend_pid AND a.backend_start = s.backend_start AND (s.until <= clock_timestamp() "           \
      "OR (s.epoch = $3::bigint AND s.nonce_0 = $4::bigint AND s.nonce_1 = $5::bigint))) "                             \
      "OR a.state_change < clock_timestamp() - $2::bigint * interval '1 millisecond')")                                \
    X(SQL_LOG, "INSERT INTO batch_log (shard, number, epoch, nonce_0, nonce_1, operations) "                           \
               "VALUES ($1::smallint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint)")                    \
    X(SQL_LOG_CUT, "DELETE FROM batch_log WHERE shard = $1::smallint AND number < $2::bigint")                         \
    /* a copy of another store */                                                                                      \
    X(SQL_FILL_BEGIN, "UPDATE shards SET is_filling = true WHERE number = $1::smallint")                               \
    X(SQL_FILL_END, "UPDATE shards SET is_filling = false, last_batch = greatest(last_batch, $2::bigint), "            \
                    "id_high_ms = greatest(id_high_ms, $3::bigint) WHERE number = $1::smallint")                       \
    X(SQL_FILL_EMPTY, "WITH " PG_FILLED(PG_EMPTIED) PG_EMPTIED_PARTS("triggers", "id")                                 \
                          PG_EMPTIED_PARTS("attempts", "trigger") "x AS (SELECT) SELECT FROM x")                       \
    X(SQL_FILL_LEFT, "SELECT (" PG_FILLED(PG_LEFT) PG_LEFT("triggers") PG_LEFT("attempts") "false)::int")              \
    /* names */                                                                                                        \
    X(SQL_TENANT_NUMBERS, "SELECT k.at, n.number" PG_EACH("unnest($2::text[]) WITH ORDINALITY k(tenant, at)",          \
                                                          "number", "tenant_numbers", "tenant = k.tenant") "n")        \
    X(SQL_TENANT_NUMBER_LAST, "SELECT number FROM tenant_numbers WHERE shard = $1::smallint "                          \
                              "ORDER BY number DESC LIMIT 1")                                                          \
    X(SQL_TENANT_NUMBERS_ADD, "INSERT INTO tenant_numbers (shard, number, tenant) "                                    \
                              "SELECT $1::smallint, u.* FROM unnest($2::int[], $3::text[]) u")                         \
    X(SQL_LANES, "SELECT k.at, l.number" PG_EACH("unnest($2::text[], $3::text[], $4::int[]) WITH ORDINALITY "          \
                                                 "k(pool, type, priority, at)",                                        \
                                                 "number", "lanes",                                                    \
                                                 "pool = k.pool AND type = k.type "                                    \
                                                 "AND priority = coalesce(k.priority, 0)") "l")                        \
    X(SQL_LANE_LAST, "SELECT number FROM lanes WHERE shard = $1::smallint ORDER BY number DESC LIMIT 1")               \
    X(SQL_LANES_ADD, "INSERT INTO lanes (shard, number, pool, type, priority) SELECT $1::smallint, u.number, u.pool, " \
                     "u.type, coalesce(u.priority, 0) "                                                                \
                     "FROM unnest($2::int[], $3::text[], $4::text[], $5::int[]) u(number, pool, type, priority)")      \
    /* jobs */                                                                                                         \
    X(SQL_JOB_INSERT,                                                                                                  \
      "INSERT INTO jobs (shard, id, place, status, version, cursor_ms, wake_ms, held_to_ms, missed_to_ms, fired, "     \
      "anchor_ms, created_ms, updated_ms, name, def, rules) "                                                          \
      "SELECT $1::smallint, u.id, u.place, coalesce(u.status, 0::smallint), coalesce(u.version, 0), u.cursor_ms, "     \
      "u.wake_ms, u.held_to_ms, u.missed_to_ms, coalesce(u.fired, 0), u.anchor_ms, u.created_ms, u.updated_ms, "       \
      "u.name, u.def, coalesce(u.rules, 0) "                                                                           \
      "FROM unnest($2::job_new[]) u")                                                                                  \
    X(SQL_JOB_UPDATE,                                                                                                  \
      "WITH w AS (UPDATE jobs j SET place = (j.place & -4294967296) | (v.place & 4294967295), "                        \
      "status = coalesce(v.status, 0::smallint), version = coalesce(v.version, 0), cursor_ms = v.cursor_ms, "          \
      "wake_ms = v.wake_ms, held_to_ms = v.held_to_ms, missed_to_ms = v.missed_to_ms, fired = coalesce(v.fired, 0), "  \
      "anchor_ms = v.anchor_ms, updated_ms = v.updated_ms, def = coalesce(v.def, j.def), "                             \
      "rules = CASE WHEN v.def IS NULL THEN j.rules ELSE coalesce(v.rules, 0) END "                                    \
      "FROM " PG_FOUND("unnest($3::job_change[])", "", "jobs",                                                         \
                       "id = u.id") " WHERE j.ctid = v.at RETURNING 1) SELECT want($2::bigint, count(*)) FROM w")      \
    X(SQL_JOB_DELETE, PG_DELETE("unnest($3::bigint[])", "(id)", "jobs", "id = u.id"))                                  \
    X(SQL_VERSION_INSERT,                                                                                              \
      "INSERT INTO versions (shard, job, version, from_ms, anchor_ms, rules, def) "                                    \
      "SELECT $1::smallint, u.job, u.version, u.from_ms, u.anchor_ms, coalesce(u.rules, 0), u.def "                    \
      "FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[]) "                 \
      "u(job, version, from_ms, anchor_ms, rules, def)")                                                               \
    /* triggers */                                                                                                     \
    X(SQL_TRIGGER_INSERT,                                                                                              \
      "INSERT INTO triggers (shard, id, job, place, kind, state, version, scheduled_ms, due_ms, attempts, failures, "  \
      "lost_run, released_run, replays, replay_of, root, created_ms, ended_ms, reason, last_number, last_state, "      \
      "last_started_ms, last_ended_ms, last_worker, last_error_code, last_error_message, last_result, payload, "       \
      "target, replayed_by) "                                                                                          \
      "SELECT $1::smallint, u.id, u.job, u.place, coalesce(u.kind, 0::smallint), coalesce(u.state, 0::smallint), "     \
      "coalesce(u.version, 0), u.scheduled_ms, u.due_ms, coalesce(u.attempts, 0), coalesce(u.failures, 0), "           \
      "coalesce(u.lost_run, 0), coalesce(u.released_run, 0), coalesce(u.replays, 0), coalesce(u.replay_of, 0), "       \
      "coalesce(u.root, 0), u.created_ms, u.ended_ms, u.reason, coalesce(u.last_number, 0), "                          \
      "coalesce(u.last_state, 0::smallint), u.last_started_ms, u.last_ended_ms, u.last_worker, u.last_error_code, "    \
      "u.last_error_message, u.last_result, u.payload, coalesce(u.target, 0::smallint), coalesce(u.replayed_by, 0) "   \
      "FROM unnest($2::trigger_new[]) u")                                                                              \
    X(SQL_TRIGGER_UPDATE,                                                                                              \
      "WITH w AS (UPDATE triggers t SET place = v.place, state = coalesce(v.state, 0::smallint), "                     \
      "version = coalesce(v.version, 0), scheduled_ms = v.scheduled_ms, due_ms = v.due_ms, "                           \
      "attempts = coalesce(v.attempts, 0), failures = coalesce(v.failures, 0), lost_run = coalesce(v.lost_run, 0), "   \
      "released_run = coalesce(v.released_run, 0), replays = coalesce(v.replays, 0), "                                 \
      "replay_of = coalesce(v.replay_of, 0), root = coalesce(v.root, 0), ended_ms = v.ended_ms, reason = v.reason, "   \
      "last_number = coalesce(v.last_number, 0), last_state = coalesce(v.last_state, 0::smallint), "                   \
      "last_started_ms = v.last_started_ms, last_ended_ms = v.last_ended_ms, last_worker = v.last_worker, "            \
      "last_error_code = v.last_error_code, last_error_message = v.last_error_message, last_result = v.last_result, "  \
      "target = coalesce(v.target, 0::smallint), replayed_by = coalesce(v.replayed_by, 0) "                            \
      "FROM " PG_FOUND_IN_PARTS(                                                                                       \
          "unnest($3::bigint[], $4::bigint[], $5::smallint[], $6::int[], $7::bigint[], $8::bigint[], "                 \
          "$9::int[], $10::int[], $11::int[], $12::int[], $13::int[], $14::bigint[], $15::bigint[], "                  \
          "$16::bigint[], $17::text[], $18::int[], $19::smallint[], $20::bigint[], $21::bigint[], "                    \
          "$22::text[], $23::text[], $24::text[], $25::text[], $26::smallint[], $27::bigint[])",                       \
          "(id, place, state, version, scheduled_ms, due_ms, attempts, failures, lost_run, "                           \
          "released_run, replays, replay_of, root, ended_ms, reason, last_number, last_state, "                        \
          "last_started_ms, last_ended_ms, last_worker, last_error_code, last_error_message, "                         \
          "last_result, target, replayed_by)",                                                                         \
          "triggers", "id = u.id") PG_MET("t", "id") " RETURNING 1) SELECT want($2::bigint, count(*)) FROM w")         \
    X(SQL_TRIGGER_REPLAYED,                                                                                            \
      "WITH w AS (UPDATE triggers t SET replayed_by = coalesce(v.replayed_by, 0) "                                     \
      "FROM " PG_FOUND_IN_PARTS("unnest($3::bigint[], $4::bigint[])", "(id, replayed_by)", "triggers", "id = u.id")    \
          PG_MET("t", "id") " RETURNING 1) SELECT want($2::bigint, count(*)) FROM w")                                  \
    X(SQL_TRIGGER_DELETE,                                                                                              \
      "WITH a AS (DELETE FROM attempts d USING " PG_FOUND_IN_PARTS("unnest($3::bigint[])", "(id)", "attempts",         \
                                                                   "trigger = u.id")                                   \
          PG_MET("d", "trigger") "), "                                                                                 \
                                 "w AS (DELETE FROM triggers d USING " PG_FOUND_IN_PARTS(                              \
                                     "unnest($3::bigint[])", "(id)", "triggers", "id = u.id")                          \
                                     PG_MET("d", "id") " RETURNING 1) SELECT want($2::bigint, count(*)) FROM w")       \
    /* What triggers_scheduled of each part holds for itself, over all parts: of these triggers, how many fires have   \
     * another one. A fire's trigger gets its id when it is due or later; a day is for clocks. */                      \
    X(SQL_TRIGGER_FIRES,                                                                                               \
      "SELECT fires_once(count(*))" PG_EACH(                                                                           \
          "unnest($2::bigint[]) u(id)", "job, scheduled_ms, kind", "triggers",                                         \
          "id = u.id") "t, "                                                                                           \
                       "LATERAL (SELECT FROM triggers o WHERE o.shard = $1::smallint AND o.job = t.job "               \
                       "AND o.scheduled_ms = t.scheduled_ms AND o.kind = 0 AND o.job <> o.id AND o.id <> u.id "        \
                       "AND o.id >= least(greatest(t.scheduled_ms, 1704153600000) - 1704153600000, 2199023255551) << " \
                       "22 OFFSET 0) x "                                                                               \
                       "WHERE t.kind = 0 AND t.job <> u.id")                                                           \
    /* attempts and claims */                                                                                          \
    X(SQL_ATTEMPT_INSERT,                                                                                              \
      "INSERT INTO attempts (shard, trigger, number, state, started_ms, ended_ms, worker, error_code, "                \
      "error_message, result) SELECT $1::smallint, u.trigger, u.number, coalesce(u.state, 0::smallint), "              \
      "u.started_ms, u.ended_ms, u.worker, u.error_code, u.error_message, u.result "                                   \
      "FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], "   \
      "$9::text[], $10::text[]) u(trigger, number, state, started_ms, ended_ms, worker, error_code, error_message, "   \
      "result)")                                                                                                       \
    X(SQL_ATTEMPT_DELETE,                                                                                              \
      "WITH w AS (DELETE FROM attempts d USING " PG_FOUND_IN_PARTS(                                                    \
          "unnest($3::bigint[], $4::bigint[])", "(id, number)", "attempts", "trigger = u.id AND number = u.number")    \
          PG_MET("d", "trigger") " RETURNING 1) SELECT want($2::bigint, count(*)) FROM w")                             \
    X(SQL_CLAIMS_INSERT, "INSERT INTO claims (shard, id, claims) SELECT $1::smallint, u.* "                            \
                         "FROM unnest($2::bigint[], $3::bytea[]) u")                                                   \
    X(SQL_CLAIMS_DELETE, PG_DELETE("unnest($3::bigint[])", "(id)", "claims", "id = u.id"))                             \
    /* skips, waits, edges */                                                                                          \
    X(SQL_SKIP_PUT,                                                                                                    \
      "INSERT INTO skips (shard, job, from_ms, to_ms, count, reason, version, blocked_by, decided_ms) "                \
      "SELECT $1::smallint, u.job, u.from_ms, u.to_ms, coalesce(u.count, 0), coalesce(u.reason, 0::smallint), "        \
      "coalesce(u.version, 0), coalesce(u.blocked_by, 0), u.decided_ms "                                               \
      "FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::int[], $8::bigint[], "  \
      "$9::bigint[]) u(job, from_ms, to_ms, count, reason, version, blocked_by, decided_ms) "                          \
      "ON CONFLICT (shard, job, from_ms) DO UPDATE SET to_ms = excluded.to_ms, count = excluded.count, "               \
      "reason = excluded.reason, version = excluded.version, blocked_by = excluded.blocked_by, "                       \
      "decided_ms = excluded.decided_ms")                                                                              \
    X(SQL_WAIT_PUT,                                                                                                    \
      "INSERT INTO waits (shard, job, scheduled_ms, root, trigger, is_over, ended) "                                   \
      "SELECT $1::smallint, u.job, u.scheduled_ms, coalesce(u.root, 0), coalesce(u.trigger, 0), "                      \
      "coalesce(u.is_over, 0::smallint), u.ended "                                                                     \
      "FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::bytea[]) "              \
      "u(job, scheduled_ms, root, trigger, is_over, ended) ON CONFLICT (shard, job, scheduled_ms, root) "              \
      "DO UPDATE SET trigger = excluded.trigger, is_over = excluded.is_over, ended = excluded.ended")                  \
    X(SQL_WAIT_DELETE,                                                                                                 \
      PG_DELETE("unnest($3::bigint[], $4::bigint[], $5::bigint[])", "(job, scheduled_ms, root)", "waits",              \
                "job = u.job AND scheduled_ms = u.scheduled_ms AND root = coalesce(u.root, 0)"))                       \
    X(SQL_EDGE_INSERT,                                                                                                 \
      "INSERT INTO edges (shard, upstream, downstream, on_end, since_ms, since_id) "                                   \
      "SELECT $1::smallint, u.upstream, u.downstream, coalesce(u.on_end, 0::smallint), u.since_ms, "                   \
      "coalesce(u.since_id, 0) FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[]) "   \
      "u(upstream, downstream, on_end, since_ms, since_id)")                                                           \
    X(SQL_EDGE_DELETE, PG_DELETE("unnest($3::bigint[], $4::bigint[])", "(upstream, downstream)", "edges",              \
                                 "upstream = u.upstream AND downstream = u.downstream"))                               \
    /* settings and the like */                                                                                        \
    X(SQL_SETTING_PUT,                                                                                                 \
      "INSERT INTO settings (shard, scope, tenant, name, text) SELECT $1::smallint, coalesce(u.scope, 0::smallint), "  \
      "u.tenant, u.name, u.text FROM unnest($2::smallint[], $3::text[], $4::text[], $5::text[]) "                      \
      "u(scope, tenant, name, text) ON CONFLICT (shard, scope, tenant, name) DO UPDATE SET text = excluded.text")      \
    X(SQL_LIMITER_PUT,                                                                                                 \
      "INSERT INTO limiters (shard, scope, tenant, name, tat_ms) "                                                     \
      "SELECT $1::smallint, coalesce(u.scope, 0::smallint), u.tenant, u.name, u.tat_ms "                               \
      "FROM unnest($2::smallint[], $3::text[], $4::text[], $5::bigint[]) u(scope, tenant, name, tat_ms) "              \
      "ON CONFLICT (shard, scope, tenant, name) DO UPDATE SET tat_ms = excluded.tat_ms")                               \
    X(SQL_CIRCUIT_PUT,                                                                                                 \
      "INSERT INTO circuits (shard, tenant, type, job, is_half_open, open_until_ms) "                                  \
      "SELECT $1::smallint, u.tenant, u.type, coalesce(u.job, 0), coalesce(u.is_half_open, 0::smallint), "             \
      "u.open_until_ms FROM unnest($2::text[], $3::text[], $4::bigint[], $5::smallint[], $6::bigint[]) "               \
      "u(tenant, type, job, is_half_open, open_until_ms) ON CONFLICT (shard, tenant, type, job) "                      \
      "DO UPDATE SET is_half_open = excluded.is_half_open, open_until_ms = excluded.open_until_ms")                    \
    X(SQL_CIRCUIT_DELETE, PG_DELETE("unnest($3::text[], $4::text[], $5::bigint[])", "(tenant, type, job)", "circuits", \
                                    "tenant = u.tenant AND type = u.type AND job = coalesce(u.job, 0)"))               \
    X(SQL_IDEM_PUT,                                                                                                    \
      "INSERT INTO idems (shard, tenant, key, hash_0, hash_1, result, created_ms) "                                    \
      "SELECT $1::smallint, u.tenant, u.key, coalesce(u.hash_0, 0), coalesce(u.hash_1, 0), u.result, u.created_ms "    \
      "FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[]) "                     \
      "u(tenant, key, hash_0, hash_1, result, created_ms) ON CONFLICT (shard, tenant, key) DO UPDATE "                 \
      "SET hash_0 = excluded.hash_0, hash_1 = excluded.hash_1, result = excluded.result, "                             \
      "created_ms = excluded.created_ms")                                                                              \
    X(SQL_TENANT_PUT, "INSERT INTO tenants (shard, tenant, jobs) SELECT $1::smallint, u.tenant, coalesce(u.jobs, 0) "  \
                      "FROM unnest($2::text[], $3::bigint[]) u(tenant, jobs) "                                         \
                      "ON CONFLICT (shard, tenant) DO UPDATE SET jobs = excluded.jobs")                                \
    X(SQL_RULES_PUT, "INSERT INTO rules (shard, hash, zone, text) SELECT $1::smallint, u.hash, u.zone, u.text "        \
                     "FROM unnest($2::bigint[], $3::text[], $4::text[]) u(hash, zone, text) "                          \
                     "ON CONFLICT (shard, hash) DO UPDATE SET zone = excluded.zone, text = excluded.text")             \
    /* what is old */                                                                                                  \
    X(SQL_TRIGGERS_BETWEEN,                                                                                            \
      "SELECT " PG_TRIGGER_COLUMNS " FROM (SELECT * FROM triggers WHERE shard = $1::smallint "                         \
      "AND id > $2::bigint AND id < $3::bigint ORDER BY id LIMIT $4::bigint) t" PG_PLACE_OF("t") " ORDER BY t.id")     \
    X(SQL_ATTEMPTS_OF, "SELECT a.*" PG_EACH(PG_IDS, PG_ATTEMPT_COLUMNS, "attempts", "trigger = k.id") "a")             \
    X(SQL_TRIGGERS_FORGET,                                                                                             \
      "WITH a AS (DELETE FROM attempts d USING " PG_FOUND_IN_PARTS("unnest($2::bigint[])", "(id)", "attempts",         \
                                                                   "trigger = u.id")                                   \
          PG_MET("d", "trigger") ") "                                                                                  \
                                 "DELETE FROM triggers d USING " PG_FOUND_IN_PARTS(                                    \
                                     "unnest($2::bigint[])", "(id)", "triggers", "id = u.id") PG_MET("d", "id"))       \
    X(SQL_PARTS_TIDY, "SELECT parts_ahead(clock_timestamp() + interval '40 days')::int, "                              \
                      "parts_drop(id_at(clock_timestamp() - interval '2 days'))")                                      \
    X(SQL_SKIPS_FORGET,                                                                                                \
      "DELETE FROM skips d USING " PG_FOUND("unnest($2::bigint[], $3::bigint[])", "(job, from_ms)", "skips",           \
                                            "job = u.job AND from_ms = u.from_ms") " WHERE d.ctid = v.at")             \
    X(SQL_VERSIONS_FORGET,                                                                                             \
      "DELETE FROM versions d USING " PG_FOUND("unnest($2::bigint[], $3::bigint[])", "(job, version)", "versions",     \
                                               "job = u.job AND version = u.version") " WHERE d.ctid = v.at")          \
    X(SQL_IDEMS_FORGET,                                                                                                \
      "DELETE FROM idems d USING " PG_FOUND("unnest($2::text[], $3::text[])", "(tenant, key)", "idems",                \
                                            "tenant = u.tenant AND key = u.key") " WHERE d.ctid = v.at")               \
    /* Who shares the store: for people, and outside of the fence. These are the last (pg_session.c). */               \
    X(SQL_MEMBER_SAY,                                                                                                  \
      "INSERT INTO members (shard, instance_0, instance_1, name, url, version, started_ms, epoch, is_draining, "       \
      "offset_us, seen) VALUES ($1::smallint, $2::bigint, $3::bigint, $4::text, $5::text, $6::text, $7::bigint, "      \
      "nullif($8::bigint, 0), $9::smallint = 1, nullif($10::bigint, (-9223372036854775807 - 1)), "                     \
      "clock_timestamp()) ON CONFLICT (shard, instance_0, instance_1) DO UPDATE SET epoch = excluded.epoch, "          \
      "is_draining = excluded.is_draining, offset_us = excluded.offset_us, seen = excluded.seen "                      \
      "RETURNING floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint")                                      \
    X(SQL_MEMBERS, "SELECT m.instance_0, m.instance_1, m.name, m.url, m.version, m.started_ms, clock_ms(m.seen), "     \
                   "coalesce(m.epoch, 0), (s.epoch IS NOT NULL AND s.epoch = m.epoch)::int, m.is_draining::int, "      \
                   "m.offset_us FROM members m LEFT JOIN LATERAL (SELECT epoch FROM shards WHERE number = m.shard "    \
                   "OFFSET 0) s ON true WHERE m.shard = $1::smallint "                                                 \
                   "AND m.seen > now() - $2::bigint * interval '1 millisecond' "                                       \
                   "ORDER BY m.name, m.url, m.instance_0 LIMIT $3::bigint")                                            \
    X(SQL_MEMBERS_OLD, "DELETE FROM members WHERE shard = $1::smallint "                                               \
                       "AND seen < now() - $2::bigint * interval '1 millisecond'")                                     \
    X(SQL_MEMBER_LEAVE, "DELETE FROM members WHERE shard = $1::smallint AND instance_0 = $2::bigint "                  \
                        "AND instance_1 = $3::bigint")

#endif
