/* archive: what is removed for its age, written down before it goes: a compressed file for each day, a line of JSON for
 * each row. zcat reads it.
 *
 * A line has the row's kind ("trigger", "attempt", "skip", "version") and its fields by the names of model/record.h;
 * instants are milliseconds since 1970, ids are in their text form. Answers under a key are not history and not
 * written.
 *
 * Rules: (1) what archive_write said is done is on the disk.
 *        (2) rows that were written and then not removed (a crash in between) are written again: each at least once.
 *        (3) a step of retention is one gzip member, so what is on the disk can be read to the end at any time.
 * See:   server/retention.h, server/archive_file.h, tests/unit/server/test_retention.c, tests/server/test_archive.py
 */
#ifndef SERVER_ARCHIVE_H
#define SERVER_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/rows.h"

struct archive;

/* Nothing is opened yet; the folder is made with the first file. */
struct archive *archive_new(const char *folder);
void archive_free(struct archive *archive);

/* Appends to FOLDER/history-YYYY-MM-DD.ndjson.gz, the day of now_ms in UTC. ret_bytes: by how much the file has grown.
 */
enum err archive_write(struct archive *archive, int64_t now_ms, const struct rows *rows, size_t *ret_bytes,
                       struct error *reterr) MUST_CHECK;

#endif
