/* events: every transition as it becomes durable, until it is interrupted. */
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_ref.h"
#include "cli/job_view.h"
#include "cli/api.h"
#include "cli/show.h"
#include "cli/term.h"
#include "cli/when.h"

#define RETRY_MS 1000
#define RETRY_MAX_MS 10000
/* A server that cannot be reached so often in a row is gone. */
#define RETRIES_MAX 30

struct events_options {
    struct api_options api;
    struct str tenant, type, pool, job, event, count, last_id;
};

struct follower {
    struct api *api;
    struct term term;
    int64_t left; /* events to show; -1: all */
    bool has_seen;
};

static void print_line(const struct follower *follower, struct jr event)
{
    struct str kind = field_str(event, "event");
    struct str status = field_str(event, "status");
    struct str tenant = field_str(event, "tenant");
    struct str job_name = field_str(event, "name");
    struct str job = field_str(event, "job");
    enum style style = job_view_style(status);
    char exact[WHEN_BYTES];
    char safe[SHOW_SAFE_BYTES];
    char name[JOB_REF_BYTES];
    char error[JOB_VIEW_BYTES];

    (void)printf("%s  %-18s", when_exact(when_field(event, "at"), exact), show_safe(kind, safe));
    (void)printf("  %s", show_safe(job_name.len > 0 ? str_from(job_ref_text(tenant, job_name, name)) : job, safe));
    if (status.len > 0) {
        (void)printf("  %s%s%s", term_style(follower->term.is_coloured, style), show_safe(status, safe),
                     term_plain(follower->term.is_coloured, style));
    }
    if (field_is_set(event, "duration_ms")) {
        (void)printf("  %s", when_length(field_int(event, "duration_ms", -1), exact));
    }
    if (field_is_set(event, "reason")) {
        (void)printf("  %s", show_safe(field_str(event, "reason"), safe));
    }
    if (field_is_set(event, "count")) {
        (void)printf("  %lld", (long long)field_int(event, "count", 0));
    }
    if (field_is_set(event, "error")) {
        (void)printf("  %s", show_safe(str_from(job_view_error(jr_get(event, "error"), error)), safe));
    }
    if (field_is_set(event, "attempt")) {
        (void)printf("  %s", show_safe(field_str(event, "attempt"), safe));
    }
    (void)printf("\n");
}

static bool take(void *context, const struct sse_event *event)
{
    struct follower *follower = context;
    SCOPE(jr_done) struct jr_doc doc = {0};

    follower->has_seen = true;
    if (follower->api->is_json) {
        (void)fwrite(event->data.ptr, 1, event->data.len, stdout);
        (void)fputc('\n', stdout);
    } else if (jr_parse(event->data, NULL, &doc, NULL) == ERR_OK) {
        print_line(follower, jr_root(&doc));
    }
    if (fflush(stdout) != 0) {
        return false; /* nobody reads it any more; main says so */
    }
    follower->left -= follower->left > 0;
    return follower->left != 0;
}

/* Comes back where the connection breaks, behind the last event that was seen. */
static int follow(struct api *api, const struct url *url, struct sse *sse, struct follower *follower)
{
    const struct client_request request = {.method = "GET", .path = url_str(url)};
    struct error error;

    for (int failures = 0; failures <= RETRIES_MAX; failures++) {
        follower->has_seen = false;
        enum err err = client_stream(api->client, url_str(url), sse, &api->answer, &error);

        if (err == ERR_OK && api->answer.status == 200) {
            return EXIT_DONE;
        }
        if (err == ERR_OK) {
            return api_refuse(api, &request, EXIT_REFUSED, &api->answer.problem.error);
        }
        if (sse->id[0] == '\0' && !follower->has_seen && failures == 0) {
            break; /* it was never there */
        }
        failures = follower->has_seen ? 0 : failures;
        int64_t wait_ms = sse->retry_ms >= 0 ? sse->retry_ms : RETRY_MS;
        (void)usleep((useconds_t)(1000 * (wait_ms < RETRY_MAX_MS ? wait_ms : RETRY_MAX_MS)));
    }
    return api_refuse(api, &request, EXIT_UNREACHABLE, &error);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct events_options options = {0};
    struct arguments arguments;
    struct follower follower = {.left = -1, .term = term_look()};
    struct job_ref job = {0};
    struct error error;
    SCOPE(sse_done) struct sse sse;

    sse_init(&sse, take, &follower);
    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (options.count.ptr != NULL && str_to_int(options.count, 1, INT64_MAX, &follower.left, NULL) != ERR_OK) {
        return command_usage(command->name, "--count: \"%.*s\" is not a number", STR_ARGS(options.count));
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    int exit_code = api_open_with(&api, command, &options.api, &arguments, 0);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    if (options.job.ptr != NULL && job_ref_read(options.job.ptr, options.tenant, &job, &error) != ERR_OK) {
        return command_usage(command->name, "--job: %s", error.text);
    }
    url_path(&url, "/v1/events");
    url_query(&url, "tenant", job.name.ptr != NULL ? job.tenant : options.tenant);
    url_query(&url, "type", options.type);
    url_query(&url, "pool", options.pool);
    url_query(&url, "job", job.name);
    url_query(&url, "event", options.event);
    if (options.last_id.ptr != NULL) {
        (void)snprintf(sse.id, sizeof sse.id, "%.*s", STR_ARGS(options.last_id));
    }
    follower.api = &api;
    return follow(&api, &url, &sse, &follower);
}

#define AT(member) offsetof(struct events_options, member)

static const struct option table[] = {
    {"tenant", "TENANT", "only this tenant's", AT(tenant)},
    {"type", "TYPE", "only of this type", AT(type)},
    {"pool", "POOL", "only of this pool", AT(pool)},
    {"job", "JOB", "only of this job: NAME, TENANT/NAME or its id", AT(job)},
    {"event", "KINDS", "only of these kinds, such as attempt.finished,trigger.finished", AT(event)},
    {"count", "N", "ends after so many", AT(count)},
    {"last-id", "ID", "goes on behind this one", AT(last_id)},
    {0},
};

const struct command command_events = {
    .name = "events",
    .group = "Operating",
    .summary = "follow what happens, as it happens",
    .usage = "belfry events [options]     every transition as it becomes durable, until interrupted\n",
    .text = "Where the connection breaks it is made again, and nothing is left out; a gap is shown as such.\n",
    .examples = "belfry events --tenant acme --event attempt.finished,trigger.finished --json\n"
                "belfry events --job acme/morning-report\n",
    .options = table,
    .is_api = true,
    .run = run,
};
