/* The start, and what keys name. */
#include "base/mem.h"
#include "contract_tests.h"
#include "samples.h"

static size_t count_rows(const struct rows *r)
{
    return r->jobs.count + r->versions.count + r->triggers.count + r->attempts.count + r->claims.count +
           r->skips.count + r->waits.count + r->edges.count + r->settings.count + r->limiters.count +
           r->circuits.count + r->idems.count + r->tenants.count + r->places.count;
}

static bool has_job(const struct contract *c, uint64_t id)
{
    for (size_t i = 0; i < c->rows.jobs.count; i++) {
        if (c->rows.jobs.items[i].id == id) {
            return true;
        }
    }
    return false;
}

static bool has_trigger(const struct contract *c, uint64_t id)
{
    for (size_t i = 0; i < c->rows.triggers.count; i++) {
        if (c->rows.triggers.items[i].id == id) {
            return true;
        }
    }
    return false;
}

void a_new_store_starts_empty(struct contract *c)
{
    ask_start(c);
    assert_int_equal(count_rows(&c->rows), 0);
    assert_int_equal(c->rows.shard.last_batch, 0);
    assert_int_equal(c->rows.shard.id_high_ms, 0);
    assert_int_equal(c->rows.shard.epoch, c->epoch);
}

/* Jobs 1 (claimed), 2 and 3 (an edge), 4 (neither); each with a pending, a waiting and an ended trigger. */
static void add_scene(struct contract *c)
{
    static struct claim claims[3];

    for (uint64_t job = 1; job <= 4; job++) {
        add_job(c, OP_JOB_INSERT, sample_job(job));
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(job * 10, job, TRIGGER_PENDING));
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(job * 10 + 1, job, TRIGGER_WAITING));
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(job * 10 + 2, job, TRIGGER_DEAD));
        add_version(c, sample_version(job, 1));
        add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(job * 10, 1));
        add_skip(c, sample_skip(job, NOW_MS));
        add_skip(c, sample_skip(job, NOW_MS + 100000));
    }
    claims[0] = sample_claim(10, 1, 2);
    claims[1] = sample_claim(12, 1, 1); /* over: its trigger is dead */
    claims[2] = sample_claim(70, 7, 1); /* neither job nor trigger has a row */
    add_claims(c, 100, claims, 3);
    add_edge(c, OP_EDGE_INSERT, sample_edge(2, 3));
    add_edge(c, OP_EDGE_INSERT, sample_edge(8, 9)); /* between nobodies */
    add_wait(c, OP_WAIT_PUT, sample_wait(3, NOW_MS, 0));
    add_wait(c, OP_WAIT_PUT, sample_wait(3, NOW_MS, 12));
    add_wait(c, OP_WAIT_PUT, sample_wait(9, NOW_MS, 0));
    add_idem(c, sample_idem("acme", "k"));
    commit(c);
}

void the_start_has_what_is_held_whole_and_nothing_else(struct contract *c)
{
    add_scene(c);
    add_setting(c, sample_setting(SCOPE_TENANT, "", "acme"));
    add_setting(c, sample_setting(SCOPE_TYPE, "", "send"));
    add_limiter(c, sample_limiter(SCOPE_TENANT, "", "acme"));
    add_circuit(c, OP_CIRCUIT_PUT, sample_circuit("acme", "send", 0));
    add_tenant(c, "acme", 4);
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.settings.count, 2);
    assert_int_equal(c->rows.limiters.count, 1);
    assert_int_equal(c->rows.circuits.count, 1);
    assert_int_equal(c->rows.tenants.count, 1);
    assert_int_equal(c->rows.claims.count, 1);
    assert_int_equal(c->rows.edges.count, 2);
    assert_int_equal(c->rows.waits.count, 3);
    assert_int_equal(c->rows.places.count, 1);
    assert_int_equal(c->rows.jobs.count, 3);
    assert_true(has_job(c, 1) && has_job(c, 2) && has_job(c, 3));
    assert_int_equal(c->rows.triggers.count, 7); /* two living ones of each, and the claim's dead one */
    assert_true(has_trigger(c, 12));
    assert_false(has_trigger(c, 22) || has_trigger(c, 40));
    assert_int_equal(c->rows.versions.count + c->rows.attempts.count + c->rows.skips.count + c->rows.idems.count, 0);
}

