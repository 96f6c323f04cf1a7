/* How much the server does in a second. */
#include <stdio.h>

#include "base/mem.h"
#include "server_crew.h"
#include "server_parts.h"

/* A job of a usual size. Without a name: its id is one. */
#define JOB                                                                                                            \
    "{\"tenant\":\"acme\",\"type\":\"send_email\",\"payload\":{\"to\":\"someone@example.org\",\"template\":"           \
    "\"welcome\",\"number\":4711}}"

#define WARM_UP_S 1
#define ROUND_MS 100

#define LIFECYCLE_GOAL 20000
#define LIFECYCLE_GOAL_WORST 14000
#define CREATORS 4
#define WORKERS 8
/* Jobs that wait at most, in batches: the server is neither starved nor buried. */
#define BACKLOG_BATCHES 16

#define CREATE_GOAL 10000
#define CREATE_CONNECTIONS 64

#define BULK_GOAL 80000
#define BULK_JOBS 10000
#define BULK_CONNECTIONS 2

static void make_batch(const struct http_client *client, size_t count, struct buf *ret_request)
{
    struct buf body;

    buf_init(&body, HTTP_BYTES_MAX);
    buf_append_text(&body, "{\"jobs\":[" JOB);
    for (size_t i = 1; i < count; i++) {
        buf_append_text(&body, "," JOB);
    }
    buf_append_text(&body, "]}");
    buf_init(ret_request, HTTP_BYTES_MAX);
    http_request(client, "/v1/jobs/batch", buf_str(&body), ret_request);
    buf_done(&body);
}

/* ---- creates alone ---- */

struct creating {
    struct buf request; /* the same again and again */
    size_t jobs;        /* that it creates */
    uint64_t created;
    bool is_ending;
    size_t busy; /* connections */
};

static void create_more(struct http_conn *conn, int status, struct str body)
{
    struct creating *creating = conn->user;

    http_want_success(status, body);
    creating->created += creating->jobs;
    if (creating->is_ending) {
        creating->busy--;
    } else {
        http_send(conn, buf_str(&creating->request));
    }
}

static void run_creates(const struct bench *bench, struct run *run, struct creating *creating, size_t connections)
{
    uint64_t created = 0;
    bool is_warm = false;

    for (size_t i = 0; i < connections; i++) {
        creating->busy++;
        http_send(http_connect(run->client, create_more, creating), buf_str(&creating->request));
    }
    while (!is_warm || run_wall_s(run) < bench->seconds) {
        http_run(run->client, ROUND_MS);
        if (!is_warm && run_wall_s(run) > WARM_UP_S) {
            is_warm = true;
            created = creating->created;
            run_mark(run);
        }
    }
    creating->created -= created;
}

static void end_creates(struct run *run, struct creating *creating)
{
    creating->is_ending = true;
    while (creating->busy > 0) {
        http_run(run->client, ROUND_MS);
    }
    buf_done(&creating->request);
}

void part_create(const struct bench *bench)
{
    struct creating creating = {.jobs = 1};
    struct run run;

    run_start(&run, bench);
    buf_init(&creating.request, HTTP_BYTES_MAX);
    http_request(run.client, "/v1/jobs", STR(JOB), &creating.request);
    run_creates(bench, &run, &creating, CREATE_CONNECTIONS);
    run_tell(&run, "create: one by one, 64 connections", (double)creating.created / run_wall_s(&run), "jobs/s",
             GOAL_AT_LEAST, CREATE_GOAL, (double)creating.created);
    end_creates(&run, &creating);
    run_stop(&run);
}

void part_bulk(const struct bench *bench)
{
    struct creating creating = {.jobs = BULK_JOBS};
    struct run run;

    run_start(&run, bench);
    make_batch(run.client, BULK_JOBS, &creating.request);
    run_creates(bench, &run, &creating, BULK_CONNECTIONS);
    run_tell(&run, "bulk: 10,000 a request", (double)creating.created / run_wall_s(&run), "jobs/s", GOAL_AT_LEAST,
             BULK_GOAL, (double)creating.created);
    end_creates(&run, &creating);
    run_stop(&run);
}

