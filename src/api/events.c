#include "api/events.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/chrono.h"
#include "base/list.h"
#include "base/mem.h"
#include "calendar/instant.h"

/* Who listened so recently may come back and ask for what was missed. */
#define LINGER_MS 60000
#define FRAME_BYTES_MAX 16384
#define ID_BYTES 48

struct listener {
    struct list_node link;
    struct events *events;
    struct net_stream *stream;
    struct events_filter filter; /* texts are its own */
    uint64_t missed;             /* events, since the last that was taken */
    int64_t told_mono_ms;
};

/* One of the last events, with all that filters ask for. */
struct kept {
    struct notice notice; /* texts are in frame's memory */
    uint64_t seq;
    char *frame;
    size_t frame_len;
};

struct events {
    pthread_mutex_t lock;
    struct list listeners;
    atomic_size_t listener_count;
    atomic_int_fast64_t wanted_until_mono_ms;
    struct kept kept[EVENTS_KEPT];
    uint64_t kept_next; /* how many were kept so far */
    uint64_t batch, seq;
    uint64_t told, missed;
};

/* ---- words ---- */

static const char *const words[] = {
#define X(name, text) text,
    NOTICE_TABLE(X)
#undef X
        NULL};

const char *notice_text(enum notice_kind kind)
{
    return words[kind];
}

bool notice_parse(struct str text, enum notice_kind *ret_kind)
{
    int index = str_index_in(text, words);

    if (index >= 0) {
        *ret_kind = (enum notice_kind)index;
    }
    return index >= 0;
}

/* ---- life ---- */

struct events *events_new(void)
{
    struct events *events = mem_zalloc(sizeof *events);

    (void)pthread_mutex_init(&events->lock, NULL);
    list_init(&events->listeners);
    atomic_init(&events->wanted_until_mono_ms, INT64_MIN);
    return events;
}

static void listener_free(struct listener *listener)
{
    char *texts[] = {(char *)(uintptr_t)listener->filter.tenant.ptr, (char *)(uintptr_t)listener->filter.type.ptr,
                     (char *)(uintptr_t)listener->filter.pool.ptr};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        mem_free(texts[i]);
    }
    mem_free(listener);
}

/* From the loop that has the stream: its reader is gone. */
static void on_ended(void *context, struct net_stream *stream, enum net_stream_end end)
{
    struct listener *listener = context;
    struct events *events = listener->events;

    (void)end;
    (void)pthread_mutex_lock(&events->lock);
    list_remove(&listener->link);
    (void)atomic_fetch_sub(&events->listener_count, 1);
    atomic_store(&events->wanted_until_mono_ms, chrono_mono_ms() + LINGER_MS);
    (void)pthread_mutex_unlock(&events->lock);
    net_stream_close(stream);
    listener_free(listener);
}

void events_free(struct events *events)
{
    struct list_node *node;

    if (events == NULL) {
        return;
    }
    while ((node = list_pop_front(&events->listeners)) != NULL) {
        struct listener *listener = CONTAINER_OF(node, struct listener, link);

        net_stream_close(listener->stream);
        listener_free(listener);
    }
    for (size_t i = 0; i < EVENTS_KEPT; i++) {
        mem_free(events->kept[i].frame);
    }
    (void)pthread_mutex_destroy(&events->lock);
    mem_free(events);
}

bool events_wanted(struct events *events)
{
    return atomic_load(&events->listener_count) > 0 || atomic_load(&events->wanted_until_mono_ms) > chrono_mono_ms();
}

/* ---- telling ---- */

static bool any_or(struct str wanted, struct str text)
{
    return str_empty(wanted) || str_equal(wanted, text);
}

static bool fits(const struct events_filter *filter, const struct notice *notice)
{
    return (filter->kinds == 0 || (filter->kinds & (UINT32_C(1) << notice->kind)) != 0) &&
           any_or(filter->tenant, notice->place.tenant) && any_or(filter->type, notice->place.type) &&
           any_or(filter->pool, notice->place.pool) && (filter->job == 0 || filter->job == notice->job);
}

