/* import_target: the command of a crontab's entry as a target, in the surroundings that cron would give it.
 *
 * Pure. The file's SHELL reads the command, HOME is where it runs, the other variables are its own; a user other than
 * root is run through runuser.
 */
#ifndef CLI_IMPORT_TARGET_H
#define CLI_IMPORT_TARGET_H

#include "base/json_write.h"
#include "cli/crontab.h"

/* The key "target" and its object, for the last entry. */
void import_target_write(struct jw *jw, const struct crontab *crontab);

#endif
