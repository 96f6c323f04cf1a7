/* Databases that are as they should be, and others. */
#include "postgres_test.h"

#include <stdio.h>
#include <string.h>

#include "store/sql/migrations.h"

static enum store_outcome try_open(const char *where, uint32_t shard, struct error *error)
{
    const struct postgres_options options = {.url = where, .shard = shard};
    struct store *store = NULL;

    *error = (struct error){0};
    enum store_outcome outcome = postgres_store_open(&options, &store, error);

    store_close(store);
    return outcome;
}

static void want_refused(const char *where, const char *why)
{
    struct error error;

    want(try_open(where, 0, &error), STORE_REFUSED, &error);
    if (strstr(error.text, why) == NULL) {
        fail_msg("%s", error.text);
    }
}

/* ---- schemas ---- */

static void a_database_without_a_schema_says_how_to_make_it(void **state)
{
    struct error error = {0};

    (void)state;
    want_refused(url(), "belfry init");
    assert_int_equal(raw_ask("SELECT count(*) FROM pg_namespace WHERE nspname = 'belfry'"), 0);
    assert_int_equal(postgres_store_init(url(), 2, &error), ERR_OK);
    want(try_open(url(), 1, &error), STORE_DONE, &error);
}

static void making_it_again_changes_nothing(void **state)
{
    struct store *store = open_store();
    struct error error = {0};

    (void)state;
    acquire(store, "tower-1");
    commit(store, 1, "acme");
    assert_int_equal(postgres_store_init(url(), 2, &error), ERR_OK);
    commit(store, 2, "globex"); /* and nobody is disturbed */
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.migrations"), (int64_t)postgres_migration_count);
    store_close(store);
}

static void the_number_of_shards_is_fixed(void **state)
{
    struct error error = {0};

    (void)state;
    assert_int_not_equal(postgres_store_init(url(), 4, &error), ERR_OK);
    assert_non_null(strstr(error.text, "2 shards"));
    assert_int_not_equal(postgres_store_init(url(), 0, &error), ERR_OK);
    assert_int_not_equal(postgres_store_init(url(), POSTGRES_SHARDS_MAX + 1, &error), ERR_OK);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.shards"), 2);
    want(try_open(url(), 2, &error), STORE_REFUSED, &error);
    assert_non_null(strstr(error.text, "no shard 2"));
}

static void a_newer_schema_is_refused_and_left_alone(void **state)
{
    struct error error = {0};

    (void)state;
    raw_run("INSERT INTO belfry.migrations (number, name) VALUES (999, '0999_later')");
    want_refused(url(), "newer");
    assert_int_equal(postgres_store_init(url(), 2, &error), ERR_CONFLICT);
    assert_non_null(strstr(error.text, "newer"));
}

static void an_older_schema_says_how_to_bring_it_up_to_date(void **state)
{
    (void)state;
    raw_run("DELETE FROM belfry.migrations");
    want_refused(url(), "belfry init");
}

/* Each migration is a transaction: what cannot be finished is not begun. */
static void a_migration_that_fails_leaves_nothing(void **state)
{
    struct error error = {0};

    (void)state;
    raw_run("CREATE SCHEMA belfry; CREATE TABLE belfry.tenants (mine text)"); /* somebody else's */
    assert_int_not_equal(postgres_store_init(url(), 2, &error), ERR_OK);
    assert_non_null(strstr(error.text, postgres_migrations[0].name));
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.migrations"), 0);
    assert_int_equal(raw_ask("SELECT count(*) FROM pg_class WHERE relname = 'jobs'"), 0);
}

/* ---- databases and roles ---- */

