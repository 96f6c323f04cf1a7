#include "server/rezone.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/chrono.h"
#include "base/log.h"
#include "base/mem.h"
#include "calendar/zone_text.h"

/* How often the folder is looked at, and how often the zones themselves. */
#define WATCH_MS 10000
#define READ_MS 60000
/* Rule 2. */
#define PAST_S (30 * INT64_C(24) * 3600)
/* Rules that are followed and former: more are taken in the next round. */
#define FORMER_MAX 64

struct former {
    uint64_t hash;
    char zone[ZONE_NAME_BYTES_MAX + 1];
};

struct rezone {
    struct rezone_config config;
    struct zone_watch *watch;
    struct read_job read;
    struct shard_call call;
    atomic_bool is_under_way; /* the read or the command; what is below belongs to it, or else to who ticks */
    bool is_wanted;           /* a round */
    int64_t watch_mono_ms, read_mono_ms, round_mono_ms;
    struct former formers[FORMER_MAX];
    size_t former_count, at;
    uint64_t after; /* the last job of the page before */
    bool has_more;
    uint64_t jobs[REZONE_PAGE];
    uint64_t waiting; /* of this round */
    pthread_mutex_t lock;
    struct rezone_figures figures; /* under the lock */
};

struct rezone *rezone_new(const struct rezone_config *config)
{
    struct rezone *rezone = mem_zalloc(sizeof *rezone);

    rezone->config = *config;
    rezone->watch = zone_watch_new(config->folder);
    rezone->is_wanted = true; /* rule 1 */
    rezone->watch_mono_ms = rezone->read_mono_ms = chrono_mono_ms();
    (void)pthread_mutex_init(&rezone->lock, NULL);
    (void)snprintf(rezone->figures.version, sizeof rezone->figures.version, "%s", zone_watch_version(rezone->watch));
    rezone->figures.moved_ms = TIME_NONE;
    return rezone;
}

void rezone_free(struct rezone *rezone)
{
    if (rezone != NULL) {
        assert(!atomic_load(&rezone->is_under_way));
        zone_watch_free(rezone->watch);
        (void)pthread_mutex_destroy(&rezone->lock);
        mem_free(rezone);
    }
}

void rezone_look(struct rezone *rezone, struct rezone_figures *ret_figures)
{
    (void)pthread_mutex_lock(&rezone->lock);
    *ret_figures = rezone->figures;
    (void)pthread_mutex_unlock(&rezone->lock);
}

/* ---- a round ---- */

static void go_on(struct rezone *rezone);

static void end_round(struct rezone *rezone)
{
    rezone->round_mono_ms = chrono_mono_ms() + REZONE_AGAIN_MS;
    rezone->is_wanted = rezone->waiting > 0; /* rule 3 */
    (void)pthread_mutex_lock(&rezone->lock);
    rezone->figures.waiting = rezone->waiting;
    (void)pthread_mutex_unlock(&rezone->lock);
    atomic_store(&rezone->is_under_way, false); /* the last thing: it is the tick's again */
}

static void fail_round(struct rezone *rezone, const struct error *error)
{
    log_warn("zones.failed", KEY_STR("error", error->text));
    rezone->waiting = rezone->waiting > 0 ? rezone->waiting : 1; /* so that there is another */
    end_round(rezone);
}

static void note_moved(struct rezone *rezone, const struct reply *reply)
{
    const struct former *former = &rezone->formers[rezone->at];

    rezone->waiting += (uint64_t)reply->waiting;
    if (reply->job_count == 0) {
        return;
    }
    log_info("zones.moved", KEY_STR("zone", former->zone), KEY_UINT("jobs", reply->job_count),
             KEY_INT("waiting", reply->waiting));
    (void)pthread_mutex_lock(&rezone->lock);
    rezone->figures.moved += reply->job_count;
    rezone->figures.moved_ms = shard_now_ms(rezone->config.shard);
    (void)snprintf(rezone->figures.moved_zone, sizeof rezone->figures.moved_zone, "%s", former->zone);
    (void)pthread_mutex_unlock(&rezone->lock);
}

static void on_answer(struct shard_call *call, const struct shard_answer *answer)
{
    struct rezone *rezone = CONTAINER_OF(call, struct rezone, call);

    if (answer->error != NULL) {
        fail_round(rezone, answer->error);
    } else if (answer->reply->kind == REPLY_ERROR) {
        fail_round(rezone, &answer->reply->error);
    } else {
        note_moved(rezone, answer->reply);
        go_on(rezone);
    }
}

static void move_jobs(struct rezone *rezone, const struct rows *rows)
{
    for (size_t i = 0; i < rows->jobs.count; i++) {
        rezone->jobs[i] = rows->jobs.items[i].id;
    }
    rezone->has_more = rows->has_more;
    rezone->after = rows->after;
    memset(&rezone->call, 0, sizeof rezone->call);
    rezone->call.kind = SHARD_COMMAND;
    rezone->call.answered = on_answer;
    rezone->call.command =
        (struct command){.kind = COMMAND_REZONE, .jobs = rezone->jobs, .job_count = rows->jobs.count};
    (void)shard_submit(rezone->config.shard, &rezone->call);
}

