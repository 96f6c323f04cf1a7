/* server_process: the real belfry server, in a data folder that is thrown away, for bench_server.
 *
 * Owns:  the process and its folder. The process ends with ours, whatever way ours ends.
 * Never: returns a failure: whatever goes wrong ends the program.
 * See:   bench_server.c
 */
#ifndef TESTS_BENCH_SERVER_PROCESS_H
#define TESTS_BENCH_SERVER_PROCESS_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVED_TOKEN_BYTES 128

struct served {
    pid_t pid;
    uint16_t port;
    const char *store;              /* borrowed; NULL: SQLite in its folder */
    double ready_s;                 /* from its start to its ready line */
    char folder[PATH_MAX / 2];      /* its data */
    char token[SERVED_TOKEN_BYTES]; /* NUL-terminated */
};

/* What a process has used up so far. */
struct usage {
    double wall_s; /* since some fixed moment */
    double cpu_s;
};

/* A new folder below the given one. */
void served_make_folder(struct served *served, const char *below);
void served_remove_folder(const struct served *served);

/* Returns when it listens. */
void served_start(struct served *served, const char *binary);

/* With SIGTERM; returns when it has ended. */
void served_stop(struct served *served);
/* The two halves of that. */
void served_end(const struct served *served);
void served_wait(const struct served *served);

/* With SIGKILL. */
void served_kill(const struct served *served);

struct usage served_usage(const struct served *served);
struct usage own_usage(void);

/* Resident memory, in MiB. */
double served_rss_mib(const struct served *served);

#endif
