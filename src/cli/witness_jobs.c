#include "cli/witness_jobs.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/json_raw.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "cli/field.h"
#include "cli/job_ref.h"
#include "cli/when.h"
#include "wire/def_read.h"
#include "wire/put.h"

/* Jobs looked at to find those to watch. */
#define PAGE_ROWS 500
#define PAGES_MAX 20

void witness_jobs_init(struct witness_jobs *jobs, struct zone_cache *zones)
{
    *jobs = (struct witness_jobs){.zones = zones, .items = mem_alloc_array(WITNESS_JOBS_MAX, sizeof *jobs->items)};
}

void witness_jobs_done(struct witness_jobs *jobs)
{
    mem_free(jobs->items);
}

static void keep(char *out, size_t size, struct str text)
{
    size_t len = text.len < size ? text.len : size - 1;

    if (len > 0) {
        memcpy(out, text.ptr, len);
    }
    out[len] = '\0';
}

static struct witness_job *find(const struct witness_jobs *jobs, struct str id)
{
    for (size_t i = 0; i < jobs->count; i++) {
        if (str_is(id, jobs->items[i].id)) {
            return &jobs->items[i];
        }
    }
    return NULL;
}

static struct witness_job *find_or_add(struct witness_jobs *jobs, struct jr item)
{
    struct witness_job *job = find(jobs, field_str(item, "id"));

    if (job != NULL) {
        return job;
    }
    if (jobs->count == WITNESS_JOBS_MAX) {
        jobs->is_cut = true;
        return NULL;
    }
    job = &jobs->items[jobs->count++];
    *job = (struct witness_job){.next_ms = WHEN_NONE};
    keep(job->id, sizeof job->id, field_str(item, "id"));
    keep(job->tenant, sizeof job->tenant, field_str(item, "tenant"));
    keep(job->name, sizeof job->name, field_str(item, "name"));
    return job;
}

/* ---- schedules ---- */

/* The fields that say when, cut out of a definition. */
static void copy_def(struct str text, struct buf *out)
{
    static const char *const fields[] = {"cron",      "every",   "timezone",  "dst",
                                         "starts_at", "ends_at", "max_fires", "jitter"};
    bool needs_comma = false;

    buf_append_char(out, '{');
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct str value;

        if (jraw_member(text, str_from(fields[i]), &value) && !str_is(value, "null")) {
            buf_printf(out, "%s\"%s\":", needs_comma ? "," : "", fields[i]);
            buf_append_str(out, value);
            needs_comma = true;
        }
    }
    buf_append_char(out, '}');
}

/* An interval counts from a moment that the server keeps to itself; every fire of it will do. */
static void make_schedule(struct witness_jobs *jobs, struct witness_job *job)
{
    SCOPE(arena_done) struct arena arena;
    struct job_def def;

    arena_init(&arena, 4096, 1024 * 1024);
    job->has_schedule = job->def[0] != '\0' && wire_read_job(str_from(job->def), &arena, &def, NULL) == ERR_OK &&
                        (def.when == WHEN_CRON || def.when == WHEN_EVERY) &&
                        job_def_schedule(&def, jobs->zones, 0, str_from(job->id), &job->schedule, NULL) == ERR_OK;
    if (job->has_schedule && def.when == WHEN_EVERY && job->next_ms != WHEN_NONE) {
        job->schedule.first_ms = job->next_ms;
    }
}

void witness_jobs_take(struct witness_jobs *jobs, struct witness_job *job, struct jr item, struct str text)
{
    int64_t version = field_int(item, "version", 0);
    int64_t next_ms = when_field(item, "next_fire_at");
    SCOPE(buf_done) struct buf def;

    job->is_active = str_is(field_str(item, "status"), "active");
    job->is_listed = true;
    if (job->version != version || job->next_ms == WHEN_NONE) { /* new, or changed: what was expected is not any more */
        job->next_ms = next_ms;
        job->is_missing = job->version == version && job->is_missing;
    }
    buf_init(&def, WITNESS_DEF_BYTES - 1);
    if (job->version != version && (field_is_set(item, "cron") || field_is_set(item, "every"))) {
        copy_def(text, &def);
        keep(job->def, sizeof job->def, buf_overflowed(&def) ? STR("") : buf_str(&def));
        make_schedule(jobs, job);
    }
    job->version = version;
}

int64_t witness_job_due_ms(const struct witness_job *job)
{
    uint64_t id;

    if (!job->has_schedule || id_parse(ID_JOB, str_from(job->id), &id, NULL) != ERR_OK) {
        return job->next_ms;
    }
    return schedule_due_ms(&job->schedule, id, job->next_ms);
}

bool witness_job_step(struct witness_job *job)
{
    if (!job->has_schedule || job->schedule.after_finish || job->next_ms == WHEN_NONE) {
        job->next_ms = WHEN_NONE;
        return false;
    }
    if (!schedule_next(&job->schedule, job->next_ms, &job->next_ms)) {
        job->next_ms = WHEN_NONE;
    }
    return job->next_ms != WHEN_NONE;
}

/* ---- from the server ---- */

/* One job in full. */
static int fetch(struct witness_jobs *jobs, struct api *api, struct str id, struct str tenant, struct error *reterr)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    url_path(&url, "/v1/jobs");
    url_segment(&url, id);
    if (tenant.len > 0) {
        url_query(&url, "tenant", tenant);
    }
    int exit_code = api_try(api, &(struct client_request){.method = "GET", .path = url_str(&url)}, reterr);

    if (exit_code == EXIT_DONE) {
        struct witness_job *job = find_or_add(jobs, api->root);

        if (job != NULL) {
            witness_jobs_take(jobs, job, api->root, buf_str(&api->answer.body));
        }
    }
    return exit_code;
}

