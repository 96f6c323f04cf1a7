#include "cli/job_patch.h"

#include "base/json.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "cli/json_text.h"

const char *const job_patch_fields[] = {
    "run_at",      "delay",         "cron",    "every",       "depends_on",  "timezone",
    "dst",         "starts_at",     "ends_at", "max_fires",   "jitter",      "overlap",
    "misfire",     "misfire_after", "retry",   "timeout",     "lease",       "expires_after",
    "dead_policy", "type",          "pool",    "priority",    "concurrency", "labels",
    "created_by",  "target",        "payload", "traceparent", NULL,
};

/* The ways of saying when; a job has one of them. */
static const char *const when_fields[] = {"run_at", "delay", "cron", "every", "depends_on", NULL};

/* Objects whose members are options of their own. */
static const char *const merged_fields[] = {"retry", "dst", "concurrency", NULL};

static const char *const formula[] = {"base", "factor", "max", NULL};
static const char *const delays[] = {"delays", NULL};

/* The two forms of a retry exclude each other: which members of the one that is there go. */
static const char *const *dropped_by(struct str wanted)
{
    struct str ignored;

    if (json_text_member(wanted, "delays", &ignored)) {
        return formula;
    }
    for (size_t i = 0; formula[i] != NULL; i++) {
        if (json_text_member(wanted, formula[i], &ignored)) {
            return delays;
        }
    }
    return NULL;
}

static void put_merged(struct jw *jw, struct str key, struct str current, struct str value)
{
    SCOPE(buf_done) struct buf whole;

    buf_init(&whole, current.len + value.len + 64);
    json_text_overlay(current, value, str_is(key, "retry") ? dropped_by(value) : NULL, &whole);
    jw_raw(jw, buf_str(&whole));
}

/* Where the patch says when in another way than the job, the job's own way goes. */
static void put_nulls(struct jw *jw, struct str current, struct str wanted)
{
    bool says_when = false;
    struct str ignored;

    for (size_t i = 0; when_fields[i] != NULL; i++) {
        says_when = says_when || json_text_member(wanted, when_fields[i], &ignored);
    }
    for (size_t i = 0; says_when && when_fields[i] != NULL; i++) {
        if (json_text_member(current, when_fields[i], &ignored) &&
            !json_text_member(wanted, when_fields[i], &ignored)) {
            jw_key(jw, when_fields[i]);
            jw_null(jw);
        }
    }
}

void job_patch_merge(struct str current, struct str wanted, struct buf *out)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr_iter iter = {0};
    struct jr ignored;
    struct str key;
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    if (jr_parse(wanted, &json_text_limits, &doc, NULL) == ERR_OK) {
        while (jr_next(jr_root(&doc), &iter, &key, &ignored)) {
            struct str value = {0};
            struct str there = {0};
            bool is_merged = str_index_in(key, merged_fields) >= 0;

            (void)json_text_member(wanted, key.ptr, &value); /* keys end with a NUL, as all strings of a tree do */
            jw_key_str(&jw, key);
            if (is_merged && value.ptr[0] == '{' && json_text_member(current, key.ptr, &there) && there.ptr[0] == '{') {
                put_merged(&jw, key, there, value);
            } else {
                jw_raw(&jw, value);
            }
        }
    }
    put_nulls(&jw, current, wanted);
    jw_end_object(&jw);
}

bool job_patch_difference(struct str before, struct str after, struct buf *out)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr_iter iter = {0};
    struct jr ignored;
    struct str key, old, new;
    bool has_changed = false;
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    if (jr_parse(after, &json_text_limits, &doc, NULL) == ERR_OK) {
        while (jr_next(jr_root(&doc), &iter, &key, &ignored)) {
            bool is_there = json_text_member(before, key.ptr, &old);

            if (json_text_member(after, key.ptr, &new) && (!is_there || !str_equal(old, new))) {
                jw_key_str(&jw, key);
                jw_raw(&jw, new);
                has_changed = true;
            }
        }
    }
    for (size_t i = 0; job_patch_fields[i] != NULL; i++) {
        if (json_text_member(before, job_patch_fields[i], &old) &&
            !json_text_member(after, job_patch_fields[i], &new)) {
            jw_key(&jw, job_patch_fields[i]);
            jw_null(&jw);
            has_changed = true;
        }
    }
    jw_end_object(&jw);
    return has_changed;
}
