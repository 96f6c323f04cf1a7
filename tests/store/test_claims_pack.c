#include "store_test.h"

#include <stdio.h>
#include <string.h>

#include "../unit/seed.h"
#include "base/arena.h"
#include "base/mem.h"
#include "store/claims_pack.h"

#define CLAIMS_MAX 200

static struct claim claim_of(uint64_t i, const char *worker)
{
    return (struct claim){
        .trigger = UINT64_MAX - i,
        .job = i << 40 | 1,
        .number = UINT32_MAX - (uint32_t)i,
        .version = (uint32_t)i,
        .kind = (enum trigger_kind)(i % (TRIGGER_DEPENDENCY + 1)),
        .scheduled_ms = (int64_t)(i ^ UINT64_C(0x8000000000000000)),
        .started_ms = (int64_t)~i,
        .worker = str_from(worker),
    };
}

static void assert_same(const struct claim *a, const struct claim *b)
{
    assert_int_equal(a->trigger, b->trigger);
    assert_int_equal(a->job, b->job);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->kind, b->kind);
    assert_true(a->scheduled_ms == b->scheduled_ms);
    assert_true(a->started_ms == b->started_ms);
    assert_true(str_equal(a->worker, b->worker));
}

static void pack(const struct claims_row *row, struct buf *out)
{
    buf_init(out, CLAIMS_PACK_BYTES_MAX);
    assert_int_equal(claims_pack(row, out, NULL), ERR_OK);
}

static void assert_comes_back(const struct claims_row *row)
{
    struct claims_row back = {.id = row->id};
    struct arena arena;
    struct buf out;

    arena_init(&arena, 4096, 1 << 30);
    pack(row, &out);
    assert_int_equal(claims_unpack(buf_str(&out), &arena, &back, NULL), ERR_OK);
    assert_int_equal(back.count, row->count);
    for (size_t i = 0; i < row->count; i++) {
        assert_same(&back.claims[i], &row->claims[i]);
    }
    buf_done(&out);
    arena_done(&arena);
}

static void what_is_packed_comes_back(void **state)
{
    (void)state;
    const struct claim claims[] = {claim_of(0, "a"), claim_of(1, "a"), claim_of(2, ""),
                                   claim_of(3, "b"), claim_of(4, "a"), claim_of(5, "")};

    for (size_t count = 0; count <= 6; count++) {
        assert_comes_back(&(struct claims_row){1, claims, count});
    }
}

static void random_claims_come_back(void **state)
{
    (void)state;
    static struct claim claims[CLAIMS_MAX];
    static char names[CLAIMS_MAX][40];
    struct rng rng;

    seed_rng(&rng);
    for (uint64_t round = 0; round < 100; round++) {
        size_t count = rng_below(&rng, CLAIMS_MAX + 1);

        for (size_t i = 0; i < count; i++) {
            (void)snprintf(names[i], sizeof names[i], "worker-%llu", (unsigned long long)rng_below(&rng, 1 + round));
            claims[i] = claim_of(rng_next(&rng), names[i]);
        }
        assert_comes_back(&(struct claims_row){1, claims, count});
    }
}

static void a_name_is_stored_once(void **state)
{
    (void)state;
    const char *name = "a worker with quite a long name that nobody wants to store twice";
    const struct claim claims[] = {claim_of(0, name), claim_of(1, "b"), claim_of(2, name), claim_of(3, name)};
    struct buf out;

    pack(&(struct claims_row){1, claims, 4}, &out);
    const char *first = memmem(out.data, out.len, name, strlen(name));

    assert_non_null(first);
    assert_null(memmem(first + 1, out.len - (size_t)(first + 1 - out.data), name, strlen(name)));
    buf_done(&out);
}

static enum err unpack_copy(const char *bytes, size_t len)
{
    /* A copy of just that length: reading behind it is an error that AddressSanitizer sees. */
    SCOPE_FREE char *copy = mem_dup(bytes, len);
    struct claims_row row = {0};
    struct arena arena;

    arena_init(&arena, 4096, 1 << 20);
    enum err err = claims_unpack((struct str){copy, len}, &arena, &row, NULL);

    arena_done(&arena);
    return err;
}

