/* Connections that fail, answers that do not come, and what the server refuses. */
#include "postgres_test.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cut_proxy.h"

#define FENCE_LOCK "1650811394"

/* A store behind a proxy, acquired, with one batch in it. */
struct remote {
    struct cut_proxy *proxy;
    struct store *store;
};

static struct remote remote_open(int64_t call_ms)
{
    struct remote remote = {.proxy = cut_proxy_start(server_port())};

    remote.store =
        open_with((struct postgres_options){.url = url_at(cut_proxy_port(remote.proxy)), .call_ms = call_ms});
    acquire(remote.store, "tower-1");
    commit(remote.store, 1, "acme");
    return remote;
}

static void remote_close(struct remote *remote)
{
    store_close(remote->store);
    cut_proxy_stop(remote->proxy);
}

/* Acquires; where the last session still has the shard, it is ended or ends by itself. */
static void acquire_again(struct store *store)
{
    struct error error;
    enum store_outcome outcome = try_acquire(store, "tower-1", &error);

    for (int i = 0; i < 1000 && outcome == STORE_DOWN; i++) { /* between two attempts to connect */
        (void)poll(NULL, 0, 10);
        outcome = try_acquire(store, "tower-1", &error);
    }
    want(outcome, STORE_DONE, &error);
}

/* After STORE_UNKNOWN: nothing before an acquisition, and then what the database says. */
static void check_unknown(struct remote *remote, uint64_t last_batch)
{
    struct error error;

    cut_proxy_set(remote->proxy, CUT_NOTHING);
    want(try_commit(remote->store, 2, "too early", &error), STORE_FENCED, &error);
    assert_true(postgres_store_trusted_until_mono_ms(remote->store) == 0);
    acquire_again(remote->store);
    assert_int_equal(shard_of(remote->store).last_batch, last_batch);
    assert_int_equal(shard_of(remote->store).epoch, 2);
    commit(remote->store, last_batch + 1, "globex");
}

static void a_commit_whose_answer_is_lost_is_unknown_and_was_applied(void **state)
{
    struct remote remote = remote_open(0);
    struct error error;

    (void)state;
    cut_proxy_set(remote.proxy, CUT_ANSWERS);
    want(try_commit(remote.store, 2, "doubtful", &error), STORE_UNKNOWN, &error);
    check_unknown(&remote, 2);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.tenants WHERE tenant = 'doubtful'"), 1);
    remote_close(&remote);
}

static void a_commit_that_did_not_arrive_is_unknown_and_was_not_applied(void **state)
{
    struct remote remote = remote_open(0);
    struct error error;

    (void)state;
    cut_proxy_set(remote.proxy, CUT_REQUESTS);
    want(try_commit(remote.store, 2, "doubtful", &error), STORE_UNKNOWN, &error);
    check_unknown(&remote, 1);
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.tenants WHERE tenant = 'doubtful'"), 0);
    remote_close(&remote);
}

/* The old session is there still, with the lock: who acquires again is the one who had it. */
static void a_commit_without_an_answer_ends_at_its_deadline(void **state)
{
    struct remote remote = remote_open(400);
    struct error error;

    (void)state;
    cut_proxy_set(remote.proxy, CUT_SILENCE);
    want(try_commit(remote.store, 2, "doubtful", &error), STORE_UNKNOWN, &error);
    check_unknown(&remote, 2);
    remote_close(&remote);
}

/* A host that takes connections and says nothing. */
static int silent_host(uint16_t *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    *ret_port = ntohs(at.sin_port);
    return fd;
}

static void a_host_that_says_nothing_is_given_up_at_the_deadline(void **state)
{
    struct error error = {0};
    struct store *store = NULL;
    uint16_t port;
    int fd = silent_host(&port);

    (void)state;
    enum store_outcome outcome =
        postgres_store_open(&(struct postgres_options){.url = url_at(port), .call_ms = 200}, &store, &error);

    want(outcome, STORE_DOWN, &error);
    assert_non_null(strstr(error.text, "in time"));
    (void)close(fd);
}

