#include "store/store.h"

#include <assert.h>

#include "store/members.h"

const char *store_outcome_text(enum store_outcome outcome)
{
    static const char *const texts[] = {"done", "again", "down", "refused", "fenced", "unknown", "broken"};

    assert((size_t)outcome < sizeof texts / sizeof texts[0]);
    return texts[outcome];
}

enum store_outcome store_acquire(struct store *store, const struct store_owner *owner, uint64_t *ret_epoch,
                                 struct error *reterr)
{
    return store->methods->acquire(store, owner, ret_epoch, reterr);
}

enum store_outcome store_commit(struct store *store, const struct batch *batch, struct error *reterr)
{
    return store->methods->commit(store, batch, reterr);
}

enum store_outcome store_load(struct store *store, const struct load *load, struct rows *rows, struct error *reterr)
{
    return store->methods->load(store, load, rows, reterr);
}

bool store_tidy(struct store *store, bool is_idle)
{
    return store->methods->tidy(store, is_idle);
}

enum store_outcome store_old(struct store *store, const struct store_ages *ages, struct rows *rows, bool *ret_has_more,
                             struct error *reterr)
{
    if (store->methods->old == NULL) {
        *ret_has_more = false;
        return STORE_DONE;
    }
    return store->methods->old(store, ages, rows, ret_has_more, reterr);
}

enum store_outcome store_forget(struct store *store, const struct rows *rows, struct error *reterr)
{
    return store->methods->forget != NULL ? store->methods->forget(store, rows, reterr) : STORE_DONE;
}

static enum store_outcome cannot_fill(struct error *reterr)
{
    (void)err_set(reterr, ERR_UNPROCESSABLE, "a store of this kind cannot be filled with a copy");
    return STORE_REFUSED;
}

enum store_outcome store_fill_begin(struct store *store, struct error *reterr)
{
    return store->methods->fill_begin != NULL ? store->methods->fill_begin(store, reterr) : cannot_fill(reterr);
}

enum store_outcome store_fill_end(struct store *store, const struct shard_row *shard, struct error *reterr)
{
    return store->methods->fill_end != NULL ? store->methods->fill_end(store, shard, reterr) : cannot_fill(reterr);
}

enum store_outcome store_backup(struct store *store, const char *path, struct error *reterr)
{
    return store->methods->backup(store, path, reterr);
}

void store_close(struct store *store)
{
    if (store != NULL) {
        store->methods->close(store);
    }
}

enum store_outcome store_reader_open(struct store *store, struct store_reader **ret_reader, struct error *reterr)
{
    return store->methods->reader_open(store, ret_reader, reterr);
}

enum store_outcome store_read(struct store_reader *reader, const struct query *query, struct rows *rows,
                              struct error *reterr)
{
    return reader->methods->read(reader, query, rows, reterr);
}

enum store_outcome store_size(struct store_reader *reader, int64_t *ret_bytes, struct error *reterr)
{
    if (reader->methods->size == NULL) {
        err_set(reterr, ERR_INVALID, "this store does not know its size");
        return STORE_REFUSED;
    }
    return reader->methods->size(reader, ret_bytes, reterr);
}

void store_reader_close(struct store_reader *reader)
{
    if (reader != NULL) {
        reader->methods->close(reader);
    }
}

bool store_is_shared(const struct store *store)
{
    return store->methods->renew != NULL;
}

enum store_outcome store_renew(struct store *store, struct error *reterr)
{
    return store->methods->renew(store, reterr);
}

enum store_outcome store_release(struct store *store, struct error *reterr)
{
    return store->methods->release(store, reterr);
}

enum store_outcome store_look(struct store *store, struct store_ownership *ret_ownership, struct store_trust *ret_trust,
                              struct error *reterr)
{
    return store->methods->look(store, ret_ownership, ret_trust, reterr);
}

enum store_outcome store_set_held(struct store *store, const char *why, struct error *reterr)
{
    return store->methods->set_held(store, why, reterr);
}

struct store_members *store_members_open(struct store *store)
{
    return store->methods->members_open != NULL ? store->methods->members_open(store) : NULL;
}

enum store_outcome store_members_say(struct store_members *members, const struct store_member *self,
                                     struct store_member *list, size_t *ret_count, int64_t *ret_offset_us,
                                     struct error *reterr)
{
    return members->methods->say(members, self, list, ret_count, ret_offset_us, reterr);
}

void store_members_leave(struct store_members *members, const struct store_member *self)
{
    members->methods->leave(members, self);
}

void store_members_close(struct store_members *members)
{
    if (members != NULL) {
        members->methods->close(members);
    }
}
