#include "show.h"

#include <stdio.h>

#include "calendar/instant.h"

#define ROOMS 16

static const char *const event_words[] = {"tick",   "command",   "exchange", "gone",
                                          "loaded", "committed", "drain",    "leave"};
static const char *const command_words[] = {"create",   "patch",  "status",  "delete", "run",
                                            "backfill", "replay", "discard", "cancel", "retry",
                                            "settings", "pause",  "resume",  "why",    "accept_clock"};
static const char *const reply_words[] = {"error", "jobs", "triggers", "done", "why", "work"};

const char *show_instant(int64_t ms)
{
    static char rooms[ROOMS][INSTANT_BYTES];
    static unsigned next;

    if (ms == TIME_NONE) {
        return "none";
    }
    return instant_format(ms, rooms[next++ % ROOMS]);
}

const char *show_id(uint64_t id)
{
    static char rooms[ROOMS][24];
    static unsigned next;
    char *room = rooms[next++ % ROOMS];

    /* Time, then sequence: easier to tell apart than sixty-three bits. */
    (void)snprintf(room, sizeof rooms[0], "%llx.%llu", (unsigned long long)(id >> 22 & 0xffffff),
                   (unsigned long long)(id & 0xfff));
    return id == 0 ? "-" : room;
}

const char *show_command_kind(enum command_kind kind)
{
    return command_words[kind];
}

/* ---- into the engine ---- */

static void show_command(struct world *world, unsigned node, const struct command *command)
{
    digest_number(&world->digest, command->kind);
    digest_number(&world->digest, command->token);
    digest_number(&world->digest, command->ref.id);
    digest_text(&world->digest, command->ref.name);
    digest_text(&world->digest, command->text);
    TRACE(world, "node %u: %llu %s %s %.*s/%.*s defs=%zu key=%.*s triggers=%zu %s %.*s", node,
          (unsigned long long)command->token, command_words[command->kind], show_id(command->ref.id),
          STR_ARGS(command->ref.tenant), STR_ARGS(command->ref.name), command->def_count, STR_ARGS(command->idem_key),
          command->trigger_count, command->trigger_count > 0 ? show_id(command->triggers[0]) : "",
          STR_ARGS(command->text));
}

static void show_exchange(struct world *world, unsigned node, const struct exchange *exchange)
{
    digest_number(&world->digest, exchange->token);
    digest_signed(&world->digest, exchange->seq);
    digest_number(&world->digest, exchange->holding_count);
    TRACE(world, "node %u: %llu exchange of %.*s seq=%lld want=%u wait=%lld holds=%zu reports=%zu", node,
          (unsigned long long)exchange->token, STR_ARGS(exchange->worker), (long long)exchange->seq, exchange->want,
          (long long)exchange->wait_ms, exchange->holding_count, exchange->report_count);
    for (size_t i = 0; i < exchange->report_count; i++) {
        const struct report *report = &exchange->reports[i];

        digest_number(&world->digest, report->trigger);
        digest_number(&world->digest, report->number * 8U + (unsigned)report->state);
        TRACE(world, "    reports %s #%u %s%s", show_id(report->trigger), report->number,
              attempt_state_text(report->state), report->is_permanent ? " for good" : "");
    }
    for (size_t i = 0; world->trace != NULL && i < exchange->holding_count; i++) {
        TRACE(world, "    holds %s #%u", show_id(exchange->holding[i].trigger), exchange->holding[i].number);
    }
}