void a_job_comes_with_all_that_is_its_own(struct contract *c)
{
    add_scene(c);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 3});
    assert_int_equal(c->rows.jobs.count, 1);
    assert_true(has_trigger(c, 30) && has_trigger(c, 31));
    assert_int_equal(c->rows.triggers.count, 2);
    assert_int_equal(c->rows.edges.count, 1);
    assert_int_equal(c->rows.waits.count, 2);
    assert_int_equal(c->rows.skips.count, 1);
    assert_int_equal(c->rows.skips.items[0].from_ms, NOW_MS + 100000);
    assert_int_equal(count_rows(&c->rows), 7);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 2}); /* the edge from its other end; the wait is not its own */
    assert_int_equal(c->rows.edges.count, 1);
    assert_int_equal(c->rows.waits.count, 0);
}

void a_name_leads_to_the_same_as_the_id(struct contract *c)
{
    add_scene(c);
    add_job(c, OP_JOB_INSERT, sample_named(5, "nightly"));
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(50, 5));
    add_edge(c, OP_EDGE_INSERT, sample_edge(5, 3));
    add_skip(c, sample_skip(5, -5));
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("nightly")});
    assert_int_equal(count_rows(&c->rows), 4);
    assert_true(has_job(c, 5) && has_trigger(c, 50));
    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("globex"), .text = STR("nightly")});
    assert_int_equal(count_rows(&c->rows), 0);
    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("night")});
    assert_int_equal(count_rows(&c->rows), 0);
    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("")}); /* nobody's name */
    assert_int_equal(count_rows(&c->rows), 0);
}

void a_trigger_comes_with_its_job(struct contract *c)
{
    add_scene(c);
    ask_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = 32}); /* ended */
    assert_true(has_trigger(c, 32) && has_trigger(c, 30) && has_trigger(c, 31));
    assert_int_equal(c->rows.triggers.count, 3);
    assert_true(has_job(c, 3));
    assert_int_equal(c->rows.edges.count, 1);
    assert_int_equal(c->rows.waits.count, 2);
    assert_int_equal(c->rows.skips.count, 1);
    assert_int_equal(c->rows.attempts.count, 0);
    ask_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = 30}); /* living: not given twice */
    assert_int_equal(c->rows.triggers.count, 2);
    ask_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = 70}); /* claimed, but without a row */
    assert_int_equal(count_rows(&c->rows), 0);
}

void a_range_is_half_open(struct contract *c)
{
    for (uint64_t id = 20; id < 30; id++) {
        struct trigger_row row = sample_trigger_in(id, 1, id % 2 == 0 ? TRIGGER_SUCCEEDED : TRIGGER_PENDING);

        row.scheduled_ms = (int64_t)(id / 2) * 100; /* two at a time */
        row.kind = id % 2 == 0 ? TRIGGER_SCHEDULE : TRIGGER_MANUAL;
        add_trigger(c, OP_TRIGGER_INSERT, row);
        row.id += 100;
        row.last.trigger = row.id;
        row.job = 2;
        add_trigger(c, OP_TRIGGER_INSERT, row);
    }
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_RANGE, .id = 1, .from_ms = 1100, .to_ms = 1300});
    assert_int_equal(c->rows.triggers.count, 4);
    assert_true(has_trigger(c, 22) && has_trigger(c, 23) && has_trigger(c, 24) && has_trigger(c, 25));
    assert_int_equal(count_rows(&c->rows), 4); /* and nothing of the job */
    ask_key(c, (struct load_key){.kind = KEY_RANGE, .id = 1, .from_ms = 1101, .to_ms = 1301});
    assert_int_equal(c->rows.triggers.count, 4);
    ask_key(c, (struct load_key){.kind = KEY_RANGE, .id = 1, .from_ms = 1100, .to_ms = 1100});
    assert_int_equal(c->rows.triggers.count, 0);
    ask_key(c, (struct load_key){.kind = KEY_RANGE, .id = 1, .from_ms = 1300, .to_ms = 1100});
    assert_int_equal(c->rows.triggers.count, 0);
    ask_key(c, (struct load_key){.kind = KEY_RANGE, .id = 3, .from_ms = INT64_MIN, .to_ms = INT64_MAX});
    assert_int_equal(c->rows.triggers.count, 0);
}

void an_answer_is_found_by_tenant_and_key(struct contract *c)
{
    add_idem(c, sample_idem("acme", "k"));
    add_idem(c, sample_idem("acme", "k2"));
    add_idem(c, sample_idem("globex", "k"));
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_IDEM, .tenant = STR("globex"), .text = STR("k")});
    assert_int_equal(count_rows(&c->rows), 1);
    assert_true(str_is(c->rows.idems.items[0].tenant, "globex"));
    assert_int_equal(c->rows.idems.items[0].hash[0], UINT64_C(0x8000000000000001));
    assert_int_equal(c->rows.idems.items[0].hash[1], UINT64_MAX);
    ask_key(c, (struct load_key){.kind = KEY_IDEM, .tenant = STR("globex"), .text = STR("k2")});
    assert_int_equal(count_rows(&c->rows), 0);
}

