/* What people ask for. */
#include "base/mem.h"
#include "contract_tests.h"
#include "samples.h"

void a_read_sees_every_commit_before_it(struct contract *c)
{
    struct query q = query_of(QUERY_TENANTS);

    for (int64_t i = 1; i <= 5; i++) { /* by a reader that was opened before all of them */
        add_tenant(c, "acme", i);
        commit(c);
        ask_query(c, q);
        assert_int_equal(c->rows.tenants.count, 1);
        assert_int_equal(c->rows.tenants.items[0].jobs, i);
    }
    add_tenant(c, "acme", 100);
    add_id(c, OP_JOB_DELETE, 1);
    commit_refused(c);
    ask_query(c, q);
    assert_int_equal(c->rows.tenants.items[0].jobs, 5);
}

static void assert_found(struct contract *c, struct query q, const uint64_t *ids, size_t count)
{
    ask_query(c, q);
    assert_int_equal(c->rows.jobs.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(c->rows.jobs.items[i].id, ids[i]);
    }
    q.limit = 1;
    check_query(c, q);
}

/* Jobs 1 to 8 in all combinations of three things. */
static void add_eight(struct contract *c)
{
    static const char *const names[] = {"a1", "a2", "a3", "a4", "b5", "b6", "b7", ""};

    for (uint64_t id = 1; id <= 8; id++) {
        struct job_row row = sample_named(id, names[id - 1]);

        row.place.tenant = id % 2 == 0 ? STR("acme") : STR("globex");
        row.place.type = (id / 2) % 2 == 0 ? STR("send") : STR("crawl");
        row.place.pool = (id / 4) % 2 == 0 ? STR("mail") : STR("web");
        row.status = id == 3 ? JOB_PAUSED : id == 5 ? JOB_COMPLETED : JOB_ACTIVE;
        add_job(c, OP_JOB_INSERT, row);
    }
    commit(c);
}

void jobs_are_filtered(struct contract *c)
{
    struct query q = query_of(QUERY_JOBS);

    add_eight(c);
    assert_found(c, q, (const uint64_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    q.tenant = STR("acme");
    assert_found(c, q, (const uint64_t[]){2, 4, 6, 8}, 4);
    q.type = STR("crawl");
    assert_found(c, q, (const uint64_t[]){2, 6}, 2);
    q.pool = STR("web");
    assert_found(c, q, (const uint64_t[]){6}, 1);
    q.after = 6;
    assert_found(c, q, NULL, 0);
    q = query_of(QUERY_JOBS);
    q.has_status = true;
    assert_found(c, q, (const uint64_t[]){1, 2, 4, 6, 7, 8}, 6);
    q.status = JOB_PAUSED;
    assert_found(c, q, (const uint64_t[]){3}, 1);
    q.status = JOB_CANCELLED;
    assert_found(c, q, NULL, 0);
    q = query_of(QUERY_NAMED);
    q.tenant = STR("globex");
    q.name_prefix = STR("a");
    assert_found(c, q, (const uint64_t[]){1, 3}, 2);
    q.after_text = STR("a1");
    assert_found(c, q, (const uint64_t[]){3}, 1);
    q.tenant = STR("nobody");
    assert_found(c, q, NULL, 0);
    q = query_of(QUERY_JOBS);
    q.name = STR("b5");
    assert_found(c, q, (const uint64_t[]){5}, 1);
    q.name = STR("b");
    assert_found(c, q, NULL, 0);
}

void labels_are_found_in_the_definition(struct contract *c)
{
    static const char *const defs[] = {
        "{\"labels\":{\"team\":\"a\",\"env\":\"prod\"},\"payload\":{\"team\":\"b\"}}",
        "{\"labels\":{\"team\":\"b\"}}",
        "{\"payload\":{\"labels\":{\"team\":\"a\"}}}",
        "{\"labels\":{\"q\\\"k\":\"1\",\"team\":\"a\"}}",
        "{\"labels\":{\"gr\xc3\xbc\xc3\x9f\":\"\xf0\x9f\x94\x94\",\"say\":\"\\\"hi\\\"\"}}",
        "{\"labels\":{\"a.b\":\"1\",\"$\":\"2\",\"x[0]\":\"3\",\"it's\":\"4\"}}",
        "{}",
        "{\"labels\":{\"team\":\"A\"}}",
    };
    static const struct {
        const char *key, *value;
        uint64_t ids[4];
        size_t count;
    } cases[] = {
        {"team", "a", {1, 4}, 2},  {"team", "", {1, 2, 4, 8}, 4},
        {"team", "b", {2}, 1},     {"env", "prod", {1}, 1},
        {"env", "a", {0}, 0},      {"gr\xc3\xbc\xc3\x9f", "\xf0\x9f\x94\x94", {5}, 1},
        {"say", "\"hi\"", {5}, 1}, {"q\"k", "1", {4}, 1},
        {"a.b", "1", {6}, 1},      {"$", "2", {6}, 1},
        {"x[0]", "3", {6}, 1},     {"it's", "4", {6}, 1},
        {"labels", "", {0}, 0},    {"a", "", {0}, 0},
    };
    struct query q = query_of(QUERY_JOBS);

    for (uint64_t id = 1; id <= 8; id++) {
        struct job_row row = sample_job(id);

        row.def = str_from(defs[id - 1]);
        add_job(c, OP_JOB_INSERT, row);
    }
    commit(c);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        q.label_key = str_from(cases[i].key);
        q.label_value = str_from(cases[i].value);
        assert_found(c, q, cases[i].ids, cases[i].count);
    }
}

void prefixes_are_plain_text(struct contract *c)
{
    static const char *const names[] = {"50%", "500", "a_b", "aXb", "A", "a", "a\xc3\xa4", "a*", "a\\b", "[a]", "a'b"};
    static const char *const prefixes[] = {"5",   "50%", "a_",   "a",  "A", "a\xc3\xa4", "a*",
                                           "a\\", "[",   "aXbc", "a'", "%", "_"};
    struct query q = query_of(QUERY_NAMED);

    q.tenant = sample_job(1).place.tenant;
    for (uint64_t id = 1; id <= sizeof names / sizeof names[0]; id++) {
        add_job(c, OP_JOB_INSERT, sample_named(id, names[id - 1]));
    }
    commit(c);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        q.name_prefix = str_from(prefixes[i]);
        q.limit = 1 + i % 3;
        check_query(c, q);
    }
    q.name_prefix = STR("50%");
    assert_found(c, q, (const uint64_t[]){1}, 1);
    q.name_prefix = STR("a_");
    assert_found(c, q, (const uint64_t[]){3}, 1);
    q.name_prefix = STR("%");
    assert_found(c, q, NULL, 0);
}

