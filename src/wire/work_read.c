#include "wire/work_read.h"

#include "base/json_scan.h"
#include "model/name.h"
#include "wire/work_reading.h"

static enum err read_worker(struct work_reading *reading, void *into)
{
    struct wire_work *work = into;
    enum err err = work_read_text(reading, &work->worker);

    if (err == ERR_OK && (work->worker.len == 0 || work->worker.len > WIRE_WORKER_BYTES_MAX)) {
        return err_set(reading->reterr, ERR_INVALID, "must have 1 to %d characters", WIRE_WORKER_BYTES_MAX);
    }
    for (size_t i = 0; err == ERR_OK && i < work->worker.len; i++) {
        if (work->worker.ptr[i] <= ' ' || work->worker.ptr[i] > '~') {
            err = err_set_at(reading->reterr, (int)i + 1, ERR_INVALID,
                             "may have printable ASCII characters only, and no blanks");
        }
    }
    return err;
}

static enum err read_seq(struct work_reading *reading, void *into)
{
    return walk_int(&reading->walk, 0, WIRE_SEQ_MAX, &((struct wire_work *)into)->seq, reading->reterr);
}

static enum err read_name(struct work_reading *reading, void *into)
{
    struct wire_work *work = into;
    enum err err = work_read_text(reading, &work->name);

    work->name = work_cut_end(work->name, WIRE_WORKER_NAME_BYTES_MAX);
    return err;
}

static enum err read_pool(struct work_reading *reading, void *into)
{
    enum err err = work_read_text(reading, into);

    return err == ERR_OK ? name_check(*(struct str *)into, reading->reterr) : err;
}

static enum err read_pools(struct work_reading *reading, void *into)
{
    struct wire_work *work = into;
    void *pools = NULL;
    enum err err = work_read_list(reading, WIRE_POOLS_MAX, sizeof *work->pools, read_pool, &pools, &work->pool_count);

    if (err == ERR_OK) {
        work->pools = pools;
    }
    return err;
}

/* Kinds that are not known here are passed over: newer workers name them to servers that never give such work. */
static enum err read_targets(struct work_reading *reading, void *into)
{
    static const char *const words[] = {
        [TARGET_NONE] = "none", [TARGET_HTTP] = "http", [TARGET_EXEC] = "exec", [TARGET_EXEC + 1] = NULL};
    struct wire_work *work = into;
    enum err err = walk_array(&reading->walk, reading->reterr);

    work->targets = 0;
    for (size_t i = 0; err == ERR_OK && walk_item(&reading->walk); i++) {
        struct str word = {0};

        err = work_in_item(reading, work_read_text(reading, &word), i);
        int index = str_index_in(word, words);
        work->targets |= index >= 0 ? WIRE_TARGET_BIT(index) : 0;
    }
    return err;
}

static enum err read_count(struct work_reading *reading, int64_t max, uint32_t *ret_count)
{
    int64_t count = 0;
    enum err err = walk_int(&reading->walk, 0, max, &count, reading->reterr);

    if (err == ERR_OK) {
        *ret_count = (uint32_t)count;
    }
    return err;
}

static enum err read_capacity(struct work_reading *reading, void *into)
{
    return read_count(reading, WIRE_CAPACITY_MAX, &((struct wire_work *)into)->capacity);
}

static enum err read_want(struct work_reading *reading, void *into)
{
    return read_count(reading, WIRE_WANT_MAX, &((struct wire_work *)into)->want);
}

static enum err read_wait(struct work_reading *reading, void *into)
{
    return work_read_duration(reading, WIRE_WAIT_MAX_MS, &((struct wire_work *)into)->wait_ms);
}

static enum err read_held(struct work_reading *reading, void *into)
{
    return work_read_attempt(reading, into);
}

static enum err read_holding(struct work_reading *reading, void *into)
{
    struct wire_work *work = into;
    void *holding = NULL;
    enum err err =
        work_read_list(reading, WIRE_HOLDING_MAX, sizeof *work->holding, read_held, &holding, &work->holding_count);

    work->holding = holding;
    return err;
}

static enum err read_finished(struct work_reading *reading, void *into)
{
    struct wire_work *work = into;
    void *finished = NULL;
    enum err err = work_read_list(reading, WIRE_FINISHED_MAX, sizeof *work->finished, work_read_report, &finished,
                                  &work->finished_count);

    work->finished = finished;
    return err;
}

static enum err read_progress(struct work_reading *reading, void *into)
{
    struct wire_work *work = into;
    void *progress = NULL;
    enum err err = work_read_list(reading, WIRE_PROGRESS_MAX, sizeof *work->progress, work_read_progress, &progress,
                                  &work->progress_count);

    work->progress = progress;
    return err;
}

static enum err read_all(struct work_reading *reading, struct wire_work *work)
{
    static const struct work_field fields[] = {
        {STR_INIT("worker"), read_worker},     {STR_INIT("seq"), read_seq},
        {STR_INIT("name"), read_name},         {STR_INIT("pools"), read_pools},
        {STR_INIT("targets"), read_targets},   {STR_INIT("capacity"), read_capacity},
        {STR_INIT("want"), read_want},         {STR_INIT("wait"), read_wait},
        {STR_INIT("holding"), read_holding},   {STR_INIT("finished"), read_finished},
        {STR_INIT("progress"), read_progress},
    };
    unsigned seen;

    if (walk_kind(&reading->walk) != '{') {
        return err_set(reading->reterr, ERR_INVALID, "the body must be an object");
    }
    enum err err = work_read_object(reading, fields, sizeof fields / sizeof fields[0], work, &seen);

    return err == ERR_OK && work->worker.len == 0 ? work_missing(reading, "worker") : err;
}

enum err wire_read_work(struct str body, struct arena *arena, struct wire_work *ret_work, struct error *reterr)
{
    static const struct jscan_limits limits = {
        .bytes_max = WIRE_WORK_BYTES_MAX, .depth_max = WIRE_WORK_DEPTH_MAX, .nodes_max = WIRE_WORK_NODES_MAX};
    static const struct str usual_pools[] = {STR_INIT("default")};
    struct work_reading reading = {.walk = walk_of(body), .arena = arena, .reterr = reterr};
    struct wire_work work = {
        .seq = -1, .pools = usual_pools, .pool_count = 1, .targets = WIRE_TARGETS_ANY, .capacity = 1};
    struct jscan_facts facts;
    enum err err = jscan_check(body, &limits, &facts, reterr);

    if (err == ERR_OK) {
        err = read_all(&reading, &work);
    }
    if (err == ERR_OK) {
        *ret_work = work;
    }
    return err;
}
