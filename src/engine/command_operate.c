#include "engine/command.h"
#include "engine/gather.h"
#include "engine/settings.h"

enum command_result engine_command_settings(struct engine *engine, const struct command *command)
{
    const struct settings *old = settings_find(engine, command->scope, command->tenant, command->name);
    struct settings settings = old != NULL ? *old : settings_none();

    if (command->kind == COMMAND_PAUSE) {
        settings.is_paused = true;
        settings.ramp_from_ms = settings.ramp_ms = SETTING_NONE;
    } else if (command->kind == COMMAND_RESUME) {
        settings.is_paused = false;
        settings.ramp_from_ms = command->ramp_ms > 0 ? engine->now_ms : SETTING_NONE;
        settings.ramp_ms = command->ramp_ms > 0 ? command->ramp_ms : SETTING_NONE;
    } else {
        struct settings given = command->settings;

        given.is_paused = settings.is_paused;
        given.ramp_from_ms = settings.ramp_from_ms;
        given.ramp_ms = settings.ramp_ms;
        settings = given;
    }
    settings_take(engine, command->scope, command->tenant, command->name, &settings);
    settings_gather(engine, command->scope, command->tenant, command->name, &settings);
    gather_reply(engine, command->token, REPLY_DONE);
    return COMMAND_DONE;
}
