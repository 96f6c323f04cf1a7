#include "wire/def_read.h"

#include <stdio.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "model/rows.h"
#include "wire/walk.h"

/* Depth and values of one definition; a payload of zeros has a value in every second byte. */
static const struct jscan_limits def_limits = {
    .bytes_max = WIRE_DEF_BYTES_MAX, .depth_max = JSON_DEPTH_MAX, .nodes_max = JSON_NODES_MAX};

enum err wire_read_job(struct str body, struct arena *arena, struct job_def *ret_def, struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    enum err err = jr_parse(body, &def_limits, &doc, reterr);

    if (err == ERR_OK && jr_kind(jr_root(&doc)) != JR_OBJECT) {
        err = err_set(reterr, ERR_INVALID, "a job must be an object, not %s", jr_kind_name(jr_root(&doc)));
    }
    return err == ERR_OK ? job_def_read(body, jr_root(&doc), arena, ret_def, reterr) : err;
}

enum err wire_def_read(struct str canonical, struct arena *arena, struct job_def *ret_def, struct error *reterr)
{
    enum err err = wire_read_job(canonical, arena, ret_def, reterr);

    if (err == ERR_OK) {
        return ERR_OK;
    }
    (void)err_wrap(reterr, err, "a stored definition cannot be read");
    if (reterr != NULL) {
        reterr->code = ERR_CORRUPT;
    }
    return ERR_CORRUPT;
}

/* ---- batches ---- */

struct batch_reading {
    struct arena *arena;
    void *defs;
    size_t count, cap;
    size_t upstreams;
    struct error *reterr;
};

/* On failure the batch's count is where it stopped. */
static enum err read_one(struct batch_reading *reading, struct str text)
{
    struct job_def def;

    if (reading->count == WIRE_BATCH_JOBS_MAX) {
        return err_set(reading->reterr, ERR_TOO_LARGE, "a batch has at most %d jobs", WIRE_BATCH_JOBS_MAX);
    }
    enum err err = wire_read_job(text, reading->arena, &def, reading->reterr);

    if (err == ERR_OK) {
        reading->upstreams += def.depends_on_count;
    }
    if (reading->upstreams > WIRE_BATCH_UPSTREAMS_MAX) { /* rule 2 */
        err = err_set(reading->reterr, ERR_TOO_LARGE, "the jobs of a batch name at most %d upstreams, all together",
                      WIRE_BATCH_UPSTREAMS_MAX);
        return err_in_field(reading->reterr, err, "depends_on");
    }
    if (err == ERR_OK) {
        *(struct job_def *)rows_add_(reading->arena, &reading->defs, &reading->count, &reading->cap, sizeof def) = def;
    }
    return err;
}

static enum err read_lines(struct batch_reading *reading, struct str body)
{
    struct str line;
    bool is_done = false;
    enum err err = ERR_OK;

    while (err == ERR_OK && str_split(&body, '\n', &is_done, &line)) {
        line = str_trim(line);
        err = line.len > 0 ? read_one(reading, line) : ERR_OK;
    }
    return err;
}

static enum err refuse_field(struct str key, struct error *reterr)
{
    char shown[ERROR_FIELD_BYTES_MAX];

    (void)snprintf(shown, sizeof shown, "%.*s", STR_ARGS(key)); /* as it stands in the text, where it is well-formed */
    enum err err = err_set(reterr, ERR_UNKNOWN_FIELD, "there is no field \"%s\"; a batch has jobs and atomic", shown);

    return err_in_field(reterr, err, shown);
}

static enum err check_fields(struct str body, struct str *ret_jobs, bool *ret_is_atomic, struct error *reterr)
{
    struct walk walk = walk_of(body);
    struct str key;
    enum err err = walk_object(&walk, reterr);

    while (err == ERR_OK && walk_field(&walk, &key)) {
        if (walk_key_is(key, STR("jobs"))) {
            *ret_jobs = walk_value(&walk);
            err = ret_jobs->ptr[0] == '[' ? ERR_OK : err_set(reterr, ERR_INVALID, "must be an array");
            err = err_in_field(reterr, err, "jobs");
        } else if (walk_key_is(key, STR("atomic"))) {
            err = err_in_field(reterr, walk_bool(&walk, ret_is_atomic, reterr), "atomic");
        } else {
            err = refuse_field(key, reterr);
        }
    }
    return err;
}

/* A list that grew by doubling would be copied, and its memory touched, twice: definitions are large. */
static void make_room(struct batch_reading *reading, struct str jobs)
{
    struct walk walk = walk_of(jobs);

    walk_open(&walk);
    while (reading->cap < WIRE_BATCH_JOBS_MAX && walk_item(&walk)) {
        (void)walk_value(&walk);
        reading->cap++;
    }
    reading->defs = arena_alloc_array(reading->arena, reading->cap, sizeof(struct job_def));
}

static enum err read_array(struct batch_reading *reading, struct str jobs)
{
    struct walk walk = walk_of(jobs);
    enum err err = ERR_OK;

    make_room(reading, jobs);
    walk_open(&walk);
    while (err == ERR_OK && walk_item(&walk)) {
        err = read_one(reading, walk_value(&walk));
    }
    return err;
}

/* The whole of it is checked first, so that it can be walked over; each job is then read by itself. */
static enum err check_body(struct str body, struct error *reterr)
{
    const struct jscan_limits limits = {
        .bytes_max = WIRE_BATCH_BYTES_MAX, .depth_max = JSON_DEPTH_MAX + 2, .nodes_max = WIRE_BATCH_BYTES_MAX};
    struct jscan_facts facts;

    return jscan_check(body, &limits, &facts, reterr);
}

enum err wire_read_batch(struct str body, bool is_ndjson, struct arena *arena, struct wire_batch *ret_batch,
                         int64_t *ret_index, struct error *reterr)
{
    struct batch_reading reading = {.arena = arena, .reterr = reterr};
    struct str jobs = {0};
    bool is_atomic = true;
    enum err err = ERR_OK;

    *ret_index = -1;
    if (body.len > WIRE_BATCH_BYTES_MAX) {
        return err_set(reterr, ERR_TOO_LARGE, "a batch has at most %d bytes", WIRE_BATCH_BYTES_MAX);
    }
    if (!is_ndjson) {
        err = check_body(body, reterr);
        err = err == ERR_OK ? check_fields(body, &jobs, &is_atomic, reterr) : err;
    }
    if (err != ERR_OK) {
        return err;
    }
    err = is_ndjson ? read_lines(&reading, body) : jobs.len > 0 ? read_array(&reading, jobs) : ERR_OK;
    if (err != ERR_OK) {
        *ret_index = reading.count < WIRE_BATCH_JOBS_MAX ? (int64_t)reading.count : -1;
        return err;
    }
    if (reading.count == 0) {
        return err_in_field(reterr, err_set(reterr, ERR_INVALID, "a batch has at least one job"),
                            is_ndjson ? "" : "jobs");
    }
    *ret_batch = (struct wire_batch){.defs = reading.defs, .count = reading.count, .is_atomic = is_atomic};
    return ERR_OK;
}
