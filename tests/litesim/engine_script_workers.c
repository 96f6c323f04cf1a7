/* What workers take, hold and report. */
#include "engine_script_inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void let_go(struct script *script, const struct attempt_ref *attempt)
{
    for (size_t i = 0; i < script->held_count; i++) {
        if (script->held[i].attempt.trigger == attempt->trigger && script->held[i].attempt.number == attempt->number) {
            script->held_count--;
            memmove(&script->held[i], &script->held[i + 1], (script->held_count - i) * sizeof script->held[0]);
            return;
        }
    }
}

static void take(struct script *script, int worker, const struct grant *grant)
{
    if (!acked_grant(script->acked, grant->trigger, grant->job, grant->number)) {
        story_wrong(script->story, "attempt %llx/%u was granted twice", (unsigned long long)grant->trigger,
                    grant->number);
        return;
    }
    assert(script->held_count < SCRIPT_HELD_MAX);
    struct held *held = &script->held[script->held_count++];

    *held = (struct held){.worker = worker, .attempt = {.trigger = grant->trigger, .number = grant->number}};
    (void)snprintf(held->job, sizeof held->job, "%.*s", STR_ARGS(grant->name));
}

/* One exchange that does not wait; NULL: it was not answered. */
static const struct reply *exchange(struct script *script, int worker, uint32_t want, const struct report *report)
{
    const char *name = arena_printf(&script->arena, "worker-%d-of-life-%d", worker, script->lives);
    const struct str pools[] = {STR("default")};
    struct story *story = script->story;
    struct attempt_ref holding[SCRIPT_HELD_MAX];
    size_t count = 0;

    for (size_t i = 0; i < script->held_count; i++) {
        const struct held *held = &script->held[i];

        if (held->worker == worker && (report == NULL || held->attempt.trigger != report->trigger)) {
            holding[count++] = held->attempt;
        }
    }
    const struct exchange mine = {.token = story->next_token++,
                                  .worker = str_from(name),
                                  .seq = ++script->seq,
                                  .name = str_from(name),
                                  .pools = pools,
                                  .pool_count = 1,
                                  .capacity = 16,
                                  .want = want,
                                  .holding = holding,
                                  .holding_count = count,
                                  .reports = report,
                                  .report_count = report != NULL ? 1 : 0};

    (void)story_run(story, (struct event){.kind = EVENT_EXCHANGE, .exchange = &mine});
    const struct reply *reply = story_answer(story, mine.token);

    for (size_t i = 0; reply != NULL && i < reply->cancel_count; i++) {
        let_go(script, &reply->cancel[i]);
    }
    return reply;
}

bool script_poll(struct script *script, int worker, uint32_t want)
{
    const struct reply *reply = exchange(script, worker, want, NULL);

    for (size_t i = 0; reply != NULL && i < reply->grant_count; i++) {
        take(script, worker, &reply->grants[i]);
    }
    return reply != NULL;
}

bool script_report(struct script *script, const struct held *held, enum attempt_state state)
{
    struct attempt_ref attempt = held->attempt;
    struct report mine = {.trigger = attempt.trigger, .number = attempt.number, .state = state};

    if (state == ATTEMPT_FAILED) {
        mine.error_code = STR("boom");
        mine.error_message = STR("it failed, as the script says");
    }
    const struct reply *reply = exchange(script, held->worker, 0, &mine);

    if (reply != NULL) {
        if (reply->refused_count == 0) {
            acked_report(script->acked, attempt.trigger, attempt.number, state);
        }
        let_go(script, &attempt);
    }
    return reply != NULL;
}

bool script_do_report(struct script *script, const struct step *step, enum attempt_state state)
{
    for (size_t i = 0; i < script->held_count; i++) {
        const struct held *held = &script->held[i];

        if (held->worker == step->worker && (step->name == NULL || strcmp(held->job, step->name) == 0)) {
            return script_report(script, held, state);
        }
    }
    return true;
}

void script_kill_workers(struct script *script)
{
    script->held_count = 0;
    script->lives++;
}
