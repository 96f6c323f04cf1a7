#include "cluster_servers.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/postgres/postgres_store.h"

#define LOOK_NS 10000000
#define URL_BYTES 256

static void give_up(const char *why)
{
    (void)fprintf(stderr, "bench_cluster: %s\n", why);
    exit(1);
}

/* The first field of the answer, as text; "" where there is none. */
static void ask(const char *store, const char *sql, char *ret_text, size_t size)
{
    PGconn *pq = PQconnectdb(store);
    PGresult *answer = PQexec(pq, sql);
    ExecStatusType status = PQresultStatus(answer);

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        give_up(PQerrorMessage(pq));
    }
    (void)snprintf(ret_text, size, "%s", PQntuples(answer) > 0 ? PQgetvalue(answer, 0, 0) : "");
    PQclear(answer);
    PQfinish(pq);
}

void cluster_reset(const struct bench *bench, uint32_t shards)
{
    struct error error = {0};
    char nothing[1];

    ask(bench->store, "SET client_min_messages = error; DROP SCHEMA IF EXISTS belfry CASCADE", nothing, sizeof nothing);
    if (postgres_store_init(bench->store, shards, &error) != ERR_OK) {
        give_up(error.text);
    }
}

void cluster_start(struct cluster *cluster, const struct bench *bench)
{
    *cluster = (struct cluster){.bench = bench};
    for (size_t i = 0; i < CLUSTER_SERVERS; i++) {
        cluster->servers[i].store = bench->store;
        served_make_folder(&cluster->servers[i], bench->below);
        served_start(&cluster->servers[i], bench->binary);
    }
}

void cluster_stop(struct cluster *cluster)
{
    for (size_t i = 0; i < CLUSTER_SERVERS; i++) {
        served_stop(&cluster->servers[i]);
        served_remove_folder(&cluster->servers[i]);
    }
}

void cluster_again(struct cluster *cluster, size_t index)
{
    served_start(&cluster->servers[index], cluster->bench->binary);
}

size_t cluster_owner(const struct cluster *cluster)
{
    char url[URL_BYTES];

    for (;;) {
        ask(cluster->bench->store, "SELECT owner_url FROM belfry.shards WHERE number = 0", url, sizeof url);
        const char *port = strrchr(url, ':');

        for (size_t i = 0; i < CLUSTER_SERVERS && port != NULL; i++) {
            if (strtoul(port + 1, NULL, 10) == cluster->servers[i].port) {
                return i;
            }
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
}
