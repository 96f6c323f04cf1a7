/* postgres_gauge: what the server itself spends, which depends less on who else is on the machine than time does.
 *
 * Read through a connection of its own. A session's processor time is Linux's, of a server on this machine.
 */
#ifndef TESTS_BENCH_POSTGRES_GAUGE_H
#define TESTS_BENCH_POSTGRES_GAUGE_H

#include <libpq-fe.h>
#include <stdint.h>

struct gauge {
    PGconn *pq;
    int64_t session_ns; /* processor time of the session that is measured; 0: it cannot be told */
    int64_t wal_bytes;
};

void gauge_open(struct gauge *gauge, const char *url);
void gauge_close(struct gauge *gauge);

/* The readings so far, of the newest session with this application_name. */
void gauge_read(struct gauge *gauge, const char *application);

/* Any SQL, for what is to be there before something is measured. */
void gauge_run(struct gauge *gauge, const char *sql);

#endif
