/* pg_statements: all SQL that runs on a store, by name. Each is prepared once in a session. $1 is the shard, where a
 * statement has parameters; the others, and the columns, are in the order in which callers give and take them.
 *
 * Places come back as texts: two look-ups by key for each row, and readers need to remember nothing.
 *
 * Rules: (1) a plan is the same on a table that is empty as on one that is full, since it may be made on the one and
 * used on the other. So nothing is left to the planner's estimates: what is looked up by key is a LATERAL subquery with
 * OFFSET 0, which is neither pulled up nor moved; and rows to be changed are found so too, and then met by their ctid
 * (which is safe: a shard has one writer).
 * * See:   store/sql/postgres (tables and functions), pg_statements_write.h (what changes rows),
 *        tests/store/test_postgres_plans.c (each is looked at with EXPLAIN)
 */
#ifndef STORE_POSTGRES_PG_STATEMENTS_H
#define STORE_POSTGRES_PG_STATEMENTS_H

#include "store/postgres/pg_statements_write.h"

#define PG_PLACE_COLUMNS "l.pool, n.tenant, l.type, l.priority"
#define PG_PLACE_OF(table)                                                                                             \
    " LEFT JOIN LATERAL (SELECT tenant FROM tenant_numbers WHERE shard = " table ".shard "                             \
    "AND number = (" table ".place >> 32) OFFSET 0) n ON true "                                                        \
    "LEFT JOIN LATERAL (SELECT pool, type, priority FROM lanes WHERE shard = " table ".shard "                         \
    "AND number = (" table ".place & 4294967295) OFFSET 0) l ON true"

/* The places in which jobs wait and the first wake of each, as p: nothing lists them, so the index is asked for the
 * next of them. */
#define PG_PLACES                                                                                                      \
    "p AS ((SELECT shard, place, wake_ms FROM jobs WHERE shard = $1::smallint "                                        \
    "AND wake_ms IS NOT NULL ORDER BY place, wake_ms LIMIT 1) "                                                        \
    "UNION ALL SELECT q.* FROM p, LATERAL (SELECT shard, place, wake_ms FROM jobs WHERE shard = $1::smallint "         \
    "AND wake_ms IS NOT NULL AND place > p.place ORDER BY place, wake_ms LIMIT 1) q)"

/* What wakes in one of them between $2 and $3, the first $4. */
#define PG_WAKING(columns)                                                                                             \
    "(SELECT " columns " FROM jobs WHERE shard = $1::smallint AND wake_ms IS NOT NULL AND place = p.place "            \
    "AND wake_ms > $2::bigint AND wake_ms <= $3::bigint ORDER BY wake_ms, id LIMIT $4::bigint)"

/* For each of some keys the rows of a table that meet a condition. */
#define PG_EACH(keys, columns, table, condition)                                                                       \
    " FROM " keys ", LATERAL (SELECT " columns " FROM " table " WHERE shard = $1::smallint AND " condition " OFFSET "  \
    "0) "

#define PG_IDS "unnest($2::bigint[]) k(id)"

#define PG_JOB_COLUMNS                                                                                                 \
    "j.id, " PG_PLACE_COLUMNS ", j.status, j.version, j.cursor_ms, j.wake_ms, j.held_to_ms, j.missed_to_ms, j.fired, " \
    "j.anchor_ms, j.created_ms, j.updated_ms, j.name, j.def, j.rules"

#define PG_TRIGGER_COLUMNS                                                                                             \
    "t.id, t.job, " PG_PLACE_COLUMNS ", t.kind, t.state, t.version, t.scheduled_ms, t.due_ms, t.attempts, "            \
    "t.failures, t.lost_run, t.released_run, t.replays, t.replay_of, t.root, t.created_ms, t.ended_ms, t.reason, "     \
    "t.last_number, t.last_state, t.last_started_ms, t.last_ended_ms, t.last_worker, t.last_error_code, "              \
    "t.last_error_message, t.last_result, t.payload, t.target, t.replayed_by"

#define PG_ATTEMPT_COLUMNS "trigger, number, state, started_ms, ended_ms, worker, error_code, error_message, result"
#define PG_SKIP_COLUMNS "job, from_ms, to_ms, count, reason, version, blocked_by, decided_ms"
#define PG_WAIT_COLUMNS "job, scheduled_ms, root, trigger, is_over, ended"
#define PG_EDGE_COLUMNS "upstream, downstream, on_end, since_ms, since_id"
#define PG_VERSION_COLUMNS "job, version, from_ms, anchor_ms, rules, def"
#define PG_IDEM_COLUMNS "tenant, key, hash_0, hash_1, result, created_ms"

