/* Much of something: workers that wait, jobs that lie ahead. */
#include <stdio.h>

#include "base/chrono.h"
#include "calendar/instant.h"
#include "server_crew.h"
#include "server_parts.h"

#define WAITING_WORKERS 5000
#define WAITING_GOAL_MIB 200

#define AHEAD_JOBS 1000000
#define AHEAD_A_REQUEST 10000
#define DAY_MS (24LL * 3600 * 1000)
#define READY_GOAL_S 1
#define AHEAD_GOAL_MIB 300

void part_waiting(const struct bench *bench)
{
    struct run run;
    char what[64];

    run_start(&run, bench);
    measure_pickups(&run, WAITING_WORKERS, "waiting: 5,000 workers, create to grant");
    (void)snprintf(what, sizeof what, "waiting: 5,000 workers, memory");
    run_tell(&run, what, served_rss_mib(&run.served), "MiB", GOAL_AT_MOST, WAITING_GOAL_MIB, 0);
    run_stop(&run);
}

static void create_ahead(struct http_client *client, size_t count)
{
    struct buf body;
    char text[INSTANT_BYTES];
    int64_t from_ms = chrono_wall_ms() + DAY_MS;

    buf_init(&body, HTTP_BYTES_MAX);
    for (size_t done = 0; done < count; done += AHEAD_A_REQUEST) {
        buf_reset(&body);
        buf_append_text(&body, "{\"jobs\":[");
        for (size_t i = 0; i < AHEAD_A_REQUEST; i++) {
            buf_printf(&body, "%s{\"tenant\":\"acme\",\"run_at\":\"%s\",\"payload\":{\"number\":%zu}}",
                       i > 0 ? "," : "", instant_format(from_ms + (int64_t)(done + i), text), done + i);
        }
        buf_append_text(&body, "]}");
        http_post_and_wait(client, "/v1/jobs/batch", buf_str(&body));
    }
    buf_done(&body);
}

void part_restart(const struct bench *bench)
{
    struct run run;

    run_start(&run, bench);
    create_ahead(run.client, AHEAD_JOBS);
    run_tell(&run, "restart: a million jobs a day ahead", AHEAD_JOBS / run_wall_s(&run), "jobs/s", GOAL_AT_LEAST, 80000,
             AHEAD_JOBS);
    run_tell(&run, "restart: memory behind that", served_rss_mib(&run.served), "MiB", GOAL_AT_MOST, AHEAD_GOAL_MIB, 0);
    http_client_free(run.client);
    served_stop(&run.served);
    served_start(&run.served, bench->binary);
    run.client = http_client_new(run.served.port, run.served.token);
    run_mark(&run);
    run_tell(&run, "restart: until it listens", run.served.ready_s, "s", GOAL_AT_MOST, READY_GOAL_S, 0);
    measure_pickups(&run, 1, "restart: create to grant");
    run_tell(&run, "restart: memory", served_rss_mib(&run.served), "MiB", GOAL_AT_MOST, AHEAD_GOAL_MIB, 0);
    run_stop(&run);
}