static void write_gap(struct buf *out, uint64_t batch, uint64_t seq, uint64_t count)
{
    char now[INSTANT_BYTES];

    buf_printf(out,
               "id: %" PRIu64 "-%" PRIu64 "\nevent: gap\ndata: {\"event\":\"gap\",\"at\":\"%s\",\"batch\":%" PRIu64
               ",\"count\":%" PRIu64 "}\n\n",
               batch, seq, instant_format(chrono_wall_ms(), now), batch, count);
}

/* What was missed is told first. */
static bool push(struct events *events, struct listener *listener, struct str frame)
{
    if (listener->missed > 0) {
        SCOPE(buf_done) struct buf gap;

        buf_init(&gap, FRAME_BYTES_MAX);
        write_gap(&gap, events->batch, events->seq, listener->missed);
        if (net_stream_push(listener->stream, buf_str(&gap)) != NET_PUSH_TAKEN) {
            return false;
        }
        listener->missed = 0;
    }
    return net_stream_push(listener->stream, frame) == NET_PUSH_TAKEN;
}

static struct str keep_text(char **at, struct str text)
{
    struct str kept = {*at, text.len};

    if (text.len > 0) {
        memcpy(*at, text.ptr, text.len);
        *at += text.len;
    }
    return kept;
}

static void keep(struct events *events, const struct notice *notice, struct str frame)
{
    struct kept *kept = &events->kept[events->kept_next++ % EVENTS_KEPT];
    const struct place *place = &notice->place;

    mem_free(kept->frame);
    kept->frame = mem_alloc(frame.len + place->tenant.len + place->type.len + place->pool.len + 1);
    char *at = kept->frame + frame.len;

    memcpy(kept->frame, frame.ptr, frame.len);
    kept->frame_len = frame.len;
    kept->seq = events->seq;
    kept->notice = *notice;
    kept->notice.place.tenant = keep_text(&at, place->tenant);
    kept->notice.place.type = keep_text(&at, place->type);
    kept->notice.place.pool = keep_text(&at, place->pool);
}

void events_tell(struct events *events, const struct notice *notice, struct str json)
{
    SCOPE(buf_done) struct buf frame;
    int64_t mono_ms = chrono_mono_ms();

    buf_init(&frame, FRAME_BYTES_MAX);
    (void)pthread_mutex_lock(&events->lock);
    events->seq = events->batch == notice->batch ? events->seq + 1 : 1;
    events->batch = notice->batch;
    buf_printf(&frame, "id: %" PRIu64 "-%" PRIu64 "\nevent: %s\ndata: ", notice->batch, events->seq,
               notice_text(notice->kind));
    buf_append_str(&frame, json);
    buf_append_text(&frame, "\n\n");
    if (!buf_overflowed(&frame)) {
        events->told++;
        keep(events, notice, buf_str(&frame));
    }
    for (struct list_node *node = list_first(&events->listeners); node != NULL && !buf_overflowed(&frame);
         node = list_next(&events->listeners, node)) {
        struct listener *listener = CONTAINER_OF(node, struct listener, link);

        if (!fits(&listener->filter, notice)) {
            continue;
        }
        listener->told_mono_ms = mono_ms;
        if (!push(events, listener, buf_str(&frame))) { /* rule 1 */
            listener->missed++;
            events->missed++;
        }
    }
    (void)pthread_mutex_unlock(&events->lock);
}

void events_beat(struct events *events, int64_t mono_ms)
{
    (void)pthread_mutex_lock(&events->lock);
    for (struct list_node *node = list_first(&events->listeners); node != NULL;
         node = list_next(&events->listeners, node)) {
        struct listener *listener = CONTAINER_OF(node, struct listener, link);

        if (mono_ms - listener->told_mono_ms >= EVENTS_BEAT_MS) {
            listener->told_mono_ms = mono_ms;
            (void)net_stream_push(listener->stream, STR(": still here\n\n"));
        }
    }
    (void)pthread_mutex_unlock(&events->lock);
}

/* ---- listening ---- */

