/* sqlite_statements: all SQL that runs on a store, by name. Parameters and columns are in the order in which
 * sqlite_write.c and sqlite_take.c bind and take them.
 *
 * See: tests/store/test_sqlite_plans.c (each is looked at with EXPLAIN QUERY PLAN)
 */
#ifndef STORE_SQLITE_SQLITE_STATEMENTS_H
#define STORE_SQLITE_SQLITE_STATEMENTS_H

#define SQL_EDGE_COLUMNS "upstream, downstream, on_end, since_ms, since_id"

#define SQL_JOB_COLUMNS                                                                                                \
    "id, place, status, version, cursor_ms, wake_ms, held_to_ms, missed_to_ms, fired, anchor_ms, created_ms, "         \
    "updated_ms, name, def, rules"

#define SQL_TRIGGER_COLUMNS                                                                                            \
    "id, job, place, kind, state, version, scheduled_ms, due_ms, attempts, failures, lost_run, released_run, "         \
    "replays, replay_of, root, created_ms, ended_ms, reason, last_number, last_state, last_started_ms, "               \
    "last_ended_ms, last_worker, last_error_code, last_error_message, last_result, payload, target, replayed_by"

#define SQL_ATTEMPT_COLUMNS "trigger, number, state, started_ms, ended_ms, worker, error_code, error_message, result"

#define SQL_SKIP_COLUMNS "job, from_ms, to_ms, count, reason, version, blocked_by, decided_ms"
#define SQL_WAIT_COLUMNS "job, scheduled_ms, root, trigger, is_over, ended"