static int fetch_named(struct witness_jobs *jobs, struct api *api, const struct witness_filter *filter,
                       struct error *reterr)
{
    int exit_code = EXIT_DONE;

    for (size_t i = 0; exit_code == EXIT_DONE && i < filter->names->count; i++) {
        struct str name = filter->names->items[i];
        size_t slash = str_find_char(name, '/');
        struct str tenant = slash < name.len ? (struct str){name.ptr, slash} : filter->tenant;

        exit_code = fetch(jobs, api, slash < name.len ? str_skip(name, slash + 1) : name, tenant, reterr);
        if (exit_code == EXIT_REFUSED && api->answer.status == 404) {
            exit_code = EXIT_DONE; /* it is gone, and no longer watched */
        }
    }
    return exit_code;
}

/* Ids of those on the page that recur and are new or changed. */
struct changed {
    char ids[PAGE_ROWS][32];
    size_t count;
};

static void look_at_page(struct witness_jobs *jobs, struct jr items, struct changed *changed)
{
    changed->count = 0;
    for (size_t i = 0; i < jr_count(items); i++) {
        struct jr item = jr_at(items, i);
        struct witness_job *job = find(jobs, field_str(item, "id"));

        if (!field_is_set(item, "cron") && !field_is_set(item, "every")) {
            continue; /* rule 1 */
        }
        if (job != NULL && job->version == field_int(item, "version", 0)) {
            witness_jobs_take(jobs, job, item, STR(""));
        } else if (changed->count < PAGE_ROWS) {
            keep(changed->ids[changed->count++], 32, field_str(item, "id"));
        }
    }
}

static int list_all(struct witness_jobs *jobs, struct api *api, const struct witness_filter *filter,
                    struct error *reterr)
{
    SCOPE_FREE struct changed *changed = mem_alloc(sizeof *changed);
    char after[512] = "";
    int exit_code = EXIT_DONE;

    for (size_t page = 0; exit_code == EXIT_DONE; page++) {
        SCOPE(url_done) struct url url;

        if (page == PAGES_MAX) {
            jobs->is_cut = true;
            break;
        }
        url_init(&url);
        url_path(&url, "/v1/jobs");
        url_query_int(&url, "limit", PAGE_ROWS);
        url_query(&url, "tenant", filter->tenant);
        url_query(&url, "label", filter->label);
        url_query(&url, "after", after[0] != '\0' ? str_from(after) : (struct str){0});
        exit_code = api_try(api, &(struct client_request){.method = "GET", .path = url_str(&url)}, reterr);
        if (exit_code != EXIT_DONE) {
            break;
        }
        keep(after, sizeof after, field_str(api->root, "next"));
        look_at_page(jobs, jr_get(api->root, "items"), changed);
        for (size_t i = 0; exit_code == EXIT_DONE && i < changed->count && jobs->count < WITNESS_JOBS_MAX; i++) {
            exit_code = fetch(jobs, api, str_from(changed->ids[i]), (struct str){0}, reterr);
            exit_code = exit_code == EXIT_REFUSED && api->answer.status == 404 ? EXIT_DONE : exit_code;
        }
        if (after[0] == '\0') {
            break;
        }
    }
    return exit_code;
}

int witness_jobs_list(struct witness_jobs *jobs, struct api *api, const struct witness_filter *filter,
                      struct error *reterr)
{
    size_t kept = 0;

    for (size_t i = 0; i < jobs->count; i++) {
        jobs->items[i].is_listed = false;
    }
    jobs->is_cut = false;
    int exit_code =
        filter->names->count > 0 ? fetch_named(jobs, api, filter, reterr) : list_all(jobs, api, filter, reterr);

    for (size_t i = 0; exit_code == EXIT_DONE && i < jobs->count; i++) {
        if (jobs->items[i].is_listed) {
            jobs->items[kept++] = jobs->items[i];
        }
    }
    jobs->count = exit_code == EXIT_DONE ? kept : jobs->count;
    return exit_code;
}

/* ---- state ---- */

void witness_jobs_write(const struct witness_jobs *jobs, struct jw *jw)
{
    jw_key(jw, "jobs");
    jw_begin_array(jw);
    for (size_t i = 0; i < jobs->count; i++) {
        const struct witness_job *job = &jobs->items[i];

        jw_begin_object(jw);
        wire_put_word(jw, "id", job->id);
        wire_put_word(jw, "tenant", job->tenant);
        wire_put_word(jw, "name", job->name);
        wire_put_int(jw, "version", job->version);
        wire_put_bool(jw, "active", job->is_active);
        wire_put_instant(jw, "next", job->next_ms);
        wire_put_text(jw, "def", str_from(job->def));
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

void witness_jobs_read(struct witness_jobs *jobs, struct jr root)
{
    struct jr items = jr_get(root, "jobs");

    for (size_t i = 0; i < jr_count(items); i++) {
        struct jr item = jr_at(items, i);
        struct witness_job *job = find_or_add(jobs, item);

        if (job != NULL) {
            job->version = field_int(item, "version", 0);
            job->is_active = field_bool(item, "active");
            job->next_ms = when_field(item, "next");
            keep(job->def, sizeof job->def, field_str(item, "def"));
            make_schedule(jobs, job);
        }
    }
}
