#include "postgres_gauge.h"

#include <stdio.h>
#include <stdlib.h>

static PGresult *ask(struct gauge *gauge, const char *sql)
{
    PGresult *answer = PQexec(gauge->pq, sql);

    if (PQresultStatus(answer) != PGRES_TUPLES_OK && PQresultStatus(answer) != PGRES_COMMAND_OK) {
        (void)fprintf(stderr, "bench_postgres: %s\n", PQerrorMessage(gauge->pq));
        exit(1);
    }
    return answer;
}

void gauge_open(struct gauge *gauge, const char *url)
{
    *gauge = (struct gauge){.pq = PQconnectdb(url)};
    gauge_run(gauge, "SET application_name = 'gauge'");
}

void gauge_close(struct gauge *gauge)
{
    PQfinish(gauge->pq);
}

void gauge_run(struct gauge *gauge, const char *sql)
{
    PQclear(ask(gauge, sql));
}

/* The first number of schedstat: time on a processor, in nanoseconds. */
static int64_t processor_ns(long pid)
{
    char path[64], line[128] = "";

    (void)snprintf(path, sizeof path, "/proc/%ld/schedstat", pid);
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        return 0;
    }
    char *got = fgets(line, sizeof line, file);

    (void)fclose(file);
    return got == NULL ? 0 : strtoll(line, NULL, 10);
}

void gauge_read(struct gauge *gauge, const char *application)
{
    char sql[300];

    (void)snprintf(sql, sizeof sql,
                   "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint, "
                   "(SELECT pid FROM pg_stat_activity WHERE application_name = '%s' ORDER BY backend_start DESC "
                   "LIMIT 1)",
                   application);
    PGresult *answer = ask(gauge, sql);

    gauge->wal_bytes = strtoll(PQgetvalue(answer, 0, 0), NULL, 10);
    gauge->session_ns = processor_ns(strtol(PQgetvalue(answer, 0, 1), NULL, 10));
    PQclear(answer);
}
