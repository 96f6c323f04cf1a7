#include "cli/import_target.h"

#include <string.h>

#include "base/mem.h"

static bool is_special(const char *name)
{
    static const char *const special[] = {"SHELL", "HOME", "MAILTO", "MAILFROM", "CRON_TZ", "LOGNAME", "USER", NULL};

    return str_index_in(str_from(name), special) >= 0;
}

static void put_env(struct jw *jw, const struct crontab *crontab)
{
    bool has_any = crontab->has_input;

    for (size_t i = 0; i < crontab->variable_count; i++) {
        has_any = has_any || !is_special(crontab->variables[i].name);
    }
    if (!has_any) {
        return;
    }
    jw_key(jw, "env");
    jw_begin_object(jw);
    for (size_t i = 0; i < crontab->variable_count; i++) {
        if (!is_special(crontab->variables[i].name)) {
            jw_key(jw, crontab->variables[i].name);
            jw_text(jw, crontab->variables[i].value);
        }
    }
    if (crontab->has_input) {
        jw_key(jw, "CRON_INPUT");
        jw_text(jw, crontab->input);
    }
    jw_end_object(jw);
}

/* A target's standard input is the payload; under cron it is what follows the %, or nothing. */
static void put_command(struct jw *jw, const struct crontab *crontab)
{
    SCOPE(buf_done) struct buf script;

    buf_init(&script, 2 * CRONTAB_LINE_BYTES_MAX);
    if (crontab->has_input) {
        buf_printf(&script, "printf %%s \"$CRON_INPUT\" | {\n%s\n}", crontab->command);
    } else {
        buf_printf(&script, "exec </dev/null; %s", crontab->command);
    }
    jw_str(jw, buf_str(&script));
}

void import_target_write(struct jw *jw, const struct crontab *crontab)
{
    const char *shell = crontab_value(crontab, "SHELL");
    const char *home = crontab_value(crontab, "HOME");
    bool has_user = crontab->user[0] != '\0' && strcmp(crontab->user, "root") != 0;

    jw_key(jw, "target");
    jw_begin_object(jw);
    jw_key(jw, "exec");
    jw_begin_object(jw);
    jw_key(jw, "argv");
    jw_begin_array(jw);
    if (has_user) {
        jw_text(jw, "runuser");
        jw_text(jw, "-u");
        jw_text(jw, crontab->user);
        jw_text(jw, "--");
    }
    jw_text(jw, shell != NULL && shell[0] != '\0' ? shell : "/bin/sh");
    jw_text(jw, "-c");
    put_command(jw, crontab);
    jw_end_array(jw);
    put_env(jw, crontab);
    if (home != NULL && home[0] != '\0') {
        jw_key(jw, "cwd");
        jw_text(jw, home);
    }
    jw_end_object(jw);
    jw_end_object(jw);
}
