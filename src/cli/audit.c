/* audit: recomputes every schedule from its definition's versions and proves that each fire time has exactly one
 * decision.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chrono.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "cli/audit_read.h"
#include "cli/audit_rules.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_ref.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/when.h"

#define PAGE_ROWS 500
#define PAGES_MAX 100000
/* What is found is shown up to here, and counted on. */
#define FINDINGS_SHOWN 1000
#define FINDING_BYTES 1024

struct audit_options {
    struct api_options api;
    struct str tenant;
    struct str since;
};

struct audit {
    const struct command *command;
    const struct audit_options *options;
    struct api api;
    struct zone_cache *zones;
    struct audit_rules rules;
    int64_t since_ms;
    int64_t jobs;
    int64_t fires;   /* with a decision */
    int64_t unasked; /* jobs that have no schedule of their own */
    int64_t partial; /* jobs whose earlier versions are not told */
    int64_t findings;
    const struct audit_job *job; /* at hand */
    struct progress progress;    /* of all jobs */
    struct buf json;             /* its findings, one object after the other */
};

static void report(void *context, const struct ledger_finding *finding)
{
    struct audit *audit = context;
    char at[WHEN_BYTES];
    char instant[INSTANT_BYTES];
    char safe[SHOW_SAFE_BYTES];
    struct jw jw;

    if (++audit->findings > FINDINGS_SHOWN) {
        return;
    }
    if (!audit->api.is_json) {
        progress_wipe(&audit->progress);
        (void)printf("%s  %-10s  %s  %lld fire%s\n", when_exact(finding->at_ms, at), ledger_fault_text(finding->fault),
                     show_safe(str_from(audit->job->name), safe), (long long)finding->count,
                     finding->count == 1 ? "" : "s");
        return;
    }
    buf_append_text(&audit->json, audit->json.len > 0 ? "," : "");
    jw_init(&jw, &audit->json);
    jw_begin_object(&jw);
    jw_key(&jw, "job");
    jw_text(&jw, audit->job->id);
    jw_key(&jw, "name");
    jw_text(&jw, audit->job->name);
    jw_key(&jw, "finding");
    jw_text(&jw, ledger_fault_text(finding->fault));
    jw_key(&jw, "at");
    jw_text(&jw, instant_format(finding->at_ms, instant));
    jw_key(&jw, "count");
    jw_int(&jw, finding->count);
    jw_end_object(&jw);
}

/* Up to when the last schedule's fires must be decided: before the cursor; where there is none, up to when the job
 * ended or, where it lives on, up to its last decision (max_fires is reached, or a run decides when the next is). */
static int64_t end_of_last(const struct audit_job *job)
{
    if (job->cursor_ms != WHEN_NONE) {
        return job->cursor_ms - 1;
    }
    if (strcmp(job->status, "cancelled") == 0) {
        return job->updated_ms;
    }
    return job->decision_count > 0 ? job->decisions[job->decision_count - 1].decision.to_ms : job->created_ms;
}

/* The decisions of versions [first, behind) of the job, in order. */
static size_t pick(const struct audit_job *job, uint32_t first, uint32_t behind, struct ledger_decision *out)
{
    size_t count = 0;

    for (size_t i = 0; i < job->decision_count; i++) {
        if (job->decisions[i].version >= first && job->decisions[i].version < behind) {
            out[count++] = job->decisions[i].decision;
        }
    }
    return count;
}

/* A one-time job: one decision once it is decided, none before. */
static void audit_once(struct audit *audit, const struct schedule *schedule, const struct ledger_decision *decisions,
                       size_t count)
{
    const struct audit_job *job = audit->job;
    bool is_over = job->cursor_ms == WHEN_NONE && strcmp(job->status, "cancelled") != 0;

    if (count > 1) {
        report(audit, &(struct ledger_finding){LEDGER_TWICE, decisions[1].from_ms, (int64_t)count - 1});
    } else if (count == 0 && is_over && audit->since_ms == WHEN_NONE && !job->is_partial) {
        report(audit, &(struct ledger_finding){LEDGER_MISSED, schedule->once_ms, 1});
    }
    audit->fires += (int64_t)count;
}

/* Counted from the end of each run: no fire is earlier than its interval after the run before. */
static void audit_after_finish(struct audit *audit, const struct schedule *schedule)
{
    const struct audit_job *job = audit->job;

    for (size_t i = 1; i < job->decision_count; i++) {
        const struct audit_decision *before = &job->decisions[i - 1];
        const struct ledger_decision *decision = &job->decisions[i].decision;

        if (decision->from_ms == before->decision.from_ms) {
            report(audit, &(struct ledger_finding){LEDGER_TWICE, decision->from_ms, 1});
        } else if (before->ended_ms != WHEN_NONE && before->version == job->decisions[i].version &&
                   decision->from_ms < before->ended_ms + schedule->every_ms) {
            report(audit, &(struct ledger_finding){LEDGER_FOREIGN, decision->from_ms, 1});
        }
    }
    audit->fires += (int64_t)job->decision_count;
}

