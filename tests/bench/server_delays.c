/* How long things take: a pick-up, a fire, a herd. */
#include <stdio.h>

#include "base/chrono.h"
#include "calendar/instant.h"
#include "server_crew.h"
#include "server_parts.h"

#define ROUND_MS 100
/* A clock read twice. Earlier than this is early. */
#define EARLY_MS 0.05

/* ---- pick-up ---- */

#define PICKUP_GOAL_MS 5
#define PICKUPS_MAX 500
#define PICKUP_PAUSE_MS 5

struct pickup {
    int64_t granted_mono_ns; /* 0: not yet */
};

static void picked_up(struct crew *crew, struct str attempt)
{
    struct pickup *pickup = crew->user;

    (void)attempt;
    pickup->granted_mono_ns = chrono_mono_ns();
}

static void created(struct http_conn *conn, int status, struct str body)
{
    (void)conn;
    http_want_success(status, body);
}

/* Until nothing has come in for a moment: everybody waits again. */
static void be_idle(struct http_client *client)
{
    int64_t from_ms = chrono_mono_ms();

    while (chrono_mono_ms() < from_ms + PICKUP_PAUSE_MS) {
        http_run(client, 1);
    }
}

/* From sending a create to having its grant. Both it and the report are answered when it returns. */
static double pick_up_one(struct http_client *client, struct http_conn *creator, struct crew *crew)
{
    struct pickup *pickup = crew->user;

    pickup->granted_mono_ns = 0;
    http_post(creator, "/v1/jobs", STR("{\"payload\":{\"number\":4711}}"));
    while (pickup->granted_mono_ns == 0 || creator->is_busy) {
        http_run(client, ROUND_MS);
    }
    double took_ms = (double)(pickup->granted_mono_ns - creator->sent_mono_ns) / 1e6;

    be_idle(client);
    return took_ms;
}

void measure_pickups(struct run *run, size_t worker_count, const char *name)
{
    struct pickup pickup = {0};
    struct crew crew = {.on_grant = picked_up, .user = &pickup};
    struct samples samples = {0};
    struct http_conn *creator = http_connect(run->client, created, NULL);
    char what[64];

    crew_start(&crew, run->client, worker_count, 1);
    run_settle(run);
    run_mark(run);
    while (samples.count < PICKUPS_MAX && run_wall_s(run) < run->bench->seconds) {
        samples_add(&samples, pick_up_one(run->client, creator, &crew));
    }
    (void)snprintf(what, sizeof what, "%s: p50", name);
    run_tell(run, what, samples_at(&samples, 0.5), "ms", GOAL_AT_MOST, 2, 0);
    (void)snprintf(what, sizeof what, "%s: p99 of %zu", name, samples.count);
    run_tell(run, what, samples_at(&samples, 0.99), "ms", GOAL_AT_MOST, PICKUP_GOAL_MS, (double)samples.count);
    samples_done(&samples);
    crew_done(&crew);
}

void part_pickup(const struct bench *bench)
{
    struct run run;

    run_start(&run, bench);
    measure_pickups(&run, 1, "pickup: create to grant");
    run_stop(&run);
}

/* ---- lag ---- */

#define LAG_GOAL_MS 20
#define LAG_JOBS 2000
#define LAG_WORKERS 16
#define LAG_WANT 100
/* From now to the first fire. */
#define AHEAD_MS 2000
#define BATCH_JOBS_MAX 10000

struct lags {
    double from_ms, to_ms; /* of scheduled_for: these count */
    struct samples samples;
    size_t early;
};

static void count_lag(struct lags *lags, struct str attempt)
{
    double now_ms = precise_wall_ms();
    double lag_ms = attempt_lag_ms(attempt);
    double scheduled_ms = now_ms - lag_ms;

    if (scheduled_ms >= lags->from_ms && scheduled_ms < lags->to_ms) {
        samples_add(&lags->samples, lag_ms);
    }
    lags->early += lag_ms < -EARLY_MS;
}

static void fired(struct crew *crew, struct str attempt)
{
    count_lag(crew->user, attempt);
}

void create_recurring(struct http_client *client, const char *tenant, size_t count, int64_t from_ms, const char *more)
{
    struct buf body;
    char text[INSTANT_BYTES];

    buf_init(&body, HTTP_BYTES_MAX);
    buf_append_text(&body, "{\"jobs\":[");
    for (size_t i = 0; i < count; i++) {
        buf_printf(&body,
                   "%s{%s\"tenant\":\"%s\",\"every\":\"1s\",\"starts_at\":\"%s\",\"overlap\":\"allow\","
                   "\"payload\":{\"number\":%zu}}",
                   i > 0 ? "," : "", more, tenant, instant_format(from_ms + (int64_t)(i * 1000 / count), text), i);
    }
    buf_append_text(&body, "]}");
    http_post_and_wait(client, "/v1/jobs/batch", buf_str(&body));
    buf_done(&body);
}

static void run_until(struct http_client *client, double wall_ms)
{
    while (precise_wall_ms() < wall_ms) {
        http_run(client, 1);
    }
}