static struct query question(enum query_kind kind)
{
    return (struct query){.kind = kind, .after_ms = TIME_NONE, .since_ms = TIME_NONE, .limit = REZONE_PAGE};
}

static void read_jobs(struct read_job *job, struct store_reader *reader)
{
    struct rezone *rezone = CONTAINER_OF(job, struct rezone, read);
    struct query query = question(QUERY_RULED);
    SCOPE(rows_done) struct rows rows;
    struct error error = {0};

    query.id = rezone->formers[rezone->at].hash;
    query.after = rezone->after;
    rows_init(&rows);
    if (store_read(reader, &query, &rows, &error) != STORE_DONE) {
        fail_round(rezone, &error);
    } else if (rows.jobs.count > 0) {
        move_jobs(rezone, &rows);
    } else {
        rezone->has_more = false;
        go_on(rezone);
    }
}

/* The next page: of these rules, or of the next that are former. */
static void go_on(struct rezone *rezone)
{
    struct error error;

    if (!rezone->has_more) {
        rezone->at++;
        rezone->after = 0;
    }
    if (rezone->at >= rezone->former_count) {
        end_round(rezone);
        return;
    }
    rezone->read.run = read_jobs;
    list_node_init(&rezone->read.node);
    if (!readers_submit(rezone->config.readers, &rezone->read)) {
        (void)err_set(&error, ERR_OVERLOADED, "too many reads wait");
        fail_round(rezone, &error);
    }
}

/* Whether rules of the store are not their zone's any more (rule 2). A zone without a file, or a text that cannot be
 * read, moves nobody. */
static bool is_former(const struct rezone *rezone, const struct rules_row *row)
{
    const struct zone *present = NULL;
    struct zone *kept = NULL;

    if (zone_cache_get(rezone->config.zones, row->zone, &present, NULL) != ERR_OK || present->rules_hash == row->hash ||
        zone_text_read(row->zone, row->text, &kept, NULL) != ERR_OK) {
        return false;
    }
    bool is_same = zone_same_from(kept, present, shard_now_ms(rezone->config.shard) / 1000 - PAST_S);

    zone_free(kept);
    return !is_same;
}

static void read_rules(struct read_job *job, struct store_reader *reader)
{
    struct rezone *rezone = CONTAINER_OF(job, struct rezone, read);
    const struct query query = question(QUERY_RULES);
    SCOPE(rows_done) struct rows rows;
    struct error error = {0};

    rows_init(&rows);
    if (store_read(reader, &query, &rows, &error) != STORE_DONE) {
        fail_round(rezone, &error);
        return;
    }
    rezone->former_count = rezone->at = 0;
    for (size_t i = 0; i < rows.rules.count && rezone->former_count < FORMER_MAX; i++) {
        const struct rules_row *row = &rows.rules.items[i];

        if (is_former(rezone, row)) {
            struct former *former = &rezone->formers[rezone->former_count++];

            former->hash = row->hash;
            (void)snprintf(former->zone, sizeof former->zone, "%.*s", STR_ARGS(row->zone));
        }
    }
    rezone->after = 0;
    rezone->has_more = true; /* the first page */
    go_on(rezone);
}

static void begin_round(struct rezone *rezone)
{
    rezone->waiting = 0;
    rezone->read.run = read_rules;
    list_node_init(&rezone->read.node);
    atomic_store(&rezone->is_under_way, true);
    if (!readers_submit(rezone->config.readers, &rezone->read)) {
        atomic_store(&rezone->is_under_way, false); /* the next tick tries again */
    }
}

/* ---- the watch ---- */

static void look_at_zones(struct rezone *rezone, int64_t mono_ms)
{
    char version[ZONE_WATCH_TEXT_BYTES];
    bool is_time = mono_ms >= rezone->read_mono_ms + READ_MS;

    if (mono_ms < rezone->watch_mono_ms + WATCH_MS) {
        return;
    }
    rezone->watch_mono_ms = mono_ms;
    bool is_changed = zone_watch_changed(rezone->watch, version);
    if (!is_changed && !is_time) {
        return;
    }
    rezone->read_mono_ms = mono_ms;
    size_t zones = zone_cache_refresh(rezone->config.zones);
    if (is_changed || zones > 0) {
        log_info("zones.changed", KEY_STR("version", version), KEY_UINT("zones", zones));
        rezone->is_wanted = true;
        rezone->round_mono_ms = mono_ms;
    }
    (void)pthread_mutex_lock(&rezone->lock);
    (void)snprintf(rezone->figures.version, sizeof rezone->figures.version, "%s", version);
    rezone->figures.zones += zones;
    (void)pthread_mutex_unlock(&rezone->lock);
}

void rezone_tick(struct rezone *rezone)
{
    int64_t mono_ms = chrono_mono_ms();
    struct shard_view view;

    if (atomic_load(&rezone->is_under_way)) {
        return;
    }
    look_at_zones(rezone, mono_ms);
    if (!rezone->is_wanted || mono_ms < rezone->round_mono_ms) {
        return;
    }
    shard_look(rezone->config.shard, &view);
    if (view.state == SHARD_SERVING && !view.figures.is_clock_held) {
        begin_round(rezone);
    }
}
