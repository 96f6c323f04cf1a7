#include "story.h"

#include <stdio.h>

#define TEXT_BYTES_MAX 4096

bool story_calm = false;
bool story_restless = true;
static bool has_restarts;

struct rig *story_begin(void **state)
{
    return story_begin_with(state, &(struct engine_config){.seed = 1});
}

struct rig *story_begin_with(void **state, const struct engine_config *config)
{
    const bool *is_restless = *state;

    has_restarts = *is_restless;
    return rig_new_with(STORY_START, config);
}

void turn(struct rig *rig)
{
    if (has_restarts) {
        rig_restart(rig);
    }
}

bool story_restarts(void)
{
    return has_restarts;
}

static void quote(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text == '\'' ? '"' : *text;
    }
}

uint64_t make(struct rig *rig, const char *format, ...)
{
    char text[TEXT_BYTES_MAX];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_in_range(length, 0, (int)sizeof text - 1);
    quote(text);
    return rig_create(rig, text);
}

const struct reply *patch(struct rig *rig, uint64_t job, const char *text)
{
    char quoted[TEXT_BYTES_MAX];

    (void)snprintf(quoted, sizeof quoted, "%s", text);
    quote(quoted);
    return rig_patch(rig, job, quoted);
}

void set(struct rig *rig, enum scope scope, const char *tenant, const char *name, const char *text)
{
    char quoted[TEXT_BYTES_MAX];

    (void)snprintf(quoted, sizeof quoted, "%s", text);
    quote(quoted);
    assert_int_equal(rig_settings(rig, scope, tenant, name, quoted)->kind, REPLY_DONE);
}

const struct grant *take(struct rig *rig, const char *worker)
{
    const struct grant *grant = rig_take(rig, worker);

    assert_non_null(grant);
    return grant;
}

const struct grant *take_number(struct rig *rig, const char *worker, uint32_t number)
{
    const struct grant *grant = take(rig, worker);

    assert_int_equal(grant->number, number);
    return grant;
}

const struct grant *given(struct rig *rig, uint64_t token)
{
    const struct reply *reply = rig_answer(rig, token);

    assert_non_null(reply);
    assert_int_equal(reply->kind, REPLY_WORK);
    assert_int_equal(reply->grant_count, 1);
    return &reply->grants[0];
}

bool still_waits(struct rig *rig, uint64_t token)
{
    return rig_answer(rig, token) == NULL;
}

static const struct why_reason *find(const struct reply *why, enum why_gate gate, const enum ready_gate *ready)
{
    assert_int_equal(why->kind, REPLY_WHY);
    for (size_t i = 0; i < why->reason_count; i++) {
        const struct why_reason *reason = &why->reasons[i];

        if (reason->gate == gate && (ready == NULL || reason->ready == *ready)) {
            return reason;
        }
    }
    return NULL;
}

bool names(const struct reply *why, enum why_gate gate)
{
    return find(why, gate, NULL) != NULL;
}

bool names_ready(const struct reply *why, enum ready_gate gate)
{
    return find(why, WHY_READY, &gate) != NULL;
}

const struct why_reason *reason_of(const struct reply *why, enum why_gate gate)
{
    const struct why_reason *reason = find(why, gate, NULL);

    assert_non_null(reason);
    return reason;
}

const struct why_reason *reason_ready(const struct reply *why, enum ready_gate gate)
{
    const struct why_reason *reason = find(why, WHY_READY, &gate);

    assert_non_null(reason);
    return reason;
}

bool refused(const struct reply *reply, enum refusal reason)
{
    return reply->refused_count == 1 && reply->refused[0].reason == reason;
}

bool told_to_stop(const struct reply *reply, const struct grant *grant)
{
    for (size_t i = 0; i < reply->cancel_count; i++) {
        if (reply->cancel[i].trigger == grant->trigger && reply->cancel[i].number == grant->number) {
            return true;
        }
    }
    return false;
}
