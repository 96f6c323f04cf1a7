#include "store/copy.h"

#include <poll.h>

/* A batch is sent when it has so many rows, or so many bytes of texts. */
#define BATCH_ROWS 500
#define BATCH_TEXT_BYTES (4UL * 1024 * 1024)

/* A target that is busy is asked again so often, with so much time between. */
#define AGAIN_MAX 100
#define AGAIN_MS 20

/* Steps in which what a copy that failed has left may go: each removes thousands of rows. */
#define EMPTYING_MAX 10000000

/* How each kind of row is put into a batch: the operation, and its row in it. */
#define COPY_TABLE(X)                                                                                                  \
    X(ROW_JOB, OP_JOB_INSERT, job, jobs)                                                                               \
    X(ROW_VERSION, OP_VERSION_INSERT, version, versions)                                                               \
    X(ROW_TRIGGER, OP_TRIGGER_INSERT, trigger, triggers)                                                               \
    X(ROW_ATTEMPT, OP_ATTEMPT_INSERT, attempt, attempts)                                                               \
    X(ROW_CLAIMS, OP_CLAIMS_INSERT, claims, claims)                                                                    \
    X(ROW_SKIP, OP_SKIP_PUT, skip, skips)                                                                              \
    X(ROW_WAIT, OP_WAIT_PUT, wait, waits)                                                                              \
    X(ROW_EDGE, OP_EDGE_INSERT, edge, edges)                                                                           \
    X(ROW_SETTING, OP_SETTING_PUT, setting, settings)                                                                  \
    X(ROW_LIMITER, OP_LIMITER_PUT, limiter, limiters)                                                                  \
    X(ROW_CIRCUIT, OP_CIRCUIT_PUT, circuit, circuits)                                                                  \
    X(ROW_IDEM, OP_IDEM_PUT, idem, idems)                                                                              \
    X(ROW_TENANT, OP_TENANT_PUT, tenant, tenants)                                                                      \
    X(ROW_RULES, OP_RULES_PUT, rules, rules)

struct copying {
    struct store *to;
    const struct copy_watch *watch;
    uint64_t last_batch;
    uint64_t rows;
    struct batch batch; /* texts in it are the page's */
    size_t text_bytes;  /* of the batch */
};

/* ---- writing ---- */

static enum store_outcome send(struct copying *copying, struct error *reterr)
{
    size_t count = copying->batch.op_count;

    if (count == 0) {
        return STORE_DONE;
    }
    copying->batch.number = copying->last_batch + 1;
    enum store_outcome outcome = store_commit(copying->to, &copying->batch, reterr);

    for (int i = 0; outcome == STORE_AGAIN && i < AGAIN_MAX; i++) {
        (void)poll(NULL, 0, AGAIN_MS);
        outcome = store_commit(copying->to, &copying->batch, reterr);
    }
    if (outcome == STORE_DONE) {
        copying->last_batch++;
        copying->rows += count;
        batch_done(&copying->batch);
        batch_init(&copying->batch, 0);
        copying->text_bytes = 0;
        if (copying->watch != NULL) {
            copying->watch->told(copying->watch->context, COPY_WRITING, copying->rows);
        }
    }
    return outcome;
}

static enum store_outcome make_room(struct copying *copying, enum row_kind kind, const void *row, struct error *reterr)
{
    size_t bytes = shape_tail_bytes(shape_of(kind), row);
    bool is_full = copying->batch.op_count >= BATCH_ROWS || copying->text_bytes + bytes > BATCH_TEXT_BYTES;
    enum store_outcome outcome = is_full ? send(copying, reterr) : STORE_DONE;

    copying->text_bytes += bytes;
    return outcome;
}

static enum store_outcome put_page(void *context, struct rows *rows, struct error *reterr)
{
    struct copying *copying = context;
    enum store_outcome outcome = STORE_DONE;

#define X(kind, op, member, list)                                                                                      \
    for (size_t i = 0; outcome == STORE_DONE && i < rows->list.count; i++) {                                           \
        outcome = make_room(copying, kind, &rows->list.items[i], reterr);                                              \
        if (outcome == STORE_DONE) {                                                                                   \
            batch_add(&copying->batch, op)->member = rows->list.items[i];                                              \
        }                                                                                                              \
    }
    COPY_TABLE(X)
#undef X
    return outcome == STORE_DONE ? send(copying, reterr) : outcome; /* the page's texts end with it */
}

