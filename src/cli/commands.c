#include "cli/commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/show.h"

/* In the order of the list that -h shows; those of a group stand together. */
const struct command *const commands[] = {
    &command_up,       &command_server, &command_worker,     &command_config,  &command_init,
    &command_add,      &command_list,   &command_show,       &command_history, &command_why,
    &command_run,      &command_pause,  &command_resume,     &command_cancel,  &command_edit,
    &command_backfill, &command_rm,     &command_import,     &command_dead,    &command_tenants,
    &command_pools,    &command_types,  &command_workers,    &command_servers, &command_events,
    &command_top,      &command_doctor, &command_forecast,   &command_witness, &command_audit,
    &command_clock,    &command_accept, &command_backup,     &command_restore, &command_migrate,
    &command_next,     &command_zone,   &command_completion, &command_version, NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

int command_refuse(const char *name, const struct error *error)
{
    (void)fprintf(stderr, "belfry %s: %s\n", name, error->text);
    return EXIT_REFUSED;
}

int command_usage(const char *name, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES_MAX];
    char safe[SHOW_SAFE_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fprintf(stderr, "belfry %s: %s\nbelfry %s -h says how it is used\n", name, show_safe(str_from(text), safe),
                  name);
    return EXIT_USAGE;
}

int command_no_more(const char *name, const struct arguments *arguments, int taken)
{
    return arguments->count <= taken ? EXIT_DONE
                                     : command_usage(name, "unexpected argument \"%s\"", arguments->rest[taken]);
}
