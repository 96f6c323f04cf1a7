/* Caps, rates, keys, pauses and breakers. */
#include "test_checker_story.h"

/* An operator sets something, or pauses, or resumes: asked, durable, acknowledged. Three steps. */
static void operate(struct story *story, enum command_kind kind, enum scope scope, const char *name,
                    const struct settings *settings)
{
    SCOPE(buf_done) struct buf text;

    story->command =
        (struct command){.kind = kind, .scope = scope, .name = str_from(name), .settings = *settings, .ramp_ms = 0};
    say(story);
    buf_init(&text, JSON_BYTES_MAX);
    settings_write(settings, true, &text);
    op(story, OP_SETTING_PUT)->setting =
        (struct setting_row){.scope = scope, .name = str_from(name), .text = batch_text(&story->batch, buf_str(&text))};
    commit(story);
    story->reply = (struct reply){.kind = REPLY_DONE};
    answer(story, story->token);
}

/* Wanted and claimed: one step, to be committed. */
static struct try start(struct story *story, const struct job_row *job)
{
    exchange(story, "w1", 10, NULL, NULL);
    return claim(story, job->id, job, 1, TRIGGER_SCHEDULE, job->created_ms);
}

/* Its worker says how it ended, and that is all: one step, to be committed. */
static void finish(struct story *story, const struct try *try, struct job_row *job)
{
    tell(story, try, ATTEMPT_SUCCEEDED);
    end_trigger(story, try, job, ATTEMPT_SUCCEEDED, TRIGGER_SUCCEEDED);
    job->cursor_ms = TIME_NONE;
    job->wake_ms = TIME_NONE;
    job->fired = 1;
    job->status = JOB_COMPLETED;
    update(story, job);
}

/* The other job's claim comes into the batch at hand. */
static const struct job_row *other;

static void with_another_claim(struct story *story)
{
    (void)claim(story, other->id, other, 1, TRIGGER_SCHEDULE, other->created_ms);
}

/* ---- caps ---- */

static void one_at_a_time(struct story *story)
{
    struct settings settings = settings_none();

    settings.max_in_flight = 1;
    operate(story, COMMAND_SETTINGS, SCOPE_TENANT, "default", &settings); /* 1 to 3 */
    struct job_row *one = create(story, "{'name':'one'}");                /* 4 to 6 */
    struct job_row *two = create(story, "{'name':'two'}");                /* 7 to 9 */
    other = two;
    struct try try = start(story, one); /* 10 */
    commit(story);                      /* 11 */
    finish(story, &try, one);           /* 12 */
    commit(story);                      /* 13 */
    (void)start(story, two);            /* 14 */
    commit(story);                      /* 15 */
}

static void one_of_a_key_at_a_time(struct story *story)
{
    struct job_row *one = create(story, "{'name':'one','concurrency':{'key':'k','max':1}}"); /* 1 to 3 */
    struct job_row *two = create(story, "{'name':'two','concurrency':{'key':'k','max':1}}"); /* 4 to 6 */

    other = two;
    struct try try = start(story, one); /* 7 */
    commit(story);                      /* 8 */
    finish(story, &try, one);           /* 9 */
    commit(story);                      /* 10 */
    (void)start(story, two);            /* 11 */
    commit(story);                      /* 12 */
}

/* ---- rates ---- */

static void limiter(struct story *story)
{
    op(story, OP_LIMITER_PUT)->limiter =
        (struct limiter_row){.scope = SCOPE_POOL, .name = STR("default"), .tat_ms = story->now_ms + MINUTE_MS};
}

static void one_a_minute(struct story *story)
{
    struct settings settings = settings_none();

    settings.rate_count = 1;
    settings.rate_period_ms = MINUTE_MS;
    settings.burst = 1;
    operate(story, COMMAND_SETTINGS, SCOPE_POOL, "default", &settings); /* 1 to 3 */
    struct job_row *one = create(story, "{'name':'one'}");              /* 4 to 6 */
    struct job_row *two = create(story, "{'name':'two'}");              /* 7 to 9 */
    (void)start(story, one);                                            /* 10 */
    limiter(story);
    commit(story); /* 11 */
    pass_ms(story, MINUTE_MS);
    (void)start(story, two); /* 12 */
    limiter(story);
    commit(story); /* 13 */
}

static void too_soon(struct story *story)
{
    find_claim(story)->started_ms -= 10000;
}

static void with_its_instant_forgotten(struct story *story)
{
    drop_op(story, OP_LIMITER_PUT);
}

static void with_an_early_instant(struct story *story)
{
    find_op(story, OP_LIMITER_PUT, 0)->limiter.tat_ms -= 1000;
}

/* ---- pauses ---- */

