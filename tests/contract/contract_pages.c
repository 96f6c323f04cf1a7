/* Pages while others write: a row that is there throughout is seen once. */
#include "contract_tests.h"
#include "samples.h"

#define SEEN_MAX 100

/* Ids of the rows seen, in the order of the pages. */
struct seen {
    uint64_t ids[SEEN_MAX];
    size_t count;
};

static void see(struct seen *seen, uint64_t id)
{
    assert_true(seen->count < SEEN_MAX);
    seen->ids[seen->count++] = id;
}

/* How often id was seen. */
static size_t times_seen(const struct seen *seen, uint64_t id)
{
    size_t times = 0;

    for (size_t i = 0; i < seen->count; i++) {
        times += seen->ids[i] == id ? 1 : 0;
    }
    return times;
}

/* Reads page after page, and calls between after the first with the last id seen. */
static struct seen follow(struct contract *c, struct query q, void (*between)(struct contract *c, uint64_t last))
{
    struct seen seen = {0};

    for (int page = 0; page < SEEN_MAX; page++) {
        ask_query(c, q);
        for (size_t i = 0; i < c->rows.jobs.count; i++) {
            see(&seen, c->rows.jobs.items[i].id);
        }
        for (size_t i = 0; i < c->rows.triggers.count; i++) {
            see(&seen, c->rows.triggers.items[i].id);
        }
        for (size_t i = 0; i < c->rows.versions.count; i++) {
            see(&seen, c->rows.versions.items[i].version);
        }
        for (size_t i = 0; i < c->rows.attempts.count; i++) {
            see(&seen, c->rows.attempts.items[i].number);
        }
        for (size_t i = 0; i < c->rows.skips.count; i++) {
            see(&seen, (uint64_t)c->rows.skips.items[i].from_ms);
            q.after_ms = c->rows.skips.items[i].from_ms;
        }
        if (!c->rows.has_more) {
            return seen;
        }
        q.after = c->rows.after;
        if (page == 0) {
            between(c, seen.ids[seen.count - 1]);
        }
    }
    fail_msg("the pages have no end");
    return seen;
}

/* Ids 10, 20 ... 100; the first page ends with one of them. */
static void change_jobs(struct contract *c, uint64_t last)
{
    struct job_row moved = sample_waiting(60, 1);

    moved.place.pool = STR("web");
    moved.def = STR("{\"payload\":\"much longer than the one before it, so that the row has to be stored elsewhere\"}");
    add_job(c, OP_JOB_INSERT, sample_job(5)); /* before what was seen */
    add_job(c, OP_JOB_INSERT, sample_job(15));
    add_job(c, OP_JOB_INSERT, sample_job(105)); /* behind it */
    add_job(c, OP_JOB_UPDATE, moved);
    add_id(c, OP_JOB_DELETE, last); /* what the next page goes by */
    add_id(c, OP_JOB_DELETE, 10);
    add_id(c, OP_JOB_DELETE, 80);
    commit(c);
}

void pages_of_jobs_stay_right_under_writes(struct contract *c)
{
    struct query q = query_of(QUERY_JOBS);

    for (uint64_t id = 10; id <= 100; id += 10) {
        add_job(c, OP_JOB_INSERT, sample_job(id));
    }
    commit(c);
    q.limit = 3;
    struct seen seen = follow(c, q, change_jobs);

    for (uint64_t id = 10; id <= 100; id += 10) {
        assert_int_equal(times_seen(&seen, id), id == 80 ? 0 : 1);
    }
    assert_int_equal(times_seen(&seen, 5) + times_seen(&seen, 15), 0);
    assert_int_equal(times_seen(&seen, 105), 1);
    assert_int_equal(seen.count, 10);
}

static void change_triggers(struct contract *c, uint64_t last)
{
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(105, 1, TRIGGER_DEAD)); /* newer: on a page that is past */
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(5, 1, TRIGGER_DEAD));
    add_trigger(c, OP_TRIGGER_UPDATE, sample_trigger_in(60, 1, TRIGGER_PENDING));
    add_id(c, OP_TRIGGER_DELETE, last);
    add_id(c, OP_TRIGGER_DELETE, 30);
    commit(c);
}

static void add_ten_dead(struct contract *c)
{
    for (uint64_t id = 10; id <= 100; id += 10) {
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(id, 1, TRIGGER_DEAD));
    }
    commit(c);
}

