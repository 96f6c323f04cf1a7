/* Stores in SQLite files. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "contract.h"
#include "store/sqlite/sqlite_store.h"

/* A folder with the store and its backup. */
struct folder {
    char path[64];
    char store[96];
    char backup[96];
};

static void *data_new(void)
{
    struct folder *folder = mem_zalloc(sizeof *folder);

    (void)snprintf(folder->path, sizeof folder->path, P_tmpdir "/belfry-contract-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    (void)snprintf(folder->store, sizeof folder->store, "%s/shard.db", folder->path);
    (void)snprintf(folder->backup, sizeof folder->backup, "%s/backup.db", folder->path);
    return folder;
}

static void remove_with(const char *path, const char *suffix)
{
    char name[128];

    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    (void)unlink(name);
}

static void data_free(void *data)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
    struct folder *folder = data;

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        remove_with(folder->store, suffixes[i]);
        remove_with(folder->backup, suffixes[i]);
    }
    assert_int_equal(rmdir(folder->path), 0);
    mem_free(folder);
}

/* Without a lock file, so that one process can play two owners. */
static struct store *open_path(const char *path)
{
    const struct sqlite_options options = {.path = path, .shard = 3, .is_test_fast = true, .is_unlocked = true};
    struct store *store = NULL;
    struct error error = {0};

    if (sqlite_store_open(&options, &store, &error) != STORE_DONE) {
        fail_msg("%s", error.text);
    }
    return store;
}

static struct store *open_store(void *data)
{
    return open_path(((struct folder *)data)->store);
}

static struct store *open_backup(void *data)
{
    return open_path(((struct folder *)data)->backup);
}

static const char *backup_path(void *data)
{
    return ((struct folder *)data)->backup;
}

const struct contract_kind contract_kind = {
    .name = "sqlite",
    .data_new = data_new,
    .data_free = data_free,
    .open = open_store,
    .open_backup = open_backup,
    .backup_path = backup_path,
    .has_threads = true,
};