static void of_several_hosts_the_next_one_is_taken(void **state)
{
    uint16_t port;
    int fd = silent_host(&port);
    char where[512];

    (void)state;
    /* postgresql://belfry@127.0.0.1:PORT/DATABASE, with another host before it. */
    (void)snprintf(where, sizeof where, "postgresql://belfry@127.0.0.1:%u,%s?connect_timeout=1", port,
                   strchr(url_at(server_port()), '@') + 1);
    struct store *store = open_with((struct postgres_options){.url = where});

    acquire(store, "tower-1");
    commit(store, 1, "acme");
    store_close(store);
    (void)close(fd);
}

static void a_read_without_an_answer_is_down_and_the_next_one_goes_on(void **state)
{
    const struct load start = {.kind = LOAD_START};
    struct remote remote = remote_open(400);
    struct error error = {0};
    struct rows rows;

    (void)state;
    cut_proxy_set(remote.proxy, CUT_SILENCE);
    rows_init(&rows);
    want(store_load(remote.store, &start, &rows, &error), STORE_DOWN, &error);
    rows_done(&rows);
    cut_proxy_set(remote.proxy, CUT_NOTHING);
    assert_int_equal(shard_of(remote.store).last_batch, 1);
    remote_close(&remote);
}

static void while_the_database_is_away_calls_are_down_and_then_all_goes_on(void **state)
{
    struct remote remote = remote_open(0);
    struct error error;

    (void)state;
    cut_proxy_set(remote.proxy, CUT_ALL);
    enum store_outcome outcome = try_commit(remote.store, 2, "globex", &error);

    for (int i = 0; i < 20; i++) {
        /* At first it may seem well until COMMIT is sent. */
        assert_true(outcome == STORE_DOWN || outcome == STORE_UNKNOWN || outcome == STORE_FENCED);
        outcome = try_commit(remote.store, 2, "globex", &error);
    }
    cut_proxy_set(remote.proxy, CUT_NOTHING);
    acquire_again(remote.store);
    commit(remote.store, 2, "globex");
    remote_close(&remote);
}

struct waiting {
    struct store *store;
    enum store_outcome outcome;
    struct error error;
};

static void *commit_second(void *arg)
{
    struct waiting *waiting = arg;

    waiting->outcome = try_commit(waiting->store, 2, "globex", &waiting->error);
    return NULL;
}

/* COMMIT was sent, but the server says itself that it did not come so far. */
static void a_session_that_is_ended_before_the_commit_is_down_and_not_unknown(void **state)
{
    struct waiting waiting = {.store = open_store()};
    PGconn *raw = raw_open();
    pthread_t thread;

    (void)state;
    acquire(waiting.store, "tower-1");
    commit(waiting.store, 1, "acme");
    raw_exec(raw, "SELECT pg_advisory_lock(" FENCE_LOCK ", 0)");
    assert_int_equal(pthread_create(&thread, NULL, commit_second, &waiting), 0);
    raw_await("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    raw_exec(raw, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    assert_int_equal(pthread_join(thread, NULL), 0);
    want(waiting.outcome, STORE_DOWN, &waiting.error);
    PQfinish(raw);
    raw_await("SELECT (count(*) = 0)::int FROM pg_locks WHERE locktype = 'advisory'");
    commit(waiting.store, 2, "globex"); /* the same owner, in another session */
    store_close(waiting.store);
}

/* ---- what the server says ---- */

#define RAISES                                                                                                         \
    "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "                                                      \
    "$$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '%s'; END $$; "                                             \
    "CREATE TRIGGER fail BEFORE INSERT ON belfry.tenants FOR EACH ROW EXECUTE FUNCTION fail()"

static void each_sqlstate_has_its_outcome_and_nothing_is_applied(void **state)
{
    static const struct {
        const char *state;
        enum store_outcome outcome;
    } cases[] = {
        {"40001", STORE_AGAIN},   {"40P01", STORE_AGAIN},   {"55P03", STORE_AGAIN},   {"57014", STORE_AGAIN},
        {"23505", STORE_REFUSED}, {"23514", STORE_REFUSED}, {"22021", STORE_REFUSED}, {"54000", STORE_REFUSED},
        {"YB001", STORE_FENCED},  {"YB003", STORE_REFUSED}, {"25006", STORE_DOWN},    {"53100", STORE_DOWN},
        {"53300", STORE_DOWN},    {"57P01", STORE_DOWN},    {"08006", STORE_DOWN},    {"58030", STORE_DOWN},
        {"42501", STORE_DOWN},    {"XX000", STORE_DOWN},    {"XX001", STORE_BROKEN},  {"42P01", STORE_BROKEN},
    };
    struct store *store = open_store();
    struct error error;

    (void)state;
    acquire(store, "tower-1");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char sql[600];

        (void)snprintf(sql, sizeof sql, RAISES, cases[i].state);
        raw_run(sql);
        want(try_commit(store, 1, "acme", &error), cases[i].outcome, &error);
        assert_non_null(strstr(error.text, "on purpose"));
        assert_non_null(strstr(error.text, cases[i].state));
        raw_run("DROP FUNCTION fail() CASCADE");
        assert_int_equal(raw_ask("SELECT last_batch FROM belfry.shards WHERE number = 0"), 0);
    }
    commit(store, 1, "acme");
    store_close(store);
}

