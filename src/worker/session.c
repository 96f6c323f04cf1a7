#include "worker/session_inside.h"

#include <sys/random.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "worker/exchange.h"
#include "worker/limits_worker.h"

/* Between two exchanges of which the second supersedes the first: one that overtakes another makes a conflict of it. */
#define SPACING_MS 5
/* How long a superseded exchange may take to end. */
#define SUPERSEDED_MS 1000
/* Beyond the wait: for the way there and back, and the server's commit. */
#define ANSWER_MS 15000
#define URL_BYTES_MAX 2048

/* ---- reports ---- */

void session_take_back(struct session *session, uint64_t seq, bool is_refused)
{
    outbox_returned(&session->outbox, seq, is_refused);
    session->has_news = session->has_news || outbox_has_waiting(&session->outbox);
}

void session_report(struct session *session, struct str attempt, const struct outcome *outcome)
{
    outbox_add(&session->outbox, report_new(attempt, outcome));
    session->has_news = true;
}

void session_nudge(struct session *session)
{
    session->has_news = true;
}

/* ---- the next exchange ---- */

static struct flight *newest(struct session *session)
{
    for (size_t i = 0; i < SESSION_FLIGHTS; i++) {
        if (session->flights[i].is_flying && session->flights[i].superseded_mono_ms == 0) {
            return &session->flights[i];
        }
    }
    return NULL;
}

static struct flight *unused(struct session *session)
{
    for (size_t i = 0; i < SESSION_FLIGHTS; i++) {
        if (!session->flights[i].is_flying) {
            return &session->flights[i];
        }
    }
    return NULL;
}

static uint32_t want(const struct session *session)
{
    uint32_t free_slots = session->owner.free_slots(session->owner.owner);

    if (session->is_closing || session->outbox.bytes > REPORT_BYTES_BACKLOG) {
        return 0;
    }
    free_slots = free_slots < session->want_max ? free_slots : session->want_max;
    return free_slots < WANT_MAX ? free_slots : WANT_MAX;
}

static int64_t wait_ms(const struct session *session)
{
    int64_t lease_ms = session->owner.shortest_lease_ms(session->owner.owner);

    if (session->is_closing || outbox_has_waiting(&session->outbox)) {
        return 0; /* more is to be said right after */
    }
    return lease_ms > 0 && lease_ms / 4 < WAIT_MS ? lease_ms / 4 : WAIT_MS; /* before rule 4 asks for it */
}

static void write_request(struct session *session, struct flight *flight)
{
    struct report *reports[REQUEST_REPORTS_MAX];
    struct str *holding = mem_alloc_array(session->config.slots, sizeof *holding);
    size_t report_count = outbox_choose(&session->outbox, flight->seq, reports);
    struct exchange_request request = {
        .worker = session->config.worker,
        .seq = flight->seq,
        .name = session->config.name,
        .pools = session->config.pools,
        .pool_count = session->config.pool_count,
        .capacity = session->config.slots,
        .want = want(session),
        .wait_ms = wait_ms(session),
        .is_exec_allowed = session->config.is_exec_allowed,
        .holding = holding,
        .holding_count = session->owner.held(session->owner.owner, holding, session->config.slots),
        .reports = reports,
        .report_count = report_count,
    };
    buf_reset(&flight->request);
    exchange_write(&request, &flight->request);
    mem_free(holding);
}

static void begin(struct session *session, struct flight *flight)
{
    struct flight *older = newest(session);

    if (older != NULL) {
        older->superseded_mono_ms = chrono_mono_ms();
    }
    session->seq++; /* rule 1 */
    session->exchanges++;
    flight->seq = session->seq;
    write_request(session, flight);
    session->has_news = outbox_has_waiting(&session->outbox);
    SCOPE(buf_done) struct buf url;

    buf_init(&url, URL_BYTES_MAX);
    buf_append_text(&url, addresses_now(&session->addresses));
    buf_append_text(&url, "/v1/work");
    flight_start(flight, buf_text(&url), session->headers, WAIT_MS + ANSWER_MS);
}

