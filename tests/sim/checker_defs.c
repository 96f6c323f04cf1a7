#include "base/buf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/json_raw.h"
#include "base/mem.h"
#include "checker_state.h"

/* ---- versions ---- */

struct def_version *checker_version(const struct job *job, uint32_t version)
{
    struct def_version *def = job->now;

    while (def != NULL && def->version > version) {
        def = def->older;
    }
    return def != NULL && def->version == version ? def : NULL;
}

/* Into the chain, which is by version, newest first. */
static void link_version(struct job *job, struct def_version *def)
{
    struct def_version **at = &job->now;

    while (*at != NULL && (*at)->version > def->version) {
        at = &(*at)->older;
    }
    def->older = *at;
    *at = def;
}

static enum err read_text(struct checker *checker, struct def_version *def, struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    enum err err = jr_parse(def->text, NULL, &doc, reterr);

    return err != ERR_OK ? err : job_def_read(def->text, jr_root(&doc), &checker->forever, &def->def, reterr);
}

struct def_version *checker_add_version(struct checker *checker, struct job *job, struct str text, uint32_t version,
                                        int64_t anchor_ms)
{
    struct def_version *def = arena_zalloc(&checker->forever, sizeof *def);
    struct error error = {0};
    char id[ID_TEXT_BYTES];

    *def = (struct def_version){.version = version, .anchor_ms = anchor_ms, .text = checker_copy(checker, text)};
    enum err err = read_text(checker, def, &error);
    def->has_schedule = def->def.when != WHEN_UPSTREAM;
    if (err == ERR_OK && def->has_schedule) {
        id_format(ID_JOB, job->by_id.key.number, id);
        err = job_def_schedule(&def->def, checker->config.zones, anchor_ms, str_from(id), &def->schedule, &error);
    }
    if (!checker_expect(checker, RULE_ROW, err == ERR_OK, "version %u of %s cannot be read: %s", version,
                        checker_job_text(job), error.text)) {
        return NULL;
    }
    link_version(job, def);
    return def;
}

bool checker_is_unedited(const struct job_change *change)
{
    uint32_t version = change->job->row.version;

    return change->job->is_there &&
           (change->def_before != NULL ? change->def_before->version == version : version == 1);
}

bool checker_is_once(const struct job *job)
{
    return job->now != NULL && (job->now->has_schedule ? job->now->schedule.kind == SCHEDULE_ONCE : job->was_once);
}

/* ---- the graph ---- */

/* Jobs still to be looked at: a list through the jobs themselves, each in it once. */
bool checker_reaches(struct checker *checker, const struct job *root, struct job *job)
{
    struct job *todo = job;

    checker->last_mark++;
    job->mark = checker->last_mark;
    job->next_marked = NULL;
    while (todo != NULL) {
        struct job *one = todo;

        if (one == root) {
            return true;
        }
        todo = one->next_marked;
        for (struct list_node *node = list_first(&one->upstreams); node != NULL;
             node = list_next(&one->upstreams, node)) {
            struct job *upstream = CONTAINER_OF(node, struct edge, in_up)->upstream;

            if (upstream->mark != checker->last_mark) {
                upstream->mark = checker->last_mark;
                upstream->next_marked = todo;
                todo = upstream;
            }
        }
    }
    return false;
}

/* Deeper than any chain of definitions in one request. */
#define CHAIN_MAX 10000

const struct job *checker_resolve(struct checker *checker, const struct job *job, struct str name)
{
    uint64_t id;

    if (id_parse(ID_JOB, name, &id, NULL) == ERR_OK) {
        return checker_job(checker, id);
    }
    return checker_job_named(checker, job->now->def.tenant, name);
}

bool checker_is_once_by_name(struct checker *checker, const struct job *job, bool otherwise)
{
    for (int i = 0; i < CHAIN_MAX && job != NULL && job->now != NULL; i++) {
        const struct job_def *def = &job->now->def;

        if (i > 0 && (job->now->has_schedule || job->inserted_batch != checker->view.number)) {
            return checker_is_once(job);
        }
        const struct job *upstream = NULL;
        for (size_t j = 0; j < def->depends_on_count && upstream == NULL; j++) {
            upstream = checker_resolve(checker, job, def->depends_on[j].job);
        }
        job = upstream;
    }
    return otherwise;
}

/* ---- policies ---- */

static void add_retry(struct checker_policies *policies, const struct retry *retry)
{
    for (size_t i = 0; i < policies->retry_count; i++) {
        if (retry_equal(&policies->retries[i], retry)) {
            return;
        }
    }
    if (policies->retry_count < CHECKER_POLICIES_MAX) {
        policies->retries[policies->retry_count++] = *retry;
    }
}