static void another_encoding_is_refused(void **state)
{
    struct error error = {0};
    char where[512];

    (void)state;
    raw_run("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    (void)snprintf(where, sizeof where, "postgresql://belfry@127.0.0.1:%u/latin", server_port());
    assert_int_not_equal(postgres_store_init(where, 1, &error), ERR_OK);
    assert_non_null(strstr(error.text, "UTF8"));
    raw_run("DROP DATABASE latin WITH (FORCE)");
}

/* What the comment in 0001_begin.sql grants, and no more; fills where, which has so many bytes, with its URL. */
static void role_make(char *where, size_t bytes)
{
    raw_run("CREATE ROLE few LOGIN; GRANT USAGE ON SCHEMA belfry TO few; "
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA belfry TO few; "
            "REVOKE INSERT, UPDATE, DELETE ON belfry.parts FROM few; "
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA belfry TO few");
    (void)snprintf(where, bytes, "%s&user=few", url());
}

static void role_drop(void)
{
    raw_run("DROP OWNED BY few; DROP ROLE few");
}

static void a_role_with_few_rights_is_enough(void **state)
{
    struct error error = {0};
    char where[600];

    (void)state;
    role_make(where, sizeof where);
    struct store *first = open_with((struct postgres_options){.url = where});
    struct store *second = open_with((struct postgres_options){.url = where});
    struct store_reader *reader = NULL;

    acquire(first, "tower-1");
    commit(first, 1, "acme");
    want(store_reader_open(first, &reader, &error), STORE_DONE, &error);
    raw_run("UPDATE belfry.shards SET until = clock_timestamp() - interval '1 second' WHERE number = 0");
    acquire(second, "tower-2"); /* which ends the first one's session */
    commit(second, 2, "acme");
    want(try_commit(first, 3, "zombie", &error), STORE_FENCED, &error);
    int64_t parts = raw_ask("SELECT count(*) FROM belfry.parts");

    raw_run("DO $$ DECLARE newest text := (SELECT max(suffix) FROM belfry.parts); BEGIN "
            "EXECUTE format('DROP TABLE belfry.%I, belfry.%I', 'triggers_' || newest, 'attempts_' || newest); "
            "DELETE FROM belfry.parts WHERE suffix = newest; END $$");
    (void)store_tidy(second, true); /* parts of the history are made for it */
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.parts"), parts);
    store_reader_close(reader);
    store_close(first);
    store_close(second);
    role_drop();
}

static void a_role_that_may_not_ask_which_system_it_is_on_is_enough(void **state)
{
    char where[600];

    (void)state;
    role_make(where, sizeof where);
    raw_run("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
    struct store *store = open_with((struct postgres_options){.url = where});

    acquire(store, "tower-1");
    commit(store, 1, "acme");
    store_close(store);
    role_drop();
}

/* Who may call what changes tables can make everybody wait. */
static void only_who_was_given_it_makes_parts(void **state)
{
    struct error error;
    char where[600];

    (void)state;
    role_make(where, sizeof where);
    raw_run("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA belfry FROM few");
    want(try_open(where, 0, &error), STORE_DOWN, &error);
    assert_non_null(strstr(error.text, "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA belfry"));
    role_drop();
}

static void a_role_without_rights_is_told_so(void **state)
{
    struct error error;
    char where[600];

    (void)state;
    raw_run("CREATE ROLE nothing LOGIN");
    (void)snprintf(where, sizeof where, "%s&user=nothing", url());
    assert_int_not_equal(try_open(where, 0, &error), STORE_DONE);
    assert_non_null(strstr(error.text, "permission denied"));
    raw_run("DROP ROLE nothing");
}

/* ---- URLs ---- */

static void what_is_no_url_is_refused_without_quoting_it(void **state)
{
    struct error error;

    (void)state;
    want(try_open("postgresql://somebody:secret@[host/", 0, &error), STORE_REFUSED, &error);
    assert_null(strstr(error.text, "secret"));
    assert_non_null(strstr(error.text, "postgresql://user@host"));
}

static void a_password_is_in_no_message(void **state)
{
    struct error error;

    (void)state;
    want(try_open("postgresql://somebody:secret@127.0.0.1:1/none", 0, &error), STORE_DOWN, &error);
    assert_null(strstr(error.text, "secret"));
    assert_non_null(strstr(error.text, "127.0.0.1:1"));
}

static void a_backup_is_pg_dump_s_business(void **state)
{
    struct store *store = open_store();
    struct error error = {0};

    (void)state;
    want(store_backup(store, "/nowhere", &error), STORE_REFUSED, &error);
    assert_non_null(strstr(error.text, "pg_dump"));
    store_close(store);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, database_make, database_drop)
#define WITHOUT(test) cmocka_unit_test_setup_teardown(test, database_make_empty, database_drop)
    const struct CMUnitTest tests[] = {
        WITHOUT(a_database_without_a_schema_says_how_to_make_it),
        WITH(making_it_again_changes_nothing),
        WITH(the_number_of_shards_is_fixed),
        WITH(a_newer_schema_is_refused_and_left_alone),
        WITH(an_older_schema_says_how_to_bring_it_up_to_date),
        WITHOUT(a_migration_that_fails_leaves_nothing),
        WITH(another_encoding_is_refused),
        WITH(a_role_with_few_rights_is_enough),
        WITH(a_role_that_may_not_ask_which_system_it_is_on_is_enough),
        WITH(only_who_was_given_it_makes_parts),
        WITH(a_role_without_rights_is_told_so),
        WITH(what_is_no_url_is_refused_without_quoting_it),
        WITH(a_password_is_in_no_message),
        WITH(a_backup_is_pg_dump_s_business),
    };

    return cmocka_run_group_tests_name("postgres_open", tests, NULL, NULL);
}