void show_event(struct world *world, unsigned node, const struct event *event)
{
    digest_number(&world->digest, event->kind);
    digest_signed(&world->digest, event->at.wall_ms);
    digest_signed(&world->digest, event->at.mono_ms);
    switch (event->kind) {
    case EVENT_COMMAND:
        show_command(world, node, event->command);
        break;
    case EVENT_EXCHANGE:
        show_exchange(world, node, event->exchange);
        break;
    case EVENT_LOADED:
        TRACE(world, "node %u: loaded %llu: %zu jobs, %zu triggers%s", node, (unsigned long long)event->load_tag,
              event->rows->jobs.count, event->rows->triggers.count, event->rows->has_more ? ", more behind" : "");
        break;
    case EVENT_TICK:
    case EVENT_GONE:
    case EVENT_COMMITTED:
    case EVENT_DRAIN:
    case EVENT_LEAVE:
        TRACE(world, "node %u: %s token=%llu batch=%llu", node, event_words[event->kind],
              (unsigned long long)event->token, (unsigned long long)event->batch);
        break;
    }
}

/* ---- out of the engine ---- */

void show_load(struct world *world, unsigned node, const struct load *load)
{
    digest_number(&world->digest, load->kind);
    digest_number(&world->digest, load->tag);
    digest_number(&world->digest, load->key_count);
    digest_number(&world->digest, load->after_id);
    if (load->kind == LOAD_WINDOW) {
        TRACE(world, "node %u: asks for window %llu of (%.*s, %.*s, %.*s, %d) after (%s, %s) until %s", node,
              (unsigned long long)load->tag, STR_ARGS(load->place.pool), STR_ARGS(load->place.tenant),
              STR_ARGS(load->place.type), load->place.priority, show_instant(load->after_ms), show_id(load->after_id),
              show_instant(load->until_ms));
    } else {
        TRACE(world, "node %u: asks for keys %llu, %zu of them", node, (unsigned long long)load->tag, load->key_count);
    }
}

static void show_work(struct world *world, const struct reply *reply)
{
    for (size_t i = 0; i < reply->grant_count; i++) {
        const struct grant *grant = &reply->grants[i];

        digest_number(&world->digest, grant->trigger);
        digest_number(&world->digest, grant->number);
        TRACE(world, "    grants %s #%u of job %s, %s for %s, lease %lld timeout %lld", show_id(grant->trigger),
              grant->number, show_id(grant->job), trigger_kind_text(grant->kind), show_instant(grant->scheduled_ms),
              (long long)grant->lease_ms, (long long)grant->timeout_ms);
    }
    for (size_t i = 0; i < reply->refused_count; i++) {
        digest_number(&world->digest, reply->refused[i].attempt.trigger);
        TRACE(world, "    refuses %s #%u: %s", show_id(reply->refused[i].attempt.trigger),
              reply->refused[i].attempt.number, refusal_text(reply->refused[i].reason));
    }
    for (size_t i = 0; i < reply->cancel_count; i++) {
        digest_number(&world->digest, reply->cancel[i].trigger);
        TRACE(world, "    cancels %s #%u", show_id(reply->cancel[i].trigger), reply->cancel[i].number);
    }
}

void show_reply(struct world *world, unsigned node, const struct reply *reply)
{
    digest_number(&world->digest, reply->token);
    digest_number(&world->digest, reply->kind);
    digest_number(&world->digest, reply->error.code);
    TRACE(world, "node %u: answers %llu: %s %s%s", node, (unsigned long long)reply->token, reply_words[reply->kind],
          reply->kind == REPLY_ERROR ? err_code(reply->error.code) : "",
          reply->kind == REPLY_ERROR ? reply->error.text : "");
    for (size_t i = 0; i < reply->job_count; i++) {
        digest_number(&world->digest, reply->jobs[i].id);
        TRACE(world, "    job %s version %u %s%s next %s", show_id(reply->jobs[i].id), reply->jobs[i].version,
              job_status_text(reply->jobs[i].status), reply->jobs[i].is_existing ? " (was there)" : "",
              show_instant(reply->jobs[i].next_ms));
    }
    for (size_t i = 0; i < reply->trigger_count; i++) {
        digest_number(&world->digest, reply->triggers[i]);
        TRACE(world, "    trigger %s", show_id(reply->triggers[i]));
    }
    show_work(world, reply);
}