static bool read_id(struct str text, uint64_t *ret_batch, uint64_t *ret_seq)
{
    size_t dash = str_find_char(text, '-');
    int64_t batch, seq;

    if (dash == text.len || str_to_int((struct str){text.ptr, dash}, 0, INT64_MAX, &batch, NULL) != ERR_OK ||
        str_to_int(str_skip(text, dash + 1), 0, INT64_MAX, &seq, NULL) != ERR_OK) {
        return false;
    }
    *ret_batch = (uint64_t)batch;
    *ret_seq = (uint64_t)seq;
    return true;
}

static bool is_behind(const struct kept *kept, uint64_t batch, uint64_t seq)
{
    return kept->notice.batch > batch || (kept->notice.batch == batch && kept->seq > seq);
}

/* What was told since last_id; a gap where that is not known any more. */
static void write_missed(const struct events *events, const struct events_filter *filter, struct str last_id,
                         struct buf *out)
{
    uint64_t first = events->kept_next > EVENTS_KEPT ? events->kept_next - EVENTS_KEPT : 0;
    uint64_t batch = 0, seq = 0;

    if (str_empty(last_id)) {
        return;
    }
    bool is_known = read_id(last_id, &batch, &seq) && first < events->kept_next &&
                    !is_behind(&events->kept[first % EVENTS_KEPT], batch, seq) &&
                    (batch < events->batch || (batch == events->batch && seq <= events->seq));

    if (!is_known) {
        write_gap(out, events->batch, events->seq, 0);
        return;
    }
    for (uint64_t i = first; i < events->kept_next; i++) {
        const struct kept *kept = &events->kept[i % EVENTS_KEPT];

        if (is_behind(kept, batch, seq) && fits(filter, &kept->notice)) {
            buf_append(out, kept->frame, kept->frame_len);
        }
    }
    if (buf_overflowed(out)) {
        buf_reset(out);
        buf_append_text(out, "retry: 1000\n\n");
        write_gap(out, events->batch, events->seq, 0);
    }
}

static struct str own(struct str text)
{
    return str_empty(text) ? (struct str){NULL, 0} : (struct str){mem_strndup(text.ptr, text.len), text.len};
}

static void refuse(struct api_request *request)
{
    struct error error;

    err_set(&error, ERR_OVERLOADED, "too many listen already; try again later");
    api_problem(request, &error);
}

void events_listen(struct events *events, struct api_request *request, const struct events_filter *filter,
                   struct str last_id)
{
    struct net_answer answer = {.status = 200,
                                .content_type = "text/event-stream",
                                .header_count = 1,
                                .headers = {{"Cache-Control", "no-store"}}};
    struct listener *listener;

    if (atomic_fetch_add(&events->listener_count, 1) >= EVENTS_LISTENERS_MAX) { /* rule 4 */
        (void)atomic_fetch_sub(&events->listener_count, 1);
        refuse(request);
        return;
    }
    listener = mem_zalloc(sizeof *listener);
    listener->events = events;
    listener->filter = *filter;
    listener->filter.tenant = own(filter->tenant);
    listener->filter.type = own(filter->type);
    listener->filter.pool = own(filter->pool);
    listener->told_mono_ms = chrono_mono_ms();
    list_node_init(&listener->link);
    const struct net_stream_config config = {
        .buffer_bytes_max = EVENTS_BUFFER_BYTES, .context = listener, .ended = on_ended};

    buf_init(&answer.body, EVENTS_BUFFER_BYTES / 2);
    buf_append_text(&answer.body, "retry: 1000\n\n");
    /* on_ended waits for the lock, so it cannot come before the listener is in the list. */
    (void)pthread_mutex_lock(&events->lock);
    write_missed(events, &listener->filter, last_id, &answer.body);
    listener->stream = net_answer_stream(request->net, &answer, &config);
    if (listener->stream != NULL) {
        list_push_back(&events->listeners, &listener->link);
    }
    (void)pthread_mutex_unlock(&events->lock);
    if (listener->stream == NULL) {
        (void)atomic_fetch_sub(&events->listener_count, 1);
        listener_free(listener);
    }
}

void events_figures(struct events *events, struct events_figures *ret_figures)
{
    (void)pthread_mutex_lock(&events->lock);
    *ret_figures = (struct events_figures){
        .listeners = atomic_load(&events->listener_count), .told = events->told, .missed = events->missed};
    (void)pthread_mutex_unlock(&events->lock);
}