static void paused_and_resumed(struct story *story)
{
    struct settings settings = settings_none();

    settings.is_paused = true;
    operate(story, COMMAND_PAUSE, SCOPE_POOL, "default", &settings); /* 1 to 3 */
    struct job_row *one = create(story, "{'name':'one'}");           /* 4 to 6 */
    other = one;
    settings.is_paused = false;
    operate(story, COMMAND_RESUME, SCOPE_POOL, "default", &settings); /* 7 to 9 */
    (void)start(story, one);                                          /* 10 */
    commit(story);                                                    /* 11 */
}

static void paused_again_by_nobody(struct story *story)
{
    find_op(story, OP_SETTING_PUT, 0)->setting.text = STR("{}");
}

static void started_meanwhile(struct story *story)
{
    drop_op(story, OP_SETTING_PUT);
    exchange(story, "w1", 10, NULL, NULL);
    with_another_claim(story);
}

/* ---- breakers ---- */

static void a_circuit_opens(struct story *story)
{
    struct settings settings = settings_none();

    settings.has_breaker = true;
    settings.breaker = breaker_settings_default();
    settings.breaker.min_attempts = 1;
    operate(story, COMMAND_SETTINGS, SCOPE_TYPE, "mail", &settings); /* 1 to 3 */
    struct job_row *one = create(story, "{'name':'one','type':'mail','retry':{'max_attempts':1,'delays':['1s']}}");
    struct job_row *two = create(story, "{'name':'two','type':'mail'}"); /* 4 to 6, 7 to 9 */
    struct try try = start(story, one);                                  /* 10 */
    commit(story);                                                       /* 11 */
    tell(story, &try, ATTEMPT_FAILED);                                   /* 12 */
    end_trigger(story, &try, one, ATTEMPT_FAILED, TRIGGER_DEAD);
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.failures = 1;
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.reason = STR("exhausted");
    one->cursor_ms = TIME_NONE;
    one->wake_ms = TIME_NONE;
    one->fired = 1;
    one->status = JOB_COMPLETED;
    update(story, one);
    op(story, OP_CIRCUIT_PUT)->circuit =
        (struct circuit_row){.tenant = STR("default"), .type = STR("mail"), .open_until_ms = story->now_ms + 30000};
    commit(story); /* 13 */
    pass_ms(story, 30000);
    (void)start(story, two); /* 14 */
    op(story, OP_CIRCUIT_PUT)->circuit =
        (struct circuit_row){.tenant = STR("default"), .type = STR("mail"), .is_half_open = true};
    commit(story); /* 15 */
}

static void staying_closed(struct story *story)
{
    drop_op(story, OP_CIRCUIT_PUT);
}

static void started_while_it_is_open(struct story *story)
{
    find_claim(story)->started_ms -= 1000;
}

static const struct spoilt spoilts[] = {
    {"a claim beyond the cap is found", RULE_CAP, one_at_a_time, 11, with_another_claim},
    {"a claim beyond the key's maximum is found", RULE_KEY, one_of_a_key_at_a_time, 8, with_another_claim},
    {"a claim beyond the rate is found", RULE_RATE, one_a_minute, 13, too_soon},
    {"a rate that a restart would forget is found", RULE_RATE, one_a_minute, 13, with_its_instant_forgotten},
    {"a rate that a restart would refill is found", RULE_RATE, one_a_minute, 13, with_an_early_instant},
    {"a claim in a paused pool is found", RULE_PAUSE, paused_and_resumed, 8, started_meanwhile},
    {"a pause that is acknowledged and not there is found", RULE_ANSWER, paused_and_resumed, 2, paused_again_by_nobody},
    {"a circuit that ought to open is found", RULE_BREAKER, a_circuit_opens, 13, staying_closed},
    {"a claim while the circuit is open is found", RULE_BREAKER, a_circuit_opens, 15, started_while_it_is_open},
};

static void a_cap_lets_the_next_one_start_when_one_has_ended(void **state)
{
    good(state, one_at_a_time);
}

static void a_key_lets_the_next_one_start_when_one_has_ended(void **state)
{
    good(state, one_of_a_key_at_a_time);
}

static void a_rate_lets_the_next_one_start_in_time(void **state)
{
    good(state, one_a_minute);
}

static void what_was_resumed_starts(void **state)
{
    good(state, paused_and_resumed);
}

static void a_circuit_that_was_open_long_enough_lets_a_probe_through(void **state)
{
    good(state, a_circuit_opens);
}

int main(void)
{
    const struct CMUnitTest goods[] = {
        cmocka_unit_test(a_cap_lets_the_next_one_start_when_one_has_ended),
        cmocka_unit_test(a_key_lets_the_next_one_start_when_one_has_ended),
        cmocka_unit_test(a_rate_lets_the_next_one_start_in_time),
        cmocka_unit_test(what_was_resumed_starts),
        cmocka_unit_test(a_circuit_that_was_open_long_enough_lets_a_probe_through),
    };

    return run_stories("checker_gates", goods, sizeof goods / sizeof goods[0], spoilts,
                       sizeof spoilts / sizeof spoilts[0]);
}
