#include "base/chrono.h"
#include "base/json_raw.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "worker/exchange.h"
#include "worker/session_inside.h"

#define BACKOFF_FIRST_MS 100
#define BACKOFF_LAST_MS 5000
/* What a server may ask for; what is held must be renewed some time. */
#define SERVER_RETRY_AFTER_MAX_MS 30000
/* An answer that brings nothing and comes at once is not asked for again at once. */
#define IDLE_MS 200
#define IDLE_DRAINING_MS 1000
#define QUICK_MS 100
/* Of the server's address in the log. */
#define URL_SHOWN_BYTES_MAX 4096

static void back_off(struct session *session, int64_t at_least_ms)
{
    unsigned doublings = session->failures < 10 ? session->failures : 10;
    int64_t longest_ms = (int64_t)BACKOFF_FIRST_MS << doublings;

    longest_ms = longest_ms < BACKOFF_LAST_MS ? longest_ms : BACKOFF_LAST_MS;
    at_least_ms = at_least_ms < SERVER_RETRY_AFTER_MAX_MS ? at_least_ms : SERVER_RETRY_AFTER_MAX_MS;
    session->failures++;
    session->exchange_failures++;
    session->not_before_mono_ms =
        chrono_mono_ms() + at_least_ms + rng_between(&session->rng, longest_ms / 2, longest_ms);
}

static void note_failure(struct session *session, long status, const char *why)
{
    if (session->failures == 0) { /* once, until it goes well again */
        SCOPE(buf_done) struct buf url;

        buf_init(&url, URL_SHOWN_BYTES_MAX);
        mask_append(&url, str_from(addresses_now(&session->addresses)));
        log_warn("worker.exchange_failed", KEY_STR("url", buf_text(&url)), KEY_INT("status", status),
                 KEY_STR("why", status == 0 ? why : "the server refused it"));
    }
}

/* Rule 5: a server that does not answer, or cannot, is left; only after a round of all of them there is a wait. */
static void go_elsewhere(struct session *session, long status)
{
    if (status != 0 && status < 500) {
        return;
    }
    addresses_next(&session->addresses);
    if (session->failures % session->addresses.count != 0) {
        session->not_before_mono_ms = 0;
    }
}

static void note_success(struct session *session)
{
    if (session->failures > 0) {
        log_info("worker.exchange_recovered", KEY_UINT("failures", session->failures));
    }
    session->failures = 0;
    session->not_before_mono_ms = 0;
}

static void tell_refused(struct session *session, struct str refused)
{
    size_t offset = 0;
    struct str id, reason;

    while (exchange_next_refused(refused, &offset, &id, &reason)) {
        session->refused++;
        log_info("worker.report_refused", KEY_SLICE("attempt", id), KEY_SLICE("reason", reason));
    }
}

/* Returns whether there was anything new in it. */
static bool take_answer(struct session *session, const struct exchange_answer *answer)
{
    bool is_new = false;
    size_t offset = 0;
    struct str piece;

    tell_refused(session, answer->refused);
    while (exchange_next_id(answer->cancel, &offset, &piece)) {
        is_new = session->owner.on_cancel(session->owner.owner, piece) || is_new;
    }
    offset = 0;
    while (jraw_next(answer->attempts, &offset, &piece)) {
        is_new = session->owner.on_attempt(session->owner.owner, piece) || is_new;
    }
    return is_new;
}

static void pace(struct session *session, const struct flight *flight, bool is_new, bool is_draining)
{
    int64_t now_mono_ms = chrono_mono_ms();
    bool is_quick = now_mono_ms - flight->started_mono_ms < QUICK_MS;

    if (is_draining) {
        session->idle_until_mono_ms = now_mono_ms + IDLE_DRAINING_MS;
    } else if (is_quick && !is_new && flight->superseded_mono_ms == 0) {
        session->idle_until_mono_ms = now_mono_ms + IDLE_MS;
    } else {
        session->idle_until_mono_ms = 0;
    }
}

static void on_answer(struct session *session, struct flight *flight)
{
    struct exchange_answer answer;
    struct error error;

    if (exchange_read(buf_str(&flight->answer), &answer, &error) != ERR_OK) {
        note_failure(session, 0, error.text);
        session_take_back(session, flight->seq, false);
        back_off(session, 0);
        return;
    }
    note_success(session);
    session->answered_seq = flight->seq > session->answered_seq ? flight->seq : session->answered_seq;
    session->want_max = session->config.slots;
    outbox_delivered(&session->outbox, flight->seq);

    bool is_new = take_answer(session, &answer);

    pace(session, flight, is_new, answer.is_draining);
}

/* The answers that say the request itself is wrong: its reports go again, without what came from outside. */
static bool is_refusal(long status)
{
    return status == 400 || status == 413 || status == 422;
}

void session_on_flight_end(void *owner, struct flight *flight, long status, const char *why)
{
    struct session *session = owner;

    if (status == 200) {
        on_answer(session, flight);
        buf_done(&flight->answer);
        return;
    }
    session_take_back(session, flight->seq, is_refusal(status));
    if (flight->is_too_large) {
        session->want_max = session->want_max > 1 ? session->want_max / 2 : 1;
    }
    if (flight->superseded_mono_ms == 0) { /* an older one may well end in a conflict: the newer overtook it */
        note_failure(session, status, why);
        back_off(session, flight->retry_after_ms);
        go_elsewhere(session, status);
    }
}
