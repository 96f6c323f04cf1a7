/* Messages to the webhook: one at a time, in order, again where it failed. */
#include <stdio.h>
#include <string.h>

#include "api/alerts_inside.h"
#include "base/buf.h"
#include "base/chrono.h"
#include "base/container.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/mem.h"
#include "wire/put.h"

#define WAIT_FIRST_MS 1000
#define WAIT_MAX_MS 60000
#define SUMMARY_BYTES 300

/* ---- what is said ---- */

static void write_summary(const struct alert_rule *rule, double value, char out[static SUMMARY_BYTES])
{
    if (rule->after == NULL) {
        (void)snprintf(out, SUMMARY_BYTES, "%s", rule->before);
    } else if (rule->threshold < 1 && rule->threshold > 0) { /* a share */
        (void)snprintf(out, SUMMARY_BYTES, "%s%.1f %%%s", rule->before, value * 100, rule->after);
    } else {
        (void)snprintf(out, SUMMARY_BYTES, "%s%.0f%s", rule->before, value, rule->after);
    }
}

static void write_body(const struct alerts *alerts, enum alert alert, const struct alert_state *state,
                       const char *subject, int64_t wall_ms, struct buf *out)
{
    const struct alert_rule *rule = &alert_rules[alert];
    char summary[SUMMARY_BYTES];
    struct jw jw;

    write_summary(rule, state->value, summary);
    jw_init(&jw, out);
    jw_begin_object(&jw);
    wire_put_word(&jw, "alert", rule->name);
    wire_put_word(&jw, "status", state->is_firing ? "firing" : "resolved");
    wire_put_word(&jw, "severity", rule->severity);
    wire_put_word(&jw, "summary", summary);
    if (subject[0] != '\0') {
        wire_put_word(&jw, "subject", subject);
    } else {
        wire_put_null(&jw, "subject");
    }
    jw_key(&jw, "value");
    jw_double(&jw, state->value);
    jw_key(&jw, "threshold");
    jw_double(&jw, rule->threshold);
    wire_put_instant(&jw, "since", state->since_ms);
    wire_put_instant(&jw, "at", wall_ms);
    wire_put_word(&jw, "what_to_do", rule->what_to_do);
    wire_put_text(&jw, "server", alerts->config.server_name);
    wire_put_text(&jw, "url", alerts->config.server_url);
    jw_end_object(&jw);
}

void alerts_enqueue(struct alerts *alerts, enum alert alert, const struct alert_state *state, const char *subject,
                    int64_t wall_ms)
{
    SCOPE(buf_done) struct buf body;

    buf_init(&body, ALERTS_BODY_BYTES);
    write_body(alerts, alert, state, subject, wall_ms, &body);
    (void)pthread_mutex_lock(&alerts->lock);
    if (alerts->count == ALERTS_QUEUE_MAX) { /* the one that is being sent has a copy */
        alerts->first = (alerts->first + 1) % ALERTS_QUEUE_MAX;
        alerts->count--;
        alerts->dropped++;
    }
    struct alerts_message *message = &alerts->queue[(alerts->first + alerts->count) % ALERTS_QUEUE_MAX];

    message->len = buf_str(&body).len < ALERTS_BODY_BYTES ? buf_str(&body).len : 0;
    memcpy(message->body, buf_str(&body).ptr, message->len);
    alerts->count++;
    (void)pthread_mutex_unlock(&alerts->lock);
}

/* ---- how it goes ---- */

/* Nobody reads what a webhook answers. */
static bool on_took(struct carrier_call *call, struct str bytes)
{
    (void)call;
    (void)bytes;
    return true;
}

static int64_t wait_ms(int tries)
{
    int64_t ms = WAIT_FIRST_MS;

    for (int i = 1; i < tries && ms < WAIT_MAX_MS; i++) {
        ms *= 2;
    }
    return ms < WAIT_MAX_MS ? ms : WAIT_MAX_MS;
}

/* With the lock held. True: it is given up. */
static bool note_failure(struct alerts *alerts, const struct error *error)
{
    alerts->failed++;
    alerts->error = *error;
    alerts->next_mono_ms = chrono_mono_ms() + wait_ms(++alerts->tries);
    return alerts->tries >= ALERTS_TRIES_MAX;
}

static void drop_first(struct alerts *alerts)
{
    /* Others may have pushed it out meanwhile. */
    bool is_first = alerts->count > 0 && alerts->queue[alerts->first].len == alerts->sending.len &&
                    memcmp(alerts->queue[alerts->first].body, alerts->sending.body, alerts->sending.len) == 0;

    if (is_first) {
        alerts->first = (alerts->first + 1) % ALERTS_QUEUE_MAX;
        alerts->count--;
    }
    alerts->tries = 0;
}

static void on_done(struct carrier_call *call, enum err err, const struct error *error)
{
    struct alerts *alerts = CONTAINER_OF(call, struct alerts, http);
    bool is_ok = err == ERR_OK && call->status >= 200 && call->status < 300;
    bool is_given_up = false;
    struct error why = {0};

    if (err != ERR_OK) {
        why = *error;
    } else if (!is_ok) {
        err_set(&why, ERR_IO, "it answered %d", call->status);
    }
    (void)pthread_mutex_lock(&alerts->lock);
    alerts->is_sending = false;
    if (is_ok) {
        alerts->sent++;
        alerts->error = (struct error){.code = ERR_OK};
        drop_first(alerts);
    } else if (note_failure(alerts, &why)) {
        is_given_up = true;
        alerts->dropped++;
        drop_first(alerts);
    }
    (void)pthread_mutex_unlock(&alerts->lock);
    if (is_given_up) {
        log_error("alert.not_sent", KEY_STR("to", alerts->place), KEY_STR("error", why.text));
    }
}

void alerts_send(struct alerts *alerts, int64_t mono_ms)
{
    (void)pthread_mutex_lock(&alerts->lock);
    bool begins = alerts->count > 0 && !alerts->is_sending && !alerts->is_stopped && mono_ms >= alerts->next_mono_ms;

    if (begins) {
        alerts->is_sending = true;
        alerts->sending = alerts->queue[alerts->first];
    }
    (void)pthread_mutex_unlock(&alerts->lock);
    if (!begins) {
        return;
    }
    alerts->http = (struct carrier_call){
        .url = alerts->config.url,
        .method = "POST",
        .body = {alerts->sending.body, alerts->sending.len},
        .headers = {{"Content-Type", STR("application/json")}, {"User-Agent", STR("belfry")}},
        .header_count = 2,
        .timeout_ms = ALERTS_TIMEOUT_MS,
        .took = on_took,
        .done = on_done,
    };
    carrier_send(alerts->carrier, &alerts->http);
}