static void bytes_that_are_cut_off_are_corrupt(void **state)
{
    (void)state;
    const struct claim claims[] = {claim_of(0, "first"), claim_of(1, "second")};
    struct buf out;

    pack(&(struct claims_row){1, claims, 2}, &out);
    assert_int_equal(unpack_copy(out.data, out.len), ERR_OK);
    for (size_t len = 0; len < out.len; len++) {
        assert_int_equal(unpack_copy(out.data, len), ERR_CORRUPT);
    }
    buf_append_char(&out, '\0');
    assert_int_equal(unpack_copy(out.data, out.len), ERR_CORRUPT);
    buf_done(&out);
}

static void counts_that_lie_reserve_nothing(void **state)
{
    (void)state;
    const char many_claims[] = "\x01\x01\0\0\0\xff\xff\xff\xff\x01\0x";
    const char many_names[] = "\x01\xff\xff\xff\xff\x01\0\0\0\x01\0x";
    char whole[9 + 45] = {1, 0, 0, 0, 0, 1};

    assert_int_equal(unpack_copy(many_claims, sizeof many_claims), ERR_CORRUPT);
    assert_int_equal(unpack_copy(many_names, sizeof many_names), ERR_CORRUPT);
    assert_int_equal(unpack_copy(whole, sizeof whole), ERR_CORRUPT); /* a claim without a name to point to */
}

static void another_format_or_kind_is_corrupt(void **state)
{
    (void)state;
    const struct claim claims[] = {claim_of(0, "w")};
    struct buf out;

    pack(&(struct claims_row){1, claims, 1}, &out);
    out.data[0] = 2;
    assert_int_equal(unpack_copy(out.data, out.len), ERR_CORRUPT);
    out.data[0] = 1;
    out.data[9 + 3 + 24] = TRIGGER_DEPENDENCY + 1;
    assert_int_equal(unpack_copy(out.data, out.len), ERR_CORRUPT);
    out.data[9 + 3 + 24] = TRIGGER_DEPENDENCY;
    assert_int_equal(unpack_copy(out.data, out.len), ERR_OK);
    buf_done(&out);
}

static void damaged_bytes_are_refused_or_read_but_never_run_away(void **state)
{
    (void)state;
    static struct claim claims[20];
    struct rng rng;
    struct buf out;

    seed_rng(&rng);
    for (size_t i = 0; i < 20; i++) {
        claims[i] = claim_of(i, i % 3 == 0 ? "one" : "another");
    }
    pack(&(struct claims_row){1, claims, 20}, &out);
    for (int round = 0; round < 20000; round++) {
        char *at = &out.data[rng_below(&rng, out.len)];
        char before = *at;

        *at = (char)rng_next(&rng);
        enum err err = unpack_copy(out.data, out.len);

        assert_true(err == ERR_OK || err == ERR_CORRUPT);
        *at = before;
    }
    buf_done(&out);
}

static void what_does_not_fit_is_too_large(void **state)
{
    (void)state;
    static char name[CLAIMS_PACK_NAME_BYTES_MAX + 2];
    struct claim claim = claim_of(0, "");
    struct buf out;

    memset(name, 'n', sizeof name - 1);
    claim.worker = (struct str){name, CLAIMS_PACK_NAME_BYTES_MAX};
    assert_comes_back(&(struct claims_row){1, &claim, 1});
    claim.worker.len++;
    buf_init(&out, CLAIMS_PACK_BYTES_MAX);
    assert_int_equal(claims_pack(&(struct claims_row){1, &claim, 1}, &out, NULL), ERR_TOO_LARGE);
    assert_int_equal(claims_pack(&(struct claims_row){1, NULL, CLAIMS_PACK_MAX + 1}, &out, NULL), ERR_TOO_LARGE);
    buf_done(&out);
    buf_init(&out, 50);
    claim.worker.len = 10;
    assert_int_equal(claims_pack(&(struct claims_row){1, &claim, 1}, &out, NULL), ERR_TOO_LARGE);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(random_claims_come_back),
        cmocka_unit_test(a_name_is_stored_once),
        cmocka_unit_test(bytes_that_are_cut_off_are_corrupt),
        cmocka_unit_test(counts_that_lie_reserve_nothing),
        cmocka_unit_test(another_format_or_kind_is_corrupt),
        cmocka_unit_test(damaged_bytes_are_refused_or_read_but_never_run_away),
        cmocka_unit_test(what_does_not_fit_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