static void add_timeout(struct checker_policies *policies, int64_t timeout_ms)
{
    if (timeout_ms != SETTING_NONE && policies->timeout_count < CHECKER_POLICIES_MAX) {
        policies->timeouts_ms[policies->timeout_count++] = timeout_ms;
    }
}

static void add_one(struct checker_policies *policies, const struct settings *settings, bool has_retry,
                    bool has_timeout)
{
    if (!has_retry && settings->has_retry) {
        add_retry(policies, &settings->retry);
    }
    if (!has_timeout) {
        add_timeout(policies, settings->timeout_ms);
    }
}

static void add_settings(struct checker *checker, struct checker_policies *policies, const struct scope_state *scope,
                         bool has_retry, bool has_timeout)
{
    bool is_changed = scope->changed_batch == checker->view.number && checker->view.batch != NULL;

    add_one(policies, &scope->settings, has_retry, has_timeout);
    for (const struct settings_seen *seen = is_changed ? scope->seen : NULL; seen != NULL; seen = seen->next) {
        add_one(policies, &seen->settings, has_retry, has_timeout);
    }
}

void checker_policies(struct checker *checker, const struct job *job, uint32_t since, struct checker_policies *ret)
{
    struct retry usual = retry_default();

    *ret = (struct checker_policies){0};
    if (since == 0) {
        since = job->change != NULL && job->change->def_before != NULL ? job->change->def_before->version
                                                                       : job->row.version;
    }
    for (const struct def_version *def = job->now; def != NULL && def->version >= since; def = def->older) {
        bool has_retry = !retry_equal(&def->def.retry, &usual);
        bool has_timeout = def->def.timeout_ms != JOB_TIMEOUT_DEFAULT_MS;

        add_retry(ret, &def->def.retry);
        add_timeout(ret, def->def.timeout_ms);
        add_settings(checker, ret, checker_scope_get(checker, SCOPE_TENANT, STR(""), def->def.tenant), has_retry,
                     has_timeout);
        add_settings(checker, ret, checker_scope_get(checker, SCOPE_TYPE, STR(""), def->def.type), has_retry,
                     has_timeout);
    }
}

/* ---- patches ---- */

/* The ways of saying when: a patch that names one of them takes the place of the others. */
static const char *const whens[] = {"run_at", "delay", "cron", "every", NULL};

static bool names_when(struct jr patch)
{
    for (size_t i = 0; whens[i] != NULL; i++) {
        if (jr_has(patch, whens[i])) {
            return true;
        }
    }
    return false;
}

static void append_field(struct buf *out, struct str key, struct str value)
{
    buf_printf(out, "%s\"%.*s\":", out->len > 1 ? "," : "", STR_ARGS(key));
    buf_append_str(out, value);
}

static void merge(struct jr old, struct str old_text, struct jr patch, struct str patch_text, bool keep_when,
                  struct buf *out)
{
    bool drop_when = !keep_when && names_when(patch);
    struct jr_iter iter = {0};
    struct str key;
    struct str raw;
    struct jr value;

    buf_append_char(out, '{');
    while (jr_next(old, &iter, &key, &value)) {
        char name[64] = {0};

        memcpy(name, key.ptr, key.len < sizeof name ? key.len : sizeof name - 1);
        if (!jr_has(patch, name) && !(drop_when && str_index_in(key, whens) >= 0) && jraw_member(old_text, key, &raw)) {
            append_field(out, key, raw);
        }
    }
    iter = (struct jr_iter){0};
    while (jr_next(patch, &iter, &key, &value)) {
        if (jr_kind(value) != JR_NULL && jraw_member(patch_text, key, &raw)) {
            append_field(out, key, raw);
        }
    }
    buf_append_char(out, '}');
}

/* The canonical form of a definition; empty where it is none. */
static struct str canonical(struct checker *checker, struct str text)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    SCOPE(buf_done) struct buf out;
    struct job_def def;

    buf_init(&out, 2UL * JSON_BYTES_MAX);
    if (jr_parse(text, NULL, &doc, NULL) != ERR_OK ||
        job_def_read(text, jr_root(&doc), &checker->of_batch, &def, NULL) != ERR_OK) {
        return STR("");
    }
    job_def_write(&def, &out);
    return str_from_bytes(arena_strdup_str(&checker->of_batch, buf_str(&out)), out.len);
}

struct str checker_patched(struct checker *checker, struct str def, struct str patch, bool keep_when)
{
    SCOPE(jr_done) struct jr_doc old_doc = {0};
    SCOPE(jr_done) struct jr_doc patch_doc = {0};
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 2UL * JSON_BYTES_MAX);
    if (jr_parse(def, NULL, &old_doc, NULL) != ERR_OK || jr_parse(patch, NULL, &patch_doc, NULL) != ERR_OK) {
        return STR("");
    }
    merge(jr_root(&old_doc), def, jr_root(&patch_doc), patch, keep_when, &out);
    return canonical(checker, buf_str(&out));
}
