/* archive_samples FOLDER FIRST COUNT: archives COUNT steps of retention, each of some rows of every kind; the rows have
 * numbers from FIRST on. For tests/server/test_archive.py. */
#include <stdio.h>
#include <stdlib.h>

#include "server/archive.h"

/* A Wednesday in 2026. */
#define NOW_MS INT64_C(1775638800000)

static void add_rows(struct rows *rows, uint64_t number)
{
    *ROWS_ADD(rows, triggers) = (struct trigger_row){.id = number,
                                                     .job = 1,
                                                     .place = {STR("default"), STR("acme"), STR("mail"), 3},
                                                     .state = TRIGGER_SUCCEEDED,
                                                     .version = 1,
                                                     .scheduled_ms = NOW_MS,
                                                     .due_ms = TIME_NONE,
                                                     .created_ms = NOW_MS,
                                                     .ended_ms = NOW_MS,
                                                     .payload = STR("{\"to\":\"\xc3\xa9\"}")};
    *ROWS_ADD(rows, attempts) = (struct attempt_row){.trigger = number,
                                                     .number = 1,
                                                     .state = ATTEMPT_FAILED,
                                                     .started_ms = NOW_MS,
                                                     .ended_ms = NOW_MS + 5,
                                                     .worker = STR("w-\"1\""),
                                                     .error_code = STR("boom")};
    *ROWS_ADD(rows, skips) =
        (struct skip_row){.job = 1, .from_ms = (int64_t)number, .to_ms = (int64_t)number, .count = 1, .version = 1};
    *ROWS_ADD(rows, versions) =
        (struct version_row){.job = 1, .version = (uint32_t)number, .anchor_ms = NOW_MS, .def = STR("{}")};
}

static bool write_step(struct archive *archive, uint64_t number)
{
    struct error error;
    struct rows rows;
    size_t bytes;

    rows_init(&rows);
    add_rows(&rows, number);
    bool is_written = archive_write(archive, NOW_MS, &rows, &bytes, &error) == ERR_OK;

    if (!is_written) {
        (void)fprintf(stderr, "%s\n", error.text);
    }
    rows_done(&rows);
    return is_written;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        return 2;
    }
    struct archive *archive = archive_new(argv[1]);
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    bool is_written = true;

    for (uint64_t i = 0; i < count && is_written; i++) {
        is_written = write_step(archive, first + i);
    }
    archive_free(archive);
    return is_written ? 0 : 1;
}
