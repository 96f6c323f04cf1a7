/* The same question to the store under test and to the naive one. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "contract.h"
#include "render.h"

#define PAGES_MAX 20000
#define TEXT_BYTES_MAX (512UL * 1024 * 1024)

/* Of two long texts a person wants to see the first line that differs. */
static void assert_same_text(const char *text, const char *wanted)
{
    size_t line = 0;

    if (strcmp(text, wanted) == 0) {
        return;
    }
    for (size_t i = 0; text[i] != '\0' && text[i] == wanted[i]; i++) {
        line = text[i] == '\n' ? i + 1 : line;
    }
    fail_msg("the store gives\n%.*s\nand should give\n%.*s", (int)strcspn(text + line, "\n"), text + line,
             (int)strcspn(wanted + line, "\n"), wanted + line);
}

static void assert_same(const struct rows *rows, const struct rows *wanted, enum render_order order)
{
    SCOPE_FREE char *text = render_rows(rows, order);
    SCOPE_FREE char *wanted_text = render_rows(wanted, order);

    assert_same_text(text, wanted_text);
}

static void assert_shard(const struct contract *c, const struct shard_row *wanted)
{
    const struct shard_row *shard = &c->rows.shard;

    assert_int_equal(shard->id_high_ms, wanted->id_high_ms);
    assert_int_equal(shard->last_batch, wanted->last_batch);
    assert_int_equal(shard->epoch, c->epoch);
    assert_int_equal(shard->nonce[0], c->nonce);
    assert_int_equal(shard->nonce[1], ~c->nonce);
}

void check_load(struct contract *c, struct load ask)
{
    SCOPE(rows_done) struct rows wanted;

    rows_init(&wanted);
    naive_load(&c->naive, &ask, &wanted);
    ask_load(c, ask);
    assert_same(&c->rows, &wanted, ask.kind == LOAD_WINDOW ? RENDER_JOBS : RENDER_SORTED);
    if (ask.kind == LOAD_WINDOW) {
        assert_int_equal(c->rows.has_more, wanted.has_more);
        assert_int_equal(c->rows.next_wake_ms, wanted.next_wake_ms);
    }
    if (ask.kind == LOAD_START) {
        assert_shard(c, &wanted.shard);
    }
}

/* How many rows of the kind that the query lists are on the page. */
static size_t rows_on_page(const struct rows *rows)
{
    return rows->jobs.count + rows->versions.count + rows->triggers.count + rows->attempts.count + rows->skips.count +
           rows->tenants.count + rows->idems.count;
}

static bool has_filter(const struct query *q)
{
    if (q->kind == QUERY_ALL_IDEMS || q->kind == QUERY_NAMED) { /* pages are full, whose they are or where they begin */
        return false;
    }
    return q->tenant.len + q->name.len + q->type.len + q->pool.len + q->error_code.len + q->label_key.len > 0 ||
           q->has_status || q->since_ms != TIME_NONE;
}

/* Where the next page begins. Texts hold until the next answer. */
static struct query next_page(struct query q, const struct rows *rows)
{
    uint64_t before = q.after;

    switch (q.kind) {
    case QUERY_JOBS:
    case QUERY_RULED:
    case QUERY_VERSIONS:
    case QUERY_ATTEMPTS:
        q.after = rows->after;
        assert_true(q.after > before);
        break;
    case QUERY_TRIGGERS:
    case QUERY_DEAD:
        q.after = rows->after;
        assert_true(before == 0 || q.after < before);
        break;
    case QUERY_SKIPS:
        assert_true(rows->skips.count > 0);
        q.after_ms = rows->skips.items[rows->skips.count - 1].from_ms;
        break;
    case QUERY_TENANTS:
        assert_true(rows->tenants.count > 0);
        q.after_text = rows->tenants.items[rows->tenants.count - 1].tenant;
        break;
    case QUERY_NAMED:
        assert_true(rows->jobs.count > 0);
        q.after_text = rows->jobs.items[rows->jobs.count - 1].name;
        break;
    case QUERY_ALL_VERSIONS:
        q.id = rows->versions.items[rows->versions.count - 1].job;
        q.after = rows->versions.items[rows->versions.count - 1].version;
        break;
    case QUERY_ALL_TRIGGERS:
        q.after = rows->triggers.items[rows->triggers.count - 1].id;
        assert_true(q.after > before);
        break;
    case QUERY_ALL_ATTEMPTS:
        q.id = rows->attempts.items[rows->attempts.count - 1].trigger;
        q.after = rows->attempts.items[rows->attempts.count - 1].number;
        break;
    case QUERY_ALL_SKIPS:
        q.id = rows->skips.items[rows->skips.count - 1].job;
        q.after_ms = rows->skips.items[rows->skips.count - 1].from_ms;
        break;
    case QUERY_ALL_IDEMS:
        q.tenant = rows->idems.items[rows->idems.count - 1].tenant;
        q.after_text = rows->idems.items[rows->idems.count - 1].key;
        break;
    case QUERY_JOB:
    case QUERY_TRIGGER:
    case QUERY_FIRE:
    case QUERY_CLAIMS:
    case QUERY_SETTINGS:
    case QUERY_COUNTS:
    case QUERY_RULES:
    case QUERY_WAKES:
    case QUERY_STEPS:
    case QUERY_WAKING:
        fail_msg("query %d has no pages", (int)q.kind);
    }
    return q;
}

