#include "render.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

#define RENDER_BYTES_MAX (256UL * 1024 * 1024)
#define TEXT_SHOWN_BYTES 80

static void text(struct buf *out, const char *name, struct str s)
{
    if (s.len <= TEXT_SHOWN_BYTES) {
        buf_printf(out, " %s='", name);
        buf_append_str(out, s);
        buf_append_char(out, '\'');
    } else {
        buf_printf(out, " %s=%zu bytes, hash %llx", name, s.len, (unsigned long long)hash64(s.ptr, s.len, 0));
    }
}

static void number(struct buf *out, const char *name, int64_t value)
{
    buf_printf(out, " %s=", name);
    buf_append_int(out, value);
}

static void id(struct buf *out, const char *name, uint64_t value)
{
    buf_printf(out, " %s=", name);
    buf_append_uint(out, value);
}

static void place(struct buf *out, const struct place *p)
{
    text(out, "pool", p->pool);
    text(out, "tenant", p->tenant);
    text(out, "type", p->type);
    number(out, "priority", p->priority);
}

static void job(struct buf *out, const struct job_row *r)
{
    id(out, "job", r->id);
    place(out, &r->place);
    text(out, "name", r->name);
    number(out, "status", r->status);
    number(out, "version", r->version);
    number(out, "cursor", r->cursor_ms);
    number(out, "wake", r->wake_ms);
    number(out, "held_to", r->held_to_ms);
    number(out, "missed_to", r->missed_to_ms);
    number(out, "fired", r->fired);
    number(out, "anchor", r->anchor_ms);
    number(out, "created", r->created_ms);
    number(out, "updated", r->updated_ms);
    id(out, "rules", r->rules);
    text(out, "def", r->def);
}

static void version(struct buf *out, const struct version_row *r)
{
    id(out, "version of", r->job);
    number(out, "version", r->version);
    number(out, "from", r->from_ms);
    number(out, "anchor", r->anchor_ms);
    id(out, "rules", r->rules);
    text(out, "def", r->def);
}

static void attempt(struct buf *out, const struct attempt_row *r)
{
    id(out, "attempt of", r->trigger);
    number(out, "number", r->number);
    number(out, "state", r->state);
    number(out, "started", r->started_ms);
    number(out, "ended", r->ended_ms);
    text(out, "worker", r->worker);
    text(out, "error_code", r->error_code);
    text(out, "error_message", r->error_message);
    text(out, "result", r->result);
}

static void trigger(struct buf *out, const struct trigger_row *r)
{
    id(out, "trigger", r->id);
    id(out, "job", r->job);
    place(out, &r->place);
    number(out, "kind", r->kind);
    number(out, "state", r->state);
    number(out, "version", r->version);
    number(out, "target", r->target);
    number(out, "scheduled", r->scheduled_ms);
    number(out, "due", r->due_ms);
    number(out, "attempts", r->attempts);
    number(out, "failures", r->failures);
    number(out, "lost_run", r->lost_run);
    number(out, "released_run", r->released_run);
    number(out, "replays", r->replays);
    id(out, "replay_of", r->replay_of);
    id(out, "replayed_by", r->replayed_by);
    id(out, "root", r->root);
    number(out, "created", r->created_ms);
    number(out, "ended", r->ended_ms);
    text(out, "reason", r->reason);
    text(out, "payload", r->payload);
    if (r->last.number != 0) { /* else nothing of it is valid */
        attempt(out, &r->last);
    }
}

static void claims(struct buf *out, const struct claims_row *r)
{
    id(out, "claims", r->id);
    for (size_t i = 0; i < r->count; i++) {
        const struct claim *c = &r->claims[i];

        id(out, "trigger", c->trigger);
        id(out, "job", c->job);
        number(out, "number", c->number);
        number(out, "version", c->version);
        number(out, "kind", c->kind);
        number(out, "scheduled", c->scheduled_ms);
        number(out, "started", c->started_ms);
        text(out, "worker", c->worker);
    }
}

static void skip(struct buf *out, const struct skip_row *r)
{
    id(out, "skip of", r->job);
    number(out, "from", r->from_ms);
    number(out, "to", r->to_ms);
    number(out, "count", r->count);
    number(out, "reason", r->reason);
    number(out, "version", r->version);
    id(out, "blocked_by", r->blocked_by);
    number(out, "decided", r->decided_ms);
}

static void wait_of(struct buf *out, const struct wait_row *r)
{
    id(out, "wait of", r->job);
    number(out, "scheduled", r->scheduled_ms);
    id(out, "root", r->root);
    id(out, "trigger", r->trigger);
    number(out, "is_over", r->is_over);
    for (size_t i = 0; i < r->ended_count; i++) {
        id(out, "ended", r->ended[i]);
    }
}