void pages_of_history_stay_right_under_writes(struct contract *c)
{
    struct query q = query_of(QUERY_TRIGGERS);

    add_ten_dead(c);
    q.id = 1;
    q.limit = 3;
    struct seen seen = follow(c, q, change_triggers);

    for (uint64_t id = 10; id <= 100; id += 10) {
        assert_int_equal(times_seen(&seen, id), id == 30 ? 0 : 1);
    }
    assert_int_equal(times_seen(&seen, 105), 0);
    assert_int_equal(times_seen(&seen, 5), 1);
}

void pages_of_dead_letters_stay_right_under_writes(struct contract *c)
{
    struct query q = query_of(QUERY_DEAD);

    add_ten_dead(c);
    q.limit = 3;
    struct seen seen = follow(c, q, change_triggers);

    for (uint64_t id = 10; id <= 100; id += 10) {
        assert_int_equal(times_seen(&seen, id), id == 30 || id == 60 ? 0 : 1); /* 60 lives again */
    }
    assert_int_equal(times_seen(&seen, 105), 0);
    assert_int_equal(times_seen(&seen, 5), 1);
}

static void change_skips(struct contract *c, uint64_t last)
{
    struct skip_row grown = sample_skip(1, (int64_t)last);

    grown.count += 10;
    add_skip(c, grown);
    add_skip(c, sample_skip(1, 105));
    add_skip(c, sample_skip(1, 5));
    commit(c);
}

void pages_of_skips_and_tenants_stay_right_under_writes(struct contract *c)
{
    struct query q = query_of(QUERY_SKIPS);
    static const char *const tenants[] = {"b", "d", "f", "h", "j"};

    for (int64_t from_ms = 10; from_ms <= 100; from_ms += 10) {
        add_skip(c, sample_skip(1, from_ms));
    }
    for (size_t i = 0; i < 5; i++) {
        add_tenant(c, tenants[i], 1);
    }
    commit(c);
    q.id = 1;
    q.limit = 3;
    struct seen seen = follow(c, q, change_skips);

    for (uint64_t from = 10; from <= 100; from += 10) {
        assert_int_equal(times_seen(&seen, from), 1);
    }
    assert_int_equal(seen.count, 11);

    q = query_of(QUERY_TENANTS);
    q.limit = 2;
    ask_query(c, q);
    assert_true(str_is(c->rows.tenants.items[1].tenant, "d"));
    assert_true(c->rows.has_more);
    add_tenant(c, "a", 1);
    add_tenant(c, "e", 1);
    commit(c);
    q.after_text = STR("d");
    ask_query(c, q);
    assert_true(str_is(c->rows.tenants.items[0].tenant, "e"));
    assert_true(str_is(c->rows.tenants.items[1].tenant, "f"));
    q.after_text = STR("g"); /* a name that is not there leads on as well */
    ask_query(c, q);
    assert_int_equal(c->rows.tenants.count, 2);
    assert_false(c->rows.has_more);
}

static void change_versions(struct contract *c, uint64_t last)
{
    (void)last;
    add_version(c, sample_version(1, 11));
    add_version(c, sample_version(2, 5));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 11));
    add_attempt(c, OP_ATTEMPT_DELETE, sample_attempt(20, 3));
    commit(c);
}

static void change_attempts(struct contract *c, uint64_t last)
{
    add_attempt(c, OP_ATTEMPT_DELETE, sample_attempt(20, (uint32_t)last));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 12));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(21, 5));
    commit(c);
}

void pages_of_versions_and_attempts_stay_right_under_writes(struct contract *c)
{
    struct query q = query_of(QUERY_VERSIONS);

    for (uint32_t number = 10; number > 0; number--) {
        add_version(c, sample_version(1, number));
        add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, number));
    }
    commit(c);
    q.id = 1;
    q.limit = 4;
    struct seen seen = follow(c, q, change_versions);

    assert_int_equal(seen.count, 11);
    for (uint64_t number = 1; number <= 11; number++) {
        assert_int_equal(seen.ids[number - 1], number);
    }
    q.kind = QUERY_ATTEMPTS;
    q.id = 20;
    q.limit = 2;
    seen = follow(c, q, change_attempts);
    assert_int_equal(seen.count, 11); /* 1 to 12 without 3 */
    assert_int_equal(seen.ids[2], 4);
    assert_int_equal(seen.ids[10], 12);
}