#define LAST_TEXT_BYTES 1024

/* The next answer takes the place of the one that has the text. */
static void keep_text(struct str *text, char kept[LAST_TEXT_BYTES])
{
    assert_true(text->len < LAST_TEXT_BYTES);
    if (text->len > 0 && text->ptr != kept) {
        memcpy(kept, text->ptr, text->len);
        text->ptr = kept;
    }
}

/* All pages of a list as one text. */
static char *read_pages(struct contract *c, struct query q)
{
    struct buf all;
    char *text;
    char last_texts[2][LAST_TEXT_BYTES];

    buf_init(&all, TEXT_BYTES_MAX);
    for (size_t page = 0;; page++) {
        assert_true(page < PAGES_MAX);
        ask_query(c, q);
        text = render_rows(&c->rows, RENDER_AS_IS);
        buf_append_text(&all, text);
        mem_free(text);
        if (!c->rows.has_more) {
            assert_true(page == 0 || has_filter(&q) || rows_on_page(&c->rows) > 0);
            break;
        }
        assert_true(rows_on_page(&c->rows) <= q.limit);
        assert_true(has_filter(&q) || rows_on_page(&c->rows) == q.limit);
        q = next_page(q, &c->rows);
        keep_text(&q.after_text, last_texts[0]);
        keep_text(&q.tenant, last_texts[1]);
    }
    text = mem_strdup(buf_text(&all));
    buf_done(&all);
    return text;
}

/* What comes in any order, and whatever the limit in one answer. */
static void check_waking(struct contract *c, struct query q)
{
    SCOPE(rows_done) struct rows wanted;

    rows_init(&wanted);
    naive_read(&c->naive, &q, &wanted);
    ask_query(c, q);
    assert_same(&c->rows, &wanted, RENDER_SORTED);
    assert_false(c->rows.has_more);
}

/* What has one page and no second. */
static void check_page(struct contract *c, struct query q)
{
    SCOPE(rows_done) struct rows wanted;

    rows_init(&wanted);
    naive_read(&c->naive, &q, &wanted);
    ask_query(c, q);
    assert_same(&c->rows, &wanted, RENDER_AS_IS);
}

void check_query(struct contract *c, struct query q)
{
    if (q.kind == QUERY_FIRE) {
        check_page(c, q);
        return;
    }
    if (q.kind == QUERY_STEPS || q.kind == QUERY_WAKING) {
        check_waking(c, q);
        return;
    }

    SCOPE(rows_done) struct rows wanted;
    SCOPE_FREE char *text = read_pages(c, q);
    SCOPE_FREE char *wanted_text = NULL;

    q.limit = SIZE_MAX;
    rows_init(&wanted);
    naive_read(&c->naive, &q, &wanted);
    wanted_text = render_rows(&wanted, RENDER_AS_IS);
    assert_same_text(text, wanted_text);
}

/* ---- everything ---- */

/* A list of more rows than this is looked at row by row only here and there. */
#define EACH_MAX 256

static size_t step_of(size_t count)
{
    return count / EACH_MAX + 1;
}

static void check_key(struct contract *c, struct load_key key)
{
    check_load(c, (struct load){.kind = LOAD_KEYS, .keys = &key, .key_count = 1});
}

/* A nominal time of one of its triggers, if it has any. */
static int64_t fire_of(const struct contract *c, uint64_t job)
{
    for (size_t i = 0; i < c->naive.rows.triggers.count; i++) {
        if (c->naive.rows.triggers.items[i].job == job) {
            return c->naive.rows.triggers.items[i].scheduled_ms;
        }
    }
    return 0;
}

/* All that there may be of a job, whether its row is there or not. */
static void check_job(struct contract *c, uint64_t id)
{
    static const enum query_kind lists[] = {QUERY_JOB,   QUERY_VERSIONS, QUERY_TRIGGERS,
                                            QUERY_SKIPS, QUERY_COUNTS,   QUERY_FIRE};

    check_key(c, (struct load_key){.kind = KEY_JOB, .id = id});
    check_key(c, (struct load_key){.kind = KEY_RANGE, .id = id, .from_ms = INT64_MIN, .to_ms = INT64_MAX});
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct query q = query_of(lists[i]);

        q.id = id;
        q.limit = 3;
        q.at_ms = fire_of(c, id);
        check_query(c, q);
    }
}

