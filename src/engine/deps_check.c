#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "engine/deps.h"
#include "engine/deps_graph.h"

/* A cycle longer than this is shown with its beginning only. */
#define CYCLE_TEXT_BYTES_MAX 400

static void put_name(struct buf *buf, const struct job *job)
{
    char id[ID_TEXT_BYTES];

    if (job->name != NULL) {
        buf_append_str(buf, job->name->name);
    } else {
        id_format(ID_JOB, job->id, id);
        buf_append_text(buf, id);
    }
}

/* Writes the way from upstream down to job; a way there is. */
static void put_way(struct engine *engine, struct buf *buf, struct job *from, const struct job *to)
{
    struct job *job = from;

    put_name(buf, job);
    while (job != to) {
        size_t next = 0;

        while (!graph_reaches(engine, job->graph->down[next], to)) {
            next++;
            assert(next < job->graph->down_count);
        }
        job = job->graph->down[next];
        buf_append_text(buf, " → ");
        put_name(buf, job);
    }
}

static enum err check_cycle(struct engine *engine, const struct job *job, struct job *upstream, struct error *reterr)
{
    SCOPE(buf_done) struct buf buf;

    buf_init(&buf, CYCLE_TEXT_BYTES_MAX);
    if (job == NULL) {
        return ERR_OK;
    }
    struct job *from = idmap_find(&engine->jobs, job->id);

    if (!graph_reaches(engine, from, upstream)) {
        return ERR_OK;
    }
    put_way(engine, &buf, from, upstream);
    buf_append_text(&buf, " → ");
    put_name(&buf, from);
    return err_set(reterr, ERR_CYCLE, "this would be a cycle: %s", buf_text(&buf));
}

static bool same_cron(const struct cron *a, const struct cron *b)
{
    return a->dialect == b->dialect && a->follows_clock == b->follows_clock && a->seconds == b->seconds &&
           a->minutes == b->minutes && a->hours == b->hours && a->month_days == b->month_days &&
           a->months == b->months && a->weekdays == b->weekdays && a->day_rule == b->day_rule &&
           a->day_number == b->day_number && a->day_weekday == b->day_weekday &&
           memcmp(a->years, b->years, sizeof a->years) == 0;
}

static bool same_schedule(const struct schedule *a, const struct schedule *b)
{
    if (a->kind != b->kind || a->starts_at_ms != b->starts_at_ms || a->ends_at_ms != b->ends_at_ms ||
        a->max_fires != b->max_fires) {
        return false;
    }
    if (a->kind == SCHEDULE_EVERY) {
        return a->every_ms == b->every_ms && a->first_ms == b->first_ms && !a->after_finish && !b->after_finish;
    }
    return a->zone == b->zone && a->dst.gap == b->dst.gap && a->dst.fold == b->dst.fold &&
           same_cron(&a->cron, &b->cron);
}

/* Walks up to the roots; each must have the schedule of the first. As deep as the graph. */
// NOLINTNEXTLINE(misc-no-recursion)
static bool same_roots(struct job *job, uint32_t mark, const struct job *changed, const struct schedule *instead,
                       const struct schedule **first)
{
    if (job->rhythm != RHYTHM_UPSTREAM) {
        const struct schedule *mine = job == changed ? instead : job->schedule;

        if (*first == NULL) {
            *first = mine;
            return true;
        }
        return mine == *first || same_schedule(*first, mine);
    }
    if (job->graph->mark == mark) {
        return true;
    }
    job->graph->mark = mark;
    for (size_t i = 0; i < job->graph->up_count; i++) {
        if (!same_roots(job->graph->up[i].job, mark, changed, instead, first)) {
            return false;
        }
    }
    return true;
}

static const char UNEQUAL[] =
    "all roots of a dependent job must have equal schedule fields (and an interval the same starts_at)";

enum err deps_check(struct engine *engine, const struct job *job, const struct deps_edge *edges, size_t count,
                    struct error *reterr)
{
    const struct schedule *first = NULL;
    bool once = graph_is_once(edges[0].upstream);

    assert(count > 0);
    engine->walk++;
    uint32_t mark = engine->walk;

    for (size_t i = 0; i < count; i++) {
        if (graph_is_once(edges[i].upstream) != once) {
            return err_in_field(reterr,
                                err_set(reterr, ERR_UNPROCESSABLE,
                                        "depends on one-time and on recurring jobs; it can follow one kind only"),
                                "depends_on");
        }
        if (!once && !same_roots(edges[i].upstream, mark, NULL, NULL, &first)) {
            return err_in_field(reterr, err_set(reterr, ERR_UNPROCESSABLE, "%s", UNEQUAL), "depends_on");
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (edges[k].upstream == edges[i].upstream) {
                return err_in_field(reterr, err_set(reterr, ERR_UNPROCESSABLE, "it names the same job twice"),
                                    "depends_on");
            }
        }
        enum err err = check_cycle(engine, job, edges[i].upstream, reterr);

        if (err != ERR_OK) {
            return err_in_field(reterr, err, "depends_on");
        }
    }
    return ERR_OK;
}

enum err deps_check_schedule(struct engine *engine, struct job *job, const struct schedule *schedule,
                             struct error *reterr)
{
    size_t pos = 0;
    struct job *other;

    if (!deps_has_dependents(job)) {
        return ERR_OK;
    }
    while ((other = idmap_next(&engine->jobs, &pos, NULL)) != NULL) {
        const struct schedule *first = NULL;

        if (other->rhythm != RHYTHM_UPSTREAM || other->graph == NULL || other->graph->is_once ||
            !graph_reaches(engine, job, other)) {
            continue;
        }
        engine->walk++;
        if (!same_roots(other, engine->walk, job, schedule, &first)) {
            return err_set(reterr, ERR_UNPROCESSABLE, "%s; %s depends on this job and on others", UNEQUAL,
                           other->name != NULL ? other->name->key + (other->name->name.ptr - other->name->key)
                                               : "a job");
        }
    }
    return ERR_OK;
}