/* ---- whole lives ---- */

struct lives {
    struct creating creating;
    struct crew crew;
    struct http_conn *creators[CREATORS];
};

static bool is_buried(const struct lives *lives)
{
    uint64_t on_their_way = 0;

    for (size_t i = 0; i < CREATORS; i++) {
        on_their_way += lives->creators[i]->is_busy ? lives->creating.jobs : 0;
    }
    return lives->creating.created + on_their_way >=
           lives->crew.reported + (uint64_t)BACKLOG_BATCHES * lives->creating.jobs;
}

static void keep_creating(struct lives *lives)
{
    for (size_t i = 0; i < CREATORS; i++) {
        if (!lives->creating.is_ending && !lives->creators[i]->is_busy && !is_buried(lives)) {
            http_send(lives->creators[i], buf_str(&lives->creating.request));
        }
    }
}

static void created(struct http_conn *conn, int status, struct str body)
{
    struct lives *lives = conn->user;

    http_want_success(status, body);
    lives->creating.created += lives->creating.jobs;
    keep_creating(lives);
}

static void worked(struct crew *crew)
{
    keep_creating(crew->user);
}

/* Returns how many have ended since run_mark. */
static uint64_t live(const struct bench *bench, struct run *run, struct lives *lives)
{
    uint64_t before = 0;
    bool is_warm = false;

    while (!is_warm || run_wall_s(run) < bench->seconds) {
        http_run(run->client, ROUND_MS);
        if (!is_warm && run_wall_s(run) > WARM_UP_S) {
            is_warm = true;
            before = lives->crew.reported;
            run_mark(run);
        }
    }
    return lives->crew.reported - before;
}

static void tell_lives(const struct run *run, const struct lives_plan *plan, uint64_t ended)
{
    double rate = (double)ended / run_wall_s(run);
    char what[64];

    (void)snprintf(what, sizeof what, "%s: batches of %zu", plan->name, plan->batch);
    run_tell(run, what, rate, "jobs/s", GOAL_AT_LEAST, plan->goal, (double)ended);
    if (plan->goal_worst > 0 && rate < plan->goal) {
        run_tell(run, "           at the worst of times", rate, "jobs/s", GOAL_AT_LEAST, plan->goal_worst,
                 (double)ended);
    }
}

/* Until everything that was created has ended, and everybody waits. */
static void end_lives(struct run *run, struct lives *lives)
{
    bool is_creating = true;

    lives->creating.is_ending = true;
    while (is_creating || lives->crew.granted < lives->creating.created) {
        http_run(run->client, ROUND_MS);
        is_creating = false;
        for (size_t i = 0; i < CREATORS; i++) {
            is_creating = is_creating || lives->creators[i]->is_busy;
        }
    }
    crew_end(&lives->crew);
    crew_done(&lives->crew);
    buf_done(&lives->creating.request);
}

void measure_lives(struct run *run, const struct lives_plan *plan)
{
    struct lives lives = {.creating = {.jobs = plan->batch}, .crew = {.on_answer = worked, .wait = "1s"}};

    make_batch(run->client, plan->batch, &lives.creating.request);
    lives.crew.user = &lives;
    for (size_t i = 0; i < CREATORS; i++) {
        lives.creators[i] = http_connect(run->client, created, &lives);
    }
    run_mark(run);
    crew_start(&lives.crew, run->client, WORKERS, plan->batch);
    keep_creating(&lives);
    tell_lives(run, plan, live(run->bench, run, &lives));
    end_lives(run, &lives);
}

void part_lifecycle(const struct bench *bench)
{
    static const size_t batches[] = {100, 500};

    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        struct run run;

        run_start(&run, bench);
        measure_lives(&run, &(struct lives_plan){.name = "lifecycle",
                                                 .batch = batches[i],
                                                 .goal = LIFECYCLE_GOAL,
                                                 .goal_worst = LIFECYCLE_GOAL_WORST});
        run_stop(&run);
    }
}
