/* Making a connection, within the exchange's deadline: libpq alone would wait as long as it likes. Where the URL names
 * several hosts each has its share of the time, and the one that was good last is asked first. Looking up a name is the
 * system's, and takes as long as that allows. */
#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "store/postgres/pg_conn.h"

#define PARAMS_MAX 80
/* More hosts than anybody has copies of one database. */
#define HOSTS_MAX 16
#define HOST_BYTES 256
/* For one host, unless the URL says otherwise (connect_timeout, in seconds). */
#define CONNECT_MS 3000
#define MS_PER_S 1000

/* What holds unless the URL says otherwise. A host that vanished is noticed within some seconds; of several servers the
 * one that can be written to is taken. */
static const char *const usual[][2] = {
    {"keepalives", "1"},
    {"keepalives_idle", "2"},
    {"keepalives_interval", "1"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "5000"},
    {"target_session_attrs", "read-write"},
    {"application_name", "belfry"},
};

struct params {
    const char *keys[PARAMS_MAX];
    const char *values[PARAMS_MAX];
    int count;
};

static void add_param(struct params *params, const char *key, const char *value)
{
    assert(params->count < PARAMS_MAX - 1);
    params->keys[params->count] = key;
    params->values[params->count++] = value;
}

/* ---- hosts ---- */

/* The part of a list with commas; the last one where there are fewer: one port for all hosts is what libpq takes too.
 */
static void part_of(const char *list, size_t at, char *out)
{
    for (size_t i = 0; i < at && strchr(list, ',') != NULL; i++) {
        list = strchr(list, ',') + 1;
    }
    (void)snprintf(out, HOST_BYTES, "%.*s", (int)strcspn(list, ","), list);
}

static size_t count_of(const char *list)
{
    size_t count = 1;

    for (const char *c = list; c != NULL && *c != '\0'; c++) {
        count += *c == ',';
    }
    return count < HOSTS_MAX ? count : HOSTS_MAX;
}

static size_t host_count(const PQconninfoOption *options)
{
    size_t hosts = count_of(pg_option(options, "host")), addresses = count_of(pg_option(options, "hostaddr"));

    return hosts > addresses ? hosts : addresses;
}

static int64_t connect_ms(const PQconninfoOption *options)
{
    const char *text = pg_option(options, "connect_timeout");
    long seconds = text != NULL ? strtol(text, NULL, 10) : 0;

    return seconds > 0 ? seconds * MS_PER_S : CONNECT_MS;
}

/* ---- one host ---- */

/* False: it failed, or the time is over. */
static bool await(PGconn *pq, int64_t end_mono_ms)
{
    PostgresPollingStatusType state = PGRES_POLLING_WRITING; /* as libpq wants it taken at first */

    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        struct pollfd fd = {.fd = PQsocket(pq), .events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        int64_t left_ms = end_mono_ms - chrono_mono_ms();

        if (fd.fd < 0 || left_ms <= 0) {
            return false;
        }
        if (poll(&fd, 1, (int)left_ms) > 0) {
            state = PQconnectPoll(pq);
        }
    }
    return state == PGRES_POLLING_OK;
}

/* NULL, with the reason in conn->error, where it does not come about. */
static PGconn *connect_host(struct pg_conn *conn, const PQconninfoOption *options, size_t at, int64_t end_mono_ms)
{
    struct params params = {.count = 0};
    char parts[3][HOST_BYTES];
    static const char *const listed[3] = {"host", "hostaddr", "port"};

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        add_param(&params, usual[i][0], usual[i][1]);
    }
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++) {
        if (option->val != NULL) {
            add_param(&params, option->keyword, option->val); /* the last one holds */
        }
    }
    for (size_t i = 0; i < 3; i++) {
        if (pg_option(options, listed[i]) != NULL) {
            part_of(pg_option(options, listed[i]), at, parts[i]);
            add_param(&params, listed[i], parts[i]);
        }
    }
    add_param(&params, "client_encoding", "UTF8");
    params.keys[params.count] = params.values[params.count] = NULL;
    PGconn *pq = PQconnectStartParams(params.keys, params.values, 0);

    if (pq != NULL && PQstatus(pq) != CONNECTION_BAD && await(pq, end_mono_ms) && PQsetnonblocking(pq, 1) == 0) {
        return pq;
    }
    char why[ERROR_TEXT_BYTES_MAX / 2];
    bool is_late = pq != NULL && PQstatus(pq) != CONNECTION_BAD;

    (void)snprintf(why, sizeof why, "%s", is_late ? "no connection in time" : PQerrorMessage(pq));
    why[strcspn(why, "\n")] = '\0';
    (void)err_set(&conn->error, ERR_IO, "%s: %s", conn->shown, why);
    PQfinish(pq);
    return NULL;
}

/* ---- all of them ---- */

bool pg_connect(struct pg_conn *conn)
{
    PQconninfoOption *options = PQconninfoParse(conn->url, NULL);

    assert(options != NULL); /* pg_conn_init has parsed it */
    size_t count = host_count(options);
    int64_t each_ms = connect_ms(options);

    for (size_t i = 0; i < count && conn->pq == NULL; i++) {
        size_t at = (conn->host + i) % count;
        int64_t mono_ms = chrono_mono_ms();
        int64_t share_ms = (conn->deadline_mono_ms - mono_ms) / (int64_t)(count - i);

        conn->pq = connect_host(conn, options, at, mono_ms + (share_ms < each_ms ? share_ms : each_ms));
        if (conn->pq != NULL) {
            conn->host = at;
        }
    }
    PQconninfoFree(options);
    return conn->pq != NULL;
}
