#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "cli/api.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/show.h"
#include "cli/when.h"
#include "cli/witness_alarms.h"
#include "cli/witness_jobs.h"

/* A server that needs longer does not answer. */
#define ANSWER_MS 10000
/* The list of jobs is read anew so often; in between only jobs whose time has come are asked for. */
#define REFRESH_MS 60000
/* Ledgers read in one round. */
#define LEDGERS_MAX 200
#define URLS_MAX 8
#define STATE_BYTES_MAX (8 * 1024 * 1024)

struct witness_options {
    struct api_options api;
    struct str watch, alert_url, alert_command, grace, every, clock, tenant, label, state;
    struct option_list jobs;
    bool is_once, has_skips;
};

struct witness {
    const struct witness_options *options;
    int64_t grace_ms, every_ms, clock_ms;
    struct api api;
    struct witness_alarms alarms;
    struct witness_jobs jobs;
    struct witness_filter filter;
    int64_t listed_mono_ms; /* -1: never */
    size_t ledgers;         /* read in this round */
    bool is_silent;         /* nobody answered in this round: nobody is asked again before the next */
};

/* ---- the server ---- */

/* Each question to a server that is gone takes seconds, and the alarms must not wait for hundreds of them. */
static int ask(struct witness *witness, struct str path)
{
    struct error error;

    if (witness->is_silent) {
        return EXIT_UNREACHABLE;
    }
    int exit_code = api_try(&witness->api, &(struct client_request){.method = "GET", .path = path}, &error);

    witness->is_silent = exit_code == EXIT_UNREACHABLE;
    return exit_code;
}

/* One of the addresses by itself: whether it is alive, and ready. */
static void check_address(struct witness *witness, const char *address, int64_t now_ms)
{
    SCOPE(client_answer_done) struct client_answer answer;
    struct client *client = client_new(address, NULL, ANSWER_MS);
    const struct client_request alive = {.method = "GET", .path = STR("/healthz")};
    const struct client_request ready = {.method = "GET", .path = STR("/readyz")};
    char key[WITNESS_KEY_BYTES];
    struct error error;

    client_answer_init(&answer);
    (void)snprintf(key, sizeof key, "server %.300s", address);
    if (client_call(client, &alive, &answer, &error) != ERR_OK) {
        witness_alarms_raise(&witness->alarms, now_ms, key, "the server %s does not answer: %s", address, error.text);
    } else if (client_call(client, &ready, &answer, &error) != ERR_OK || answer.status >= 300) {
        witness_alarms_raise(&witness->alarms, now_ms, key, "the server %s is alive and not ready: %s", address,
                             answer.status >= 400 ? answer.problem.error.text : "it does not say why");
    }
    client_free(client);
}

static void check_addresses(struct witness *witness, int64_t now_ms)
{
    SCOPE_FREE char *urls = mem_strdup(witness->api.place.url);
    char *rest = urls;

    for (size_t i = 0; i < URLS_MAX && rest != NULL; i++) {
        char *address = strsep(&rest, ",");

        if (address[0] != '\0') {
            check_address(witness, address, now_ms);
            witness_alarms_tell(&witness->alarms, chrono_wall_ms());
        }
    }
}

/* Its clock against ours, by half the way there and back. */
static void check_clock(struct witness *witness)
{
    int64_t before_ms = chrono_wall_ms();

    if (ask(witness, STR("/v1/stats")) != EXIT_DONE) {
        witness_alarms_keep(&witness->alarms, "clock");
        return;
    }
    int64_t after_ms = chrono_wall_ms();
    int64_t at_ms = when_field(witness->api.root, "at");
    int64_t offset_ms = at_ms == WHEN_NONE ? 0 : at_ms - (before_ms + (after_ms - before_ms) / 2);
    char length[DURATION_BYTES];

    if (llabs(offset_ms) > witness->clock_ms + (after_ms - before_ms)) {
        witness_alarms_raise(&witness->alarms, after_ms, "clock", "the server's clock is %s %s the witness's",
                             duration_format_short(offset_ms, length), offset_ms > 0 ? "ahead of" : "behind");
    }
}

/* ---- fires ---- */

static const char *fire_key(const struct witness_job *job, char out[WITNESS_KEY_BYTES])
{
    (void)snprintf(out, WITNESS_KEY_BYTES, "fire %s", job->id);
    return out;
}

