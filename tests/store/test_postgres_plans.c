/* How PostgreSQL goes about each statement: by a key or an index, whether tables are empty, tiny or large, since a plan
 * that was made on one may be used on another. */
#include "postgres_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/postgres/pg_statements.h"

static const char *const names[] = {
#define X(name, sql) #name,
    PG_READ_TABLE(X) PG_WRITE_TABLE(X)
#undef X
};

/* What takes a table of the shard from its beginning, or all of it. */
static bool is_whole(const char *name)
{
    static const char *const wholes[] = {
        "SQL_SETTINGS_ALL", "SQL_TENANTS_ALL", "SQL_LIMITERS_ALL",   "SQL_CIRCUITS_ALL", "SQL_CLAIMS_ALL",
        "SQL_EDGES_ALL",    "SQL_WAITS_ALL",   "SQL_RULES_ALL",      "SQL_STATES_DEAD",  "SQL_TENANT_NUMBER_LAST",
        "SQL_LANE_LAST",    "SQL_LOCKS_END",   "SQL_PLACES_AWAITED", "SQL_FILL_EMPTY",   "SQL_FILL_LEFT",
        "SQL_MEMBERS",      "SQL_MEMBERS_OLD", "SQL_JOBS_WAKING",    "SQL_STEPS",        "SQL_JOBS_COMING",
    };

    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        if (strcmp(name, wholes[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int parameters_of(const char *sql)
{
    int most = 0;

    for (const char *at = strchr(sql, '$'); at != NULL; at = strchr(at + 1, '$')) {
        int number = (int)strtol(at + 1, NULL, 10);

        most = number > most ? number : most;
    }
    return most;
}

static bool has_plan(const char *sql)
{
    return strncmp(sql, "BEGIN", 5) != 0 && strcmp(sql, "COMMIT") != 0 && strcmp(sql, "ROLLBACK") != 0;
}

/* The plan that a session of the store would use, which knows no parameters. */
static PGresult *explain(PGconn *raw, const char *name, const char *sql)
{
    static char text[20000];
    int count = parameters_of(sql);

    (void)snprintf(text, sizeof text, "PREPARE %s AS %s", name, sql);
    raw_exec(raw, text);
    (void)snprintf(text, sizeof text, "EXPLAIN (COSTS OFF) EXECUTE %s", name);
    for (int i = 0; i < count; i++) {
        (void)strcat(text, i == 0 ? "(NULL" : ", NULL");
    }
    (void)strcat(text, count > 0 ? ")" : "");
    PGresult *plan = PQexec(raw, text);

    if (PQresultStatus(plan) != PGRES_TUPLES_OK) {
        fail_msg("%s: %s", name, PQerrorMessage(raw));
    }
    return plan;
}

static void look(const char *name, const char *line)
{
    bool is_scan = strstr(line, "Seq Scan") != NULL;
    bool is_wide = strstr(line, "Index Cond: (shard = $1)") != NULL && !is_whole(name);

    if (is_scan || is_wide) {
        fail_msg("%s: %s", name, line);
    }
}

/* The settings of a session are those of pg_session.c, taken from one. */
static void take_settings(PGconn *raw)
{
    static const char *const off[] = {"seqscan", "bitmapscan", "hashjoin", "mergejoin", "material", "memoize"};
    char sql[100];

    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        (void)snprintf(sql, sizeof sql, "SET enable_%s = off", off[i]);
        raw_exec(raw, sql);
    }
    raw_exec(raw, "SET search_path = belfry, pg_temp; SET jit = off; SET plan_cache_mode = force_generic_plan; "
                  "SET max_parallel_workers_per_gather = 0");
    /* Of tables in parts every part is to be seen, though NULL is in none of them. */
    raw_exec(raw, "SET enable_partition_pruning = off");
}

static void check_plans(void)
{
    PGconn *raw = raw_open();

    take_settings(raw);
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        const char *sql = pg_statement_text((enum pg_statement)i);

        if (has_plan(sql)) {
            PGresult *plan = explain(raw, names[i], sql);

            for (int line = 0; line < PQntuples(plan); line++) {
                look(names[i], PQgetvalue(plan, line, 0));
            }
            PQclear(plan);
        }
    }
    PQfinish(raw);
}

static void plans_of_empty_tables_use_keys(void **state)
{
    (void)state;
    check_plans();
}

/* So many jobs with their history, in both shards. */
static void fill(unsigned jobs)
{
    char sql[2000];

    (void)snprintf(
        sql, sizeof sql,
        "INSERT INTO belfry.tenant_numbers SELECT s, n, 't' || n FROM generate_series(0, 1) s, "
        "generate_series(1, %u) n; "
        "INSERT INTO belfry.lanes SELECT s, n, 1, 'p' || n, 't' FROM generate_series(0, 1) s, "
        "generate_series(1, 3) n; "
        "INSERT INTO belfry.jobs (shard, id, place, wake_ms, cursor_ms, fired, rules, version, status, name, "
        "def) SELECT s, n, (n::bigint << 32) | 1, n, n, 0, n %% 3, 1, 0, 'n' || n, '{}' "
        "FROM generate_series(0, 1) s, generate_series(1, %u) n; "
        "INSERT INTO belfry.triggers (shard, id, job, place, scheduled_ms, replay_of, replayed_by, root, "
        "version, attempts, failures, lost_run, released_run, replays, last_number, kind, state, last_state, "
        "target) SELECT s, 1000000 + n, n, (n::bigint << 32) | 1, n, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, n %% 6, "
        "1, 0 FROM generate_series(0, 1) s, generate_series(1, %u) n; "
        "INSERT INTO belfry.attempts (shard, trigger, number, state) SELECT 0, 1000000 + n, 1, 1 "
        "FROM generate_series(1, %u) n; ANALYZE",
        jobs, jobs, jobs, jobs);
    raw_run(sql);
}

static void plans_of_tiny_tables_use_keys(void **state)
{
    (void)state;
    fill(1);
    check_plans();
}

static void plans_of_large_tables_use_keys(void **state)
{
    (void)state;
    fill(20000);
    check_plans();
}

/* What is asked all the time must be found by the index that was made for it. */
static void each_list_has_its_index(void **state)
{
    static const struct {
        enum pg_statement statement;
        const char *index;
    } cases[] = {
        {SQL_JOBS_WINDOW, "jobs_wake"},
        {SQL_PLACES_AWAITED, "jobs_wake"},
        {SQL_STEPS, "Index Only Scan using jobs_wake"},
        {SQL_JOBS_COMING, "jobs_wake"},
        {SQL_JOBS_RULED, "jobs_rules"},
        {SQL_JOB_IDS_BY_NAME, "jobs_name"},
        {SQL_TRIGGERS_LIVING, "triggers_living"},
        {SQL_TRIGGERS_UP_TO, "triggers_history"},
        {SQL_TRIGGERS_FIRE, "triggers_scheduled"},
        {SQL_TRIGGERS_RANGE, "triggers_scheduled"},
        {SQL_DEAD_FILTERED, "triggers_dead"},
        {SQL_DEAD_BOUND, "triggers_dead"},
        {SQL_STATES_DEAD, "triggers_dead"},
        {SQL_STATES_LIVING, "triggers_living"},
        {SQL_EDGES_OF, "edges_up"},
        {SQL_JOB_UPDATE, "jobs_pkey"},
        {SQL_JOB_UPDATE, "Tid Scan"},
    };
    PGconn *raw = raw_open();

    (void)state;
    take_settings(raw);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[32];
        bool is_used = false;

        (void)snprintf(name, sizeof name, "case_%zu", i);
        PGresult *plan = explain(raw, name, pg_statement_text(cases[i].statement));

        for (int line = 0; line < PQntuples(plan); line++) {
            is_used = is_used || strstr(PQgetvalue(plan, line, 0), cases[i].index) != NULL;
        }
        if (!is_used) {
            fail_msg("%s does not use %s", names[cases[i].statement], cases[i].index);
        }
        PQclear(plan);
    }
    PQfinish(raw);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, database_make, database_drop)
    const struct CMUnitTest tests[] = {
        WITH(plans_of_empty_tables_use_keys),
        WITH(plans_of_tiny_tables_use_keys),
        WITH(plans_of_large_tables_use_keys),
        WITH(each_list_has_its_index),
    };

    return cmocka_run_group_tests_name("postgres_plans", tests, NULL, NULL);
}