void what_is_not_there_is_left_out(struct contract *c)
{
    const struct load_key keys[] = {
        {.kind = KEY_JOB, .id = 99},
        {.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("nobody")},
        {.kind = KEY_TRIGGER, .id = 99},
        {.kind = KEY_IDEM, .tenant = STR("acme"), .text = STR("never")},
        {.kind = KEY_RANGE, .id = 99, .from_ms = 0, .to_ms = INT64_MAX},
        {.kind = KEY_JOB, .id = 1},
    };

    ask_keys(c, keys, 6);
    assert_int_equal(count_rows(&c->rows), 0);
    add_job(c, OP_JOB_INSERT, sample_job(1));
    commit(c);
    ask_keys(c, keys, 6);
    assert_int_equal(count_rows(&c->rows), 1);
    ask_keys(c, NULL, 0);
    assert_int_equal(count_rows(&c->rows), 0);
}

void a_row_comes_once_however_often_it_is_named(struct contract *c)
{
    const struct load_key keys[] = {
        {.kind = KEY_JOB, .id = 3},
        {.kind = KEY_JOB, .id = 3},
        {.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("nightly")},
        {.kind = KEY_JOB, .id = 5},
        {.kind = KEY_TRIGGER, .id = 30},
        {.kind = KEY_TRIGGER, .id = 32},
        {.kind = KEY_TRIGGER, .id = 31},
        {.kind = KEY_RANGE, .id = 3, .from_ms = INT64_MIN, .to_ms = INT64_MAX},
        {.kind = KEY_RANGE, .id = 3, .from_ms = NOW_MS, .to_ms = INT64_MAX},
        {.kind = KEY_JOB, .id = 2}, /* the other end of the edge */
        {.kind = KEY_IDEM, .tenant = STR("acme"), .text = STR("k")},
        {.kind = KEY_IDEM, .tenant = STR("acme"), .text = STR("k")},
    };

    add_scene(c);
    add_job(c, OP_JOB_INSERT, sample_named(5, "nightly"));
    commit(c);
    ask_keys(c, keys, sizeof keys / sizeof keys[0]);
    assert_int_equal(c->rows.jobs.count, 3);
    assert_int_equal(c->rows.triggers.count, 5);
    assert_int_equal(c->rows.edges.count, 1);
    assert_int_equal(c->rows.waits.count, 2);
    assert_int_equal(c->rows.skips.count, 2);
    assert_int_equal(c->rows.idems.count, 1);
    check_load(c, (struct load){.kind = LOAD_KEYS, .keys = keys, .key_count = sizeof keys / sizeof keys[0]});
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) { /* whatever comes first */
        check_load(c,
                   (struct load){.kind = LOAD_KEYS, .keys = keys + i, .key_count = sizeof keys / sizeof keys[0] - i});
    }
}

void of_a_deleted_job_nothing_comes(struct contract *c)
{
    add_scene(c);
    add_id(c, OP_JOB_DELETE, 3);
    add_id(c, OP_JOB_DELETE, 1);
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 3});
    assert_int_equal(count_rows(&c->rows), 0);
    ask_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = 30}); /* but it was named itself */
    assert_int_equal(count_rows(&c->rows), 1);
    ask_key(c, (struct load_key){.kind = KEY_RANGE, .id = 3, .from_ms = 0, .to_ms = INT64_MAX});
    assert_int_equal(c->rows.triggers.count, 3);
    ask_start(c);
    assert_int_equal(c->rows.jobs.count, 1);
    assert_int_equal(c->rows.edges.count, 2);
    assert_int_equal(c->rows.waits.count, 3);
    assert_int_equal(c->rows.triggers.count, 4); /* job 2's two, and those of claims */
}

void a_thousand_keys_are_answered_at_once(struct contract *c)
{
    struct load_key *keys = mem_alloc_array(3000, sizeof *keys);

    for (uint64_t id = 1; id <= 1000; id++) {
        add_job(c, OP_JOB_INSERT, sample_job(id));
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(id + 5000, id));
        keys[id - 1] = (struct load_key){.kind = KEY_JOB, .id = id};
        keys[id + 999] = (struct load_key){.kind = KEY_TRIGGER, .id = id + 5000};
        keys[id + 1999] = (struct load_key){.kind = KEY_JOB, .id = id + 20000};
    }
    commit(c);
    ask_keys(c, keys, 3000);
    assert_int_equal(c->rows.jobs.count, 1000);
    assert_int_equal(c->rows.triggers.count, 1000);
    mem_free(keys);
}
