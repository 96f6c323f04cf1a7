/* Payloads that are large, and many: what is carried, what is refused, and what waits for the next batch. */
#include "story.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static const struct reply *run_with(struct rig *rig, uint64_t job, size_t payload_bytes)
{
    static char payload[64 * 1024];
    struct command command = {.kind = COMMAND_RUN, .ref = {.id = job}, .text = {payload, payload_bytes}};

    assert_in_range(payload_bytes, 2, sizeof payload);
    memset(payload, '1', payload_bytes); /* a number of so many digits */
    return rig_command(rig, &command);
}

static void a_payload_comes_with_its_attempt_unless_it_is_large(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t job = make(rig, "{'delay':'100h','overlap':'allow','lease':'1h','timeout':'2h'}");

    run_with(rig, job, GRANT_TEXT_BYTES_MAX);
    const struct grant *grant = take(rig, "w1");
    assert_int_equal(grant->payload.len, GRANT_TEXT_BYTES_MAX);
    assert_false(grant->is_payload_left);
    run_with(rig, job, GRANT_TEXT_BYTES_MAX + 1);
    grant = take(rig, "w1");
    assert_int_equal(grant->payload.len, 0);
    assert_true(grant->is_payload_left);
    assert_int_equal(rig_trigger(rig, grant->trigger)->payload.len, GRANT_TEXT_BYTES_MAX + 1);
    rig_free(rig);
}

static void payloads_of_runs_that_have_not_ended_have_a_maximum_in_all(void **state)
{
    struct rig *rig = story_begin_with(state, &(struct engine_config){.seed = 1, .payload_bytes_max = 1000});
    uint64_t job =
        make(rig, "{'delay':'100h','overlap':'allow','retry':{'max_attempts':1},'lease':'1h','timeout':'2h'}");

    assert_int_equal(run_with(rig, job, 600)->kind, REPLY_TRIGGERS);
    const struct reply *reply = run_with(rig, job, 600);
    assert_int_equal(reply->kind, REPLY_ERROR);
    assert_int_equal(reply->error.code, ERR_LIMIT);
    rig_run(rig, job); /* without one of its own it costs nothing */
    turn(rig);
    assert_int_equal(run_with(rig, job, 600)->kind, REPLY_ERROR); /* nor is it forgotten */
    const struct grant *grant = take(rig, "w1");
    rig_fail(rig, "w1", grant);
    assert_int_equal(run_with(rig, job, 600)->kind, REPLY_TRIGGERS); /* the first one is dead, and out of the way */
    reply = rig_trigger_command(rig, COMMAND_REPLAY, grant->trigger);
    assert_int_equal(reply->error.code, ERR_LIMIT);
    assert_int_equal(rig_trigger_command(rig, COMMAND_RETRY, grant->trigger)->error.code, ERR_LIMIT);
    rig_free(rig);
}

/* More than one batch may hold is ready at once for workers that wait. */
static void who_waits_while_a_batch_is_full_is_served_with_the_next(void **state)
{
    enum { WORKERS = 6, WANT = 1000, PAYLOAD = 15000 };

    struct rig *rig = story_begin(state);
    SCOPE(buf_done) struct buf text;
    uint64_t tokens[WORKERS];
    char id[32];

    buf_init(&text, 2 * PAYLOAD);
    buf_append_text(&text,
                    "{\"every\":\"1s\",\"starts_at\":\"2026-04-08T00:00:00Z\",\"overlap\":\"allow\",\"payload\":\"");
    for (int i = 0; i < PAYLOAD; i++) {
        buf_append_char(&text, 'p');
    }
    buf_append_text(&text, "\"}");
    uint64_t job = rig_create(rig, buf_text(&text));
    rig_pause(rig, SCOPE_POOL, "", "default");
    assert_int_equal(rig_backfill(rig, job, "2026-04-08T00:00:00Z", "2026-04-08T01:40:00Z")->trigger_count, 6000);
    for (int i = 0; i < WORKERS; i++) {
        (void)snprintf(id, sizeof id, "w-%d", i);
        tokens[i] = rig_poll_waiting(rig, id, "default", WANT, 60000);
    }
    rig_resume(rig, SCOPE_POOL, "", "default", 0);
    for (int i = 0; i < WORKERS; i++) {
        const struct reply *reply = rig_answer(rig, tokens[i]);

        assert_non_null(reply);
        assert_int_equal(reply->grant_count, WANT);
    }
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(a_payload_comes_with_its_attempt_unless_it_is_large),
        STORY(payloads_of_runs_that_have_not_ended_have_a_maximum_in_all),
        ONCE(who_waits_while_a_batch_is_full_is_served_with_the_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
