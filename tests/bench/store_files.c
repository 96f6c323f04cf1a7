#include "store_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/chrono.h"
#include "store/sqlite/sqlite_store.h"

static char folder[PATH_MAX / 2];

const char *bench_path(const char *name)
{
    static char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void bench_folder_make(void)
{
    const char *below = getenv("TMPDIR");

    (void)snprintf(folder, sizeof folder, "%s/belfry-bench-XXXXXX", below != NULL ? below : "/tmp");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(1);
    }
}

void bench_folder_remove(void)
{
    static const char *const names[] = {"store.db", "bare.db"};
    static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t j = 0; j < sizeof suffixes / sizeof suffixes[0]; j++) {
            char name[64];

            (void)snprintf(name, sizeof name, "%s%s", names[i], suffixes[j]);
            (void)unlink(bench_path(name));
        }
    }
    (void)rmdir(folder);
}

void bench_want(enum store_outcome outcome, const struct error *error)
{
    if (outcome != STORE_DONE) {
        (void)fprintf(stderr, "bench_store: %s: %s\n", store_outcome_text(outcome), error->text);
        exit(1);
    }
}

struct store *bench_store_open(const char *name, bool is_fast)
{
    const struct sqlite_options options = {.path = bench_path(name), .is_test_fast = is_fast};
    const struct store_owner owner = {.nonce = {1, 2}};
    struct store *store = NULL;
    struct error error = {0};
    uint64_t epoch;

    bench_want(sqlite_store_open(&options, &store, &error), &error);
    bench_want(store_acquire(store, &owner, &epoch, &error), &error);
    return store;
}

int64_t bench_commit(struct store *store, const struct batch *batch)
{
    struct error error = {0};
    int64_t began_ns = chrono_mono_ns();

    bench_want(store_commit(store, batch, &error), &error);
    (void)store_tidy(store, false);
    return chrono_mono_ns() - began_ns;
}

void bench_prepare(struct store *store)
{
    struct batch batch;

    batch_init(&batch, 1);
    work_create(&batch, 0, WORK_PLACES, WORK_NOW_MS, 0);
    (void)bench_commit(store, &batch);
    batch_done(&batch);
}
