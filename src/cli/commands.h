/* commands: every command, each defined in the file of its name. commands.c puts them in order.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command command_add;
extern const struct command command_audit;
extern const struct command command_backfill;
extern const struct command command_backup;
extern const struct command command_cancel;
extern const struct command command_accept;
extern const struct command command_clock;
extern const struct command command_completion;
extern const struct command command_config;
extern const struct command command_dead;
extern const struct command command_doctor;
extern const struct command command_edit;
extern const struct command command_events;
extern const struct command command_forecast;
extern const struct command command_history;
extern const struct command command_import;
extern const struct command command_list;
extern const struct command command_migrate;
extern const struct command command_next;
extern const struct command command_pause;
extern const struct command command_pools;
extern const struct command command_restore;
extern const struct command command_init;
extern const struct command command_resume;
extern const struct command command_rm;
extern const struct command command_run;
extern const struct command command_server;
extern const struct command command_servers;
extern const struct command command_show;
extern const struct command command_tenants;
extern const struct command command_top;
extern const struct command command_types;
extern const struct command command_up;
extern const struct command command_version;
extern const struct command command_why;
extern const struct command command_witness;
extern const struct command command_worker;
extern const struct command command_workers;
extern const struct command command_zone;

#endif
