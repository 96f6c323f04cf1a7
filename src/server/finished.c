#include "server/finished.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/chrono.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/job_def.h"
#include "server/retention.h"

/* Between two rounds through all jobs. */
#define ROUND_MS (3600 * INT64_C(1000))
#define DEF_BLOCK_BYTES 4096
#define DEF_BYTES_MAX (4UL * 1024 * 1024)

struct deletion {
    struct shard_call call;
    struct finished *finished;
};

struct finished {
    struct finished_config config;
    struct read_job read;
    atomic_size_t under_way; /* the read, or deletes; what is below belongs to it, or at 0 to who ticks */
    atomic_uint_fast64_t count;
    int64_t next_mono_ms;
    int64_t now_ms;         /* of the page at hand */
    enum job_status status; /* whose turn it is */
    uint64_t after;         /* the last job of the page before */
    bool has_more;          /* of that status */
    bool is_going;          /* a round */
    struct deletion deletions[FINISHED_PAGE];
};

struct finished *finished_new(const struct finished_config *config)
{
    struct finished *finished = mem_zalloc(sizeof *finished);

    finished->config = *config;
    finished->status = JOB_COMPLETED;
    finished->next_mono_ms = chrono_mono_ms() + (config->first_ms != 0 ? config->first_ms : RETENTION_FIRST_MS);
    return finished;
}

void finished_free(struct finished *finished)
{
    if (finished != NULL) {
        assert(atomic_load(&finished->under_way) == 0);
        mem_free(finished);
    }
}

uint64_t finished_count(struct finished *finished)
{
    return atomic_load(&finished->count);
}

/* ---- deleting ---- */

static void on_deleted(struct shard_call *call, const struct shard_answer *answer)
{
    struct deletion *deletion = CONTAINER_OF(call, struct deletion, call);
    struct finished *finished = deletion->finished;

    if (answer->error == NULL && answer->reply->kind == REPLY_JOBS) {
        atomic_fetch_add(&finished->count, 1);
    }
    atomic_fetch_sub(&finished->under_way, 1); /* the last thing: it may be the tick's again */
}

static void delete_job(struct finished *finished, size_t index, uint64_t id)
{
    struct deletion *deletion = &finished->deletions[index];

    *deletion = (struct deletion){.finished = finished};
    deletion->call.kind = SHARD_COMMAND;
    deletion->call.answered = on_deleted;
    deletion->call.command.kind = COMMAND_DELETE;
    deletion->call.command.ref.id = id;
    atomic_fetch_add(&finished->under_way, 1);
    (void)shard_submit(finished->config.shard, &deletion->call);
}

/* ---- looking ---- */

/* A definition that cannot be read is nobody's to delete. */
static bool is_old(const struct finished *finished, const struct job_row *row)
{
    SCOPE(arena_done) struct arena arena;
    struct jr_doc doc;
    struct job_def def;
    struct error error;

    arena_init(&arena, DEF_BLOCK_BYTES, DEF_BYTES_MAX);
    if (row->updated_ms == TIME_NONE || jr_parse(row->def, NULL, &doc, &error) != ERR_OK) {
        return false;
    }
    enum err err = job_def_read(row->def, jr_root(&doc), &arena, &def, &error);
    jr_done(&doc);
    if (err != ERR_OK) {
        return false;
    }
    bool is_recurring = def.when == WHEN_CRON || def.when == WHEN_EVERY;

    return row->updated_ms <
           finished->now_ms - (is_recurring ? finished->config.recurring_ms : finished->config.once_ms);
}

static void take_page(struct finished *finished, const struct rows *rows)
{
    finished->has_more = rows->has_more;
    finished->after = rows->after;
    for (size_t i = 0; i < rows->jobs.count && i < FINISHED_PAGE; i++) {
        if (is_old(finished, &rows->jobs.items[i])) {
            delete_job(finished, i, rows->jobs.items[i].id);
        }
    }
}

static void look(struct read_job *job, struct store_reader *reader)
{
    struct finished *finished = CONTAINER_OF(job, struct finished, read);
    const struct query query = {.kind = QUERY_JOBS,
                                .after = finished->after,
                                .after_ms = TIME_NONE,
                                .since_ms = TIME_NONE,
                                .limit = FINISHED_PAGE,
                                .has_status = true,
                                .status = finished->status};
    SCOPE(rows_done) struct rows rows;
    struct error error = {0};

    rows_init(&rows);
    if (store_read(reader, &query, &rows, &error) == STORE_DONE) {
        take_page(finished, &rows);
    } else {
        finished->has_more = false; /* the next round begins anew */
        log_warn("finished.failed", KEY_STR("error", error.text));
    }
    atomic_fetch_sub(&finished->under_way, 1);
}

/* ---- turns ---- */

/* Where the page before ended: on, the other status, or all over again in a while. */
static bool move_on(struct finished *finished)
{
    bool is_first = !finished->is_going;

    finished->is_going = true;
    if (is_first || finished->has_more) {
        return true;
    }
    finished->after = 0;
    if (finished->status == JOB_COMPLETED) {
        finished->status = JOB_CANCELLED;
        return true;
    }
    finished->status = JOB_COMPLETED;
    finished->is_going = false;
    finished->next_mono_ms = chrono_mono_ms() + ROUND_MS;
    return false;
}

void finished_tick(struct finished *finished)
{
    struct shard_view view;

    if (atomic_load(&finished->under_way) != 0 || chrono_mono_ms() < finished->next_mono_ms || !move_on(finished)) {
        return;
    }
    shard_look(finished->config.shard, &view);
    if (view.state != SHARD_SERVING || view.figures.is_clock_held) {
        return;
    }
    finished->now_ms = view.figures.now_ms;
    finished->read.run = look;
    list_node_init(&finished->read.node);
    atomic_fetch_add(&finished->under_way, 1);
    if (!readers_submit(finished->config.readers, &finished->read)) {
        atomic_fetch_sub(&finished->under_way, 1);
    }
}