/* A job's triggers by id downwards: with the index, and the one that has the job's id and is in no index. */
#define PG_HISTORY(columns)                                                                                            \
    "(SELECT " columns " FROM (SELECT * FROM triggers WHERE shard = $1::smallint AND job = $2::bigint AND job <> id "  \
    "AND id <= $3::bigint ORDER BY id DESC LIMIT $4::bigint) h "                                                       \
    "UNION ALL SELECT " columns " FROM triggers WHERE shard = $1::smallint AND id = $2::bigint AND job = id "          \
    "AND id <= $3::bigint)"

#define PG_READ_TABLE(X)                                                                                               \
    /* transactions that change nothing: one snapshot for all that they read */                                        \
    X(SQL_BEGIN_SNAPSHOT, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")                                           \
    X(SQL_ROLLBACK, "ROLLBACK")                                                                                        \
    /* all of the database, whoever else is in it */                                                                   \
    X(SQL_DATABASE_BYTES, "SELECT pg_database_size(current_database())")                                               \
    /* the shard */                                                                                                    \
    X(SQL_SHARD, "SELECT id_high_ms, last_batch, epoch, nonce_0, nonce_1, is_filling::int FROM shards "                \
                 "WHERE number = $1::smallint")                                                                        \
    X(SQL_OWNER, "SELECT epoch, nonce_0, nonce_1, "                                                                    \
                 "floor(extract(epoch FROM until - clock_timestamp()) * 1000)::bigint, owner_name, owner_url, "        \
                 "last_batch, held, id_high_ms "                                                                       \
                 "FROM shards WHERE number = $1::smallint")                                                            \
    /* what is held whole */                                                                                           \
    X(SQL_SETTINGS_ALL, "SELECT scope, tenant, name, text FROM settings WHERE shard = $1::smallint")                   \
    X(SQL_SETTINGS_OF, "SELECT scope, tenant, name, text FROM settings WHERE shard = $1::smallint "                    \
                       "AND scope = $2::bigint ORDER BY tenant, name")                                                 \
    X(SQL_TENANTS_ALL, "SELECT tenant, jobs FROM tenants WHERE shard = $1::smallint")                                  \
    X(SQL_TENANTS_AFTER, "SELECT tenant, jobs FROM tenants WHERE shard = $1::smallint AND tenant > $2::text "          \
                         "ORDER BY tenant LIMIT $3::bigint")                                                           \
    X(SQL_LIMITERS_ALL, "SELECT scope, tenant, name, tat_ms FROM limiters WHERE shard = $1::smallint")                 \
    X(SQL_CIRCUITS_ALL, "SELECT tenant, type, job, is_half_open, open_until_ms FROM circuits "                         \
                        "WHERE shard = $1::smallint")                                                                  \
    X(SQL_CLAIMS_ALL, "SELECT id, claims FROM claims WHERE shard = $1::smallint ORDER BY id")                          \
    X(SQL_EDGES_ALL, "SELECT " PG_EDGE_COLUMNS " FROM edges WHERE shard = $1::smallint")                               \
    X(SQL_WAITS_ALL, "SELECT " PG_WAIT_COLUMNS " FROM waits WHERE shard = $1::smallint")                               \
    X(SQL_RULES_ALL, "SELECT hash, zone, text FROM rules WHERE shard = $1::smallint ORDER BY hash")                    \
    X(SQL_RULES_BY_HASH, "SELECT hash, zone, text FROM rules WHERE shard = $1::smallint AND hash = $2::bigint")        \
    X(SQL_PLACES_AWAITED,                                                                                              \
      "WITH RECURSIVE " PG_PLACES " SELECT " PG_PLACE_COLUMNS ", p.wake_ms FROM p" PG_PLACE_OF("p"))                   \
    /* jobs */                                                                                                         \
    X(SQL_JOBS_BY_ID, "SELECT " PG_JOB_COLUMNS PG_EACH(PG_IDS, "*", "jobs", "id = k.id") "j" PG_PLACE_OF("j"))         \
    X(SQL_JOB_IDS_BY_NAME,                                                                                             \
      "SELECT j.id" PG_EACH("unnest($2::text[], $3::text[]) k(tenant, name)", "number", "tenant_numbers",              \
                            "tenant = k.tenant") "n, LATERAL (SELECT id FROM jobs WHERE shard = $1::smallint "         \
                                                 "AND (place >> 32) = n.number AND name = k.name OFFSET 0) j")         \
    X(SQL_JOB_STATUSES, "SELECT j.id, j.status" PG_EACH(PG_IDS, "id, status", "jobs", "id = k.id") "j")                \
    X(SQL_JOBS_WINDOW,                                                                                                 \
      "SELECT " PG_JOB_COLUMNS " FROM (SELECT * FROM jobs WHERE shard = $1::smallint AND wake_ms IS NOT NULL "         \
      "AND place = ((SELECT number::bigint << 32 FROM tenant_numbers WHERE shard = $1::smallint "                      \
      "AND tenant = $2::text) | (SELECT number FROM lanes WHERE shard = $1::smallint AND pool = $3::text "             \
      "AND type = $4::text AND priority = $5::bigint)) AND (wake_ms, id) > ($6::bigint, $7::bigint) "                  \
      "ORDER BY wake_ms, id LIMIT $8::bigint) j" PG_PLACE_OF("j") " ORDER BY j.wake_ms, j.id")                         \
    X(SQL_STEPS, "WITH RECURSIVE " PG_PLACES " SELECT " PG_PLACE_COLUMNS ", w.step, w.count, w.last_ms "               \
                 "FROM (SELECT * FROM p LIMIT $6::bigint) p LEFT JOIN LATERAL (SELECT "                                \
                 "wake_ms - (wake_ms % $5::bigint + $5::bigint) % $5::bigint AS step, count(*) AS count, "             \
                 "max(wake_ms) AS last_ms FROM " PG_WAKING("wake_ms") " i GROUP BY 1) w ON true" PG_PLACE_OF(          \
                     "p") " ORDER BY p.place, w.step")                                                                 \
    X(SQL_JOBS_COMING, "WITH RECURSIVE " PG_PLACES " SELECT " PG_JOB_COLUMNS " FROM (SELECT * FROM p LIMIT "           \
                       "$5::bigint) p, LATERAL " PG_WAKING("*") " j" PG_PLACE_OF("j") " ORDER BY j.place, j.wake_ms, " \
                                                                                      "j.id")                          \
    X(SQL_JOBS_AFTER, "SELECT " PG_JOB_COLUMNS " FROM (SELECT * FROM jobs WHERE shard = $1::smallint "                 \
                      "AND id > $2::bigint ORDER BY id LIMIT $3::bigint) j" PG_PLACE_OF("j") " ORDER BY j.id")         \
    X(SQL_JOBS_RULED, "SELECT " PG_JOB_COLUMNS " FROM (SELECT * FROM jobs WHERE shard = $1::smallint "                 \
                      "AND rules = $2::bigint AND rules <> 0 AND id > $3::bigint AND status <= 1 "                     \
                      "AND cursor_ms IS NOT NULL ORDER BY id LIMIT $4::bigint) j" PG_PLACE_OF("j") " ORDER BY j.id")   \
    X(SQL_JOBS_BOUND, "SELECT id FROM jobs WHERE shard = $1::smallint AND id > $2::bigint ORDER BY id "                \
                      "OFFSET $3::bigint LIMIT 2")                                                                     \
    X(SQL_JOBS_FILTERED,                                                                                               \
      "SELECT " PG_JOB_COLUMNS " FROM jobs j" PG_PLACE_OF(                                                             \
          "j") " WHERE j.shard = $1::smallint AND j.id > $2::bigint AND j.id <= $3::bigint "                           \
               "AND ($4::bigint < 0 OR j.status = $4::bigint) AND ($5::text = '' OR n.tenant = $5::text) "             \
               "AND ($6::text = '' OR l.type = $6::text) AND ($7::text = '' OR l.pool = $7::text) "                    \
               "AND ($8::text = '' OR j.name = $8::text) AND ($9::text = '' OR strpos(j.def, $9::text) > 0) "          \
               "ORDER BY j.id LIMIT $10::bigint")                                                                      \
    X(SQL_JOBS_NAMED,                                                                                                  \
      "SELECT " PG_JOB_COLUMNS " FROM (SELECT * FROM jobs WHERE shard = $1::smallint "                                 \
      "AND (place >> 32) = (SELECT number FROM tenant_numbers WHERE shard = $1::smallint AND tenant = $2::text) "      \
      "AND name IS NOT NULL AND name >= $3::text ORDER BY name LIMIT $4::bigint) j" PG_PLACE_OF(                       \
          "j") " ORDER BY j.name")                                                                                     \
    X(SQL_JOBS_WAKING,                                                                                                 \
      "WITH RECURSIVE p AS ((SELECT place FROM jobs WHERE shard = $1::smallint "                                       \
      "AND wake_ms IS NOT NULL ORDER BY place LIMIT 1) "                                                               \
      "UNION ALL SELECT q.* FROM p, LATERAL (SELECT place FROM jobs WHERE shard = $1::smallint "                       \
      "AND wake_ms IS NOT NULL AND place > p.place ORDER BY place LIMIT 1) q) "                                        \
      "SELECT count(*) FROM (SELECT 1 FROM p, LATERAL (SELECT 1 FROM jobs WHERE shard = $1::smallint "                 \
      "AND wake_ms IS NOT NULL AND place = p.place AND wake_ms >= $2::bigint AND wake_ms < $3::bigint "                \
      "LIMIT $4::bigint) j LIMIT $4::bigint) w")                                                                       \
    X(SQL_VERSIONS_AFTER, "SELECT " PG_VERSION_COLUMNS " FROM versions WHERE shard = $1::smallint "                    \
                          "AND job = $2::bigint AND version > $3::bigint ORDER BY version LIMIT $4::bigint")           \
    X(SQL_IDEMS, "SELECT i.*" PG_EACH("unnest($2::text[], $3::text[]) k(tenant, key)", PG_IDEM_COLUMNS, "idems",       \
                                      "tenant = k.tenant AND key = k.key") "i")                                        \
    /* triggers */                                                                                                     \
    X(SQL_TRIGGERS_BY_ID,                                                                                              \
      "SELECT " PG_TRIGGER_COLUMNS PG_EACH(PG_IDS, "*", "triggers", "id = k.id") "t" PG_PLACE_OF("t"))                 \
    X(SQL_TRIGGERS_LIVING,                                                                                             \
      "SELECT " PG_TRIGGER_COLUMNS PG_EACH(PG_IDS, "*", "triggers", "job = k.id AND state <= 1") "t" PG_PLACE_OF("t")) \
    X(SQL_TRIGGERS_RANGE,                                                                                              \
      "SELECT " PG_TRIGGER_COLUMNS PG_EACH(                                                                            \
          "unnest($2::bigint[], $3::bigint[], $4::bigint[]) k(job, from_ms, to_ms)", "*", "triggers",                  \
          "job = k.job AND job <> id AND scheduled_ms >= k.from_ms AND scheduled_ms < k.to_ms "                        \
          "UNION ALL SELECT * FROM triggers WHERE shard = $1::smallint AND id = k.job AND job = id "                   \
          "AND scheduled_ms >= k.from_ms AND scheduled_ms < k.to_ms") "t" PG_PLACE_OF("t"))                            \
    X(SQL_TRIGGERS_UP_TO, "SELECT " PG_TRIGGER_COLUMNS                                                                 \
                          " FROM " PG_HISTORY("*") " t" PG_PLACE_OF("t") " ORDER BY t.id DESC LIMIT $4::bigint")       \
    X(SQL_TRIGGERS_FIRE,                                                                                               \
      "SELECT " PG_TRIGGER_COLUMNS " FROM (SELECT * FROM triggers WHERE shard = $1::smallint AND job = $2::bigint "    \
      "AND job <> id AND scheduled_ms = $3::bigint UNION ALL SELECT * FROM triggers "                                  \
      "WHERE shard = $1::smallint AND id = $2::bigint AND job = id AND scheduled_ms = $3::bigint) "                    \
      "t" PG_PLACE_OF("t") " ORDER BY CASE t.kind WHEN 0 THEN 0 ELSE t.id END LIMIT $4::bigint")                       \
    X(SQL_DEAD_BOUND, "SELECT id FROM triggers WHERE shard = $1::smallint AND state = 4 AND replayed_by = 0 "          \
                      "AND id <= $2::bigint ORDER BY id DESC OFFSET $3::bigint LIMIT 2")                               \
    X(SQL_DEAD_FILTERED,                                                                                               \
      "SELECT " PG_TRIGGER_COLUMNS " FROM triggers t" PG_PLACE_OF(                                                     \
          "t") " WHERE t.shard = $1::smallint AND t.state = 4 AND t.replayed_by = 0 AND t.id <= $2::bigint "           \
               "AND t.id >= $3::bigint AND ($4::text = '' OR n.tenant = $4::text) AND ($5::text = '' OR l.type = "     \
               "$5::text) "                                                                                            \
               "AND ($6::text = '' OR t.last_error_code = $6::text) "                                                  \
               "AND ($7::bigint = (-9223372036854775807 - 1) OR t.ended_ms >= $7::bigint) ORDER BY t.id DESC LIMIT "   \
               "$8::bigint")                                                                                           \
    X(SQL_STATES_LIVING, "SELECT state, count(*) FROM (SELECT state FROM triggers WHERE shard = $1::smallint "         \
                         "AND job = $2::bigint AND state <= 1 ORDER BY id LIMIT $3::bigint) v GROUP BY state")         \
    X(SQL_STATES_UP_TO, "SELECT state, count(*) FROM (SELECT * FROM " PG_HISTORY(                                      \
                            "id, state") " u "                                                                         \
                                         "ORDER BY id DESC LIMIT $4::bigint) v WHERE state > 1 GROUP BY state")        \
    X(SQL_STATES_DEAD, "SELECT 4, count(*) FROM (SELECT FROM triggers WHERE shard = $1::smallint AND state = 4 "       \
                       "AND replayed_by = 0 LIMIT $2::bigint) d")                                                      \
    X(SQL_ATTEMPTS_AFTER, "SELECT " PG_ATTEMPT_COLUMNS " FROM attempts WHERE shard = $1::smallint "                    \
                          "AND trigger = $2::bigint AND number > $3::bigint ORDER BY number LIMIT $4::bigint")         \
    /* whole tables */                                                                                                 \
    X(SQL_TRIGGERS_AFTER, "SELECT " PG_TRIGGER_COLUMNS " FROM (SELECT * FROM triggers WHERE shard = $1::smallint "     \
                          "AND id > $2::bigint ORDER BY id LIMIT $3::bigint) t" PG_PLACE_OF("t") " ORDER BY t.id")     \
    X(SQL_ATTEMPTS_BEHIND, "SELECT " PG_ATTEMPT_COLUMNS " FROM attempts WHERE shard = $1::smallint "                   \
                           "AND (trigger, number) > ($2::bigint, $3::bigint) ORDER BY trigger, number "                \
                           "LIMIT $4::bigint")                                                                         \
    X(SQL_SKIPS_BEHIND, "SELECT " PG_SKIP_COLUMNS " FROM skips WHERE shard = $1::smallint "                            \
                        "AND (job, from_ms) > ($2::bigint, $3::bigint) ORDER BY job, from_ms LIMIT $4::bigint")        \
    X(SQL_VERSIONS_BEHIND, "SELECT " PG_VERSION_COLUMNS " FROM versions WHERE shard = $1::smallint "                   \
                           "AND (job, version) > ($2::bigint, $3::bigint) ORDER BY job, version LIMIT $4::bigint")     \
    X(SQL_IDEMS_BEHIND, "SELECT " PG_IDEM_COLUMNS " FROM idems WHERE shard = $1::smallint "                            \
                        "AND (tenant, key) > ($2::text, $3::text) ORDER BY tenant, key LIMIT $4::bigint")              \
    /* what else belongs to a job */                                                                                   \
    X(SQL_SKIPS_UP_TO, "SELECT " PG_SKIP_COLUMNS " FROM skips WHERE shard = $1::smallint AND job = $2::bigint "        \
                       "AND from_ms <= $3::bigint ORDER BY from_ms DESC LIMIT $4::bigint")                             \
    X(SQL_SKIPS_LATEST,                                                                                                \
      "SELECT s.*" PG_EACH(PG_IDS, PG_SKIP_COLUMNS, "skips", "job = k.id ORDER BY from_ms DESC LIMIT 1") "s")          \
    X(SQL_WAITS_OF, "SELECT w.*" PG_EACH(PG_IDS, PG_WAIT_COLUMNS, "waits", "job = k.id") "w")                          \
    X(SQL_EDGES_OF,                                                                                                    \
      "SELECT e.*" PG_EACH(PG_IDS, PG_EDGE_COLUMNS, "edges",                                                           \
                           "upstream = k.id") "e "                                                                     \
                                              "UNION SELECT e.*" PG_EACH(PG_IDS, PG_EDGE_COLUMNS, "edges",             \
                                                                         "downstream = k.id") "e")

enum pg_statement {
#define X(name, sql) name,
    PG_READ_TABLE(X)
#undef X
        SQL_READ_STATEMENTS,
    SQL_BEFORE_WRITES_ = SQL_READ_STATEMENTS - 1,
#define X(name, sql) name,
    PG_WRITE_TABLE(X)
#undef X
        SQL_STATEMENTS
};

const char *pg_statement_text(enum pg_statement statement);

#endif