static enum err schedule_of(struct audit *audit, const struct audit_version *version, struct schedule *ret_schedule,
                            struct error *reterr)
{
    audit_rules_need(&audit->rules, &audit->api, audit->zones, version->rules);
    return job_def_schedule_by_rules(&version->def, audit->zones, version->rules, version->anchor_ms,
                                     str_from(audit->job->id), ret_schedule, reterr);
}

/* One schedule's time: from its version's anchor to the next version that has another. */
static enum err audit_stretch(struct audit *audit, size_t index, size_t behind, struct ledger_decision *room,
                              struct error *reterr)
{
    const struct audit_job *job = audit->job;
    const struct audit_version *version = &job->versions[index];
    bool is_last = behind == job->version_count;
    struct schedule schedule;
    enum err err = schedule_of(audit, version, &schedule, reterr);
    uint32_t first = job->is_partial ? job->version : version->version;
    size_t count = pick(job, first, is_last ? UINT32_MAX : job->versions[behind].version, room);

    if (err != ERR_OK) {
        return err;
    }
    if (schedule.kind == SCHEDULE_ONCE) {
        audit_once(audit, &schedule, room, count);
        return ERR_OK;
    }
    struct ledger_stretch stretch = {
        .schedule = &schedule,
        .from_ms = version->anchor_ms,
        .to_ms = is_last ? end_of_last(job) : job->versions[behind].anchor_ms,
        .is_edited_away = !is_last,
    };
    if (job->is_partial) { /* what was before its first decision is not known */
        stretch.from_ms = count > 0 ? room[0].from_ms - 1 : stretch.to_ms;
    }
    stretch.from_ms =
        audit->since_ms != WHEN_NONE && audit->since_ms > stretch.from_ms ? audit->since_ms : stretch.from_ms;
    audit->fires += ledger_audit(&stretch, room, count, report, audit);
    return ERR_OK;
}

static enum err audit_versions(struct audit *audit, struct error *reterr)
{
    const struct audit_job *job = audit->job;
    const struct audit_version *last = &job->versions[job->version_count - 1];
    SCOPE_FREE struct ledger_decision *room = mem_alloc_array(job->decision_count + 1, sizeof *room);
    enum err err = ERR_OK;

    audit->partial += job->is_partial;
    if (last->def.when == WHEN_UPSTREAM) {
        audit->unasked++;
        return ERR_OK;
    }
    if (last->def.when == WHEN_EVERY && last->def.after_finish) {
        struct schedule schedule;

        err = schedule_of(audit, last, &schedule, reterr);
        if (err == ERR_OK) {
            audit_after_finish(audit, &schedule);
        }
        return err;
    }
    for (size_t i = 0, behind; err == ERR_OK && i < job->version_count; i = behind) {
        behind = i + 1;
        while (behind < job->version_count && job->versions[behind].anchor_ms == job->versions[i].anchor_ms &&
               job->versions[behind].rules == job->versions[i].rules) {
            behind++;
        }
        if (job->versions[i].def.when != WHEN_UPSTREAM) {
            err = audit_stretch(audit, i, behind, room, reterr);
        }
    }
    return err;
}

static int audit_one(struct audit *audit, struct str name, struct str tenant)
{
    struct audit_job job;
    struct error error;
    int exit_code = audit_job_read(&audit->api, audit->command, name, tenant, audit->since_ms, &job);

    audit->job = &job;
    if (exit_code == EXIT_DONE && audit_versions(audit, &error) != ERR_OK) {
        (void)err_wrap(&error, error.code, "%s", job.name);
        exit_code = command_refuse(audit->command->name, &error);
    }
    audit->jobs += exit_code == EXIT_DONE;
    audit->job = NULL;
    audit_job_done(&job);
    return exit_code;
}

/* Ids of a page are copied, since auditing asks for more. */
static int audit_page(struct audit *audit)
{
    struct jr items = jr_get(audit->api.root, "items");
    size_t count = jr_count(items);
    SCOPE_FREE char(*ids)[32] = mem_alloc_array(count + 1, sizeof *ids);
    int exit_code = EXIT_DONE;

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%.*s", STR_ARGS(field_str(jr_at(items, i), "id")));
    }
    for (size_t i = 0; exit_code == EXIT_DONE && i < count; i++) {
        exit_code = audit_one(audit, str_from(ids[i]), (struct str){0});
        progress_at(&audit->progress, audit->jobs);
    }
    return exit_code;
}

