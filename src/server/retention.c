#include "server/retention.h"

#include <pthread.h>

#include "base/chrono.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/archive.h"

/* A step looks at so many rows of a kind: some milliseconds. */
#define STEP_ROWS 200
/* Between two steps of a round, two rounds, and after a failure. */
#define STEP_MS 50
#define ROUND_MS (10 * INT64_C(60000))
#define FAILED_MS 60000

struct retention {
    struct retention_config config;
    struct archive *archive; /* NULL: none */
    int64_t begun_mono_ms;   /* of the first step; 0: not yet */
    pthread_mutex_t lock;    /* of the figures */
    struct retention_figures figures;
};

struct retention *retention_new(const struct retention_config *config)
{
    struct retention *retention = mem_zalloc(sizeof *retention);

    retention->config = *config;
    retention->archive = config->archive[0] != '\0' ? archive_new(config->archive) : NULL;
    if (config->first_ms == 0) {
        retention->config.first_ms = RETENTION_FIRST_MS;
    }
    pthread_mutex_init(&retention->lock, NULL);
    return retention;
}

void retention_free(struct retention *retention)
{
    if (retention != NULL) {
        pthread_mutex_destroy(&retention->lock);
        archive_free(retention->archive);
        mem_free(retention);
    }
}

void retention_figures(struct retention *retention, struct retention_figures *ret_figures)
{
    pthread_mutex_lock(&retention->lock);
    *ret_figures = retention->figures;
    pthread_mutex_unlock(&retention->lock);
}

static void count(struct retention *retention, const struct rows *rows, size_t archive_bytes)
{
    pthread_mutex_lock(&retention->lock);
    retention->figures.triggers += rows->triggers.count;
    retention->figures.attempts += rows->attempts.count;
    retention->figures.skips += rows->skips.count;
    retention->figures.versions += rows->versions.count;
    retention->figures.idems += rows->idems.count;
    retention->figures.archive_bytes += archive_bytes;
    pthread_mutex_unlock(&retention->lock);
}

static void note_run(struct retention *retention, int64_t now_ms)
{
    pthread_mutex_lock(&retention->lock);
    retention->figures.last_run_ms = now_ms;
    pthread_mutex_unlock(&retention->lock);
}

static int64_t failed(struct retention *retention, const struct error *error)
{
    pthread_mutex_lock(&retention->lock);
    retention->figures.failures++;
    pthread_mutex_unlock(&retention->lock);
    log_warn("retention.failed", KEY_STR("error", error->text));
    return FAILED_MS;
}

static bool is_empty(const struct rows *rows)
{
    return rows->triggers.count + rows->skips.count + rows->versions.count + rows->idems.count == 0;
}

/* Archive, then remove: rule 2. */
static bool drop(struct retention *retention, struct store *store, int64_t now_ms, const struct rows *rows,
                 struct error *error)
{
    size_t archive_bytes = 0;

    if (is_empty(rows)) {
        return true;
    }
    if (retention->archive != NULL &&
        archive_write(retention->archive, now_ms, rows, &archive_bytes, error) != ERR_OK) {
        return false;
    }
    if (store_forget(store, rows, error) != STORE_DONE) {
        return false;
    }
    count(retention, rows, archive_bytes);
    return true;
}

/* A store that is new, or a time far back: then nothing is old. */
static int64_t before(int64_t now_ms, int64_t age_ms)
{
    return now_ms > age_ms ? now_ms - age_ms : TIME_NONE;
}

int64_t retention_step(struct retention *retention, struct store *store, int64_t now_ms)
{
    const struct store_ages ages = {
        .history_ms = before(now_ms, retention->config.history_ms),
        .dead_ms = before(now_ms, retention->config.dead_ms),
        .idem_ms = before(now_ms, RETENTION_IDEM_MS),
        .rows_max = STEP_ROWS,
    };
    int64_t mono_ms = chrono_mono_ms();
    struct error error = {0};
    bool has_more = false;

    if (retention->begun_mono_ms == 0) {
        retention->begun_mono_ms = mono_ms;
    }
    if (mono_ms < retention->begun_mono_ms + retention->config.first_ms) { /* rule 3 */
        return retention->begun_mono_ms + retention->config.first_ms - mono_ms;
    }
    SCOPE(rows_done) struct rows rows;
    rows_init(&rows);
    if (store_old(store, &ages, &rows, &has_more, &error) != STORE_DONE ||
        !drop(retention, store, now_ms, &rows, &error)) {
        return failed(retention, &error);
    }
    note_run(retention, now_ms);
    return has_more ? STEP_MS : ROUND_MS;
}
