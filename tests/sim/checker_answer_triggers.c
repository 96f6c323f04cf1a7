#include "checker_state.h"

static bool is_asked(const struct command *command, uint64_t trigger)
{
    for (size_t i = 0; i < command->trigger_count; i++) {
        if (command->triggers[i] == trigger) {
            return true;
        }
    }
    return false;
}

/* An answer that is told again under its key names the job that had the name then. */
static bool is_repeat_by_name(const struct command *command, const struct job *job)
{
    return !str_empty(command->idem_key) && command->ref.id == 0 && str_equal(command->ref.name, job->row.name);
}

/* A trigger that this answer says was made for it. */
static void check_made(struct checker *checker, const struct ask *ask, const struct trigger *trigger)
{
    const struct command *command = &ask->command;
    enum trigger_kind kind = command->kind == COMMAND_RUN        ? TRIGGER_MANUAL
                             : command->kind == COMMAND_BACKFILL ? TRIGGER_BACKFILL
                                                                 : TRIGGER_REPLAY;
    bool is_its = command->kind == COMMAND_REPLAY || command->kind == COMMAND_RETRY
                      ? is_asked(command, trigger->row.replay_of)
                      : ask->job == NULL || ask->job == trigger->job || !ask->job->is_there ||
                            is_repeat_by_name(command, trigger->job);

    checker_expect(checker, RULE_ANSWER, trigger->kind == kind && is_its,
                   "command %llu is answered with %s, which is not what it asked for",
                   (unsigned long long)command->token, checker_trigger_text(trigger));
    if (command->kind == COMMAND_BACKFILL) {
        checker_expect(checker, RULE_ANSWER,
                       trigger->scheduled_ms >= command->from_ms && trigger->scheduled_ms < command->to_ms,
                       "command %llu is answered with %s, outside of its range", (unsigned long long)command->token,
                       checker_trigger_text(trigger));
    }
}

/* Two answers name the same new trigger only under one key. */
static void check_told(struct checker *checker, const struct ask *ask, struct trigger *trigger)
{
    checker_expect(checker, RULE_ANSWER, trigger->told == 0 || !str_empty(ask->command.idem_key),
                   "commands %llu and %llu are both answered with %s", (unsigned long long)trigger->told,
                   (unsigned long long)ask->command.token, checker_trigger_text(trigger));
    trigger->told = ask->command.token;
    if (ask->command.kind == COMMAND_RUN) {
        checker_settle_ask(&trigger->made_by, &ask->parts[0]);
    }
}

static void check_trigger(struct checker *checker, const struct ask *ask, uint64_t id)
{
    struct trigger *trigger = checker_trigger(checker, id);

    if (!checker_expect(checker, RULE_ANSWER, trigger != NULL && trigger->job != NULL,
                        "trigger %llu is acknowledged, and is not durable", (unsigned long long)id)) {
        return;
    }
    bool is_gone = trigger->is_deleted || !trigger->job->is_there;
    switch (ask->command.kind) {
    case COMMAND_RUN:
    case COMMAND_BACKFILL:
    case COMMAND_REPLAY:
        check_made(checker, ask, trigger);
        check_told(checker, ask, trigger);
        break;
    case COMMAND_RETRY:
        if (!is_asked(&ask->command, id)) {
            check_made(checker, ask, trigger);
        }
        break;
    case COMMAND_DISCARD:
        checker_expect(checker, RULE_ANSWER, is_gone, "%s is acknowledged as discarded, and is there",
                       checker_trigger_text(trigger));
        break;
    case COMMAND_CANCEL:
        checker_expect(checker, RULE_ANSWER, is_gone || (trigger->has_row && trigger->row.state == TRIGGER_CANCELLED),
                       "%s is acknowledged as cancelled, and is not", checker_trigger_text(trigger));
        break;
    case COMMAND_CREATE:
    case COMMAND_PATCH:
    case COMMAND_REZONE:
    case COMMAND_STATUS:
    case COMMAND_DELETE:
    case COMMAND_SETTINGS:
    case COMMAND_PAUSE:
    case COMMAND_RESUME:
    case COMMAND_WHY:
    case COMMAND_ACCEPT_CLOCK:
    case COMMAND_ACCEPT_HELD:
        break;
    }
}

static void check_count(struct checker *checker, const struct reply *reply, const struct ask *ask)
{
    const struct command *command = &ask->command;
    int64_t sum = (int64_t)reply->trigger_count + reply->not_needed;

    if (command->kind == COMMAND_RUN || command->kind == COMMAND_RETRY) {
        checker_expect(checker, RULE_ANSWER, reply->trigger_count == 1, "command %llu is answered with %zu triggers",
                       (unsigned long long)command->token, reply->trigger_count);
    } else if (command->kind == COMMAND_BACKFILL) {
        const struct def_version *def = ask->job != NULL && ask->job->is_there ? ask->job->now : NULL;

        if (def != NULL && def->version == ask->version && def->has_schedule && !fires_after_finish(def)) {
            int64_t count = fires_count(def, command->from_ms, command->to_ms - 1);

            checker_expect(checker, RULE_ANSWER, sum <= count, "a backfill of %lld times is answered with %lld",
                           (long long)count, (long long)sum);
        }
    } else {
        checker_expect(checker, RULE_ANSWER, sum <= (int64_t)command->trigger_count,
                       "%zu triggers were named, and %lld are answered", command->trigger_count, (long long)sum);
    }
}

void checker_answer_triggers(struct checker *checker, const struct reply *reply, const struct ask *ask)
{
    for (size_t i = 0; i < reply->trigger_count && !checker_is_failed(checker); i++) {
        check_trigger(checker, ask, reply->triggers[i]);
    }
    if (!checker_is_failed(checker)) {
        check_count(checker, reply, ask);
    }
}
