/* How SQLite goes about each statement: by a key or an index, unless it reads a small table whole. */
#include "store_test.h"

#include <stdio.h>
#include <string.h>

#include "store/sqlite/sqlite_statements.h"

/* Tables that a start reads whole; and what another line of the plan has found. */
static bool is_read_whole(const char *plan)
{
    static const char *const wholes[] = {"SCAN settings", "SCAN limiters", "SCAN circuits",
                                         "SCAN tenants",  "SCAN claims",   "SCAN edges",
                                         "SCAN waits",    "SCAN rules",    "SCAN (subquery"};

    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        if (strncmp(plan, wholes[i], strlen(wholes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Calls look for each line of a statement's plan; returns how many there were. */
static int each_line(sqlite3 *db, enum sql_statement statement, void (*look)(const char *sql, const char *line))
{
    char explain[2000];
    sqlite3_stmt *stmt;
    int lines = 0;

    (void)snprintf(explain, sizeof explain, "EXPLAIN QUERY PLAN %s", sql_statement_text(statement));
    assert_int_equal(sqlite3_prepare_v2(db, explain, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        look(sql_statement_text(statement), (const char *)sqlite3_column_text(stmt, 3));
        lines++;
    }
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    return lines;
}

static void look_for_scans(const char *sql, const char *line)
{
    if ((strncmp(line, "SCAN", 4) == 0 && !is_read_whole(line)) || strstr(line, "TEMP B-TREE") != NULL) {
        fail_msg("%s: %s", sql, line);
    }
}

static void no_statement_scans_or_sorts(void **state)
{
    (void)state;
    store_close(open_store());
    sqlite3 *db = raw_open("store.db");

    for (int i = 0; i < SQL_STATEMENTS; i++) {
        (void)each_line(db, (enum sql_statement)i, look_for_scans);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static const char *wanted_plan;

static void look_for_wanted(const char *sql, const char *line)
{
    if (strstr(line, wanted_plan) == NULL) {
        fail_msg("%s: %s, and not %s", sql, line, wanted_plan);
    }
}

static void each_list_has_its_index(void **state)
{
    (void)state;
    static const struct {
        enum sql_statement statement;
        const char *plan;
    } plans[] = {
        {SQL_PLACE_AWAITED, "SEARCH jobs USING COVERING INDEX jobs_wake (place>?)"},
        {SQL_JOBS_WINDOW, "SEARCH jobs USING INDEX jobs_wake (place=? AND wake_ms>?)"},
        {SQL_JOBS_WINDOW_TIE, "SEARCH jobs USING INDEX jobs_wake (place=? AND wake_ms=? AND rowid>?)"},
        {SQL_STEPS, "SEARCH jobs USING COVERING INDEX jobs_wake (place=? AND wake_ms>? AND wake_ms<?)"},
        {SQL_JOBS_COMING, "SEARCH jobs USING INDEX jobs_wake (place=? AND wake_ms>? AND wake_ms<?)"},
        {SQL_JOB_BY_NAME, "SEARCH jobs USING INDEX jobs_name (tenant=? AND name=?)"},
        {SQL_JOBS_AFTER, "SEARCH jobs USING INTEGER PRIMARY KEY (rowid>?)"},
        {SQL_TRIGGERS_LIVING, "SEARCH triggers USING INDEX triggers_living (job=?)"},
        {SQL_TRIGGERS_FIRE, "SEARCH triggers USING INDEX triggers_scheduled (job=? AND scheduled_ms=?)"},
        {SQL_TRIGGERS_UP_TO, "SEARCH triggers USING INDEX triggers_history (job=? AND rowid<?)"},
        {SQL_TRIGGERS_RANGE,
         "SEARCH triggers USING INDEX triggers_scheduled (job=? AND scheduled_ms>? AND scheduled_ms<?)"},
        {SQL_TRIGGERS_DEAD, "SEARCH triggers USING INDEX triggers_dead (state=? AND replayed_by=? AND rowid<?)"},
        {SQL_TRIGGER_STATES_DEAD, "SEARCH triggers USING COVERING INDEX triggers_dead (state=? AND replayed_by=?)"},
        {SQL_EDGES_UP, "SEARCH edges USING INDEX edges_up (downstream=?)"},
        {SQL_PLACE_BY_TEXT, "SEARCH places USING COVERING INDEX sqlite_autoindex_places_1"},
    };

    store_close(open_store());
    sqlite3 *db = raw_open("store.db");

    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        wanted_plan = plans[i].plan;
        assert_int_equal(each_line(db, plans[i].statement, look_for_wanted), 1);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_statement_scans_or_sorts, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(each_list_has_its_index, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