static void edge(struct buf *out, const struct edge_row *r)
{
    id(out, "edge from", r->upstream);
    id(out, "to", r->downstream);
    number(out, "on", r->on);
    number(out, "since", r->since_ms);
    id(out, "since", r->since_id);
}

static void setting(struct buf *out, const struct setting_row *r)
{
    number(out, "setting of", r->scope);
    text(out, "tenant", r->tenant);
    text(out, "name", r->name);
    text(out, "text", r->text);
}

static void limiter(struct buf *out, const struct limiter_row *r)
{
    number(out, "limiter of", r->scope);
    text(out, "tenant", r->tenant);
    text(out, "name", r->name);
    number(out, "tat", r->tat_ms);
}

static void circuit(struct buf *out, const struct circuit_row *r)
{
    text(out, "circuit of", r->tenant);
    text(out, "type", r->type);
    id(out, "job", r->job);
    number(out, "is_half_open", r->is_half_open);
    number(out, "open_until", r->open_until_ms);
}

static void idem(struct buf *out, const struct idem_row *r)
{
    text(out, "idem of", r->tenant);
    text(out, "key", r->key);
    id(out, "hash", r->hash[0]);
    id(out, "hash", r->hash[1]);
    text(out, "result", r->result);
    number(out, "created", r->created_ms);
}

static void tenant(struct buf *out, const struct tenant_row *r)
{
    text(out, "tenant", r->tenant);
    number(out, "jobs", r->jobs);
}

static void rules(struct buf *out, const struct rules_row *r)
{
    id(out, "rules", r->hash);
    text(out, "zone", r->zone);
    text(out, "text", r->text);
}

static void place_of(struct buf *out, const struct place_row *r)
{
    place(out, &r->place);
    number(out, "first wake", r->wake_ms);
}

static void step(struct buf *out, const struct step_row *r)
{
    place(out, &r->place);
    number(out, "from", r->from_ms);
    number(out, "wakes", r->count);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One list of rows, its lines in order or sorted. */
#define LIST(rows, name, render, keeps_order, out)                                                                     \
    do {                                                                                                               \
        size_t count = (rows)->name.count;                                                                             \
        char **lines = mem_alloc_array(count + 1, sizeof *lines);                                                      \
        for (size_t i = 0; i < count; i++) {                                                                           \
            struct buf line;                                                                                           \
            buf_init(&line, RENDER_BYTES_MAX);                                                                         \
            render(&line, &(rows)->name.items[i]);                                                                     \
            lines[i] = mem_strdup(buf_text(&line));                                                                    \
            buf_done(&line);                                                                                           \
        }                                                                                                              \
        put_lines(out, lines, count, keeps_order);                                                                     \
    } while (0)

static void put_lines(struct buf *out, char **lines, size_t count, bool keeps_order)
{
    if (!keeps_order) {
        qsort(lines, count, sizeof *lines, by_text);
    }
    for (size_t i = 0; i < count; i++) {
        buf_append_text(out, lines[i]);
        buf_append_char(out, '\n');
        mem_free(lines[i]);
    }
    mem_free(lines);
}

char *render_rows(const struct rows *rows, enum render_order order)
{
    bool as_is = order == RENDER_AS_IS;
    struct buf out;

    buf_init(&out, RENDER_BYTES_MAX);
    LIST(rows, jobs, job, order != RENDER_SORTED, &out);
    LIST(rows, versions, version, as_is, &out);
    LIST(rows, triggers, trigger, as_is, &out);
    LIST(rows, attempts, attempt, as_is, &out);
    LIST(rows, claims, claims, as_is, &out);
    LIST(rows, skips, skip, as_is, &out);
    LIST(rows, waits, wait_of, as_is, &out);
    LIST(rows, edges, edge, as_is, &out);
    LIST(rows, settings, setting, as_is, &out);
    LIST(rows, limiters, limiter, as_is, &out);
    LIST(rows, circuits, circuit, as_is, &out);
    LIST(rows, idems, idem, as_is, &out);
    LIST(rows, tenants, tenant, as_is, &out);
    LIST(rows, rules, rules, as_is, &out);
    LIST(rows, places, place_of, as_is, &out);
    LIST(rows, steps, step, as_is, &out);
    for (size_t i = 0; i < sizeof rows->counts / sizeof rows->counts[0]; i++) {
        if (rows->counts[i] != 0) {
            buf_printf(&out, "count of state %zu: %lld\n", i, (long long)rows->counts[i]);
        }
    }
    if (rows->wakes != 0) {
        buf_printf(&out, "wakes: %lld\n", (long long)rows->wakes);
    }
    char *text_of_all = mem_strdup(buf_text(&out));

    buf_done(&out);
    return text_of_all;
}