static void raise_fire(struct witness *witness, const struct witness_job *job, int64_t now_ms, const char *what)
{
    char key[WITNESS_KEY_BYTES], when[WHEN_BYTES], grace[DURATION_BYTES];

    witness_alarms_raise(&witness->alarms, now_ms, fire_key(job, key),
                         "job %s of tenant %s should have fired at %s and %s, grace %s", job->name, job->tenant,
                         when_exact(job->next_ms, when), what, duration_format_short(witness->grace_ms, grace));
}

enum trace { TRACE_NONE, TRACE_TRIGGER, TRACE_SKIP };

/* What the ledger has of a fire; TRACE_TRIGGER where so much came after it that it cannot be seen. */
static int look_in_ledger(struct witness *witness, const struct witness_job *job, int64_t fire_ms,
                          enum trace *ret_trace)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    url_path(&url, "/v1/jobs");
    url_segment(&url, str_from(job->id));
    url_path(&url, "/triggers");
    url_query_int(&url, "limit", 100);
    int exit_code = ask(witness, url_str(&url));

    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    struct jr items = jr_get(witness->api.root, "items");

    *ret_trace = field_is_set(witness->api.root, "next") ? TRACE_TRIGGER : TRACE_NONE;
    for (size_t i = 0; i < jr_count(items); i++) {
        struct jr item = jr_at(items, i);

        if (when_field(item, "scheduled_for") == fire_ms) {
            *ret_trace = TRACE_TRIGGER;
            return exit_code;
        }
        if (str_is(field_str(item, "record"), "skip") && when_field(item, "from") <= fire_ms &&
            when_field(item, "to") >= fire_ms) {
            *ret_trace = TRACE_SKIP;
            return exit_code;
        }
    }
    return exit_code;
}

/* The server says that it decided the fire: the ledger must have it. */
static void check_trace(struct witness *witness, struct witness_job *job, int64_t now_ms)
{
    enum trace trace = TRACE_NONE;

    if (witness->ledgers >= LEDGERS_MAX || look_in_ledger(witness, job, job->next_ms, &trace) != EXIT_DONE) {
        return;
    }
    witness->ledgers++;
    job->is_missing = trace == TRACE_NONE || (trace == TRACE_SKIP && witness->options->has_skips);
    if (job->is_missing) {
        raise_fire(witness, job, now_ms, trace == TRACE_SKIP ? "was skipped" : "left no trace in the ledger");
    }
}

/* Asks for the job. False: nobody answers; or the job is gone. */
static bool ask_for(struct witness *witness, struct witness_job *job, int64_t *ret_next_ms)
{
    SCOPE(url_done) struct url url;
    int64_t version = job->version;

    url_init(&url);
    url_path(&url, "/v1/jobs");
    url_segment(&url, str_from(job->id));
    int exit_code = ask(witness, url_str(&url));

    if (exit_code == EXIT_REFUSED && witness->api.answer.status == 404) {
        job->is_active = false;
        return true;
    }
    if (exit_code != EXIT_DONE) {
        return false;
    }
    *ret_next_ms = when_field(witness->api.root, "next_fire_at");
    witness_jobs_take(&witness->jobs, job, witness->api.root, buf_str(&witness->api.answer.body));
    job->is_active = job->is_active && job->version == version; /* a changed job is expected from its next fire on */
    return true;
}

static void check_job(struct witness *witness, struct witness_job *job, int64_t now_ms)
{
    char key[WITNESS_KEY_BYTES];
    int64_t next_ms = WHEN_NONE;

    if (!job->is_active) {
        return;
    }
    if (job->is_missing) {
        witness_alarms_keep(&witness->alarms, fire_key(job, key));
    }
    if (job->next_ms == WHEN_NONE || witness_job_due_ms(job) + witness->grace_ms >= now_ms) {
        return;
    }
    if (!ask_for(witness, job, &next_ms)) {
        raise_fire(witness, job, now_ms, "nobody can say whether it has: the server does not answer");
        return;
    }
    if (!job->is_active) {
        job->is_active = job->version != 0 && next_ms != WHEN_NONE; /* looked at again in the next round */
        job->next_ms = next_ms;
        return;
    }
    if (next_ms != WHEN_NONE && next_ms <= job->next_ms) {
        job->next_ms = next_ms;
        raise_fire(witness, job, now_ms, "has not");
        return;
    }
    check_trace(witness, job, now_ms);
    job->next_ms = next_ms;
}