static int audit_all(struct audit *audit)
{
    char after[513] = "";
    int exit_code = EXIT_DONE;

    audit->progress = progress_begin("jobs", 0);
    for (int page = 0; exit_code == EXIT_DONE && page < PAGES_MAX; page++) {
        SCOPE(url_done) struct url url;

        url_init(&url);
        url_path(&url, "/v1/jobs");
        url_query(&url, "tenant", audit->options->tenant);
        url_query_int(&url, "limit", PAGE_ROWS);
        url_query(&url, "after", after[0] != '\0' ? str_from(after) : (struct str){0});
        exit_code = api_get(&audit->api, &url);
        if (exit_code != EXIT_DONE) {
            break;
        }
        struct str next = field_str(audit->api.root, "next");
        (void)snprintf(after, sizeof after, "%.*s", (int)(next.len < sizeof after ? next.len : 0),
                       next.len > 0 ? next.ptr : "");
        exit_code = audit_page(audit);
        if (after[0] == '\0') {
            break;
        }
    }
    progress_wipe(&audit->progress);
    return exit_code;
}

static int tell(const struct audit *audit)
{
    if (audit->api.is_json) {
        (void)printf("{\"jobs\":%lld,\"fires\":%lld,\"without_schedule\":%lld,\"partial\":%lld,\"faults\":%lld,"
                     "\"findings\":[%s]}\n",
                     (long long)audit->jobs, (long long)audit->fires, (long long)audit->unasked,
                     (long long)audit->partial, (long long)audit->findings, buf_text(&audit->json));
    } else {
        (void)printf("%lld job%s, %lld fire%s decided: ", (long long)audit->jobs, audit->jobs == 1 ? "" : "s",
                     (long long)audit->fires, audit->fires == 1 ? "" : "s");
        if (audit->findings == 0) {
            (void)printf("each fire time has exactly one decision\n");
        } else {
            (void)printf("%lld fault%s\n", (long long)audit->findings, audit->findings == 1 ? "" : "s");
        }
        if (audit->unasked > 0) {
            (void)printf("%lld of the jobs follow others and have no schedule of their own\n",
                         (long long)audit->unasked);
        }
        if (audit->partial > 0) {
            (void)printf("of %lld jobs only the last version could be looked at\n", (long long)audit->partial);
        }
    }
    return audit->findings == 0 ? EXIT_DONE : EXIT_REFUSED;
}

static int audit_named(struct audit *audit, const struct arguments *arguments)
{
    int exit_code = EXIT_DONE;

    for (int i = 0; exit_code == EXIT_DONE && i < arguments->count; i++) {
        struct job_ref ref;
        struct error error;

        if (job_ref_read(arguments->rest[i], audit->options->tenant, &ref, &error) != ERR_OK) {
            return command_usage(audit->command->name, "%s", error.text);
        }
        exit_code = audit_one(audit, ref.name, ref.tenant);
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct audit_options options = {0};
    struct arguments arguments;
    struct error error;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    struct audit audit = {.command = command, .options = &options, .since_ms = WHEN_NONE};
    if (options.since.ptr != NULL && instant_parse(options.since, &audit.since_ms, &error) != ERR_OK) {
        return command_usage(command->name, "--since: %s", error.text);
    }
    int exit_code = api_open(&audit.api, command, &options.api);
    audit.zones = zone_cache_new(getenv("TZDIR"));
    buf_init(&audit.json, 2 * FINDINGS_SHOWN * FINDING_BYTES);
    if (exit_code == EXIT_DONE) {
        exit_code = arguments.count > 0 ? audit_named(&audit, &arguments) : audit_all(&audit);
    }
    if (exit_code == EXIT_DONE) {
        exit_code = tell(&audit);
    }
    buf_done(&audit.json);
    zone_cache_free(audit.zones);
    api_close(&audit.api);
    return exit_code;
}

static const struct option table[] = {
    {"tenant", "TENANT", "only this tenant's jobs", offsetof(struct audit_options, tenant)},
    {"since", "TIME", "only fires after this instant", offsetof(struct audit_options, since)},
    {0},
};

const struct command command_audit = {
    .name = "audit",
    .group = "Operating",
    .summary = "prove that every fire time has exactly one decision",
    .usage = "belfry audit [JOB...] [options]     recomputes schedules and compares them with the fire ledger\n",
    .text =
        "Ends with 1 where a fire was missed, was decided twice, or is none of its schedule's. Time zones have the\n"
        "rules that the server kept with each version.\n",
    .options = table,
    .is_api = true,
    .run = run,
};
