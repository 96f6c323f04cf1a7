/* Stores in a PostgreSQL database: each test has a shard of its own, so that all but one are others' at any time. */
#include <stdlib.h>

#include "base/mem.h"
#include "contract.h"
#include "store/postgres/postgres_store.h"

static const char *database(void)
{
    const char *url = getenv("BELFRY_TEST_POSTGRES");

    if (url == NULL) {
        fail_msg("BELFRY_TEST_POSTGRES is not set: run it with tests/store/with_postgres.py");
    }
    return url;
}

static void *data_new(void)
{
    static uint32_t next_shard;
    struct error error = {0};
    uint32_t *shard = mem_zalloc(sizeof *shard);

    if (next_shard == 0 && postgres_store_init(database(), POSTGRES_SHARDS_MAX, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    assert_true(next_shard < POSTGRES_SHARDS_MAX);
    *shard = next_shard++;
    return shard;
}

static void data_free(void *data)
{
    mem_free(data);
}

/* Whoever acquires takes the shard, since every lease is over at once. */
static struct store *open_store(void *data)
{
    const struct postgres_options options = {.url = database(), .shard = *(uint32_t *)data, .lease_ms = -1};
    struct store *store = NULL;
    struct error error = {0};

    if (postgres_store_open(&options, &store, &error) != STORE_DONE) {
        fail_msg("%s", error.text);
    }
    return store;
}

const struct contract_kind contract_kind = {
    .name = "postgres",
    .data_new = data_new,
    .data_free = data_free,
    .open = open_store,
    .has_threads = true,
};
