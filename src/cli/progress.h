/* progress: how far bulk work is, on standard error, where that is a terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* "jobs" */
    bool is_shown;
    int64_t drawn_mono_ms; /* when it was last drawn */
};

struct progress progress_begin(const char *what);

/* done of total (0: not known). Draws ten times a second at most. */
void progress_at(struct progress *progress, int64_t done, int64_t total);

/* Wipes the line. */
void progress_end(struct progress *progress);

#endif
