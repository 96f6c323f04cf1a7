#include "store/postgres/pg_statements.h"

#include "model/state.h"

/* The numbers in SQL (and in databases that exist) are those of the enums. */
_Static_assert(TRIGGER_WAITING == 0 && TRIGGER_PENDING == 1 && TRIGGER_DEAD == 4, "stored in databases");
_Static_assert(TRIGGER_SCHEDULE == 0 && JOB_ACTIVE == 0 && JOB_PAUSED == 1, "stored in databases");

const char *pg_statement_text(enum pg_statement statement)
{
    static const char *const texts[] = {
#define X(name, sql) sql,
        PG_READ_TABLE(X) PG_WRITE_TABLE(X)
#undef X
    };

    return texts[statement];
}
