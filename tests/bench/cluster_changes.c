/* Another server becomes the owner: when it was killed, and when it was told to go. */
#include <stdio.h>

#include "base/chrono.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "cluster_parts.h"
#include "cluster_servers.h"
#include "server_crew.h"

#define TAKEOVER_GOAL_MS 1500
#define HANDOVER_GOAL_MS 250

/* The load: so many fires a second, taken by so many workers at each server that stands by. */
#define FIRES 200
#define WORKERS 4
#define WANT 20
/* What ends with its worker is noticed within the measurement. */
#define JOB_FIELDS "\"lease\":\"2s\","
#define LOST_MS 3000
#define WAIT "200ms"
#define AHEAD_MS 500
/* Fires are seen for so long before the owner goes, and behind the first one of the next. */
#define CALM_MS 300
#define STANDBYS (CLUSTER_SERVERS - 1)

struct change {
    struct idmap seen;   /* attempts, by a hash of their ids */
    size_t repeated;     /* sent twice, or not the first of their trigger */
    double from_ms;      /* fires from here on are the next owner's; 0: nobody has gone yet */
    double first_ms;     /* when the first of those came; 0: not yet */
    double last_ms;      /* when anything came last */
    double gap_ms;       /* the longest time without grants since from_ms */
    struct samples gaps; /* of all changes */
};

/* Workers at those who stand by, while one change is made. */
struct posts {
    struct http_client *clients[STANDBYS];
    struct crew crews[STANDBYS];
};

static uint64_t hash_of(struct str text)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < text.len; i++) {
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(1099511628211);
    }
    return hash | 1;
}

static void granted(struct crew *crew, struct str attempt)
{
    struct change *change = crew->user;
    double now_ms = precise_wall_ms();
    double scheduled_ms = now_ms - attempt_lag_ms(attempt);
    struct str id = crew_field(attempt, "id");
    uint64_t key = hash_of(id);

    /* "att_..._1": the first attempt of its trigger. */
    bool is_first = id.len > 2 && id.ptr[id.len - 1] == '1' && id.ptr[id.len - 2] == '_';

    change->repeated += idmap_find(&change->seen, key) != NULL || !is_first;
    idmap_put(&change->seen, key, change);
    if (change->from_ms > 0 && now_ms - change->last_ms > change->gap_ms) {
        change->gap_ms = now_ms - change->last_ms;
    }
    if (change->from_ms > 0 && change->first_ms == 0 && scheduled_ms >= change->from_ms) {
        change->first_ms = now_ms;
    }
    change->last_ms = now_ms;
}

static void posts_start(struct posts *posts, const struct cluster *cluster, size_t owner, struct change *change)
{
    *posts = (struct posts){0};
    for (size_t i = 0; i < STANDBYS; i++) {
        const struct served *served = &cluster->servers[(owner + 1 + i) % CLUSTER_SERVERS];

        posts->clients[i] = http_client_new(served->port, served->token);
        posts->crews[i] = (struct crew){.on_grant = granted, .user = change, .wait = WAIT};
        crew_start(&posts->crews[i], posts->clients[i], WORKERS, WANT);
    }
}

static void posts_run(const struct posts *posts)
{
    for (size_t i = 0; i < STANDBYS; i++) {
        http_run(posts->clients[i], 1);
    }
}

static void posts_run_for(const struct posts *posts, double ms)
{
    for (double end_ms = precise_wall_ms() + ms; precise_wall_ms() < end_ms;) {
        posts_run(posts);
    }
}

static void posts_end(struct posts *posts)
{
    for (size_t i = 0; i < STANDBYS; i++) {
        crew_end(&posts->crews[i]);
        crew_done(&posts->crews[i]);
        http_client_free(posts->clients[i]);
    }
}

/* One change: the owner goes, and comes back when another one has its place. */
static void change_owner(struct cluster *cluster, struct change *change, bool is_planned)
{
    size_t owner = cluster_owner(cluster);
    struct posts posts;

    change->from_ms = change->first_ms = change->gap_ms = 0;
    posts_start(&posts, cluster, owner, change);
    posts_run_for(&posts, CALM_MS);
    change->from_ms = change->last_ms = precise_wall_ms();
    if (is_planned) {
        served_end(&cluster->servers[owner]);
    } else {
        served_kill(&cluster->servers[owner]);
    }
    while (change->first_ms == 0) {
        posts_run(&posts);
    }
    posts_run_for(&posts, CALM_MS);
    samples_add(&change->gaps, is_planned ? change->gap_ms : change->first_ms - change->from_ms);
    posts_end(&posts);
    if (is_planned) {
        served_wait(&cluster->servers[owner]);
    }
    cluster_again(cluster, owner);
}

/* What was granted and did not arrive is lost when its lease ends, and granted again. */
static void watch_for_lost(const struct cluster *cluster, struct change *change)
{
    struct posts posts;

    posts_start(&posts, cluster, cluster_owner(cluster), change);
    posts_run_for(&posts, LOST_MS);
    posts_end(&posts);
}

static void make_load(const struct cluster *cluster)
{
    const struct served *served = &cluster->servers[0];
    struct http_client *client = http_client_new(served->port, served->token);

    create_recurring(client, "acme", FIRES, chrono_wall_ms() + AHEAD_MS, JOB_FIELDS);
    http_client_free(client);
}

static void tell(struct change *change, const struct run *run, const char *name, double goal_ms)
{
    static const struct {
        const char *name;
        double portion;
    } points[] = {{"p50", 0.5}, {"p99", 0.99}, {"max", 1}};
    char what[64];

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        (void)snprintf(what, sizeof what, "%s: %s of %zu", name, points[i].name, change->gaps.count);
        run_tell(run, what, samples_at(&change->gaps, points[i].portion), "ms", GOAL_AT_MOST, goal_ms, 0);
    }
}

static void measure_changes(const struct bench *bench, const char *name, bool is_planned, double goal_ms)
{
    struct change change = {0};
    struct cluster cluster;
    struct run run = {.bench = bench};
    char what[64];

    cluster_reset(bench, 1);
    cluster_start(&cluster, bench);
    idmap_init(&change.seen, 1);
    make_load(&cluster);
    run.served = cluster.servers[0];
    run_mark(&run);
    for (size_t i = 0; i < bench->times; i++) {
        change_owner(&cluster, &change, is_planned);
    }
    watch_for_lost(&cluster, &change);
    run.served = cluster.servers[0]; /* another process meanwhile: of the processor times only ours mean anything */
    tell(&change, &run, name, goal_ms);
    if (is_planned) {
        (void)snprintf(what, sizeof what, "handover: attempts made twice, of %zu", idmap_count(&change.seen));
        run_tell(&run, what, (double)change.repeated, "", GOAL_AT_MOST, 0, 0);
    }
    idmap_done(&change.seen);
    samples_done(&change.gaps);
    cluster_stop(&cluster);
}

void part_takeover(const struct bench *bench)
{
    measure_changes(bench, "takeover: kill to grant", false, TAKEOVER_GOAL_MS);
}

void part_handover(const struct bench *bench)
{
    measure_changes(bench, "handover: no grants", true, HANDOVER_GOAL_MS);
}
