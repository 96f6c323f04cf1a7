#include "server/archive.h"

#include <stdio.h>

#include "base/id.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "model/state.h"
#include "server/archive_file.h"
#include "server/gzip.h"

/* Of one step: rows_max rows with their texts. */
#define ARCHIVE_BYTES_MAX (1024UL * 1024 * 1024)
/* "2026-04-08" */
#define DAY_CHARS 10
#define NAME_BYTES sizeof "history-2026-04-08.ndjson.gz"

/* ---- fields ---- */

static void put_id(struct jw *jw, const char *key, enum id_kind kind, uint64_t id)
{
    char text[ID_TEXT_BYTES];

    if (id != 0) {
        id_format(kind, id, text);
        jw_key(jw, key);
        jw_text(jw, text);
    }
}

static void put_time(struct jw *jw, const char *key, int64_t ms)
{
    if (ms != TIME_NONE) {
        jw_key(jw, key);
        jw_int(jw, ms);
    }
}

static void put_int(struct jw *jw, const char *key, int64_t value)
{
    jw_key(jw, key);
    jw_int(jw, value);
}

static void put_text(struct jw *jw, const char *key, struct str text)
{
    if (text.len > 0) {
        jw_key(jw, key);
        jw_str(jw, text);
    }
}

static void begin(struct jw *jw, struct buf *out, const char *kind)
{
    jw_init(jw, out);
    jw_begin_object(jw);
    jw_key(jw, "kind");
    jw_text(jw, kind);
}

static void end(struct jw *jw, struct buf *out)
{
    jw_end_object(jw);
    jw_done(jw);
    buf_append_char(out, '\n');
}

/* ---- rows ---- */

static void put_attempt_fields(struct jw *jw, const struct attempt_row *row)
{
    put_int(jw, "number", row->number);
    jw_key(jw, "state");
    jw_text(jw, attempt_state_text(row->state));
    put_time(jw, "started_ms", row->started_ms);
    put_time(jw, "ended_ms", row->ended_ms);
    put_text(jw, "worker", row->worker);
    put_text(jw, "error_code", row->error_code);
    put_text(jw, "error_message", row->error_message);
    put_text(jw, "result", row->result);
}

static void write_trigger(struct buf *out, const struct trigger_row *row)
{
    struct jw jw;

    begin(&jw, out, "trigger");
    put_id(&jw, "id", ID_TRIGGER, row->id);
    put_id(&jw, "job", ID_JOB, row->job);
    put_text(&jw, "tenant", row->place.tenant);
    put_text(&jw, "pool", row->place.pool);
    put_text(&jw, "type", row->place.type);
    put_int(&jw, "priority", row->place.priority);
    jw_key(&jw, "trigger_kind");
    jw_text(&jw, trigger_kind_text(row->kind));
    jw_key(&jw, "state");
    jw_text(&jw, trigger_state_text(row->state));
    put_int(&jw, "version", row->version);
    put_time(&jw, "scheduled_ms", row->scheduled_ms);
    put_int(&jw, "attempts", row->attempts);
    put_int(&jw, "failures", row->failures);
    put_id(&jw, "replay_of", ID_TRIGGER, row->replay_of);
    put_id(&jw, "replayed_by", ID_TRIGGER, row->replayed_by);
    put_time(&jw, "created_ms", row->created_ms);
    put_time(&jw, "ended_ms", row->ended_ms);
    put_text(&jw, "reason", row->reason);
    put_text(&jw, "payload", row->payload);
    if (row->last.number > 0) {
        jw_key(&jw, "last");
        jw_begin_object(&jw);
        put_attempt_fields(&jw, &row->last);
        jw_end_object(&jw);
    }
    end(&jw, out);
}

static void write_attempt(struct buf *out, const struct attempt_row *row)
{
    struct jw jw;

    begin(&jw, out, "attempt");
    put_id(&jw, "trigger", ID_TRIGGER, row->trigger);
    put_attempt_fields(&jw, row);
    end(&jw, out);
}

static void write_skip(struct buf *out, const struct skip_row *row)
{
    struct jw jw;

    begin(&jw, out, "skip");
    put_id(&jw, "job", ID_JOB, row->job);
    put_time(&jw, "from_ms", row->from_ms);
    put_time(&jw, "to_ms", row->to_ms);
    put_int(&jw, "count", row->count);
    jw_key(&jw, "reason");
    jw_text(&jw, skip_reason_text(row->reason));
    put_int(&jw, "version", row->version);
    put_id(&jw, "blocked_by", ID_TRIGGER, row->blocked_by);
    put_time(&jw, "decided_ms", row->decided_ms);
    end(&jw, out);
}

static void write_version(struct buf *out, const struct version_row *row)
{
    struct jw jw;

    begin(&jw, out, "version");
    put_id(&jw, "job", ID_JOB, row->job);
    put_int(&jw, "version", row->version);
    put_time(&jw, "from_ms", row->from_ms);
    put_time(&jw, "anchor_ms", row->anchor_ms);
    put_text(&jw, "def", row->def);
    end(&jw, out);
}

static void write_rows(struct buf *out, const struct rows *rows)
{
    for (size_t i = 0; i < rows->triggers.count; i++) {
        write_trigger(out, &rows->triggers.items[i]);
    }
    for (size_t i = 0; i < rows->attempts.count; i++) {
        write_attempt(out, &rows->attempts.items[i]);
    }
    for (size_t i = 0; i < rows->skips.count; i++) {
        write_skip(out, &rows->skips.items[i]);
    }
    for (size_t i = 0; i < rows->versions.count; i++) {
        write_version(out, &rows->versions.items[i]);
    }
}

/* ---- the file ---- */

struct archive {
    char *folder;
    struct archive_file file;
};

struct archive *archive_new(const char *folder)
{
    struct archive *archive = mem_zalloc(sizeof *archive);

    archive->folder = mem_strdup(folder);
    return archive;
}

void archive_free(struct archive *archive)
{
    if (archive != NULL) {
        mem_free(archive->folder);
        mem_free(archive);
    }
}

enum err archive_write(struct archive *archive, int64_t now_ms, const struct rows *rows, size_t *ret_bytes,
                       struct error *reterr)
{
    SCOPE(buf_done) struct buf lines;
    SCOPE(buf_done) struct buf member;
    char instant[INSTANT_BYTES];
    char name[NAME_BYTES];

    buf_init(&lines, ARCHIVE_BYTES_MAX);
    buf_init(&member, ARCHIVE_BYTES_MAX);
    *ret_bytes = 0;
    write_rows(&lines, rows);
    if (lines.len == 0) {
        return ERR_OK;
    }
    gzip_append(&member, buf_str(&lines));
    if (buf_overflowed(&lines) || buf_overflowed(&member)) {
        return err_set(reterr, ERR_TOO_LARGE, "the archive's lines are too long");
    }
    (void)snprintf(name, sizeof name, "history-%.*s.ndjson.gz", DAY_CHARS, instant_format(now_ms, instant));
    enum err err = archive_file_append(&archive->file, archive->folder, name, buf_str(&member), reterr);

    *ret_bytes = err == ERR_OK ? member.len : 0;
    return err;
}
