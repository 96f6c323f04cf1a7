#include "api/alerts.h"

#include <string.h>

#include "api/alerts_inside.h"
#include "base/chrono.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"

#define LOOK_EVERY_MS 2000
#define ARENA_BLOCK_BYTES 65536
#define ARENA_BYTES_MAX (64UL * 1024 * 1024)

/* ---- judging ---- */

static void tell(struct alerts *alerts, enum alert alert, const struct alert_state *state,
                 const struct alert_figures *figures, int64_t wall_ms)
{
    const char *subject = alert_subject(alert, figures);

    if (state->is_firing) {
        log_warn("alert.firing", KEY_STR("alert", alert_rules[alert].name), KEY_STR("subject", subject));
    } else {
        log_info("alert.resolved", KEY_STR("alert", alert_rules[alert].name));
    }
    alerts_enqueue(alerts, alert, state, subject, wall_ms);
}

static void judge(struct alerts *alerts, const struct alert_figures *figures, int64_t mono_ms)
{
    int64_t wall_ms = chrono_wall_ms();

    for (int i = 0; i < ALERTS; i++) {
        (void)pthread_mutex_lock(&alerts->lock);
        bool has_changed = alert_step((enum alert)i, &alerts->states[i], figures, mono_ms, wall_ms);
        struct alert_state state = alerts->states[i];

        (void)pthread_mutex_unlock(&alerts->lock);
        if (has_changed) {
            tell(alerts, (enum alert)i, &state, figures, wall_ms);
        }
    }
}

/* Somebody else owns the shard, and tells (rule 1). */
static void forget(struct alerts *alerts)
{
    (void)pthread_mutex_lock(&alerts->lock);
    memset(alerts->states, 0, sizeof alerts->states);
    alerts->has_looked = false;
    (void)pthread_mutex_unlock(&alerts->lock);
    alerts->past_count = 0;
    alerts->was_owner = false;
}

static bool take_look(struct alerts *alerts)
{
    (void)pthread_mutex_lock(&alerts->lock);
    bool has_looked = alerts->has_looked;

    alerts->has_looked = false;
    (void)pthread_mutex_unlock(&alerts->lock);
    return has_looked;
}

static void look_and_judge(struct alerts *alerts, int64_t mono_ms)
{
    struct alert_figures figures;
    struct shard_view view;

    shard_look(alerts->config.shard, &view);
    bool is_owner = view.state == SHARD_SERVING;

    if (!is_owner && !(alerts->was_owner && view.state == SHARD_DOWN)) {
        forget(alerts);
        return;
    }
    alerts->was_owner = true;
    bool has_engine = take_look(alerts) && is_owner;

    if (has_engine || !is_owner) {
        arena_reset(&alerts->arena);
        alerts_gather(alerts, &view, has_engine, &figures);
        judge(alerts, &figures, mono_ms);
    }
    if (is_owner && mono_ms >= alerts->looked_mono_ms + LOOK_EVERY_MS) {
        alerts->looked_mono_ms = mono_ms;
        alerts_ask_engine(alerts);
    }
}

void alerts_tick(struct alerts *alerts)
{
    int64_t mono_ms = chrono_mono_ms();

    if (alerts != NULL) {
        look_and_judge(alerts, mono_ms);
        alerts_send(alerts, mono_ms);
    }
}

/* ---- life ---- */

enum err alerts_check_url(const char *url, struct error *reterr)
{
    struct str text = str_from(url);

    if (!str_starts_with(text, STR("http://")) && !str_starts_with(text, STR("https://"))) {
        return err_set(reterr, ERR_INVALID, "alert-url wants an address that begins with http:// or https://");
    }
    return ERR_OK;
}

struct alerts *alerts_new(const struct alerts_config *config)
{
    struct alerts *alerts = mem_zalloc(sizeof *alerts);
    SCOPE(buf_done) struct buf place;

    buf_init(&place, sizeof alerts->place);
    mask_append_host(&place, str_from(config->url));
    memcpy(alerts->place, buf_text(&place), buf_str(&place).len);
    alerts->config = *config;
    alerts->carrier = carrier_new();
    arena_init(&alerts->arena, ARENA_BLOCK_BYTES, ARENA_BYTES_MAX);
    arena_init(&alerts->look_arena, ARENA_BLOCK_BYTES, ARENA_BYTES_MAX);
    (void)pthread_mutex_init(&alerts->lock, NULL);
    return alerts;
}

void alerts_stop(struct alerts *alerts)
{
    if (alerts == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&alerts->lock);
    alerts->is_stopped = true;
    (void)pthread_mutex_unlock(&alerts->lock);
    carrier_stop(alerts->carrier);
}

void alerts_free(struct alerts *alerts)
{
    if (alerts == NULL) {
        return;
    }
    carrier_free(alerts->carrier);
    arena_done(&alerts->arena);
    arena_done(&alerts->look_arena);
    (void)pthread_mutex_destroy(&alerts->lock);
    mem_free(alerts);
}

void alerts_look(struct alerts *alerts, struct alerts_view *ret_view)
{
    (void)pthread_mutex_lock(&alerts->lock);
    *ret_view = (struct alerts_view){.sent = alerts->sent,
                                     .failed = alerts->failed,
                                     .dropped = alerts->dropped,
                                     .waiting = alerts->count,
                                     .error = alerts->error};
    memcpy(ret_view->states, alerts->states, sizeof ret_view->states);
    (void)pthread_mutex_unlock(&alerts->lock);
    memcpy(ret_view->place, alerts->place, sizeof ret_view->place);
}
