#include "wire/job.h"

#include "base/mem.h"
#include "wire/put.h"
#include "wire/trigger.h"
#include "wire/walk.h"

/* A definition with every default written out; what was read from WIRE_DEF_BYTES_MAX may grow by its escapes. */
#define FULL_DEF_BYTES_MAX (8 * 1024 * 1024)

/* How the job stands: everything that is not in its definition. */
static void put_standing(struct jw *jw, const struct wire_job *job)
{
    const struct job_row *row = job->row;
    bool is_over = row->status == JOB_CANCELLED || row->status == JOB_COMPLETED;

    wire_put_word(jw, "status", job_status_text(row->status));
    wire_put_int(jw, "version", row->version);
    wire_put_instant(jw, "next_fire_at", is_over ? TIME_NONE : row->cursor_ms); /* rule 2 */
    wire_put_instant(jw, "last_fired_at", job->last_fired_ms);
    jw_key(jw, "last_result");
    if (job->last_ended != NULL) {
        wire_last_result(jw, job->last_ended);
    } else {
        jw_null(jw);
    }
    wire_put_instant(jw, "created_at", row->created_ms);
    wire_put_instant(jw, "updated_at", row->updated_ms);
}

static void put_who(struct jw *jw, const struct job_row *row)
{
    wire_put_id(jw, "id", ID_JOB, row->id);
    jw_key(jw, "tenant");
    jw_str(jw, row->place.tenant);
    wire_put_name(jw, "name", row->name, row->id);
    jw_key(jw, "type");
    jw_str(jw, row->place.type);
    jw_key(jw, "pool");
    jw_str(jw, row->place.pool);
    wire_put_int(jw, "priority", row->place.priority);
}

/* ---- in a list ---- */

/* A canonical definition writes an upstream whose success is asked for as its name alone. */
static void put_upstreams(struct jw *jw, struct walk *walk)
{
    jw_begin_array(jw);
    walk_open(walk);
    while (walk_item(walk)) {
        if (walk_kind(walk) != '"') {
            jw_raw(jw, walk_value(walk));
            continue;
        }
        jw_begin_object(jw);
        jw_key(jw, "job");
        jw_raw(jw, walk_value(walk));
        wire_put_word(jw, "on", "success");
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static bool is_in(struct str key, const char *const words[])
{
    return str_index_in(key, words) >= 0;
}

static void put_summary(struct jw *jw, const struct job_row *row)
{
    static const char *const shown[] = {"run_at", "delay", "cron", "every", "timezone", "labels", "created_by", NULL};
    struct walk walk = walk_of(row->def);
    struct str key;
    bool has_zone = false;

    walk_open(&walk);
    while (walk_field(&walk, &key)) {
        if (str_is(key, "depends_on")) {
            jw_key_str(jw, key);
            put_upstreams(jw, &walk);
            continue;
        }
        struct str value = walk_value(&walk);

        if (is_in(key, shown)) {
            has_zone = has_zone || str_is(key, "timezone");
            jw_key_str(jw, key);
            jw_raw(jw, value);
        }
    }
    if (!has_zone) {
        wire_put_text(jw, "timezone", job_def_default().timezone);
    }
}

void wire_job_summary(struct jw *jw, const struct wire_job *job)
{
    jw_begin_object(jw);
    put_who(jw, job->row);
    put_summary(jw, job->row);
    put_standing(jw, job);
    jw_end_object(jw);
}

/* ---- in full ---- */

static void put_definition(struct jw *jw, struct job_def *def)
{
    static const char *const known[] = {"tenant", "name", "type", "pool", "priority", NULL};
    SCOPE(buf_done) struct buf full;
    struct str key;

    buf_init(&full, FULL_DEF_BYTES_MAX);
    job_def_write_full(def, &full);
    struct walk walk = walk_of(buf_str(&full));

    walk_open(&walk);
    while (walk_field(&walk, &key)) {
        struct str value = walk_value(&walk);

        if (!is_in(key, known)) { /* the row has said these */
            jw_key_str(jw, key);
            jw_raw(jw, value);
        }
    }
}

static void put_counts(struct jw *jw, const struct wire_job *job)
{
    const struct wire_counts *counts = &job->counts;

    jw_key(jw, "counts");
    jw_begin_object(jw);
    wire_put_int(jw, "fired", job->row->fired);
    wire_put_int(jw, "waiting", counts->waiting);
    wire_put_int(jw, "pending", counts->pending);
    wire_put_int(jw, "running", counts->running);
    wire_put_int(jw, "succeeded", counts->succeeded);
    wire_put_int(jw, "dead", counts->dead);
    wire_put_int(jw, "cancelled", counts->cancelled);
    jw_end_object(jw);
}

static void put_job(struct jw *jw, const struct wire_job *job, struct job_def *def)
{
    put_who(jw, job->row);
    put_definition(jw, def);
    put_standing(jw, job);
    put_counts(jw, job);
}

void wire_job(struct jw *jw, const struct wire_job *job, struct job_def *def)
{
    jw_begin_object(jw);
    put_job(jw, job, def);
    jw_end_object(jw);
}

void wire_job_changed(struct jw *jw, const struct wire_job *job, struct job_def *def,
                      const struct wire_skipped *skipped)
{
    jw_begin_object(jw);
    put_job(jw, job, def);
    jw_key(jw, "skipped");
    if (skipped->count > 0) {
        jw_begin_object(jw);
        wire_put_instant(jw, "from", skipped->from_ms);
        wire_put_instant(jw, "to", skipped->to_ms);
        wire_put_int(jw, "count", skipped->count);
        jw_end_object(jw);
    } else {
        jw_null(jw);
    }
    jw_end_object(jw);
}

void wire_job_ids(struct jw *jw, const uint64_t *ids, size_t count)
{
    char text[ID_TEXT_BYTES];

    jw_begin_object(jw);
    jw_key(jw, "ids");
    jw_begin_array(jw);
    for (size_t i = 0; i < count; i++) {
        id_format(ID_JOB, ids[i], text);
        jw_text(jw, text);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}
