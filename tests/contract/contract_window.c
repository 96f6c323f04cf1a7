/* Pages of a place. */
#include "contract_tests.h"
#include "samples.h"

static const struct place mail = {STR_INIT("mail"), STR_INIT("acme"), STR_INIT("send"), 3};

static void assert_jobs(const struct contract *c, const uint64_t *ids, size_t count)
{
    assert_int_equal(c->rows.jobs.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(c->rows.jobs.items[i].id, ids[i]);
    }
}

/* Jobs whose ids say nothing about when they wake; three wake at once. */
static void add_seven(struct contract *c)
{
    const uint64_t ids[] = {5, 3, 9, 1, 7, 2, 8};
    const int64_t wakes[] = {200, 100, 200, 300, -50, 200, TIME_NONE};

    for (size_t i = 0; i < 7; i++) {
        add_job(c, OP_JOB_INSERT, sample_waiting(ids[i], wakes[i]));
    }
    commit(c);
}

void a_window_comes_in_the_order_of_wake_and_id(struct contract *c)
{
    const uint64_t all[] = {7, 3, 2, 5, 9, 1};

    add_seven(c);
    ask_window(c, mail, TIME_NONE, 0, INT64_MAX, 100);
    assert_jobs(c, all, 6);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, TIME_NONE);
    for (size_t limit = 1; limit < 6; limit++) { /* page by page it is the same */
        int64_t after_ms = TIME_NONE;
        uint64_t after_id = 0;

        for (size_t seen = 0; seen < 6;) {
            ask_window(c, mail, after_ms, after_id, INT64_MAX, limit);
            size_t count = 6 - seen < limit ? 6 - seen : limit;

            assert_jobs(c, all + seen, count);
            seen += count;
            assert_int_equal(c->rows.has_more, seen < 6);
            after_ms = c->rows.jobs.items[count - 1].wake_ms;
            after_id = c->rows.jobs.items[count - 1].id;
        }
    }
}

void a_window_begins_behind_its_edge(struct contract *c)
{
    add_seven(c);
    ask_window(c, mail, 200, 2, INT64_MAX, 100); /* between those that wake at once */
    assert_jobs(c, (const uint64_t[]){5, 9, 1}, 3);
    ask_window(c, mail, 200, 4, INT64_MAX, 100); /* nobody stands at the edge itself */
    assert_jobs(c, (const uint64_t[]){5, 9, 1}, 3);
    ask_window(c, mail, 200, 9, INT64_MAX, 100);
    assert_jobs(c, (const uint64_t[]){1}, 1);
    ask_window(c, mail, 200, 0, INT64_MAX, 100);
    assert_jobs(c, (const uint64_t[]){2, 5, 9, 1}, 4);
    ask_window(c, mail, 150, 1000, INT64_MAX, 100); /* time first, id second */
    assert_jobs(c, (const uint64_t[]){2, 5, 9, 1}, 4);
    ask_window(c, mail, 199, INT64_MAX, INT64_MAX, 100);
    assert_jobs(c, (const uint64_t[]){2, 5, 9, 1}, 4);
    ask_window(c, mail, 300, 1, INT64_MAX, 100);
    assert_jobs(c, NULL, 0);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, TIME_NONE);
}

void a_window_ends_at_its_time_and_says_what_is_next(struct contract *c)
{
    add_seven(c);
    ask_window(c, mail, TIME_NONE, 0, 100, 100); /* what wakes at the end is in */
    assert_jobs(c, (const uint64_t[]){7, 3}, 2);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, 200);
    ask_window(c, mail, TIME_NONE, 0, 99, 100);
    assert_jobs(c, (const uint64_t[]){7}, 1);
    assert_int_equal(c->rows.next_wake_ms, 100);
    ask_window(c, mail, TIME_NONE, 0, -51, 100);
    assert_jobs(c, NULL, 0);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, -50);
    ask_window(c, mail, TIME_NONE, 0, 250, 3); /* the limit comes first */
    assert_jobs(c, (const uint64_t[]){7, 3, 2}, 3);
    assert_true(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, 200);
    ask_window(c, mail, 200, 2, 250, 3); /* the time comes first */
    assert_jobs(c, (const uint64_t[]){5, 9}, 2);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, 300);
}

