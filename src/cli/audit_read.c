#include "cli/audit_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/field.h"
#include "cli/job_patch.h"
#include "cli/job_ref.h"
#include "cli/json_text.h"
#include "cli/when.h"
#include "wire/put.h"

/* Definitions of one job. */
#define ARENA_BLOCK_BYTES (64 * 1024)
#define ARENA_BYTES_MAX (256UL * 1024 * 1024)
#define PAGES_MAX 100000
#define PAGE_ROWS 500

void audit_job_done(struct audit_job *job)
{
    mem_free(job->versions);
    mem_free(job->decisions);
    arena_done(&job->arena);
}

static int refuse(const struct api *api, struct error *error, const struct audit_job *job)
{
    (void)err_wrap(error, error->code, "%s", job->name);
    return command_refuse(api->name, error);
}

/* The definition among what an answer says about a job. */
static int read_def(const struct api *api, struct audit_job *job, struct str text, struct job_def *ret_def)
{
    SCOPE(buf_done) struct buf fields;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct error error;

    buf_init(&fields, text.len + 4096);
    json_text_lines(text, job_patch_fields, &fields);
    char *kept = arena_strdup_str(&job->arena, buf_str(&fields));
    enum err err = jr_parse(str_from(kept), &json_text_limits, &doc, &error);
    if (err == ERR_OK) {
        err = job_def_read(str_from(kept), jr_root(&doc), &job->arena, ret_def, &error);
    }
    return err == ERR_OK ? EXIT_DONE : refuse(api, &error, job);
}

static void add_version(struct audit_job *job, const struct audit_version *version)
{
    job->versions = mem_realloc_array(job->versions, job->version_count + 1, sizeof job->versions[0]);
    job->versions[job->version_count++] = *version;
}

static int read_head(struct api *api, struct audit_job *job, struct job_def *ret_def)
{
    struct jr root = api->root;
    char name[JOB_REF_BYTES];

    (void)snprintf(job->id, sizeof job->id, "%.*s", STR_ARGS(field_str(root, "id")));
    (void)snprintf(job->status, sizeof job->status, "%.*s", STR_ARGS(field_str(root, "status")));
    (void)snprintf(job->name, sizeof job->name, "%s",
                   job_ref_text(field_str(root, "tenant"), field_str(root, "name"), name));
    job->version = (uint32_t)field_int(root, "version", 1);
    job->created_ms = when_field(root, "created_at");
    job->updated_ms = when_field(root, "updated_at");
    job->cursor_ms = when_field(root, "next_fire_at");
    return read_def(api, job, buf_str(&api->answer.body), ret_def);
}

static int take_versions(struct api *api, struct audit_job *job)
{
    struct jr items = jr_get(api->root, "items");
    struct str text = {0};
    struct str one = {0};
    size_t offset = 0;

    (void)json_text_member(buf_str(&api->answer.body), "items", &text);
    for (size_t i = 0; i < jr_count(items) && json_text_element(text, &offset, &one); i++) {
        struct jr item = jr_at(items, i);
        struct audit_version version = {.version = (uint32_t)field_int(item, "version", 0),
                                        .anchor_ms = when_field(item, "anchor_at")};
        struct str def = {0};

        (void)wire_hash_read(field_str(item, "rules"), &version.rules);
        if (job->version_count == AUDIT_VERSIONS_MAX || !json_text_member(one, "definition", &def)) {
            break;
        }
        int exit_code = read_def(api, job, def, &version.def);
        if (exit_code != EXIT_DONE) {
            return exit_code;
        }
        add_version(job, &version);
    }
    return EXIT_DONE;
}

/* Calls take for each page of a list of the job's. */
static int each_page(struct api *api, struct audit_job *job, const char *rest,
                     int (*take)(struct api *api, struct audit_job *job), struct error *reterr)
{
    char after[513] = "";
    const struct job_ref ref = {.name = str_from(job->id)};

    for (int page = 0; page < PAGES_MAX; page++) {
        SCOPE(url_done) struct url url;

        url_init(&url);
        job_ref_url(&ref, rest, &url);
        url_query_int(&url, "limit", PAGE_ROWS);
        url_query(&url, "after", after[0] != '\0' ? str_from(after) : (struct str){0});
        int exit_code = api_try(api, &(struct client_request){.method = "GET", .path = url_str(&url)}, reterr);
        if (exit_code != EXIT_DONE) {
            return exit_code;
        }
        reterr->code = ERR_OK; /* from here on what fails is said by take */
        exit_code = take(api, job);
        if (exit_code != EXIT_DONE) {
            return exit_code;
        }
        struct str next = field_str(api->root, "next");
        if (next.len == 0 || next.len >= sizeof after) {
            break;
        }
        (void)snprintf(after, sizeof after, "%.*s", (int)next.len, next.ptr);
    }
    return EXIT_DONE;
}

static int compare_versions(const void *a, const void *b)
{
    const struct audit_version *left = a;
    const struct audit_version *right = b;

    return left->version < right->version ? -1 : left->version > right->version;
}

