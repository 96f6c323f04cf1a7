/* What PostgreSQL's SQLSTATEs mean to Belfry. */
#include <stdio.h>
#include <string.h>

#include "store/postgres/pg_conn.h"

static const struct {
    const char *state; /* or the beginning of some */
    enum store_outcome outcome;
    const char *advice;
    bool is_last; /* another session is needed */
} meanings[] = {
    {"YB001", STORE_FENCED, ""}, /* ours: store/sql/postgres */
    {"YB002", STORE_REFUSED, ""},
    {"YB003", STORE_REFUSED, ""},
    {"25006", STORE_DOWN, ". It can only be read; the primary is needed"},
    {"25P03", STORE_DOWN, ""},
    {"26000", STORE_AGAIN, ". Is there a pooler in between? Connect to the database itself", true},
    {"0A000", STORE_AGAIN, "", true}, /* a cached plan whose table was changed */
    {"57014", STORE_AGAIN, ". It took too long"},
    {"55P03", STORE_AGAIN, ""},
    {"57P", STORE_DOWN, ""},
    {"53100", STORE_DOWN, ". Free some space on its disk"},
    {"53300", STORE_DOWN, ". Raise max_connections, or run fewer servers"},
    {"42501", STORE_DOWN, ". Look at what its role may do"},
    {"XX001", STORE_BROKEN, ". Look at its disk, and restore a backup"},
    {"XX002", STORE_BROKEN, ". REINDEX, and look at its disk"},
    {"21", STORE_REFUSED, ""},
    {"22", STORE_REFUSED, ""},
    {"23", STORE_REFUSED, ""},
    {"54", STORE_REFUSED, ""},
    {"40", STORE_AGAIN, ""},
    {"42", STORE_BROKEN, ". Its tables are not as Belfry made them"},
    {"", STORE_DOWN, ""}, /* 08, 53, 58 and whatever else */
};

static enum err err_of(enum store_outcome outcome)
{
    switch (outcome) {
    case STORE_REFUSED:
    case STORE_FENCED:
        return ERR_CONFLICT;
    case STORE_BROKEN:
        return ERR_CORRUPT;
    case STORE_DONE:
    case STORE_AGAIN:
    case STORE_DOWN:
    case STORE_UNKNOWN:
        break;
    }
    return ERR_IO;
}

bool pg_is_fatal(const PGresult *answer)
{
    const char *severity = PQresultErrorField(answer, PG_DIAG_SEVERITY_NONLOCALIZED);

    return severity != NULL && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0);
}

enum store_outcome pg_judge(struct pg_conn *conn, const PGresult *answer)
{
    const char *state = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = PQresultErrorField(answer, PG_DIAG_MESSAGE_DETAIL);
    size_t i = 0;

    if (state == NULL) { /* libpq's own: the connection */
        char why[ERROR_TEXT_BYTES_MAX / 2];

        (void)snprintf(why, sizeof why, "%s", PQresultErrorMessage(answer));
        why[strcspn(why, "\n")] = '\0';
        (void)err_set(&conn->error, ERR_IO, "%s: %s", conn->shown, why);
        return STORE_DOWN;
    }
    /* The last one is any. */
    while (strncmp(state, meanings[i].state, strlen(meanings[i].state)) != 0) {
        i++;
    }
    (void)err_set(&conn->error, err_of(meanings[i].outcome), "%s: %s%s%s%s (SQLSTATE %s)%s", conn->shown,
                  text != NULL ? text : "failed", detail != NULL ? " (" : "", detail != NULL ? detail : "",
                  detail != NULL ? ")" : "", state, meanings[i].advice);
    conn->is_doomed = conn->is_doomed || meanings[i].is_last;
    return meanings[i].outcome;
}
