/* Stores in memory. */
#include "contract.h"
#include "store/memory/memory_store.h"

static void *data_new(void)
{
    return memory_disk_new();
}

static void data_free(void *data)
{
    memory_disk_free(data);
}

static struct store *open_store(void *data)
{
    return memory_store_open(data);
}

const struct contract_kind contract_kind = {
    .name = "memory",
    .data_new = data_new,
    .data_free = data_free,
    .open = open_store,
};