void what_wakes_in_a_stretch_of_time_is_counted(struct contract *c)
{
    struct query q = query_of(QUERY_WAKES);

    for (uint64_t id = 1; id <= 12; id++) {
        struct job_row row = sample_waiting(id, id == 12 ? TIME_NONE : (int64_t)id * 1000);

        row.place.type = id % 2 == 0 ? STR("crawl") : STR("index"); /* they stand in several places */
        add_job(c, OP_JOB_INSERT, row);
    }
    commit(c);
    q.since_ms = 3000;
    q.until_ms = 7000;
    ask_query(c, q);
    assert_int_equal(c->rows.wakes, 4);
    q.until_ms = INT64_MAX;
    ask_query(c, q);
    assert_int_equal(c->rows.wakes, 9);
    q.since_ms = 20000;
    ask_query(c, q);
    assert_int_equal(c->rows.wakes, 0);
}

void a_rare_match_is_found_behind_many_others(struct contract *c)
{
    const uint64_t last = QUERY_SCAN_MAX + 5000;
    struct query q = query_of(QUERY_JOBS);
    size_t found = 0;

    for (uint64_t id = 1; id <= last; id++) {
        struct job_row row = sample_waiting(id, TIME_NONE);

        row.place.type = id == last ? STR("rare") : STR("common");
        row.def = STR("{}");
        add_job(c, OP_JOB_INSERT, row);
    }
    commit(c);
    q.type = STR("rare");
    for (int page = 0; page < 10; page++) { /* a page may be short or empty, as long as it leads on */
        ask_query(c, q);
        found += c->rows.jobs.count;
        if (!c->rows.has_more) {
            break;
        }
        assert_true(c->rows.after > q.after);
        q.after = c->rows.after;
    }
    assert_false(c->rows.has_more);
    assert_int_equal(found, 1);
}