#define SQL_TABLE(X)                                                                                                   \
    /* what is old */                                                                                                  \
    X(SQL_TRIGGERS_BETWEEN,                                                                                            \
      "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE id > ? AND id < ? ORDER BY id LIMIT ?")                      \
    X(SQL_SKIPS_BEHIND, "SELECT " SQL_SKIP_COLUMNS " FROM skips WHERE (job, from_ms) > (?, ?) "                        \
                        "ORDER BY job, from_ms LIMIT ?")                                                               \
    X(SQL_VERSIONS_BEHIND, "SELECT job, version, from_ms, anchor_ms, rules, def FROM versions "                        \
                           "WHERE (job, version) > (?, ?) ORDER BY job, version LIMIT ?")                              \
    X(SQL_IDEMS_BEHIND, "SELECT tenant, key, hash_0, hash_1, result, created_ms FROM idems "                           \
                        "WHERE (tenant, key) > (?, ?) ORDER BY tenant, key LIMIT ?")                                   \
    X(SQL_SKIP_DELETE, "DELETE FROM skips WHERE job = ? AND from_ms = ?")                                              \
    X(SQL_VERSION_DELETE, "DELETE FROM versions WHERE job = ? AND version = ?")                                        \
    X(SQL_IDEM_DELETE, "DELETE FROM idems WHERE tenant = ? AND key = ?")                                               \
    /* whole tables */                                                                                                 \
    X(SQL_TRIGGERS_AFTER, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE id > ? ORDER BY id LIMIT ?")             \
    X(SQL_ATTEMPTS_BEHIND, "SELECT " SQL_ATTEMPT_COLUMNS " FROM attempts WHERE (trigger, number) > (?, ?) "            \
                           "ORDER BY trigger, number LIMIT ?")                                                         \
    /* transactions */                                                                                                 \
    X(SQL_BEGIN_WRITE, "BEGIN IMMEDIATE")                                                                              \
    X(SQL_BEGIN_READ, "BEGIN")                                                                                         \
    X(SQL_COMMIT, "COMMIT")                                                                                            \
    X(SQL_ROLLBACK, "ROLLBACK")                                                                                        \
    /* the shard */                                                                                                    \
    X(SQL_SHARD_ADVANCE, "UPDATE shard SET last_batch = ?1 WHERE number = ?2 AND epoch = ?3 AND nonce_0 = ?4 "         \
                         "AND nonce_1 = ?5 AND last_batch = ?1 - 1")                                                   \
    X(SQL_SHARD_ACQUIRE, "UPDATE shard SET epoch = epoch + 1, nonce_0 = ?, nonce_1 = ?, owner_name = ?, "              \
                         "owner_url = ? WHERE number = ?")                                                             \
    X(SQL_SHARD_RESERVE, "UPDATE shard SET id_high_ms = max(id_high_ms, ?) WHERE number = ?")                          \
    X(SQL_SHARD, "SELECT id_high_ms, last_batch, epoch, nonce_0, nonce_1 FROM shard WHERE number = ?")                 \
    /* places */                                                                                                       \
    X(SQL_PLACE_INSERT, "INSERT INTO places (pool, tenant, type, priority) VALUES (?, ?, ?, ?)")                       \
    X(SQL_PLACE_BY_TEXT, "SELECT id FROM places WHERE pool = ? AND tenant = ? AND type = ? AND priority = ?")          \
    X(SQL_PLACE_BY_ID, "SELECT pool, tenant, type, priority FROM places WHERE id = ?")                                 \
    X(SQL_PLACE_AWAITED, "SELECT place, wake_ms FROM jobs WHERE wake_ms IS NOT NULL AND place > ? "                    \
                         "ORDER BY place, wake_ms LIMIT 1")                                                            \
    /* jobs */                                                                                                         \
    X(SQL_JOB_INSERT, "INSERT INTO jobs (" SQL_JOB_COLUMNS ", tenant) "                                                \
                      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")                                       \
    X(SQL_JOB_UPDATE, "UPDATE jobs SET status = ?, version = ?, cursor_ms = ?, wake_ms = ?, held_to_ms = ?, "          \
                      "missed_to_ms = ?, fired = ?, anchor_ms = ?, updated_ms = ? WHERE id = ? AND place = ?")         \
    X(SQL_JOB_UPDATE_DEF, "UPDATE jobs SET status = ?, version = ?, cursor_ms = ?, wake_ms = ?, held_to_ms = ?, "      \
                          "missed_to_ms = ?, fired = ?, anchor_ms = ?, updated_ms = ?, def = ?, rules = ? "            \
                          "WHERE id = ? AND place = ?")                                                                \
    X(SQL_JOB_MOVE, "UPDATE jobs SET place = ? WHERE id = ?")                                                          \
    X(SQL_JOB_PLACE, "SELECT place FROM jobs WHERE id = ?")                                                            \
    X(SQL_JOB_DELETE, "DELETE FROM jobs WHERE id = ?")                                                                 \
    X(SQL_JOB_BY_ID, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE id = ?")                                              \
    X(SQL_JOB_BY_NAME, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE tenant = ? AND name = ? AND name IS NOT NULL")      \
    X(SQL_JOB_STATUS, "SELECT status FROM jobs WHERE id = ?")                                                          \
    X(SQL_JOBS_WINDOW, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE wake_ms IS NOT NULL AND place = ? "                 \
                       "AND wake_ms > ? ORDER BY wake_ms, id LIMIT ?")                                                 \
    X(SQL_JOBS_WINDOW_TIE, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE wake_ms IS NOT NULL AND place = ? "             \
                           "AND wake_ms = ? AND id > ? ORDER BY id LIMIT ?")                                           \
    X(SQL_STEPS, "SELECT wake_ms FROM jobs WHERE wake_ms IS NOT NULL AND place = ? AND wake_ms > ? "                   \
                 "AND wake_ms <= ? ORDER BY wake_ms LIMIT ?")                                                          \
    X(SQL_STEP_COUNT, "SELECT count(*) FROM (SELECT 1 FROM jobs WHERE wake_ms IS NOT NULL AND place = ? "              \
                      "AND wake_ms > ? AND wake_ms <= ? LIMIT ?)")                                                     \
    X(SQL_JOBS_COMING, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE wake_ms IS NOT NULL AND place = ? "                 \
                       "AND wake_ms > ? AND wake_ms <= ? ORDER BY wake_ms, id LIMIT ?")                                \
    X(SQL_JOBS_AFTER, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE id > ? ORDER BY id LIMIT ?")                         \
    X(SQL_JOBS_NAMED, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE tenant = ? AND name IS NOT NULL AND name >= ? "      \
                      "ORDER BY name LIMIT ?")                                                                         \
    X(SQL_JOBS_WAKING, "SELECT count(*) FROM (SELECT 1 FROM jobs WHERE wake_ms IS NOT NULL AND place = ? "             \
                       "AND wake_ms >= ? AND wake_ms < ? LIMIT ?)")                                                    \
    X(SQL_JOBS_RULED, "SELECT " SQL_JOB_COLUMNS " FROM jobs WHERE rules = ? AND rules <> 0 AND id > ? "                \
                      "AND status <= 1 AND cursor_ms IS NOT NULL ORDER BY id LIMIT ?")                                 \
    /* versions */                                                                                                     \
    X(SQL_VERSION_INSERT, "INSERT INTO versions (job, version, from_ms, anchor_ms, rules, def) "                       \
                          "VALUES (?, ?, ?, ?, ?, ?)")                                                                 \
    X(SQL_VERSIONS_AFTER, "SELECT job, version, from_ms, anchor_ms, rules, def FROM versions "                         \
                          "WHERE job = ? AND version > ? ORDER BY version LIMIT ?")                                    \
    /* triggers */                                                                                                     \
    X(SQL_TRIGGER_INSERT, "INSERT INTO triggers (" SQL_TRIGGER_COLUMNS ") "                                            \
                          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "  \
                          "?, ?)")                                                                                     \
    X(SQL_TRIGGER_UPDATE,                                                                                              \
      "UPDATE triggers SET place = ?, state = ?, version = ?, scheduled_ms = ?, due_ms = ?, attempts = ?, "            \
      "failures = ?, lost_run = ?, released_run = ?, replays = ?, replay_of = ?, root = ?, ended_ms = ?, "             \
      "reason = ?, last_number = ?, last_state = ?, last_started_ms = ?, last_ended_ms = ?, last_worker = ?, "         \
      "last_error_code = ?, last_error_message = ?, last_result = ?, target = ?, replayed_by = ? "                     \
      "WHERE id = ?")                                                                                                  \
    X(SQL_TRIGGER_REPLAYED, "UPDATE triggers SET replayed_by = ? WHERE id = ?")                                        \
    X(SQL_TRIGGER_DELETE, "DELETE FROM triggers WHERE id = ?")                                                         \
    X(SQL_TRIGGER_BY_ID, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE id = ?")                                  \
    X(SQL_TRIGGERS_LIVING, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE job = ? AND state <= 1 ORDER BY id")    \
    X(SQL_TRIGGERS_UP_TO, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE job = ? AND job <> id AND id <= ? "      \
                          "ORDER BY id DESC LIMIT ?")                                                                  \
    X(SQL_TRIGGERS_RANGE, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE job = ? AND job <> id "                  \
                          "AND scheduled_ms >= ? AND scheduled_ms < ? ORDER BY scheduled_ms")                          \
    X(SQL_TRIGGERS_FIRE, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE job = ? AND job <> id "                   \
                         "AND scheduled_ms = ? ORDER BY (CASE kind WHEN 0 THEN 0 ELSE id END) LIMIT ?")                \
    X(SQL_TRIGGER_OWN_FIRE, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE id = ? AND job = id "                  \
                            "AND scheduled_ms = ? LIMIT ?")                                                            \
    X(SQL_TRIGGER_OWN, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE id = ? AND job = id")                       \
    X(SQL_TRIGGER_OWN_RANGE, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE id = ? AND job = id "                 \
                             "AND scheduled_ms >= ? AND scheduled_ms < ?")                                             \
    X(SQL_TRIGGERS_DEAD, "SELECT " SQL_TRIGGER_COLUMNS " FROM triggers WHERE state = 4 AND replayed_by = 0 "           \
                         "AND id <= ? ORDER BY id DESC LIMIT ?")                                                       \
    X(SQL_TRIGGER_STATES_UP_TO, "SELECT state FROM triggers WHERE job = ? AND job <> id AND id <= ? "                  \
                                "ORDER BY id DESC LIMIT ?")                                                            \
    X(SQL_TRIGGER_STATE_OWN, "SELECT state FROM triggers WHERE id = ? AND job = id")                                   \
    X(SQL_TRIGGER_STATES_LIVING, "SELECT state FROM triggers WHERE job = ? AND state <= 1 LIMIT ?")                    \
    X(SQL_TRIGGER_STATES_DEAD, "SELECT state FROM triggers WHERE state = 4 AND replayed_by = 0 LIMIT ?")               \
    /* attempts */                                                                                                     \
    X(SQL_ATTEMPT_INSERT, "INSERT INTO attempts (" SQL_ATTEMPT_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")         \
    X(SQL_ATTEMPT_DELETE, "DELETE FROM attempts WHERE trigger = ? AND number = ?")                                     \
    X(SQL_ATTEMPTS_DELETE, "DELETE FROM attempts WHERE trigger = ?")                                                   \
    X(SQL_ATTEMPTS_AFTER, "SELECT " SQL_ATTEMPT_COLUMNS " FROM attempts WHERE trigger = ? AND number > ? "             \
                          "ORDER BY number LIMIT ?")                                                                   \
    /* claims */                                                                                                       \
    X(SQL_CLAIMS_INSERT, "INSERT INTO claims (id, claims) VALUES (?, ?)")                                              \
    X(SQL_CLAIMS_DELETE, "DELETE FROM claims WHERE id = ?")                                                            \
    X(SQL_CLAIMS_ALL, "SELECT id, claims FROM claims ORDER BY id")                                                     \
    /* skips */                                                                                                        \
    X(SQL_SKIP_PUT, "INSERT INTO skips (" SQL_SKIP_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?) "                        \
                    "ON CONFLICT (job, from_ms) DO UPDATE SET to_ms = excluded.to_ms, count = excluded.count, "        \
                    "reason = excluded.reason, version = excluded.version, blocked_by = excluded.blocked_by, "         \
                    "decided_ms = excluded.decided_ms")                                                                \
    X(SQL_SKIPS_UP_TO, "SELECT " SQL_SKIP_COLUMNS " FROM skips WHERE job = ? AND from_ms <= ? "                        \
                       "ORDER BY from_ms DESC LIMIT ?")                                                                \
    /* waits and edges */                                                                                              \
    X(SQL_WAIT_PUT, "INSERT INTO waits (" SQL_WAIT_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?) "                              \
                    "ON CONFLICT (job, scheduled_ms, root) DO UPDATE SET trigger = excluded.trigger, "                 \
                    "is_over = excluded.is_over, ended = excluded.ended")                                              \
    X(SQL_WAIT_DELETE, "DELETE FROM waits WHERE job = ? AND scheduled_ms = ? AND root = ?")                            \
    X(SQL_WAITS_ALL, "SELECT " SQL_WAIT_COLUMNS " FROM waits ORDER BY job, scheduled_ms, root")                        \
    X(SQL_WAITS_OF, "SELECT " SQL_WAIT_COLUMNS " FROM waits WHERE job = ? ORDER BY scheduled_ms, root")                \
    X(SQL_EDGE_INSERT, "INSERT INTO edges (" SQL_EDGE_COLUMNS ") VALUES (?, ?, ?, ?, ?)")                              \
    X(SQL_EDGE_DELETE, "DELETE FROM edges WHERE upstream = ? AND downstream = ?")                                      \
    X(SQL_EDGES_ALL, "SELECT " SQL_EDGE_COLUMNS " FROM edges ORDER BY upstream, downstream")                           \
    X(SQL_EDGES_DOWN, "SELECT " SQL_EDGE_COLUMNS " FROM edges WHERE upstream = ? ORDER BY downstream")                 \
    X(SQL_EDGES_UP, "SELECT " SQL_EDGE_COLUMNS " FROM edges WHERE downstream = ? ORDER BY upstream")                   \
    /* settings and the like */                                                                                        \
    X(SQL_SETTING_PUT, "INSERT INTO settings (scope, tenant, name, text) VALUES (?, ?, ?, ?) "                         \
                       "ON CONFLICT (scope, tenant, name) DO UPDATE SET text = excluded.text")                         \
    X(SQL_SETTINGS_ALL, "SELECT scope, tenant, name, text FROM settings ORDER BY scope, tenant, name")                 \
    X(SQL_SETTINGS_OF, "SELECT scope, tenant, name, text FROM settings WHERE scope = ? ORDER BY tenant, name")         \
    X(SQL_LIMITER_PUT, "INSERT INTO limiters (scope, tenant, name, tat_ms) VALUES (?, ?, ?, ?) "                       \
                       "ON CONFLICT (scope, tenant, name) DO UPDATE SET tat_ms = excluded.tat_ms")                     \
    X(SQL_LIMITERS_ALL, "SELECT scope, tenant, name, tat_ms FROM limiters ORDER BY scope, tenant, name")               \
    X(SQL_CIRCUIT_PUT, "INSERT INTO circuits (tenant, type, job, is_half_open, open_until_ms) VALUES (?, ?, ?, ?, ?) " \
                       "ON CONFLICT (tenant, type, job) DO UPDATE SET is_half_open = excluded.is_half_open, "          \
                       "open_until_ms = excluded.open_until_ms")                                                       \
    X(SQL_CIRCUIT_DELETE, "DELETE FROM circuits WHERE tenant = ? AND type = ? AND job = ?")                            \
    X(SQL_CIRCUITS_ALL, "SELECT tenant, type, job, is_half_open, open_until_ms FROM circuits "                         \
                        "ORDER BY tenant, type, job")                                                                  \
    X(SQL_IDEM_PUT, "INSERT INTO idems (tenant, key, hash_0, hash_1, result, created_ms) VALUES (?, ?, ?, ?, ?, ?) "   \
                    "ON CONFLICT (tenant, key) DO UPDATE SET hash_0 = excluded.hash_0, hash_1 = excluded.hash_1, "     \
                    "result = excluded.result, created_ms = excluded.created_ms")                                      \
    X(SQL_IDEM, "SELECT tenant, key, hash_0, hash_1, result, created_ms FROM idems WHERE tenant = ? AND key = ?")      \
    X(SQL_TENANT_PUT, "INSERT INTO tenants (tenant, jobs) VALUES (?, ?) "                                              \
                      "ON CONFLICT (tenant) DO UPDATE SET jobs = excluded.jobs")                                       \
    X(SQL_TENANTS_AFTER, "SELECT tenant, jobs FROM tenants WHERE tenant > ? ORDER BY tenant LIMIT ?")                  \
    X(SQL_TENANTS_ALL, "SELECT tenant, jobs FROM tenants ORDER BY tenant")                                             \
    X(SQL_RULES_PUT, "INSERT INTO rules (hash, zone, text) VALUES (?, ?, ?) "                                          \
                     "ON CONFLICT (hash) DO UPDATE SET zone = excluded.zone, text = excluded.text")                    \
    X(SQL_RULES_ALL, "SELECT hash, zone, text FROM rules ORDER BY hash")                                               \
    X(SQL_RULES_BY_HASH, "SELECT hash, zone, text FROM rules WHERE hash = ?")

enum sql_statement {
#define X(name, sql) name,
    SQL_TABLE(X)
#undef X
        SQL_STATEMENTS
};

const char *sql_statement_text(enum sql_statement statement);

#endif
