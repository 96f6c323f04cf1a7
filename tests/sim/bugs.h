/* bugs: the table of engine/bug.h by name. In programs with BELFRY_BUGS alone.
 */
#ifndef TESTS_SIM_BUGS_H
#define TESTS_SIM_BUGS_H

#include "engine/bug.h"

const char *bug_name(enum bug bug);
const char *bug_text(enum bug bug);

/* BUG_COUNT where there is none of that name. */
enum bug bug_parse(const char *name);

#endif
