/* progress: how far bulk work is, on standard error, where that is a terminal.
 *
 * Rules: (1) work that is over at once draws nothing; the rest is drawn ten times a second at most.
 *        (2) one line, which is gone at the end; no escapes, so that every terminal can show it.
 * See:   tests/cli/test_progress.py
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* "jobs" */
    int64_t total;    /* of them; 0: not known */
    int64_t done;     /* as last said */
    bool is_shown;
    int64_t begun_mono_ms;
    int64_t drawn_mono_ms; /* when it was last drawn; 0: never */
    int width;             /* of what stands on the line */
};

struct progress progress_begin(const char *what, int64_t total);

/* "[####      ] 40 of 100 jobs, 3 s"; "40 jobs, 3 s" where the total is not known; "jobs, 3 s" where nothing is. */
void progress_at(struct progress *progress, int64_t done);

/* For client_watch: work that is done as the bytes of a request leave, and calls that take their time. */
void progress_sent(void *progress, int64_t sent_bytes, int64_t total_bytes);
void progress_goes_on(void *progress, int64_t sent_bytes, int64_t total_bytes);

/* Before anything else is printed, and at the end: nothing of it stays on the line. */
void progress_wipe(struct progress *progress);

#endif
