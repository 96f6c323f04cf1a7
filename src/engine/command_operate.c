#include "engine/command.h"
#include "engine/gather.h"
#include "engine/settings.h"

/* All of them are in memory, and lists look at all. */
#define SETTINGS_MAX 100000

enum command_result engine_command_settings(struct engine *engine, const struct command *command)
{
    const struct settings *old = settings_find(engine, command->scope, command->tenant, command->name);
    struct settings settings = old != NULL ? *old : settings_none();
    struct error error;

    if (old == NULL && map_count(&engine->settings) >= SETTINGS_MAX) {
        err_set(&error, ERR_LIMIT, "%d tenants, pools and types have settings of their own; that is the most",
                SETTINGS_MAX);
        return command_error(engine, command, &error);
    }
    if (command->kind == COMMAND_PAUSE) {
        settings.paused_ms = settings.is_paused ? settings.paused_ms : engine->now_ms;
        settings.is_paused = true;
        settings.ramp_from_ms = settings.ramp_ms = SETTING_NONE;
    } else if (command->kind == COMMAND_RESUME) {
        settings.is_paused = false;
        settings.paused_ms = SETTING_NONE;
        settings.ramp_from_ms = command->ramp_ms > 0 ? engine->now_ms : SETTING_NONE;
        settings.ramp_ms = command->ramp_ms > 0 ? command->ramp_ms : SETTING_NONE;
    } else {
        struct settings given = command->settings;

        given.is_paused = settings.is_paused;
        given.paused_ms = settings.paused_ms;
        given.ramp_from_ms = settings.ramp_from_ms;
        given.ramp_ms = settings.ramp_ms;
        settings = given;
    }
    settings_take(engine, command->scope, command->tenant, command->name, &settings);
    settings_gather(engine, command->scope, command->tenant, command->name, &settings);
    gather_reply(engine, command->token, REPLY_DONE);
    return COMMAND_DONE;
}
