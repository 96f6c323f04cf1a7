#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/chrono.h"
#include "client/client.h"

/* Quicker work needs no bar. */
#define DRAW_FROM_MS 200
#define DRAW_EVERY_MS 100
#define BAR_WIDTH 30
#define LINE_BYTES 200
#define FROM_SECONDS 2

struct progress progress_begin(const char *what, int64_t total)
{
    return (struct progress){
        .what = what, .total = total, .is_shown = isatty(STDERR_FILENO) == 1, .begun_mono_ms = chrono_mono_ms()};
}

/* rule 1 */
static bool is_time(struct progress *progress)
{
    int64_t now_ms = chrono_mono_ms();

    if (!progress->is_shown || now_ms - progress->begun_mono_ms < DRAW_FROM_MS ||
        now_ms - progress->drawn_mono_ms < DRAW_EVERY_MS) {
        return false;
    }
    progress->drawn_mono_ms = now_ms;
    return true;
}

static void draw(struct progress *progress, const char *text)
{
    int64_t seconds = (chrono_mono_ms() - progress->begun_mono_ms) / 1000;
    char line[LINE_BYTES];
    int width = seconds >= FROM_SECONDS ? snprintf(line, sizeof line, "%s, %lld s", text, (long long)seconds)
                                        : snprintf(line, sizeof line, "%s", text);
    int blanks = progress->width > width ? progress->width - width : 0;

    (void)fprintf(stderr, "\r%s%*s", line, blanks, "");
    (void)fflush(stderr);
    progress->width = width;
}

void progress_at(struct progress *progress, int64_t done)
{
    int64_t total = progress->total;
    char text[LINE_BYTES];

    progress->done = done;
    if (!is_time(progress)) {
        return;
    }
    if (total <= 0 && done == 0) {
        (void)snprintf(text, sizeof text, "%s", progress->what);
    } else if (total <= 0) {
        (void)snprintf(text, sizeof text, "%lld %s", (long long)done, progress->what);
    } else {
        int filled = (int)(done >= total ? BAR_WIDTH : done * BAR_WIDTH / total);

        (void)snprintf(text, sizeof text, "[%.*s%*s] %lld of %lld %s", filled, "##############################",
                       BAR_WIDTH - filled, "", (long long)done, (long long)total, progress->what);
    }
    draw(progress, text);
}

void progress_sent(void *progress, int64_t sent_bytes, int64_t total_bytes)
{
    struct progress *bar = progress;
    double share = total_bytes > 0 ? (double)sent_bytes / (double)total_bytes : 0;

    if (sent_bytes == CLIENT_OVER) {
        progress_wipe(bar);
    } else {
        progress_at(bar, (int64_t)(share * (double)bar->total));
    }
}

void progress_goes_on(void *progress, int64_t sent_bytes, int64_t total_bytes)
{
    struct progress *bar = progress;

    (void)total_bytes;
    if (sent_bytes == CLIENT_OVER) {
        progress_wipe(bar);
    } else {
        progress_at(bar, bar->done);
    }
}

void progress_wipe(struct progress *progress)
{
    if (progress->width > 0) {
        (void)fprintf(stderr, "\r%*s\r", progress->width, "");
        (void)fflush(stderr);
        progress->width = 0;
        progress->drawn_mono_ms = 0; /* it may come back at once */
    }
}