void history_is_newest_first(struct contract *c)
{
    struct query q = query_of(QUERY_TRIGGERS);

    for (uint64_t id = 20; id < 30; id++) {
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(id, 1 + id % 2, id < 25 ? TRIGGER_DEAD : TRIGGER_PENDING));
        add_skip(c, sample_skip(1 + id % 2, NOW_MS - (int64_t)id));
    }
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(1, 1)); /* a one-time job's own */
    commit(c);
    q.id = 1;
    q.limit = 3;
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 3);
    assert_int_equal(c->rows.triggers.items[0].id, 28);
    assert_int_equal(c->rows.triggers.items[2].id, 24);
    assert_true(c->rows.has_more);
    assert_int_equal(c->rows.after, 24);
    q.after = c->rows.after;
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.items[0].id, 22);
    assert_int_equal(c->rows.triggers.items[2].id, 1);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.claims.count + c->rows.attempts.count + c->rows.jobs.count, 0); /* rows only */
    struct trigger_row by_hand = sample_trigger(31, 1), later = sample_trigger(32, 1);

    by_hand.kind = TRIGGER_MANUAL;
    by_hand.scheduled_ms = sample_trigger(1, 1).scheduled_ms;
    later.scheduled_ms = by_hand.scheduled_ms + 1;
    add_trigger(c, OP_TRIGGER_INSERT, by_hand);
    add_trigger(c, OP_TRIGGER_INSERT, later);
    commit(c);
    q = query_of(QUERY_FIRE);
    q.id = 1;
    q.at_ms = later.scheduled_ms;
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 1);
    assert_int_equal(c->rows.triggers.items[0].id, 32);
    q.at_ms = by_hand.scheduled_ms;
    q.limit = 1;
    ask_query(c, q);
    assert_true(c->rows.triggers.count == 1 && c->rows.has_more);
    q.at_ms = later.scheduled_ms + 1;
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 0);
    q = query_of(QUERY_SKIPS);
    q.id = 1;
    q.limit = 2;
    ask_query(c, q);
    assert_int_equal(c->rows.skips.items[0].from_ms, NOW_MS - 20);
    assert_int_equal(c->rows.skips.items[1].from_ms, NOW_MS - 22);
    assert_true(c->rows.has_more);
    q.after_ms = NOW_MS - 26;
    ask_query(c, q);
    assert_int_equal(c->rows.skips.count, 1);
    assert_int_equal(c->rows.skips.items[0].from_ms, NOW_MS - 28);
}

void dead_letters_are_filtered(struct contract *c)
{
    struct query q = query_of(QUERY_DEAD);

    for (uint64_t id = 20; id < 40; id++) {
        struct trigger_row row = sample_trigger_in(id, id, id < 35 ? TRIGGER_DEAD : TRIGGER_CANCELLED);

        row.place.tenant = id % 2 == 0 ? STR("acme") : STR("globex");
        row.place.type = id % 3 == 0 ? STR("send") : STR("crawl");
        row.last.error_code = id % 5 == 0 ? STR("") : STR("smtp_421");
        row.ended_ms = 1000 - (int64_t)id * 10; /* the newest by id ended first */
        add_trigger(c, OP_TRIGGER_INSERT, row);
    }
    commit(c);
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 15);
    assert_int_equal(c->rows.triggers.items[0].id, 34);
    assert_int_equal(c->rows.triggers.items[14].id, 20);
    q.since_ms = 1000 - 250; /* the instant itself is in */
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 6);
    assert_int_equal(c->rows.triggers.items[0].id, 25);
    q.since_ms = TIME_NONE;
    q.tenant = STR("acme");
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 8);
    q.type = STR("send");
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 2);
    assert_int_equal(c->rows.triggers.items[0].id, 30);
    q.error_code = STR("smtp_421");
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 1);
    assert_int_equal(c->rows.triggers.items[0].id, 24);
    for (size_t limit = 1; limit < 6; limit++) {
        q = query_of(QUERY_DEAD);
        q.limit = limit;
        q.tenant = STR("globex");
        check_query(c, q);
        q.error_code = STR("smtp_421");
        check_query(c, q);
    }
    add_trigger(c, OP_TRIGGER_UPDATE, sample_trigger_in(34, 34, TRIGGER_PENDING)); /* it lives again */
    add_trigger(c, OP_TRIGGER_UPDATE, sample_trigger_in(39, 39, TRIGGER_DEAD));
    add_id(c, OP_TRIGGER_DELETE, 33);
    commit(c);
    ask_query(c, query_of(QUERY_DEAD));
    assert_int_equal(c->rows.triggers.count, 14);
    assert_int_equal(c->rows.triggers.items[0].id, 39);
}

static int64_t letters(struct contract *c)
{
    struct query q = query_of(QUERY_COUNTS);

    ask_query(c, q);
    int64_t count = c->rows.counts[TRIGGER_DEAD];

    ask_query(c, query_of(QUERY_DEAD));
    assert_int_equal(c->rows.triggers.count, count);
    return count;
}

