#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/chrono.h"

#define DRAW_EVERY_MS 100
#define BAR_WIDTH 30

struct progress progress_begin(const char *what)
{
    return (struct progress){.what = what, .is_shown = isatty(STDERR_FILENO) == 1};
}

void progress_at(struct progress *progress, int64_t done, int64_t total)
{
    int64_t now_ms = chrono_mono_ms();

    if (!progress->is_shown || now_ms - progress->drawn_mono_ms < DRAW_EVERY_MS) {
        return;
    }
    progress->drawn_mono_ms = now_ms;
    if (total <= 0) {
        (void)fprintf(stderr, "\r%lld %s ", (long long)done, progress->what);
        return;
    }
    int filled = (int)(done >= total ? BAR_WIDTH : done * BAR_WIDTH / total);
    (void)fprintf(stderr, "\r[%.*s%*s] %lld of %lld %s ", filled, "##############################", BAR_WIDTH - filled,
                  "", (long long)done, (long long)total, progress->what);
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown && progress->drawn_mono_ms > 0) {
        (void)fputs("\r\033[K", stderr);
    }
}
