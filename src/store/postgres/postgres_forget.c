/* Removes what postgres_old.c found, by its keys and not by its age, in a transaction that is fenced like a commit: an
 * owner of before must not remove what its successor has written. */
#include "base/mem.h"
#include "store/postgres/pg_array.h"
#include "store/postgres/postgres_inside.h"

/* Two columns of keys. */
struct keys {
    struct pg_array numbers[2];
    struct pg_array texts[2];
};

static void send(struct postgres_store *store, enum pg_statement statement, struct pg_array *first,
                 struct pg_array *second)
{
    struct pg_call call;

    if (first->count > 0) {
        pg_call(&call, &store->conn, statement);
        pg_int2(&call, store->shard);
        pg_array(&call, first);
        if (second != NULL) {
            pg_array(&call, second);
        }
        pg_send(&call);
    }
    pg_array_reset(first);
    if (second != NULL) {
        pg_array_reset(second);
    }
}

static void send_all(struct postgres_store *store, const struct rows *rows, struct keys *keys)
{
    for (size_t i = 0; i < rows->triggers.count; i++) {
        pg_array_id(&keys->numbers[0], rows->triggers.items[i].id);
    }
    send(store, SQL_TRIGGERS_FORGET, &keys->numbers[0], NULL);
    for (size_t i = 0; i < rows->skips.count; i++) {
        pg_array_id(&keys->numbers[0], rows->skips.items[i].job);
        pg_array_key(&keys->numbers[1], rows->skips.items[i].from_ms);
    }
    send(store, SQL_SKIPS_FORGET, &keys->numbers[0], &keys->numbers[1]);
    for (size_t i = 0; i < rows->versions.count; i++) {
        pg_array_id(&keys->numbers[0], rows->versions.items[i].job);
        pg_array_key(&keys->numbers[1], rows->versions.items[i].version);
    }
    send(store, SQL_VERSIONS_FORGET, &keys->numbers[0], &keys->numbers[1]);
    for (size_t i = 0; i < rows->idems.count; i++) {
        pg_array_text(&keys->texts[0], rows->idems.items[i].tenant);
        pg_array_text(&keys->texts[1], rows->idems.items[i].key);
    }
    send(store, SQL_IDEMS_FORGET, &keys->texts[0], &keys->texts[1]);
}

enum store_outcome postgres_forget(struct store *base, const struct rows *rows, struct error *reterr)
{
    struct postgres_store *store = postgres_store_of(base);
    struct keys keys;
    struct fence fence;
    enum store_outcome outcome = postgres_owner_ready(store, &fence, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    for (size_t i = 0; i < 2; i++) {
        pg_array_init(&keys.numbers[i], PG_INT8);
        pg_array_init(&keys.texts[i], PG_TEXT);
    }
    postgres_fence_hold(&fence, store->lease_ms);
    send_all(store, rows, &keys);
    outcome = postgres_fence_end(&fence, reterr);
    for (size_t i = 0; i < 2; i++) {
        pg_array_done(&keys.numbers[i]);
        pg_array_done(&keys.texts[i]);
    }
    return outcome;
}