void a_window_that_fits_exactly_has_no_more(struct contract *c)
{
    add_seven(c);
    ask_window(c, mail, TIME_NONE, 0, INT64_MAX, 6);
    assert_int_equal(c->rows.jobs.count, 6);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, TIME_NONE);
    ask_window(c, mail, TIME_NONE, 0, 200, 5); /* by both limits at once */
    assert_int_equal(c->rows.jobs.count, 5);
    assert_false(c->rows.has_more);
    assert_int_equal(c->rows.next_wake_ms, 300);
}

void windows_of_different_places_do_not_mix(struct contract *c)
{
    const struct place places[] = {
        {STR("mail"), STR("acme"), STR("send"), 3}, {STR("mail"), STR("acme"), STR("send"), 2},
        {STR("mail"), STR("acme"), STR("sen"), 3},  {STR("mail"), STR("dacme"), STR("sen"), 3},
        {STR("mai"), STR("lacme"), STR("send"), 3}, {STR("Mail"), STR("acme"), STR("send"), 3},
        {STR("send"), STR("acme"), STR("mail"), 3}, {STR("acme"), STR("mail"), STR("send"), 3},
    };
    const size_t count = sizeof places / sizeof places[0];

    for (size_t i = 0; i < count; i++) {
        struct job_row row = sample_waiting(i + 1, 100);

        row.place = places[i];
        add_job(c, OP_JOB_INSERT, row);
    }
    commit(c);
    for (size_t i = 0; i < count; i++) {
        ask_window(c, places[i], TIME_NONE, 0, INT64_MAX, 10);
        assert_jobs(c, (const uint64_t[]){i + 1}, 1);
    }
    ask_window(c, (struct place){STR("mail"), STR("acme"), STR(""), 3}, TIME_NONE, 0, INT64_MAX, 10);
    assert_jobs(c, NULL, 0);
    assert_int_equal(c->rows.next_wake_ms, TIME_NONE);
    ask_start(c);
    assert_int_equal(c->rows.places.count, count);
}

void living_triggers_come_along_with_their_jobs(struct contract *c)
{
    for (uint64_t job = 1; job <= 3; job++) {
        add_job(c, OP_JOB_INSERT, sample_waiting(job, (int64_t)job));
        for (int state = TRIGGER_WAITING; state <= TRIGGER_CANCELLED; state++) {
            if (state != TRIGGER_RUNNING) { /* no row says so */
                uint64_t id = job * 10 + (uint64_t)state;

                add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(id, job, (enum trigger_state)state));
            }
        }
    }
    add_job(c, OP_JOB_INSERT, sample_waiting(4, 4)); /* it has none */
    commit(c);
    ask_window(c, mail, TIME_NONE, 0, INT64_MAX, 2);
    assert_int_equal(c->rows.jobs.count, 2);
    assert_int_equal(c->rows.triggers.count, 4);
    ask_window(c, mail, 2, 2, INT64_MAX, 100);
    assert_int_equal(c->rows.jobs.count, 2);
    assert_int_equal(c->rows.triggers.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(c->rows.triggers.items[i].job, 3);
        assert_false(trigger_ended(c->rows.triggers.items[i].state));
    }
    assert_int_equal(c->rows.edges.count + c->rows.waits.count + c->rows.skips.count + c->rows.claims.count, 0);

    add_trigger(c, OP_TRIGGER_UPDATE, sample_trigger_in(30, 3, TRIGGER_SUCCEEDED));
    add_trigger(c, OP_TRIGGER_UPDATE, sample_trigger_in(31, 3, TRIGGER_PENDING));
    commit(c);
    ask_window(c, mail, 2, 2, INT64_MAX, 100);
    assert_int_equal(c->rows.triggers.count, 1);
    assert_int_equal(c->rows.triggers.items[0].id, 31);
}

