#include "base/id.h"
#include "model/job_reading.h"
#include "model/job_words.h"
#include "model/name.h"
#include "model/trace.h"

/* A name as it is; an id as Belfry writes it, since it can be written in other letters. */
static enum err keep_upstream(const struct reading *reading, struct str job, struct job_upstream *upstream)
{
    char text[ID_TEXT_BYTES];
    uint64_t id = ID_NONE;

    if (!str_starts_with(job, STR("job_"))) {
        upstream->job = reading_keep(reading, job);
        return name_check(job, reading->reterr);
    }
    enum err err = id_parse(ID_JOB, job, &id, reading->reterr);
    if (err == ERR_OK) {
        id_format(ID_JOB, id, text);
        upstream->job = reading_keep(reading, str_from(text));
    }
    return err;
}

/* "name", or {"job":"name","on":"failure"} */
static enum err read_upstream(const struct reading *reading, struct jr value, struct job_upstream *upstream)
{
    static const char *const known[] = {"job", "on", NULL};
    struct str job = {0};
    struct str on = {0};
    enum err err;

    if (jr_kind(value) != JR_OBJECT) {
        err = jr_as_str(value, &job, reading->reterr);
    } else {
        err = jr_check_fields(value, known, reading->reterr);
        if (err == ERR_OK) {
            err = jr_str(value, "job", &job, reading->reterr);
        }
        if (err == ERR_OK) {
            err = jr_opt_str(value, "on", &on, reading->reterr);
        }
        if (err == ERR_OK && on.ptr != NULL) {
            err = err_in_field(reading->reterr, job_edge_parse(on, &upstream->on, reading->reterr), "on");
        }
    }
    return err == ERR_OK ? keep_upstream(reading, job, upstream) : err;
}

static enum err read_depends_on(const struct reading *reading, struct jr object)
{
    struct job_def *def = reading->def;
    struct jr list = {0};
    enum err err = jr_opt_array(object, "depends_on", &list, reading->reterr);

    if (err != ERR_OK || list.node == NULL) {
        return err;
    }
    size_t count = jr_count(list);
    if (count == 0 || count > DEPENDS_ON_MAX) {
        err = err_set(reading->reterr, ERR_INVALID, "must name 1 to %d jobs", DEPENDS_ON_MAX);
        return err_in_field(reading->reterr, err, "depends_on");
    }
    def->depends_on = arena_zalloc(reading->arena, count * sizeof *def->depends_on);
    for (size_t i = 0; err == ERR_OK && i < count; i++) {
        err = read_upstream(reading, jr_at(list, i), &def->depends_on[i]);
        for (size_t j = 0; err == ERR_OK && j < i; j++) {
            if (str_equal(def->depends_on[i].job, def->depends_on[j].job)) {
                err = err_set(reading->reterr, ERR_INVALID, "names \"%.*s\" twice", STR_ARGS(def->depends_on[i].job));
            }
        }
    }
    def->depends_on_count = count;
    return err_in_field(reading->reterr, err, "depends_on");
}

static enum err read_concurrency(const struct reading *reading, struct jr object)
{
    static const char *const known[] = {"key", "max", NULL};
    struct job_def *def = reading->def;
    struct jr given = {0};
    struct str key = {0};
    enum err err = jr_opt_object(object, "concurrency", &given, reading->reterr);

    if (err != ERR_OK || given.node == NULL) {
        return err;
    }
    def->concurrency_max = JOB_CONCURRENCY_DEFAULT;
    err = jr_check_fields(given, known, reading->reterr);
    if (err == ERR_OK) {
        err = jr_str(given, "key", &key, reading->reterr);
    }
    if (err == ERR_OK && (key.len == 0 || key.len > LABEL_BYTES_MAX)) {
        err = err_set(reading->reterr, ERR_INVALID, "must have 1 to %d bytes", LABEL_BYTES_MAX);
        err = err_in_field(reading->reterr, err, "key");
    }
    if (err == ERR_OK) {
        def->concurrency_key = reading_keep(reading, key);
        err = jr_opt_int(given, "max", 1, INT32_MAX, &def->concurrency_max, reading->reterr);
    }
    return err_in_field(reading->reterr, err, "concurrency");
}

static enum err read_labels(const struct reading *reading, struct jr object)
{
    struct job_def *def = reading->def;
    struct jr labels = {0};
    struct jr_iter iter = {0};
    struct str key;
    struct jr value;
    enum err err = jr_opt_object(object, "labels", &labels, reading->reterr);

    if (err != ERR_OK || labels.node == NULL) {
        return err;
    }
    if (jr_count(labels) > LABELS_MAX) {
        err = err_set(reading->reterr, ERR_INVALID, "has more than %d labels", LABELS_MAX);
        return err_in_field(reading->reterr, err, "labels");
    }
    def->labels = arena_zalloc(reading->arena, (jr_count(labels) + 1) * sizeof *def->labels);
    while (err == ERR_OK && jr_next(labels, &iter, &key, &value)) {
        struct str text = {0};

        err = jr_as_str(value, &text, reading->reterr);
        if (err == ERR_OK && (key.len == 0 || key.len > LABEL_BYTES_MAX || text.len > LABEL_BYTES_MAX)) {
            err = err_set(reading->reterr, ERR_INVALID, "keys have 1 to %d bytes, values at most as many",
                          LABEL_BYTES_MAX);
        }
        def->labels[def->label_count++] =
            (struct job_label){.key = reading_keep(reading, key), .value = reading_keep(reading, text)};
    }
    return err_in_field(reading->reterr, err, "labels");
}

/* Later versions of the standard become the one that is known. */
static enum err read_traceparent(const struct reading *reading, struct jr object)
{
    struct str text = {0};
    struct trace trace;
    char known[TRACE_TEXT_BYTES];
    enum err err = jr_opt_str(object, "traceparent", &text, reading->reterr);

    if (err != ERR_OK || text.len == 0) {
        return err;
    }
    if (!trace_parse(text, &trace)) {
        err = err_set(reading->reterr, ERR_INVALID,
                      "must be a W3C traceparent: 00-, 32 lower-case digits, -, 16 more, -, and 01 or 00");
        return err_in_field(reading->reterr, err, "traceparent");
    }
    reading->def->traceparent = reading_keep(reading, str_from(trace_format(&trace, known)));
    return ERR_OK;
}

enum err job_relations_read(const struct reading *reading, struct jr object)
{
    enum err err = read_depends_on(reading, object);

    if (err == ERR_OK) {
        err = read_concurrency(reading, object);
    }
    if (err == ERR_OK) {
        err = read_labels(reading, object);
    }
    if (err == ERR_OK) {
        err = reading_text(reading, object, "created_by", LABEL_BYTES_MAX, &reading->def->created_by);
    }
    return err == ERR_OK ? read_traceparent(reading, object) : err;
}
