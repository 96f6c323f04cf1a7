#include "store/sqlite/sqlite_statements.h"

#include "model/state.h"

/* The numbers in SQL (and in files that exist) are those of the enums. */
_Static_assert(TRIGGER_WAITING == 0 && TRIGGER_PENDING == 1 && TRIGGER_DEAD == 4, "stored in files");
_Static_assert(TRIGGER_SCHEDULE == 0, "stored in files");

const char *sql_statement_text(enum sql_statement statement)
{
    static const char *const texts[] = {
#define X(name, sql) sql,
        SQL_TABLE(X)
#undef X
    };

    return texts[statement];
}
