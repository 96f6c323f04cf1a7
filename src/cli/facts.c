#include "cli/facts.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/field.h"
#include "cli/json_text.h"
#include "cli/when.h"

void facts_init(struct table *table)
{
    static const struct column columns[] = {{"NAME"}, {"VALUE", .can_shrink = true}, {0}};

    table_init(table, columns);
}

void facts_style(struct table *table, const char *name, enum style style, struct str value)
{
    if (value.len > 0) {
        table_printf(table, STYLE_DIM, "  %s", name);
        table_put_style(table, style, value);
    }
}

void facts_put(struct table *table, const char *name, struct str value)
{
    facts_style(table, name, STYLE_PLAIN, value);
}

void facts_printf(struct table *table, const char *name, const char *format, ...)
{
    char text[TABLE_CELL_BYTES_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    facts_put(table, name, str_from(text));
}

void facts_field(struct table *table, const char *name, struct str text, struct jr object, const char *field)
{
    struct str raw = {0};
    struct str value = field_str(object, field);

    if (value.len > 0) {
        facts_put(table, name, value);
    } else if (field_is_set(object, field) && json_text_member(text, field, &raw) && !str_is(raw, "\"\"")) {
        facts_put(table, name, raw);
    }
}

void facts_instant(struct table *table, const char *name, int64_t at_ms, int64_t now_ms)
{
    char exact[WHEN_BYTES];
    char away[WHEN_BYTES];

    if (at_ms != WHEN_NONE) {
        facts_printf(table, name, "%s, %s", when_exact(at_ms, exact), when_relative(at_ms, now_ms, away));
    }
}