void a_dead_letter_that_was_replayed_is_off_the_list(struct contract *c)
{
    struct trigger_row replayed = sample_trigger_in(22, 1, TRIGGER_DEAD);

    replayed.replayed_by = 90; /* by itself, when it died */
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(20, 1, TRIGGER_DEAD));
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(21, 1, TRIGGER_DEAD));
    add_trigger(c, OP_TRIGGER_INSERT, replayed);
    commit(c);
    assert_int_equal(letters(c), 2);
    for (uint64_t replay = 91; replay <= 92; replay++) { /* once, and again */
        add(c, OP_TRIGGER_REPLAYED)->trigger = (struct trigger_row){.id = 20, .replayed_by = replay};
        commit(c);
        assert_int_equal(letters(c), 1);
        assert_int_equal(c->rows.triggers.items[0].id, 21);
        ask_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = 20});
        assert_int_equal(c->rows.triggers.items[0].state, TRIGGER_DEAD);
        assert_int_equal(c->rows.triggers.items[0].replayed_by, replay);
    }
    add(c, OP_TRIGGER_REPLAYED)->trigger = (struct trigger_row){.id = 21, .replayed_by = 93};
    add_id(c, OP_TRIGGER_DELETE, 21); /* and discarded */
    commit(c);
    assert_int_equal(letters(c), 0);
    struct query q = query_of(QUERY_COUNTS);

    q.id = 1;
    ask_query(c, q);
    assert_int_equal(c->rows.counts[TRIGGER_DEAD], 2); /* of the job's history */
}

static size_t claims_of(struct contract *c, uint64_t trigger)
{
    struct query q = query_of(QUERY_TRIGGER);
    size_t count = 0;

    q.id = trigger;
    ask_query(c, q);
    for (size_t i = 0; i < c->rows.claims.count; i++) {
        for (size_t k = 0; k < c->rows.claims.items[i].count; k++) {
            count += c->rows.claims.items[i].claims[k].trigger == trigger ? 1 : 0;
        }
    }
    return count;
}

void a_trigger_shows_its_attempts_and_its_living_claims(struct contract *c)
{
    struct job_row ended = sample_job(3);
    const struct claim first[] = {sample_claim(20, 1, 1), sample_claim(2, 2, 1), sample_claim(3, 3, 1)};
    const struct claim second[] = {sample_claim(20, 1, 2), sample_claim(40, 1, 1), sample_claim(50, 9, 1)};

    ended.status = JOB_COMPLETED;
    add_job(c, OP_JOB_INSERT, sample_job(1));
    add_job(c, OP_JOB_INSERT, sample_job(2));
    add_job(c, OP_JOB_INSERT, ended);
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(20, 1)); /* its first attempt has ended */
    for (uint32_t number = 3; number > 0; number--) {
        add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, number));
    }
    add_claims(c, 100, first, 3);
    commit(c);
    assert_int_equal(claims_of(c, 20), 0);
    assert_int_equal(c->rows.triggers.count, 1);
    assert_int_equal(c->rows.attempts.count, 3);
    assert_int_equal(c->rows.attempts.items[0].number, 1);
    assert_int_equal(c->rows.attempts.items[2].number, 3);
    assert_int_equal(claims_of(c, 2), 1); /* a one-time job that runs: no row but the claim */
    assert_int_equal(c->rows.triggers.count, 0);
    assert_int_equal(claims_of(c, 3), 0); /* a one-time job that has ended */
    add_claims(c, 101, second, 3);
    commit(c);
    assert_int_equal(claims_of(c, 20), 1);
    assert_int_equal(claims_of(c, 40), 1); /* a recurring job's first attempt */
    assert_int_equal(claims_of(c, 50), 0); /* the job is gone */
    add_trigger(c, OP_TRIGGER_UPDATE, sample_trigger_in(20, 1, TRIGGER_CANCELLED));
    ended.id = 2;
    ended.status = JOB_CANCELLED;
    add_job(c, OP_JOB_UPDATE, ended);
    commit(c);
    assert_int_equal(claims_of(c, 20), 0);
    assert_int_equal(claims_of(c, 2), 0);
    assert_int_equal(claims_of(c, 99), 0);
}

void claims_and_settings_come_whole(struct contract *c)
{
    const struct claim claim = sample_claim(20, 1, 1);
    struct query q = query_of(QUERY_CLAIMS);
    static const char *const names[] = {"b", "a", "B", "ab"};

    for (uint64_t id = 10; id > 0; id--) {
        add_claims(c, id, &claim, 1);
    }
    for (size_t i = 0; i < 4; i++) {
        add_setting(c, sample_setting(SCOPE_POOL, "", names[i]));
        add_setting(c, sample_setting(SCOPE_TENANT_TYPE, names[i], "x"));
    }
    commit(c);
    q.limit = 1; /* there is no way to ask for the rest */
    ask_query(c, q);
    assert_int_equal(c->rows.claims.count, 10);
    assert_int_equal(c->rows.claims.items[0].id, 1);
    assert_false(c->rows.has_more);
    q = query_of(QUERY_SETTINGS);
    q.scope = SCOPE_POOL;
    q.limit = 1;
    ask_query(c, q);
    assert_int_equal(c->rows.settings.count, 4);
    assert_true(str_is(c->rows.settings.items[0].name, "B")); /* by bytes */
    assert_true(str_is(c->rows.settings.items[2].name, "ab"));
    assert_false(c->rows.has_more);
}
