#include "store/memory/memory_store.h"

#include "base/mem.h"
#include "store/memory/disk.h"

struct memory_store {
    struct store store;
    struct memory_disk *disk;
    uint64_t epoch; /* of its acquisition; 0: none yet */
    uint64_t nonce[2];
};

struct memory_reader {
    struct store_reader reader;
    struct memory_disk *disk;
};

static struct memory_store *of_store(struct store *store)
{
    return CONTAINER_OF(store, struct memory_store, store);
}

static enum store_outcome acquire(struct store *store, const struct store_owner *owner, uint64_t *ret_epoch,
                                  struct error *reterr)
{
    struct memory_store *self = of_store(store);
    struct shard_row *shard = &self->disk->shard;

    if (shard->is_filling && !owner->is_filling) {
        (void)err_set(reterr, ERR_CONFLICT, "a copy into this store was begun and has not ended");
        return STORE_REFUSED;
    }
    shard->epoch++;
    shard->nonce[0] = owner->nonce[0];
    shard->nonce[1] = owner->nonce[1];
    self->epoch = shard->epoch;
    self->nonce[0] = owner->nonce[0];
    self->nonce[1] = owner->nonce[1];
    *ret_epoch = self->epoch;
    return STORE_DONE;
}

/* The number alone would not do: a disk that was restored gives numbers again. */
static bool is_owner(const struct memory_store *self)
{
    const struct shard_row *shard = &self->disk->shard;

    return self->epoch != 0 && self->epoch == shard->epoch && self->nonce[0] == shard->nonce[0] &&
           self->nonce[1] == shard->nonce[1];
}

static enum store_outcome fenced(const struct memory_store *self, struct error *reterr)
{
    (void)err_set(reterr, ERR_CONFLICT, "epoch %llu is over, the shard is at %llu", (unsigned long long)self->epoch,
                  (unsigned long long)self->disk->shard.epoch);
    return STORE_FENCED;
}

static enum store_outcome commit(struct store *store, const struct batch *batch, struct error *reterr)
{
    struct memory_store *self = of_store(store);

    return is_owner(self) ? memory_commit(self->disk, batch, reterr) : fenced(self, reterr);
}

static enum store_outcome old(struct store *store, const struct store_ages *ages, struct rows *rows, bool *ret_has_more,
                              struct error *reterr)
{
    (void)reterr;
    memory_old(of_store(store)->disk, ages, rows, ret_has_more);
    return STORE_DONE;
}

static enum store_outcome forget(struct store *store, const struct rows *rows, struct error *reterr)
{
    struct memory_store *self = of_store(store);

    if (!is_owner(self)) {
        return fenced(self, reterr);
    }
    memory_forget(self->disk, rows);
    return STORE_DONE;
}

static enum store_outcome fill_begin(struct store *store, struct error *reterr)
{
    struct memory_store *self = of_store(store);

    if (!is_owner(self)) {
        return fenced(self, reterr);
    }
    if (self->disk->shard.is_filling) {
        memory_clear(self->disk);
    }
    self->disk->shard.is_filling = true;
    return STORE_DONE;
}

static enum store_outcome fill_end(struct store *store, const struct shard_row *shard, struct error *reterr)
{
    struct memory_store *self = of_store(store);
    struct shard_row *own = &self->disk->shard;

    if (!is_owner(self)) {
        return fenced(self, reterr);
    }
    own->is_filling = false;
    own->last_batch = shard->last_batch > own->last_batch ? shard->last_batch : own->last_batch;
    own->id_high_ms = shard->id_high_ms > own->id_high_ms ? shard->id_high_ms : own->id_high_ms;
    return STORE_DONE;
}

static enum store_outcome load(struct store *store, const struct load *load, struct rows *rows, struct error *reterr)
{
    (void)reterr;
    memory_load(of_store(store)->disk, load, rows);
    return STORE_DONE;
}

static bool tidy(struct store *store, bool is_idle)
{
    (void)store;
    (void)is_idle;
    return false;
}

static enum store_outcome backup(struct store *store, const char *path, struct error *reterr)
{
    (void)store;
    (void)err_set(reterr, ERR_INVALID, "a store in memory cannot be copied to %s", path);
    return STORE_REFUSED;
}

static void close_store(struct store *store)
{
    struct memory_store *self = of_store(store);

    self->disk->open_count--;
    mem_free(self);
}

static enum store_outcome read_rows(struct store_reader *reader, const struct query *query, struct rows *rows,
                                    struct error *reterr)
{
    (void)reterr;
    memory_read(CONTAINER_OF(reader, struct memory_reader, reader)->disk, query, rows);
    return STORE_DONE;
}

static void close_reader(struct store_reader *reader)
{
    struct memory_reader *self = CONTAINER_OF(reader, struct memory_reader, reader);

    self->disk->open_count--;
    mem_free(self);
}

static enum store_outcome open_reader(struct store *store, struct store_reader **ret_reader, struct error *reterr)
{
    static const struct store_reader_methods methods = {.read = read_rows, .close = close_reader};
    struct memory_reader *self = mem_zalloc(sizeof *self);

    (void)reterr;
    self->reader.methods = &methods;
    self->disk = of_store(store)->disk;
    self->disk->open_count++;
    *ret_reader = &self->reader;
    return STORE_DONE;
}

struct store *memory_store_open(struct memory_disk *disk)
{
    static const struct store_methods methods = {
        .acquire = acquire,
        .commit = commit,
        .load = load,
        .tidy = tidy,
        .old = old,
        .forget = forget,
        .fill_begin = fill_begin,
        .fill_end = fill_end,
        .backup = backup,
        .reader_open = open_reader,
        .close = close_store,
    };
    struct memory_store *self = mem_zalloc(sizeof *self);

    self->store.methods = &methods;
    self->disk = disk;
    disk->open_count++;
    return &self->store;
}

void memory_disk_set_observer(struct memory_disk *disk, memory_observer *observer, void *ctx)
{
    disk->observer = observer;
    disk->observer_ctx = ctx;
}