/* As when the wait for a standby is cut short: the server has committed, and nobody else may know. */
static void a_commit_with_a_warning_is_unknown(void **state)
{
    struct store *store = open_store();
    struct error error;

    (void)state;
    acquire(store, "tower-1");
    raw_run("CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$; "
            "CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON belfry.tenants DEFERRABLE INITIALLY DEFERRED "
            "FOR EACH ROW EXECUTE FUNCTION warn()");
    want(try_commit(store, 1, "acme", &error), STORE_UNKNOWN, &error);
    raw_run("DROP FUNCTION warn() CASCADE");
    acquire(store, "tower-1");
    assert_int_equal(shard_of(store).last_batch, 1);
    store_close(store);
}

/* A text that cannot be stored is refused by the server, and the next batch is not. */
static void texts_that_are_no_utf8_are_refused(void **state)
{
    struct store *store = open_store();
    struct error error;

    (void)state;
    acquire(store, "tower-1");
    want(try_commit(store, 1, "a\xff", &error), STORE_REFUSED, &error);
    commit(store, 1, "acme");
    store_close(store);
}

/* Plans are kept in a session; a migration by another program changes what they are made for. */
static void a_table_that_is_changed_under_a_session_is_planned_anew(void **state)
{
    struct store *store = open_store();

    (void)state;
    acquire(store, "tower-1");
    commit(store, 1, "acme");
    (void)shard_of(store);
    raw_run("ALTER TABLE belfry.tenants ADD COLUMN more bigint NOT NULL DEFAULT 7");
    raw_run("ALTER TABLE belfry.jobs ADD COLUMN more text");
    commit(store, 2, "globex");
    assert_int_equal(shard_of(store).last_batch, 2);
    store_close(store);
}

static void old_lines_of_the_batch_log_go(void **state)
{
    struct store *store = open_store();

    (void)state;
    acquire(store, "tower-1");
    raw_run("INSERT INTO belfry.batch_log (shard, number, epoch, nonce_0, nonce_1, operations) "
            "SELECT 0, n, 1, 0, 0, 1 FROM generate_series(1, 2303) n");
    raw_run("UPDATE belfry.shards SET last_batch = 2303 WHERE number = 0");
    commit(store, 2304, "acme");
    assert_int_equal(raw_ask("SELECT count(*) FROM belfry.batch_log"), 1001);
    assert_int_equal(raw_ask("SELECT min(number) FROM belfry.batch_log"), 1304);
    store_close(store);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, database_make, database_drop)
    const struct CMUnitTest tests[] = {
        WITH(a_commit_whose_answer_is_lost_is_unknown_and_was_applied),
        WITH(a_commit_that_did_not_arrive_is_unknown_and_was_not_applied),
        WITH(a_commit_without_an_answer_ends_at_its_deadline),
        WITH(a_host_that_says_nothing_is_given_up_at_the_deadline),
        WITH(of_several_hosts_the_next_one_is_taken),
        WITH(a_read_without_an_answer_is_down_and_the_next_one_goes_on),
        WITH(while_the_database_is_away_calls_are_down_and_then_all_goes_on),
        WITH(a_session_that_is_ended_before_the_commit_is_down_and_not_unknown),
        WITH(each_sqlstate_has_its_outcome_and_nothing_is_applied),
        WITH(a_commit_with_a_warning_is_unknown),
        WITH(texts_that_are_no_utf8_are_refused),
        WITH(a_table_that_is_changed_under_a_session_is_planned_anew),
        WITH(old_lines_of_the_batch_log_go),
    };

    return cmocka_run_group_tests_name("postgres_faults", tests, NULL, NULL);
}
