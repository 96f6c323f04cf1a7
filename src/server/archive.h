/* archive: what is removed for its age, written down before it goes: a file for each day, a line of JSON for each row.
 *
 * A line has the row's kind ("trigger", "attempt", "skip", "version") and its fields by the names of model/record.h;
 * instants are milliseconds since 1970, ids are in their text form. Answers under a key are not history and not
 * written.
 *
 * Rules: (1) what archive_write said is done is on the disk.
 *        (2) rows that were written and then not removed (a crash in between) are written again: each at least once.
 * See:   server/retention.h, tests/unit/server/test_retention.c
 */
#ifndef SERVER_ARCHIVE_H
#define SERVER_ARCHIVE_H

#include <stdint.h>

#include "base/err.h"
#include "model/rows.h"

/* Appends to FOLDER/history-YYYY-MM-DD.ndjson, the day of now_ms in UTC; the folder is made where it is not there. */
enum err archive_write(const char *folder, int64_t now_ms, const struct rows *rows, struct error *reterr) MUST_CHECK;

#endif
