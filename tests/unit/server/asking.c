#include "asking.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "store/sqlite/sqlite_store.h"

/* ---- the shard ---- */

static void on_committed(void *context, const struct batch *batch)
{
    struct rig *rig = context;

    atomic_store(&rig->committed, batch->number);
}

static void on_broken(void *context, const struct error *error)
{
    struct rig *rig = context;

    (void)error;
    atomic_fetch_add(&rig->broken, 1);
}

static void on_changed(void *context, bool is_serving, const struct error *error)
{
    struct rig *rig = context;

    atomic_fetch_add(&rig->ups, is_serving ? 1 : 0);
    atomic_fetch_add(&rig->downs, !is_serving && error != NULL ? 1 : 0);
}

struct rig *rig_open(void)
{
    struct rig *rig = mem_zalloc(sizeof *rig);
    const struct sqlite_options options = {.path = path_of("belfry.db"), .is_test_fast = true};
    struct error error = {0};

    if (sqlite_store_open(&options, &rig->real, &error) != STORE_DONE) {
        fail_msg("%s", error.text);
    }
    faulty_init(&rig->faulty, rig->real);
    rig->zones = zone_cache_new(NULL);
    return rig;
}

enum err rig_try_start(struct rig *rig, struct error *error)
{
    const struct shard_config config = {
        .store = &rig->faulty.store,
        .engine = {.seed = 1, .zones = rig->zones, .is_held = rig->wants_hold},
        .name = STR("test"),
        .url = STR("http://127.0.0.1:1"),
        .seen = rig->seen,
        .careful_ms = rig->careful_ms,
        .context = rig,
        .committed = on_committed,
        .broken = on_broken,
        .changed = on_changed,
    };

    return shard_start(&config, &rig->shard, error);
}

struct rig *rig_start(void)
{
    struct rig *rig = rig_open();
    struct error error;

    if (rig_try_start(rig, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    return rig;
}

void rig_close(struct rig *rig)
{
    if (rig->shard != NULL) {
        shard_stop(rig->shard);
    }
    if (!rig->is_breaking_allowed) {
        assert_int_equal(atomic_load(&rig->broken), 0);
    }
    store_close(rig->real);
    zone_cache_free(rig->zones);
    mem_free(rig);
}

static void nap(void)
{
    const struct timespec wait = {.tv_nsec = 500000};

    nanosleep(&wait, NULL);
}

void rig_await(struct rig *rig, enum shard_state state)
{
    struct shard_view view;

    do {
        nap();
        shard_look(rig->shard, &view);
    } while (view.state != state);
}

void rig_await_held(struct rig *rig)
{
    while (atomic_load(&rig->faulty.commits_waiting) == 0) {
        nap();
    }
}

size_t rig_count_jobs(struct rig *rig)
{
    struct store_reader *reader = NULL;
    struct query query = {.kind = QUERY_JOBS, .limit = 1000, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    struct error error = {0};
    struct rows rows;
    size_t count = 0;
    bool has_more = true;

    assert_int_equal(store_reader_open(rig->real, &reader, &error), STORE_DONE);
    while (has_more) {
        rows_init(&rows);
        assert_int_equal(store_read(reader, &query, &rows, &error), STORE_DONE);
        count += rows.jobs.count;
        has_more = rows.has_more;
        query.after = rows.after;
        rows_done(&rows);
    }
    store_reader_close(reader);
    return count;
}

/* ---- calls ---- */

static void take_reply(struct asked *asked, const struct reply *reply)
{
    asked->kind = reply->kind;
    asked->code = reply->kind == REPLY_ERROR ? reply->error.code : ERR_OK;
    asked->job = reply->kind == REPLY_JOBS && reply->job_count > 0 ? reply->jobs[0].id : 0;
    asked->is_draining = reply->is_draining;
    if (reply->grant_count > 0) {
        asked->grant = (struct attempt_ref){reply->grants[0].trigger, reply->grants[0].number};
    }
}

static void on_answered(struct shard_call *call, const struct shard_answer *answer)
{
    struct asked *asked = CONTAINER_OF(call, struct asked, call);

    pthread_mutex_lock(&asked->lock);
    asked->answers++;
    if (answer->error != NULL) {
        asked->has_failed = true;
        asked->is_not_applied = answer->is_not_applied;
        asked->code = answer->error->code;
    } else if (answer->reply != NULL) {
        take_reply(asked, answer->reply);
    }
    pthread_cond_signal(&asked->is_over);
    pthread_mutex_unlock(&asked->lock);
}

static struct asked *asked_new(enum shard_call_kind kind)
{
    struct asked *asked = mem_zalloc(sizeof *asked);

    arena_init(&asked->arena, 4096, 1024UL * 1024);
    pthread_mutex_init(&asked->lock, NULL);
    pthread_cond_init(&asked->is_over, NULL);
    asked->call.kind = kind;
    asked->call.answered = on_answered;
    return asked;
}

void asked_free(struct asked *asked)
{
    assert_int_equal(asked->answers, 1);
    arena_done(&asked->arena);
    pthread_cond_destroy(&asked->is_over);
    pthread_mutex_destroy(&asked->lock);
    mem_free(asked);
}

struct asked *ask_create(struct rig *rig, const char *definition)
{
    struct asked *asked = asked_new(SHARD_COMMAND);
    struct error error = {0};
    struct jr_doc doc;

    if (jr_parse(str_from(definition), NULL, &doc, &error) != ERR_OK ||
        job_def_read(str_from(definition), jr_root(&doc), &asked->arena, &asked->def, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    jr_done(&doc);
    asked->call.command = (struct command){.kind = COMMAND_CREATE, .defs = &asked->def, .def_count = 1};
    (void)shard_submit(rig->shard, &asked->call);
    return asked;
}

struct asked *ask_poll_with(struct rig *rig, const char *worker, int64_t wait_ms, const struct report *reports,
                            size_t count)
{
    struct asked *asked = asked_new(SHARD_EXCHANGE);

    asked->pool = STR("default");
    asked->call.exchange = (struct exchange){
        .worker = str_from(worker),
        .seq = -1,
        .pools = &asked->pool,
        .pool_count = 1,
        .capacity = 1,
        .want = 1,
        .wait_ms = wait_ms,
        .reports = reports,
        .report_count = count,
    };
    (void)shard_submit(rig->shard, &asked->call);
    return asked;
}

struct asked *ask_poll(struct rig *rig, const char *worker, int64_t wait_ms)
{
    return ask_poll_with(rig, worker, wait_ms, NULL, 0);
}

struct asked *ask_look(struct rig *rig)
{
    struct asked *asked = asked_new(SHARD_LOOK);

    (void)shard_submit(rig->shard, &asked->call);
    return asked;
}

struct asked *await(struct asked *asked)
{
    pthread_mutex_lock(&asked->lock);
    while (asked->answers == 0) {
        pthread_cond_wait(&asked->is_over, &asked->lock);
    }
    pthread_mutex_unlock(&asked->lock);
    return asked;
}

bool is_answered(struct asked *asked)
{
    pthread_mutex_lock(&asked->lock);
    bool is_over = asked->answers > 0;
    pthread_mutex_unlock(&asked->lock);
    return is_over;
}

uint64_t create(struct rig *rig, const char *definition)
{
    struct asked *asked = await(ask_create(rig, definition));
    uint64_t job = asked->job;

    assert_false(asked->has_failed);
    assert_int_equal(asked->kind, REPLY_JOBS);
    asked_free(asked);
    return job;
}
