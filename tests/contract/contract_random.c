/* Random batches and questions, asked of three stores at once: the one under test, the naive one, and one in memory. */
#include "contract_tests.h"
#include "../unit/seed.h"
#include "base/mem.h"
#include "random_ops.h"
#include "render.h"
#include "store/memory/memory_store.h"

#define ROUNDS 1000

/* The whole of the store in memory is what the naive one holds; where not, in words. */
static void check_memory(const struct contract *c, const struct memory_disk *disk)
{
    SCOPE(rows_done) struct rows dump;
    SCOPE_FREE char *text = NULL;
    SCOPE_FREE char *wanted = NULL;

    rows_init(&dump);
    if (memory_disk_digest(disk) == memory_rows_digest(&c->naive.rows)) {
        return;
    }
    memory_disk_dump(disk, &dump);
    text = render_rows(&dump, RENDER_SORTED);
    wanted = render_rows(&c->naive.rows, RENDER_SORTED);
    assert_string_equal(text, wanted);
    fail_msg("digests differ, rows do not");
}

static void ask_both(struct contract *c, struct store *memory, struct rng *rng)
{
    SCOPE(arena_done) struct arena arena;

    arena_init(&arena, 4096, 1024 * 1024);
    const struct load ask = random_load(rng, &arena);
    struct store *mine = c->store;

    check_load(c, (struct load){.kind = LOAD_START});
    check_load(c, ask);
    check_query(c, random_query(rng));
    if (ask.kind != LOAD_START) { /* owners differ */
        c->store = memory;
        check_load(c, ask);
        c->store = mine;
    }
}

void random_batches_give_what_a_naive_store_gives(struct contract *c)
{
    struct memory_disk *disk = memory_disk_new();
    struct store *memory = memory_store_open(disk);
    const struct store_owner owner = {STR("beside"), STR(""), {1, 2}};
    struct rng rng;
    uint64_t epoch;
    int refused = 0;

    seed_rng(&rng);
    assert_int_equal(store_acquire(memory, &owner, &epoch, NULL), STORE_DONE);
    for (int round = 0; round < ROUNDS; round++) {
        struct naive before = c->naive;

        random_ops(&rng, &before, &c->batch);
        enum store_outcome outcome = store_commit(memory, &c->batch, NULL);

        assert_true(outcome == STORE_DONE || outcome == STORE_REFUSED);
        refused += outcome == STORE_REFUSED;
        if (outcome == STORE_DONE) {
            commit(c);
        } else {
            commit_refused(c);
        }
        check_memory(c, disk);
        assert_true(memory_disk_valid(disk));
        ask_both(c, memory, &rng);
        if (rng_chance(&rng, 1, 50)) {
            check_all(c);
        }
        if (rng_chance(&rng, 1, 50)) {
            reopen(c);
        }
    }
    assert_in_range(refused, ROUNDS / 100, ROUNDS / 2);
    store_close(memory);
    memory_disk_free(disk);
}