/* ---- state ---- */

static void load_state(struct witness *witness, const char *path)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    SCOPE_FREE char *text = mem_alloc(STATE_BYTES_MAX);
    const struct jscan_limits limits = {.depth_max = 8, .nodes_max = 100000, .bytes_max = STATE_BYTES_MAX};
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        return; /* the first time */
    }
    size_t len = fread(text, 1, STATE_BYTES_MAX, file);

    (void)fclose(file);
    if (jr_parse((struct str){text, len}, &limits, &doc, NULL) == ERR_OK) {
        witness_alarms_read(&witness->alarms, jr_root(&doc));
        witness_jobs_read(&witness->jobs, jr_root(&doc));
    } else {
        (void)fprintf(stderr, "belfry witness: %s is not a file of state, and is written anew\n", path);
    }
}

/* Whole or not at all: into a file beside it, which then takes its name. */
static void save_state(const struct witness *witness, const char *path)
{
    SCOPE(buf_done) struct buf text;
    SCOPE_FREE char *beside = mem_alloc(strlen(path) + 5);
    struct jw jw;

    buf_init(&text, STATE_BYTES_MAX);
    jw_init(&jw, &text);
    jw_begin_object(&jw);
    witness_alarms_write(&witness->alarms, &jw);
    witness_jobs_write(&witness->jobs, &jw);
    jw_end_object(&jw);
    (void)sprintf(beside, "%s.new", path);
    FILE *file = fopen(beside, "we");
    bool is_written = file != NULL && fwrite(buf_text(&text), 1, text.len, file) == text.len;

    is_written = (file == NULL || fclose(file) == 0) && is_written;
    if (!is_written || rename(beside, path) != 0) {
        (void)fprintf(stderr, "belfry witness: %s could not be written\n", path);
    }
}

/* ---- rounds ---- */

static void refresh(struct witness *witness)
{
    int64_t now_mono_ms = chrono_mono_ms();
    struct error error;

    if (witness->listed_mono_ms >= 0 && now_mono_ms - witness->listed_mono_ms < REFRESH_MS) {
        return;
    }
    int exit_code = witness_jobs_list(&witness->jobs, &witness->api, &witness->filter, &error);

    if (exit_code == EXIT_DONE && witness->jobs.is_cut && witness->listed_mono_ms < 0) {
        (void)fprintf(stderr,
                      "belfry witness: watches %zu jobs, and there are more: choose by --job, --label, --tenant\n",
                      witness->jobs.count);
    }
    if (exit_code == EXIT_REFUSED) {
        witness_alarms_raise(&witness->alarms, chrono_wall_ms(), "refused",
                             "the server does not let the witness look: %s", error.text);
    }
    witness->is_silent = exit_code == EXIT_UNREACHABLE;
    witness->listed_mono_ms = exit_code == EXIT_DONE ? now_mono_ms : witness->listed_mono_ms;
}

static void round_of(struct witness *witness)
{
    int64_t now_ms = chrono_wall_ms();

    witness->ledgers = 0;
    witness->is_silent = false;
    witness_alarms_begin(&witness->alarms);
    check_addresses(witness, now_ms);
    refresh(witness);
    check_clock(witness);
    for (size_t i = 0; i < witness->jobs.count; i++) {
        check_job(witness, &witness->jobs.items[i], now_ms);
    }
    witness_alarms_end(&witness->alarms, chrono_wall_ms());
    if (witness->options->state.ptr != NULL) {
        save_state(witness, witness->options->state.ptr);
    }
}

static void pause_ms(int64_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0) { /* a signal that does not end the process */
    }
}

/* ---- the command ---- */

static int read_length(const char *name, const char *option, struct str text, int64_t min_ms, int64_t *ret_ms)
{
    struct error error;

    if (text.ptr == NULL) {
        return EXIT_DONE;
    }
    if (duration_parse(text, ret_ms, &error) != ERR_OK) {
        return command_usage(name, "--%s: %s", option, error.text);
    }
    return *ret_ms >= min_ms ? EXIT_DONE : command_usage(name, "--%s is too short", option);
}