void part_lag(const struct bench *bench)
{
    struct lags lags = {.to_ms = 1e18};
    struct crew crew = {.on_grant = fired, .user = &lags};
    struct run run;
    char what[64];

    run_start(&run, bench);
    int64_t from_ms = chrono_wall_ms() + AHEAD_MS;

    create_recurring(run.client, "acme", LAG_JOBS, from_ms, "");
    crew_start(&crew, run.client, LAG_WORKERS, LAG_WANT);
    lags.from_ms = (double)from_ms + 1000;
    run_until(run.client, lags.from_ms);
    run_mark(&run);
    run_until(run.client, lags.from_ms + bench->seconds * 1000);
    (void)snprintf(what, sizeof what, "lag: 2,000 fires/s, %zu early: p50", lags.early);
    run_tell(&run, what, samples_at(&lags.samples, 0.5), "ms", GOAL_AT_MOST, LAG_GOAL_MS, 0);
    (void)snprintf(what, sizeof what, "lag: p99 of %.0f fires/s", (double)lags.samples.count / run_wall_s(&run));
    run_tell(&run, what, samples_at(&lags.samples, 0.99), "ms", GOAL_AT_MOST, LAG_GOAL_MS, (double)lags.samples.count);
    crew_done(&crew);
    samples_done(&lags.samples);
    run_stop(&run);
}

/* ---- herds ---- */

#define CALM_JOBS 200
#define HERD_WORKERS 16
#define HERD_WANT 500
#define HERD_AHEAD_MS 4000
/* Created so many a millisecond, even at bad times. */
#define HERD_PER_MS 10
/* The other tenant is watched for so long at least: a small herd is over before it has had a dozen fires. */
#define BESIDE_MS 500

struct herd {
    size_t started;
    double due_ms, last_ms;
    struct lags calm, beside; /* the other tenant's: before the herd is due, and while it starts */
};

static void started(struct crew *crew, struct str attempt)
{
    struct herd *herd = crew->user;

    if (str_is(crew_field(attempt, "tenant"), "herd")) {
        herd->started++;
        herd->last_ms = precise_wall_ms();
    } else {
        count_lag(&herd->calm, attempt);
        count_lag(&herd->beside, attempt);
    }
}

static void create_herd(struct http_client *client, size_t count, int64_t due_ms)
{
    struct buf body;
    char text[INSTANT_BYTES];

    buf_init(&body, HTTP_BYTES_MAX);
    (void)instant_format(due_ms, text);
    for (size_t done = 0; done < count; done += BATCH_JOBS_MAX) {
        buf_reset(&body);
        buf_append_text(&body, "{\"jobs\":[");
        for (size_t i = 0; i < BATCH_JOBS_MAX && done + i < count; i++) {
            buf_printf(&body, "%s{\"tenant\":\"herd\",\"run_at\":\"%s\",\"payload\":{\"number\":%zu}}",
                       i > 0 ? "," : "", text, done + i);
        }
        buf_append_text(&body, "]}");
        http_post_and_wait(client, "/v1/jobs/batch", buf_str(&body));
    }
    buf_done(&body);
}

/* Waits for the herd, and while it starts. */
static void watch_herd(struct run *run, struct herd *herd, size_t count)
{
    herd->calm.from_ms = precise_wall_ms();
    herd->calm.to_ms = herd->due_ms;
    herd->beside.from_ms = herd->due_ms;
    herd->beside.to_ms = 1e18;
    if (herd->calm.from_ms > herd->due_ms - 1000) {
        (void)printf("herd: creating it took too long; what follows is not to be believed\n");
    }
    run_until(run->client, herd->due_ms);
    run_mark(run);
    while (herd->started < count) {
        http_run(run->client, ROUND_MS);
    }
    run_until(run->client, herd->due_ms + BESIDE_MS);
}

void measure_herd(const struct bench *bench, size_t count, double goal_s)
{
    struct herd herd = {0};
    struct crew crew = {.on_grant = started, .user = &herd};
    struct run run;
    char what[64];

    run_start(&run, bench);
    int64_t due_ms = chrono_wall_ms() + HERD_AHEAD_MS + (int64_t)count / HERD_PER_MS;

    herd.due_ms = (double)due_ms;
    create_recurring(run.client, "calm", CALM_JOBS, chrono_wall_ms(), "");
    create_herd(run.client, count, due_ms);
    crew_start(&crew, run.client, HERD_WORKERS, HERD_WANT);
    watch_herd(&run, &herd, count);
    (void)snprintf(what, sizeof what, "herd: %zu at one instant, all started", count);
    run_tell(&run, what, (herd.last_ms - herd.due_ms) / 1000, "s", GOAL_AT_MOST, goal_s, (double)count);
    double calm_ms = samples_at(&herd.calm.samples, 0.99);

    (void)snprintf(what, sizeof what, "herd: other tenant's p99, before %.1f ms", calm_ms);
    run_tell(&run, what, samples_at(&herd.beside.samples, 0.99), "ms", GOAL_AT_MOST, calm_ms * 2 + LAG_GOAL_MS, 0);
    crew_done(&crew);
    samples_done(&herd.calm.samples);
    samples_done(&herd.beside.samples);
    run_stop(&run);
}

void part_herd(const struct bench *bench)
{
    measure_herd(bench, 5000, 0.2);
    measure_herd(bench, 100000, 5);
}