static void check_name(struct contract *c, const struct job_row *row)
{
    struct query q = query_of(QUERY_JOB);

    check_key(c, (struct load_key){.kind = KEY_NAME, .tenant = row->place.tenant, .text = row->name});
    q.tenant = row->place.tenant;
    q.name = row->name;
    check_query(c, q);
    q.kind = QUERY_NAMED;
    q.name = STR("");
    q.name_prefix = (struct str){row->name.ptr, row->name.len / 2};
    while (q.name_prefix.len > 0 && ((unsigned char)row->name.ptr[q.name_prefix.len] & 0xc0) == 0x80) {
        q.name_prefix.len--; /* not within a character */
    }
    q.limit = 3;
    check_query(c, q);
}

/* The jobs of a place, in pages and at once. */
static void check_place(struct contract *c, const struct place *place)
{
    struct load ask = {.kind = LOAD_WINDOW, .place = *place, .after_ms = TIME_NONE, .until_ms = INT64_MAX, .limit = 7};

    for (size_t page = 0; page < EACH_MAX; page++) {
        check_load(c, ask);
        if (!c->rows.has_more) {
            break;
        }
        assert_int_equal(c->rows.jobs.count, ask.limit);
        ask.after_ms = c->rows.jobs.items[ask.limit - 1].wake_ms;
        ask.after_id = c->rows.jobs.items[ask.limit - 1].id;
    }
    ask.after_ms = TIME_NONE;
    ask.limit = PAGE_ROWS_MAX;
    check_load(c, ask);
}

static void check_trigger(struct contract *c, uint64_t id)
{
    struct query q = query_of(QUERY_TRIGGER);

    check_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = id});
    q.id = id;
    check_query(c, q);
    q.kind = QUERY_ATTEMPTS;
    q.limit = 2;
    check_query(c, q);
}

static void check_lists(struct contract *c)
{
    static const enum query_kind lists[] = {QUERY_JOBS,         QUERY_DEAD,      QUERY_CLAIMS,       QUERY_TENANTS,
                                            QUERY_COUNTS,       QUERY_RULES,     QUERY_ALL_VERSIONS, QUERY_ALL_TRIGGERS,
                                            QUERY_ALL_ATTEMPTS, QUERY_ALL_SKIPS, QUERY_ALL_IDEMS};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct query q = query_of(lists[i]);

        check_query(c, q);
        q.limit = 1 + c->naive.rows.jobs.count / 5;
        check_query(c, q);
    }
    for (size_t i = 0; i < c->naive.rows.rules.count; i++) {
        struct query q = query_of(QUERY_RULES);

        q.id = c->naive.rows.rules.items[i].hash;
        check_query(c, q);
        q.kind = QUERY_RULED;
        q.limit = 2;
        check_query(c, q);
    }
    for (enum query_kind kind = QUERY_STEPS; kind <= QUERY_WAKING; kind++) {
        struct query q = query_of(kind);

        q.after_ms = INT64_MIN / 2; /* steps have a beginning and an end */
        q.until_ms = INT64_MAX / 2;
        check_query(c, q);
        q.limit = 2;
        check_query(c, q);
    }
    for (int scope = SCOPE_TENANT; scope <= SCOPE_TENANT_TYPE; scope++) {
        struct query q = query_of(QUERY_SETTINGS);

        q.scope = (enum scope)scope;
        check_query(c, q);
    }
}

#define EACH_ROW(list, r)                                                                                              \
    for (size_t i = 0; i < c->naive.rows.list.count; i += step_of(c->naive.rows.list.count))                           \
        for (__typeof__(*c->naive.rows.list.items) *r = &c->naive.rows.list.items[i]; r != NULL; r = NULL)

void check_all(struct contract *c)
{
    SCOPE(rows_done) struct rows places;

    check_load(c, (struct load){.kind = LOAD_START});
    check_lists(c);
    EACH_ROW(jobs, r)
    {
        check_job(c, r->id);
        check_name(c, r);
    }
    EACH_ROW(triggers, r)
    {
        check_trigger(c, r->id);
        check_job(c, r->job);
    }
    EACH_ROW(attempts, r)
    {
        check_trigger(c, r->trigger);
    }
    EACH_ROW(claims, r)
    {
        if (r->count > 0) {
            check_trigger(c, r->claims[0].trigger);
            check_trigger(c, r->claims[r->count - 1].trigger);
        }
    }
    EACH_ROW(versions, r)
    {
        check_job(c, r->job);
    }
    EACH_ROW(skips, r)
    {
        check_job(c, r->job);
    }
    EACH_ROW(idems, r)
    {
        check_key(c, (struct load_key){.kind = KEY_IDEM, .tenant = r->tenant, .text = r->key});
    }
    rows_init(&places);
    naive_load(&c->naive, &(struct load){.kind = LOAD_START}, &places);
    for (size_t i = 0; i < places.places.count; i++) {
        check_place(c, &places.places.items[i].place);
    }
    check_job(c, UINT64_C(4611686018427387904)); /* nobody */
    check_trigger(c, UINT64_C(4611686018427387904));
}
