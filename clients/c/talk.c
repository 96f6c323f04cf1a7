/* talk: the conversation of a worker with its server.
 *
 * One exchange waits at the server for work. When there is something to say meanwhile, another one with a higher seq is
 * sent, and takes its place; so two are under way for a moment.
 *
 * Rules: (1) only the newest exchange decides what to do next; an older one's answer is read, its failure ignored.
 *        (2) after a failure, or an answer that comes at once and brings nothing, there is a pause.
 *        (3) leases are renewed in time even if an answer gets lost: an exchange ends before the shortest of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "client.h"
#include "exchange.h"

#define UNDER_WAY_MAX 2
#define WAIT_MAX_MS 20000
#define PATIENCE_MIN_MS 400
#define PATIENCE_MAX_MS 10000
/* An older exchange that is still there so long after its successor was sent is not coming back. */
#define OVERTAKEN_MS 250
#define NOTE_EVERY_MS 1000
#define QUIET_MS 500
#define PAUSE_FIRST_MS 100
#define PAUSE_MAX_MS 5000
/* A worker that stops tries for so long to get its last reports through. */
#define FAREWELL_MS 10000
#define LOOK_MS 1000

struct talk {
    struct belfry_worker *worker;
    struct http *http;
    struct exchange exchanges[UNDER_WAY_MAX];
    uint64_t seq;
    uint64_t told;               /* the news that the newest exchange knew of */
    int64_t not_before_mono_ms;  /* after a failure */
    int64_t quiet_until_mono_ms; /* unless there is news */
    int64_t give_up_mono_ms;     /* 0: not about to */
    unsigned failures;           /* in a row */
    bool is_settled;             /* the server has answered a farewell */
    bool is_refused, is_stop_told;
    struct belfry_error error;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void tell_trouble(const struct talk *talk)
{
    if (talk->worker->on_trouble != NULL) {
        talk->worker->on_trouble(talk->error.text, talk->worker->context);
    }
}

/* ---- sending ---- */

static struct exchange *newest(struct talk *talk)
{
    return talk->exchanges[0].seq > talk->exchanges[1].seq ? &talk->exchanges[0] : &talk->exchanges[1];
}

static struct exchange *oldest(struct talk *talk)
{
    return newest(talk) == &talk->exchanges[0] ? &talk->exchanges[1] : &talk->exchanges[0];
}

static void send_exchange(struct talk *talk)
{
    struct belfry_worker *worker = talk->worker;
    struct exchange *exchange = oldest(talk);

    bf_http_cut(talk->http, &exchange->call);
    (void)pthread_mutex_lock(&worker->lock);
    int64_t lease_ms = bf_work_shortest_lease_ms(worker);
    bool has_running = bf_work_count(worker, WORK_RUNNING) > 0;
    int64_t wait_ms = atomic_load(&worker->is_stopping) && !has_running ? 0 : smaller(WAIT_MAX_MS, lease_ms / 3);

    talk->told = worker->news;
    bf_exchange_write(exchange, worker, ++talk->seq, wait_ms);
    (void)pthread_mutex_unlock(&worker->lock);

    exchange->sent_mono_ms = bf_mono_ms();
    bf_http_start(talk->http, &exchange->call,
                  wait_ms + larger(PATIENCE_MIN_MS, smaller(PATIENCE_MAX_MS, lease_ms / 3))); /* rule 3 */
}

/* When to send the next one; INT64_MAX: not before something happens. */
static int64_t next_mono_ms(struct talk *talk)
{
    struct belfry_worker *worker = talk->worker;

    (void)pthread_mutex_lock(&worker->lock);
    bool has_news = worker->news != talk->told, has_notes = worker->has_notes;
    (void)pthread_mutex_unlock(&worker->lock);

    bool is_waiting = newest(talk)->call.is_under_way, is_doubled = is_waiting && oldest(talk)->call.is_under_way;
    int64_t next_ms = is_waiting ? INT64_MAX : talk->quiet_until_mono_ms;

    if (has_notes) {
        next_ms = smaller(next_ms, newest(talk)->sent_mono_ms + NOTE_EVERY_MS);
    }
    if (has_news) {
        next_ms = is_doubled ? newest(talk)->sent_mono_ms + OVERTAKEN_MS : 0;
    }
    return larger(next_ms, talk->not_before_mono_ms);
}

/* ---- hearing ---- */

static void hear_answer(struct talk *talk, struct exchange *exchange, const struct heard *heard)
{
    bool is_early = bf_mono_ms() - exchange->sent_mono_ms < exchange->wait_ms / 2;
    bool is_empty = heard->begun == 0 && heard->acknowledged == 0 && heard->cancelled == 0;

    talk->is_settled = talk->is_settled || exchange->is_farewell;
    if (exchange != newest(talk)) {
        return; /* rule 1 */
    }
    talk->failures = 0;
    bf_http_cut(talk->http, &oldest(talk)->call); /* what it was given came with this one */
    if (heard->is_draining || (is_empty && is_early)) {
        talk->quiet_until_mono_ms = bf_mono_ms() + QUIET_MS; /* rule 2 */
    }
}

static int64_t pause_ms(const struct talk *talk)
{
    unsigned doublings = talk->failures < 6 ? talk->failures : 6;
    int64_t ms = smaller(PAUSE_MAX_MS, (int64_t)PAUSE_FIRST_MS << doublings);
    uint16_t random = 0;

    (void)!getrandom(&random, sizeof random, 0);
    return ms / 2 + ms / 2 * random / UINT16_MAX; /* many workers must not come back as one */
}

static void hear_failure(struct talk *talk, const struct exchange *exchange)
{
    struct belfry_worker *worker = talk->worker;
    const struct http_call *call = &exchange->call;

    if (exchange != newest(talk)) {
        return; /* rule 1 */
    }
    if (call->status == 200) {
        (void)bf_fail(&talk->error, BELFRY_UNREACHABLE, "the answer is not JSON: is this a Belfry server?");
    } else {
        talk->is_refused = bf_http_refusal(call, &talk->error) == BELFRY_REFUSED && call->status != 409;
    }
    tell_trouble(talk);
    (void)pthread_mutex_lock(&worker->lock);
    int64_t most_ms = larger(PAUSE_FIRST_MS, bf_work_shortest_lease_ms(worker) / 3);

    talk->told = worker->news - 1; /* it may have heard nothing of it */
    for (size_t i = 0; i < worker->work_count; i++) {
        worker->has_notes |= worker->works[i].note_state == NOTE_SENT;
    }
    (void)pthread_mutex_unlock(&worker->lock);
    talk->not_before_mono_ms = bf_mono_ms() + larger(call->retry_after_ms, smaller(most_ms, pause_ms(talk)));
    talk->failures++;
}

static void hear(struct talk *talk, struct exchange *exchange)
{
    struct heard heard;

    if (exchange->call.status == 200 && bf_exchange_read(exchange, talk->worker, &heard)) {
        hear_answer(talk, exchange, &heard);
    } else {
        hear_failure(talk, exchange);
    }
}

static void hear_all(struct talk *talk)
{
    struct http_call *call;

    while ((call = bf_http_next_ended(talk->http)) != NULL) {
        hear(talk, call == &talk->exchanges[0].call ? &talk->exchanges[0] : &talk->exchanges[1]);
    }
}

/* ---- stopping ---- */

/* Gives back what waits. Returns whether everything is over. */
static bool look_at_stop(struct talk *talk)
{
    struct belfry_worker *worker = talk->worker;

    if (talk->is_refused) {
        atomic_store(&worker->is_stopping, true);
    }
    if (!atomic_load(&worker->is_stopping)) {
        return false;
    }
    (void)pthread_mutex_lock(&worker->lock);
    bf_work_release_queued(worker);
    worker->news += !talk->is_stop_told;
    talk->is_stop_told = true;
    size_t running = bf_work_count(worker, WORK_RUNNING), ended = bf_work_count(worker, WORK_ENDED);
    (void)pthread_mutex_unlock(&worker->lock);

    if (running > 0) {
        return false;
    }
    if (talk->give_up_mono_ms == 0) {
        talk->give_up_mono_ms = bf_mono_ms() + FAREWELL_MS;
    }
    bool is_done = ended == 0 && talk->is_settled;
    if (!is_done && !talk->is_refused && bf_mono_ms() < talk->give_up_mono_ms) {
        return false;
    }
    if (is_done) {
        talk->error.status = BELFRY_OK;
    } else if (!talk->is_refused) {
        (void)bf_fail(&talk->error, BELFRY_UNREACHABLE, "stopped, but %zu reports were not acknowledged", ended);
    }
    return true;
}

/* ---- the conversation ---- */

static void talk_on(struct talk *talk)
{
    uint64_t woken;

    while (!look_at_stop(talk)) {
        int64_t now_mono_ms = bf_mono_ms(), next_ms = next_mono_ms(talk);

        if (next_ms <= now_mono_ms && !talk->is_refused) {
            send_exchange(talk);
        }
        next_ms = next_ms <= now_mono_ms ? now_mono_ms + LOOK_MS : next_ms;
        bf_http_wait(talk->http, talk->worker->wake_fd, smaller(LOOK_MS, next_ms - now_mono_ms));
        (void)!read(talk->worker->wake_fd, &woken, sizeof woken);
        hear_all(talk);
    }
}

enum belfry_status bf_worker_talk(struct belfry_worker *worker, struct belfry_error *ret_error)
{
    struct talk *talk = bf_zalloc(1, sizeof *talk);
    bool is_address = true;

    talk->worker = worker;
    talk->http = bf_http_new();
    for (size_t i = 0; i < UNDER_WAY_MAX; i++) {
        is_address = bf_exchange_init(&talk->exchanges[i], worker) && is_address;
    }
    if (is_address) {
        talk_on(talk);
    } else {
        (void)bf_fail(&talk->error, BELFRY_INVALID, "%.200s is no address", worker->client->url);
    }
    for (size_t i = 0; i < UNDER_WAY_MAX; i++) {
        bf_http_cut(talk->http, &talk->exchanges[i].call);
        bf_exchange_done(&talk->exchanges[i]);
    }
    bf_http_free(talk->http);
    enum belfry_status status = talk->error.status;

    if (ret_error != NULL) {
        *ret_error = talk->error;
    }
    free(talk);
    return status;
}
