/* facts: names and values below each other, as `belfry show` prints them; what has no value is left out.
 */
#ifndef CLI_FACTS_H
#define CLI_FACTS_H

#include <stdint.h>

#include "base/json.h"
#include "cli/table.h"

/* A table of two columns, without titles; print it with table_print(&table, false). */
void facts_init(struct table *table);

void facts_put(struct table *table, const char *name, struct str value);
void facts_style(struct table *table, const char *name, enum style style, struct str value);
void facts_printf(struct table *table, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A field of an answer, as text; objects and arrays as their JSON, cut out of text. */
void facts_field(struct table *table, const char *name, struct str text, struct jr object, const char *field);

/* "2026-04-08 13:00:00Z, in 4 h" */
void facts_instant(struct table *table, const char *name, int64_t at_ms, int64_t now_ms);

#endif