static int begin(struct witness *witness, const struct command *command, struct witness_options *options,
                 const struct arguments *arguments)
{
    int exit_code = read_length(command->name, "grace", options->grace, 0, &witness->grace_ms);

    exit_code = exit_code == EXIT_DONE ? read_length(command->name, "every", options->every, 100, &witness->every_ms)
                                       : exit_code;
    exit_code =
        exit_code == EXIT_DONE ? read_length(command->name, "clock", options->clock, 1, &witness->clock_ms) : exit_code;
    if (options->watch.ptr != NULL) {
        options->api.url = options->watch;
    }
    if (exit_code == EXIT_DONE) {
        exit_code = api_open_with(&witness->api, command, &options->api, arguments, 0);
    }
    if (exit_code == EXIT_DONE) {
        client_set_timeout(witness->api.client, ANSWER_MS);
        witness->alarms.alert_url = options->alert_url.ptr;
        witness->alarms.alert_command = options->alert_command.ptr;
        witness->alarms.is_json = options->api.is_json;
        witness->filter =
            (struct witness_filter){.names = &options->jobs, .tenant = options->tenant, .label = options->label};
        if (options->state.ptr != NULL) {
            load_state(witness, options->state.ptr);
        }
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct witness_options options = {0};
    struct arguments arguments;
    struct witness witness = {
        .options = &options, .grace_ms = 60000, .every_ms = 15000, .clock_ms = 5000, .listed_mono_ms = -1};

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    struct zone_cache *zones = zone_cache_new(getenv("TZDIR"));

    witness_alarms_init(&witness.alarms);
    witness_jobs_init(&witness.jobs, zones);
    int exit_code = begin(&witness, command, &options, &arguments);

    while (exit_code == EXIT_DONE) {
        round_of(&witness);
        if (options.is_once) {
            exit_code = witness_alarms_any(&witness.alarms) ? EXIT_REFUSED : EXIT_DONE;
            break;
        }
        pause_ms(witness.every_ms);
    }
    api_close(&witness.api);
    witness_jobs_done(&witness.jobs);
    witness_alarms_done(&witness.alarms);
    zone_cache_free(zones);
    return exit_code;
}

static const struct option table[] = {
    {"watch", "URL", "the server, or several with commas between", offsetof(struct witness_options, watch)},
    {"alert-url", "URL", "send each alarm there, as a POST of JSON", offsetof(struct witness_options, alert_url)},
    {"alert-command", "COMMAND", "run this by a shell for each alarm, which is JSON on its\nstandard input",
     offsetof(struct witness_options, alert_command)},
    {"grace", "D", "how late a fire may be (default 60s)", offsetof(struct witness_options, grace)},
    {"every", "D", "how often to look (default 15s)", offsetof(struct witness_options, every)},
    {"clock", "D", "how far the server's clock may be from this one (default 5s)",
     offsetof(struct witness_options, clock)},
    {"job", "JOB", "watch this job, NAME or TENANT/NAME; several are possible", offsetof(struct witness_options, jobs),
     .is_list = true},
    {"tenant", "T", "watch the jobs of this tenant", offsetof(struct witness_options, tenant)},
    {"label", "KEY=VALUE", "watch the jobs with this label", offsetof(struct witness_options, label)},
    {"skips", NULL, "a fire that is skipped is an alarm, too", offsetof(struct witness_options, has_skips)},
    {"state", "FILE", "remember there what was told, so that a restart tells\nnothing twice",
     offsetof(struct witness_options, state), .choices = "@file"},
    {"once", NULL, "look once; ends with 1 where something is wrong", offsetof(struct witness_options, is_once)},
    {0},
};

const struct command command_witness = {
    .name = "witness",
    .group = "Operating",
    .summary = "watches from elsewhere that every fire happens, and raises the alarm",
    .usage = "belfry witness --watch URL[,URL] [--alert-url URL] [--alert-command COMMAND]\n"
             "belfry witness --watch URL --once --state FILE     for cron: ends with 1 where something is wrong\n",
    .text =
        "Runs on another machine than the server. It keeps a calendar of its own of what should fire, asks after each\n"
        "fire whether it was decided, and tells what is wrong once, and once that it is over. Jobs that fire once are\n"
        "watched where --job names them.\n",
    .examples =
        "belfry witness --watch https://belfry.example.com --token-file token --alert-url https://hooks.example/x\n"
        "belfry witness --watch http://10.0.0.5:7600 --label critical --alert-command 'mail -s alarm ops'\n",
    .options = table,
    .is_api = true,
    .run = run,
};