/* A server that does not tell of versions can be audited where there is but one; else from where the ledger knows of
 * the last one. */
static int read_versions(struct api *api, struct audit_job *job, const struct job_def *current)
{
    struct error error = {0};
    int exit_code = each_page(api, job, "/versions", take_versions, &error);
    bool is_unknown = exit_code == EXIT_REFUSED && (api->answer.status == 404 || api->answer.status == 405);

    if (exit_code != EXIT_DONE && !is_unknown) {
        const struct client_request request = {.method = "GET"};

        return error.code == ERR_OK ? exit_code : api_refuse(api, &request, exit_code, &error);
    }
    if (job->version_count == 0) {
        const struct audit_version only = {job->version, job->created_ms, 0, *current};

        add_version(job, &only);
        job->is_partial = job->version > 1;
    }
    qsort(job->versions, job->version_count, sizeof job->versions[0], compare_versions);
    return EXIT_DONE;
}

static int add_decision(struct api *api, struct audit_job *job, const struct audit_decision *decision)
{
    struct error error;

    if (job->decision_count == AUDIT_DECISIONS_MAX) {
        (void)err_set(&error, ERR_TOO_LARGE, "the ledger has more than %d entries; audit a part of it with --since",
                      AUDIT_DECISIONS_MAX);
        return refuse(api, &error, job);
    }
    if (job->decision_count == job->decision_room) {
        job->decision_room = job->decision_room == 0 ? 1024 : 2 * job->decision_room;
        job->decisions = mem_realloc_array(job->decisions, job->decision_room, sizeof job->decisions[0]);
    }
    job->decisions[job->decision_count++] = *decision;
    return EXIT_DONE;
}

static int take_ledger(struct api *api, struct audit_job *job)
{
    struct jr items = jr_get(api->root, "items");
    int exit_code = EXIT_DONE;

    for (size_t i = 0; exit_code == EXIT_DONE && i < jr_count(items); i++) {
        struct jr item = jr_at(items, i);
        bool is_trigger = str_is(field_str(item, "record"), "trigger");
        bool is_schedule = is_trigger && str_is(field_str(item, "kind"), "schedule");
        bool is_skip = str_is(field_str(item, "record"), "skip");
        struct audit_decision decision = {
            .version = (uint32_t)field_int(item, "version", 0),
            .ended_ms = when_field(item, "finished_at"),
        };

        if (is_schedule) {
            decision.decision.from_ms = when_field(item, "scheduled_for");
            decision.decision.to_ms = decision.decision.from_ms;
            decision.decision.count = 1;
        } else if (is_skip) {
            decision.decision.from_ms = when_field(item, "from");
            decision.decision.to_ms = when_field(item, "to");
            decision.decision.count = field_int(item, "count", 0);
        }
        bool is_later = job->cursor_ms != WHEN_NONE && decision.decision.from_ms >= job->cursor_ms;
        if ((is_schedule || is_skip) && !is_later) {
            exit_code = add_decision(api, job, &decision);
        }
    }
    return exit_code;
}

static int compare_decisions(const void *a, const void *b)
{
    return ledger_compare(&((const struct audit_decision *)a)->decision, &((const struct audit_decision *)b)->decision);
}

static void drop_before(struct audit_job *job, int64_t since_ms)
{
    size_t kept = 0;

    for (size_t i = 0; i < job->decision_count; i++) {
        if (since_ms == WHEN_NONE || job->decisions[i].decision.from_ms > since_ms) {
            job->decisions[kept++] = job->decisions[i];
        }
    }
    job->decision_count = kept;
}

static int read_all(struct api *api, struct audit_job *job, const struct url *url, int64_t since_ms)
{
    struct job_def current;
    struct error error = {0};
    int exit_code = api_get(api, url);

    if (exit_code == EXIT_DONE) {
        exit_code = read_head(api, job, &current);
    }
    if (exit_code == EXIT_DONE) {
        exit_code = read_versions(api, job, &current);
    }
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    exit_code = each_page(api, job, "/triggers", take_ledger, &error);
    if (exit_code != EXIT_DONE) {
        const struct client_request request = {.method = "GET"};

        return error.code == ERR_OK ? exit_code : api_refuse(api, &request, exit_code, &error);
    }
    if (job->decision_count > 0) {
        qsort(job->decisions, job->decision_count, sizeof job->decisions[0], compare_decisions);
    }
    drop_before(job, since_ms);
    return EXIT_DONE;
}

int audit_job_read(struct api *api, const struct command *command, struct str ref, struct str tenant, int64_t since_ms,
                   struct audit_job *ret_job)
{
    const struct job_ref where = {.tenant = tenant, .name = ref};
    SCOPE(url_done) struct url url;

    (void)command;
    *ret_job = (struct audit_job){0};
    arena_init(&ret_job->arena, ARENA_BLOCK_BYTES, ARENA_BYTES_MAX);
    url_init(&url);
    job_ref_url(&where, "", &url);
    return read_all(api, ret_job, &url, since_ms);
}
