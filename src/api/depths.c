#include "api/depths.h"

#include <pthread.h>

#include "base/container.h"
#include "base/mem.h"

/* Dead letters are counted every second (at most QUERY_SCAN_MAX entries of an index); a database takes longer to say
 * how large it is, and grows slowly. */
#define SIZE_EVERY_TICKS 15

struct depths {
    struct readers *readers;
    struct read_job job;
    pthread_mutex_t lock; /* of all below */
    bool is_reading;
    bool wants_size;
    uint64_t ticks;
    struct depths_figures figures;
};

struct depths *depths_new(struct readers *readers)
{
    struct depths *depths = mem_zalloc(sizeof *depths);

    depths->readers = readers;
    (void)pthread_mutex_init(&depths->lock, NULL);
    return depths;
}

void depths_free(struct depths *depths)
{
    (void)pthread_mutex_destroy(&depths->lock);
    mem_free(depths);
}

static bool read_dead(struct store_reader *reader, int64_t *ret_dead)
{
    const struct query query = {.kind = QUERY_COUNTS, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    SCOPE(rows_done) struct rows rows;
    struct error error;

    rows_init(&rows);
    if (store_read(reader, &query, &rows, &error) != STORE_DONE) {
        return false;
    }
    *ret_dead = rows.counts[TRIGGER_DEAD];
    return true;
}

static void run(struct read_job *job, struct store_reader *reader)
{
    struct depths *depths = CONTAINER_OF(job, struct depths, job);
    struct error error;
    int64_t dead = 0, bytes = 0;
    bool is_up = read_dead(reader, &dead);
    bool has_size = is_up && depths->wants_size && store_size(reader, &bytes, &error) == STORE_DONE;

    (void)pthread_mutex_lock(&depths->lock);
    depths->is_reading = false;
    depths->figures.is_up = is_up;
    if (is_up) {
        depths->figures.is_known = true;
        depths->figures.dead = dead;
    }
    if (has_size) {
        depths->figures.has_size = true;
        depths->figures.store_bytes = bytes;
    }
    (void)pthread_mutex_unlock(&depths->lock);
}

/* Whether to read now (rule 1). */
static bool begin(struct depths *depths, bool is_serving)
{
    bool begins;

    (void)pthread_mutex_lock(&depths->lock);
    begins = is_serving && depths->readers != NULL && !depths->is_reading;
    depths->is_reading = depths->is_reading || begins;
    if (!is_serving) {
        depths->figures.is_known = false;
    } else if (begins) {
        depths->wants_size = depths->ticks++ % SIZE_EVERY_TICKS == 0;
    }
    (void)pthread_mutex_unlock(&depths->lock);
    return begins;
}

void depths_tick(struct depths *depths, bool is_serving)
{
    if (!begin(depths, is_serving)) {
        return;
    }
    depths->job.run = run;
    list_node_init(&depths->job.node);
    if (!readers_submit(depths->readers, &depths->job)) { /* they are busy: the next second will do */
        (void)pthread_mutex_lock(&depths->lock);
        depths->is_reading = false;
        (void)pthread_mutex_unlock(&depths->lock);
    }
}

void depths_look(struct depths *depths, struct depths_figures *ret_figures)
{
    (void)pthread_mutex_lock(&depths->lock);
    *ret_figures = depths->figures;
    (void)pthread_mutex_unlock(&depths->lock);
}