static enum store_outcome put_all(struct store *from, struct store *to, const struct copy_watch *watch,
                                  uint64_t last_batch, struct error *reterr)
{
    struct copying copying = {.to = to, .watch = watch, .last_batch = last_batch};

    batch_init(&copying.batch, 0);
    enum store_outcome outcome = copy_walk(from, put_page, &copying, reterr);

    batch_done(&copying.batch);
    return outcome;
}

/* ---- the target ---- */

struct look {
    bool has_begun, is_filling;
    uint64_t last_batch;
};

static enum store_outcome look_at_page(void *context, struct rows *rows, struct error *reterr)
{
    struct look *look = context;

    if (!look->has_begun) {
        look->is_filling = rows->shard.is_filling;
        look->last_batch = rows->shard.last_batch;
        look->has_begun = true;
    }
    if (look->is_filling) {
        return STORE_DONE;
    }
#define X(kind, type, list)                                                                                            \
    if (rows->list.count > 0) {                                                                                        \
        (void)err_set(reterr, ERR_CONFLICT,                                                                            \
                      "the target is not empty: it has %s. Give a database of its own, made by belfry init",           \
                      copy_kind_text(kind));                                                                           \
        return STORE_REFUSED;                                                                                          \
    }
    ROW_TABLE(X)
#undef X
    return STORE_DONE;
}

enum store_outcome copy_target_check(struct store *to, struct error *reterr)
{
    struct look look = {0};

    return copy_walk(to, look_at_page, &look, reterr);
}

/* Ours, marked, and empty. */
static enum store_outcome take_target(struct store *to, const struct store_owner *owner, struct error *reterr)
{
    struct store_owner filling = *owner;
    uint64_t epoch;

    filling.is_filling = true;
    enum store_outcome outcome = store_acquire(to, &filling, &epoch, reterr);

    if (outcome == STORE_DONE) {
        outcome = copy_target_check(to, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = store_fill_begin(to, reterr);
    }
    for (int i = 0; outcome == STORE_AGAIN && i < EMPTYING_MAX; i++) {
        outcome = store_fill_begin(to, reterr);
    }
    return outcome;
}

/* ---- both ---- */

static enum store_outcome compare(const struct copy_tally *from, const struct copy_tally *to, struct error *reterr)
{
    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        if (from->counts[kind] != to->counts[kind]) {
            (void)err_set(reterr, ERR_IO, "the source has %llu %s and the target %llu", /* our own mistake, or theirs */
                          (unsigned long long)from->counts[kind], copy_kind_text((enum row_kind)kind),
                          (unsigned long long)to->counts[kind]);
            return STORE_REFUSED;
        }
    }
    if (from->digest != to->digest) {
        (void)err_set(reterr, ERR_IO, "some row is not in the target what it is in the source");
        return STORE_REFUSED;
    }
    return STORE_DONE;
}

static enum store_outcome fill(struct store *from, struct store *to, const struct copy_watch *watch,
                               const struct copy_tally *tally, struct error *reterr)
{
    struct look look = {.is_filling = true};
    struct copy_tally copied;
    enum store_outcome outcome = copy_walk(to, look_at_page, &look, reterr); /* for the number of its last batch */

    if (outcome == STORE_DONE) {
        outcome = put_all(from, to, watch, look.last_batch, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = copy_tally(to, watch, COPY_CHECKING, &copied, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = compare(tally, &copied, reterr);
    }
    return outcome == STORE_DONE ? store_fill_end(to, &tally->shard, reterr) : outcome;
}

enum store_outcome copy_all(struct store *from, struct store *to, const struct store_owner *owner,
                            const struct copy_watch *watch, struct copy_tally *ret_tally, struct error *reterr)
{
    struct copy_tally tally;
    enum store_outcome outcome = copy_tally(from, watch, COPY_READING, &tally, reterr);

    if (outcome == STORE_DONE) {
        outcome = take_target(to, owner, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = fill(from, to, watch, &tally, reterr);
    }
    if (outcome == STORE_DONE) {
        *ret_tally = tally;
    }
    if (store_is_shared(to) && outcome != STORE_FENCED) {
        (void)store_release(to, NULL); /* so that a server need not wait for us to be missed */
    }
    return outcome;
}