/* The moment at which the next exchange is due; INT64_MAX: when the one under way ends. */
static int64_t due_mono_ms(struct session *session)
{
    const struct flight *flight = newest(session);
    int64_t lease_ms = session->owner.shortest_lease_ms(session->owner.owner);
    int64_t due = INT64_MAX;

    if (session->has_news) {
        due = flight != NULL ? flight->started_mono_ms + SPACING_MS : 0;
    } else if (flight == NULL) {
        due = session->idle_until_mono_ms;
    } else if (lease_ms > 0) {
        due = flight->started_mono_ms + lease_ms / 3; /* rule 4 */
    }
    return due > session->not_before_mono_ms ? due : session->not_before_mono_ms;
}

/* Rule 3: those that had their time are given up. Returns when the next one has had it; INT64_MAX: none is left. */
static int64_t give_up_superseded(struct session *session, int64_t now_mono_ms)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < SESSION_FLIGHTS; i++) {
        struct flight *flight = &session->flights[i];

        if (!flight->is_flying || flight->superseded_mono_ms == 0) {
            continue;
        }
        if (flight->superseded_mono_ms + SUPERSEDED_MS > now_mono_ms) {
            next = flight->superseded_mono_ms + SUPERSEDED_MS;
            continue;
        }
        flight_abort(flight);
        session_take_back(session, flight->seq, false);
    }
    return next;
}

void session_pump(struct session *session)
{
    int64_t now_mono_ms = chrono_mono_ms();
    int64_t give_up = give_up_superseded(session, now_mono_ms);
    int64_t due = due_mono_ms(session);

    if (session_is_closed(session)) {
        loop_timer_clear(session->loop, &session->timer);
        return;
    }
    if (due <= now_mono_ms && unused(session) != NULL) {
        begin(session, unused(session));
        due = due_mono_ms(session);
        give_up = give_up_superseded(session, now_mono_ms); /* there may be one more */
    }
    if (unused(session) == NULL || give_up < due) {
        due = give_up; /* or when one of them ends */
    }
    if (due == INT64_MAX) {
        loop_timer_clear(session->loop, &session->timer);
    } else {
        loop_timer_set(session->loop, &session->timer, due > now_mono_ms ? due - now_mono_ms : 0);
    }
}

/* The pump runs after every turn; that is all it takes. */
static void on_time(void *owner)
{
    (void)owner;
}

/* ---- beginning and end ---- */

void session_close(struct session *session)
{
    session->is_closing = true;
    session->closed_seq = session->seq;
    session->has_news = true;
}

bool session_is_closed(const struct session *session)
{
    return session->is_closing && session->outbox.count == 0 && session->answered_seq > session->closed_seq;
}

static void seed_rng(struct session *session)
{
    uint64_t seed = 0;

    (void)!getrandom(&seed, sizeof seed, 0); /* of jitter alone */
    rng_init(&session->rng, seed);
}

static void make_headers(struct session *session)
{
    SCOPE(buf_done) struct buf value;

    buf_init(&value, URL_BYTES_MAX);
    buf_append_text(&value, "Bearer ");
    buf_append_str(&value, session->config.token);
    session->headers = http_header_add(NULL, STR("Content-Type"), STR("application/json"));
    session->headers = http_header_add(session->headers, STR("Accept"), STR("application/json"));
    if (session->config.token.len > 0) {
        session->headers = http_header_add(session->headers, STR("Authorization"), buf_str(&value));
    }
    session->headers = curl_slist_append(session->headers, "Expect:");
    explicit_bzero(value.data, value.len);
}

void session_init(struct session *session, struct loop *loop, const struct session_config *config,
                  const struct session_owner *owner)
{
    *session = (struct session){.owner = *owner, .config = *config, .loop = loop, .want_max = config->slots};
    addresses_init(&session->addresses, config->url);
    seed_rng(session);
    make_headers(session);
    outbox_init(&session->outbox);
    loop_timer_init(&session->timer, on_time, session);
    http_pool_init(&session->pool, loop, 0);
    for (size_t i = 0; i < SESSION_FLIGHTS; i++) {
        flight_init(&session->flights[i], &session->pool, session_on_flight_end, session);
    }
}

void session_done(struct session *session)
{
    for (size_t i = 0; i < SESSION_FLIGHTS; i++) {
        flight_done(&session->flights[i]);
    }
    outbox_done(&session->outbox);
    http_pool_done(&session->pool);
    loop_timer_clear(session->loop, &session->timer);
    curl_slist_free_all(session->headers);
    addresses_done(&session->addresses);
}