void a_job_that_moves_is_found_where_it_went(struct contract *c)
{
    struct job_row row = sample_waiting(1, 100);
    const struct place other = {STR("web"), STR("acme"), STR("send"), 3};

    add_job(c, OP_JOB_INSERT, row);
    add_job(c, OP_JOB_INSERT, sample_waiting(2, 150));
    commit(c);
    row.wake_ms = 200; /* later */
    add_job(c, OP_JOB_UPDATE, row);
    commit(c);
    ask_window(c, mail, TIME_NONE, 0, INT64_MAX, 10);
    assert_jobs(c, (const uint64_t[]){2, 1}, 2);
    row.place = other; /* elsewhere */
    add_job(c, OP_JOB_UPDATE, row);
    commit(c);
    ask_window(c, mail, TIME_NONE, 0, INT64_MAX, 10);
    assert_jobs(c, (const uint64_t[]){2}, 1);
    ask_window(c, other, TIME_NONE, 0, INT64_MAX, 10);
    assert_jobs(c, (const uint64_t[]){1}, 1);
    row.wake_ms = TIME_NONE; /* nowhere */
    add_job(c, OP_JOB_UPDATE, row);
    commit(c);
    ask_window(c, other, TIME_NONE, 0, INT64_MAX, 10);
    assert_jobs(c, NULL, 0);
    check_all(c);
    row.wake_ms = 5;
    add_job(c, OP_JOB_UPDATE, row);
    add_id(c, OP_JOB_DELETE, 2);
    commit(c);
    ask_window(c, other, TIME_NONE, 0, INT64_MAX, 10);
    assert_jobs(c, (const uint64_t[]){1}, 1);
    ask_window(c, mail, TIME_NONE, 0, INT64_MAX, 10);
    assert_jobs(c, NULL, 0);
}

void places_say_when_their_first_job_wakes(struct contract *c)
{
    struct job_row row = sample_waiting(1, 300);

    add_job(c, OP_JOB_INSERT, row);
    add_job(c, OP_JOB_INSERT, sample_waiting(2, -200));
    add_job(c, OP_JOB_INSERT, sample_waiting(3, TIME_NONE));
    row = sample_waiting(4, TIME_NONE);
    row.place.priority = 1; /* a place in which nobody waits is none */
    add_job(c, OP_JOB_INSERT, row);
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.places.count, 1);
    assert_int_equal(c->rows.places.items[0].wake_ms, -200);
    assert_int_equal(c->rows.places.items[0].place.priority, 3);
    assert_true(str_is(c->rows.places.items[0].place.pool, "mail"));
    add_job(c, OP_JOB_UPDATE, sample_waiting(2, 400));
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.places.items[0].wake_ms, 300);
    add_id(c, OP_JOB_DELETE, 1);
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.places.items[0].wake_ms, 400);
    add_job(c, OP_JOB_UPDATE, sample_waiting(2, TIME_NONE));
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.places.count, 0);
}

void what_wakes_is_counted_by_place_and_step(struct contract *c)
{
    struct query q = query_of(QUERY_STEPS);
    struct job_row elsewhere = sample_waiting(20, 230);

    add_seven(c);
    elsewhere.place.tenant = STR("globex");
    add_job(c, OP_JOB_INSERT, elsewhere);
    commit(c);
    q.after_ms = -50; /* what wakes then is not in */
    q.until_ms = 300; /* and this is */
    q.step_ms = 150;
    check_query(c, q);
    assert_int_equal(c->rows.places.count, 0);
    assert_int_equal(c->rows.steps.count, 4); /* 0, 150 and 300 here, 150 there */
    q.limit = 2;
    check_query(c, q);
    assert_int_equal(c->rows.places.count, 1);
    assert_int_equal(c->rows.places.items[0].wake_ms, 200); /* of three that wake then, one was looked at */
    q.kind = QUERY_WAKING;
    check_query(c, q);
    assert_int_equal(c->rows.jobs.count, 3);
    q.after_ms = 300;
    q.until_ms = INT64_MAX;
    check_query(c, q);
    assert_int_equal(c->rows.jobs.count, 0);
}

void many_that_wake_in_one_step_are_counted(struct contract *c)
{
    const size_t limits[] = {1, 63, 64, 65, 99, 100, 101, 299, 300, 301, 1000};
    struct query q = query_of(QUERY_STEPS);

    for (uint64_t id = 1; id <= 300; id++) { /* a hundred at one instant, two hundred one after the other */
        add_job(c, OP_JOB_INSERT, sample_waiting(id, id <= 100 ? 1000 : (int64_t)id * 10));
    }
    commit(c);
    q.after_ms = 0;
    q.until_ms = 2500;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        q.limit = limits[i];
        for (q.step_ms = 100; q.step_ms <= 10000; q.step_ms *= 10) {
            check_query(c, q);
        }
    }
    q.step_ms = 10000;
    check_query(c, q);
    assert_int_equal(c->rows.steps.count, 1);
    assert_int_equal(c->rows.steps.items[0].count, 250); /* the others wake after 2500 */
}
