#include "faulty.h"

#include <stdio.h>
#include <time.h>

#include "base/chrono.h"
#include "base/container.h"

static struct faulty *of(struct store *store)
{
    return CONTAINER_OF(store, struct faulty, store);
}

/* Takes one fault off. */
static enum store_outcome fault(atomic_int *outcome, atomic_int *count)
{
    int left = atomic_load(count);

    while (left > 0 && !atomic_compare_exchange_weak(count, &left, left - 1)) {
    }
    return left > 0 ? (enum store_outcome)atomic_load(outcome) : STORE_DONE;
}

static enum store_outcome fail(enum store_outcome outcome, struct error *reterr)
{
    err_set(reterr, ERR_IO, "the test wants it so (%s)", store_outcome_text(outcome));
    return outcome;
}

static void hold(const atomic_bool *is_held, atomic_uint *waiting)
{
    const struct timespec wait = {.tv_nsec = 200000};

    while (atomic_load(is_held)) {
        atomic_store(waiting, 1);
        nanosleep(&wait, NULL);
    }
    atomic_store(waiting, 0);
}

static enum store_outcome acquire(struct store *store, const struct store_owner *owner, uint64_t *ret_epoch,
                                  struct error *reterr)
{
    struct faulty *faulty = of(store);

    hold(&faulty->is_acquire_held, &faulty->acquires_waiting);
    enum store_outcome outcome = fault(&faulty->acquire_outcome, &faulty->acquire_count);

    faulty->nonce[0] = owner->nonce[0];
    faulty->nonce[1] = owner->nonce[1];
    return outcome != STORE_DONE ? fail(outcome, reterr) : store_acquire(faulty->real, owner, ret_epoch, reterr);
}

static bool has_skip(const struct batch *batch)
{
    BATCH_EACH(batch, chunk, i)
    {
        if (chunk->ops[i].kind == OP_SKIP_PUT) {
            return true;
        }
    }
    return false;
}

static bool has_name(const struct batch *batch, const char *name)
{
    BATCH_EACH(batch, chunk, i)
    {
        if (chunk->ops[i].kind == OP_JOB_INSERT && str_is(chunk->ops[i].job.name, name)) {
            return true;
        }
    }
    return false;
}

static enum store_outcome commit(struct store *store, const struct batch *batch, struct error *reterr)
{
    struct faulty *faulty = of(store);

    atomic_fetch_add(&faulty->commits, 1);
    hold(&faulty->is_held, &faulty->commits_waiting);
    enum store_outcome outcome = fault(&faulty->commit_outcome, &faulty->commit_count);

    if (faulty->refused_name != NULL && has_name(batch, faulty->refused_name)) {
        return fail(STORE_REFUSED, reterr);
    }
    if (atomic_load(&faulty->is_skip_refused) && has_skip(batch)) {
        return fail(STORE_REFUSED, reterr);
    }
    if (outcome == STORE_DONE) {
        return store_commit(faulty->real, batch, reterr);
    }
    if (outcome == STORE_UNKNOWN && atomic_load(&faulty->is_applied)) {
        enum store_outcome real = store_commit(faulty->real, batch, reterr);

        return real == STORE_DONE ? fail(STORE_UNKNOWN, reterr) : real;
    }
    return fail(outcome, reterr);
}

static enum store_outcome load(struct store *store, const struct load *asked, struct rows *rows, struct error *reterr)
{
    struct faulty *faulty = of(store);
    enum store_outcome outcome = fault(&faulty->load_outcome, &faulty->load_count);

    outcome = outcome != STORE_DONE ? fail(outcome, reterr) : store_load(faulty->real, asked, rows, reterr);
    rows->is_cut = atomic_exchange(&faulty->is_load_cut, false);
    return outcome;
}

static bool tidy(struct store *store, bool is_idle)
{
    return store_tidy(of(store)->real, is_idle);
}

static enum store_outcome backup(struct store *store, const char *path, struct error *reterr)
{
    return store_backup(of(store)->real, path, reterr);
}

static enum store_outcome reader_open(struct store *store, struct store_reader **ret_reader, struct error *reterr)
{
    return store_reader_open(of(store)->real, ret_reader, reterr);
}

static void close_nothing(struct store *store)
{
    (void)store;
}

/* ---- rule 2 ---- */

static enum store_outcome renew(struct store *store, struct error *reterr)
{
    (void)store;
    (void)reterr;
    return STORE_DONE;
}

static enum store_outcome release(struct store *store, struct error *reterr)
{
    (void)reterr;
    atomic_fetch_add(&of(store)->releases, 1);
    return STORE_DONE;
}

static enum store_outcome look(struct store *store, struct store_ownership *ret_ownership,
                               struct store_trust *ret_trust, struct error *reterr)
{
    struct faulty *faulty = of(store);
    int64_t mono_ms = chrono_mono_ms();

    (void)reterr;
    *ret_trust = (struct store_trust){
        .until_mono_ms = mono_ms + 60000,
        .has_clock = true,
        .ahead_of_mono_ms = chrono_wall_ms() + atomic_load(&faulty->clock_ahead_ms) - mono_ms,
    };
    if (ret_ownership != NULL) {
        *ret_ownership = (struct store_ownership){
            .is_owned = true,
            .epoch = atomic_load(&faulty->owner_epoch),
            .last_batch = atomic_load(&faulty->last_batch),
            .id_high_ms = atomic_load(&faulty->id_high_ms),
        };
        (void)snprintf(ret_ownership->held, sizeof ret_ownership->held, "%s",
                       atomic_load(&faulty->is_marked) ? "the test wants it so" : "");
        atomic_fetch_add(&faulty->looks, 1);
    }
    return STORE_DONE;
}

static enum store_outcome set_held(struct store *store, const char *why, struct error *reterr)
{
    (void)reterr;
    atomic_store(&of(store)->is_marked, why[0] != '\0');
    return STORE_DONE;
}

static const struct store_methods methods = {
    .acquire = acquire,
    .commit = commit,
    .load = load,
    .tidy = tidy,
    .backup = backup,
    .reader_open = reader_open,
    .close = close_nothing,
};

static const struct store_methods shared_methods = {
    .acquire = acquire,
    .commit = commit,
    .load = load,
    .tidy = tidy,
    .renew = renew,
    .release = release,
    .look = look,
    .set_held = set_held,
    .backup = backup,
    .reader_open = reader_open,
    .close = close_nothing,
};

void faulty_init(struct faulty *faulty, struct store *real)
{
    *faulty = (struct faulty){.store = {.methods = &methods}, .real = real};
}

void faulty_share(struct faulty *faulty)
{
    faulty->store.methods = &shared_methods;
}
