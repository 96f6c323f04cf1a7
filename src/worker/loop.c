#include "worker/loop.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/mem.h"

/* Fetched at once: more of them wait for the next turn. */
#define EVENTS_MAX 128

struct loop_source {
    struct list_node node; /* in loop.sources or loop.removed */
    int fd;
    bool is_removed;
    loop_on_events *on_events;
    void *owner;
};

static bool due_before(const struct heap_node *a, const struct heap_node *b)
{
    return CONTAINER_OF_CONST(a, struct loop_timer, node)->due_mono_ms <
           CONTAINER_OF_CONST(b, struct loop_timer, node)->due_mono_ms;
}

enum err loop_init(struct loop *ret_loop, struct error *reterr)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);

    if (fd < 0) {
        return err_set(reterr, ERR_IO, "no epoll set: %s", strerror(errno));
    }
    ret_loop->epoll_fd = fd;
    heap_init(&ret_loop->timers, due_before);
    list_init(&ret_loop->sources);
    list_init(&ret_loop->removed);
    return ERR_OK;
}

static void free_all(struct list *sources)
{
    struct list_node *node;

    while ((node = list_pop_front(sources)) != NULL) {
        mem_free(CONTAINER_OF(node, struct loop_source, node));
    }
}

void loop_done(struct loop *loop)
{
    free_all(&loop->sources);
    free_all(&loop->removed);
    heap_done(&loop->timers);
    (void)close(loop->epoll_fd);
}

struct loop_source *loop_add(struct loop *loop, int fd, uint32_t events, loop_on_events *on_events, void *owner)
{
    struct loop_source *source = mem_zalloc(sizeof *source);
    struct epoll_event event = {.events = events, .data.ptr = source};

    *source = (struct loop_source){.fd = fd, .on_events = on_events, .owner = owner};
    list_node_init(&source->node);
    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
        mem_free(source);
        return NULL;
    }
    list_push_back(&loop->sources, &source->node);
    return source;
}

void loop_change(struct loop *loop, struct loop_source *source, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = source};

    (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, source->fd, &event);
}

void loop_remove(struct loop *loop, struct loop_source *source)
{
    if (source == NULL || source->is_removed) {
        return;
    }
    (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
    source->is_removed = true;
    list_remove(&source->node);
    list_push_back(&loop->removed, &source->node); /* rule 1: an event at hand may still point to it */
}

void loop_timer_init(struct loop_timer *timer, loop_on_time *on_time, void *owner)
{
    *timer = (struct loop_timer){.on_time = on_time, .owner = owner};
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t after_ms)
{
    loop_timer_clear(loop, timer);
    timer->due_mono_ms = chrono_mono_ms() + after_ms;
    heap_push(&loop->timers, &timer->node);
}

void loop_timer_clear(struct loop *loop, struct loop_timer *timer)
{
    if (heap_linked(&timer->node)) {
        heap_remove(&loop->timers, &timer->node);
    }
}

bool loop_timer_is_set(const struct loop_timer *timer)
{
    return heap_linked(&timer->node);
}

static int timeout_ms(const struct loop *loop, int64_t wait_ms)
{
    struct heap_node *first = heap_first(&loop->timers);

    if (first != NULL) {
        int64_t until_ms = CONTAINER_OF(first, struct loop_timer, node)->due_mono_ms - chrono_mono_ms();

        until_ms = until_ms > 0 ? until_ms : 0;
        wait_ms = wait_ms < 0 || until_ms < wait_ms ? until_ms : wait_ms;
    }
    return wait_ms < INT_MAX ? (int)wait_ms : INT_MAX;
}

/* One that is set again for now while it is called waits for the next turn, so this ends. */
static void call_timers(struct loop *loop)
{
    int64_t now_mono_ms = chrono_mono_ms();
    size_t count = heap_count(&loop->timers);

    for (size_t i = 0; i < count; i++) {
        struct heap_node *first = heap_first(&loop->timers);

        if (first == NULL || CONTAINER_OF(first, struct loop_timer, node)->due_mono_ms > now_mono_ms) {
            return;
        }
        struct loop_timer *timer = CONTAINER_OF(heap_pop(&loop->timers), struct loop_timer, node);

        timer->on_time(timer->owner);
    }
}

void loop_turn(struct loop *loop, int64_t wait_ms)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(loop->epoll_fd, events, EVENTS_MAX, timeout_ms(loop, wait_ms));

    for (int i = 0; i < count; i++) {
        struct loop_source *source = events[i].data.ptr;

        if (!source->is_removed) { /* rule 1 */
            source->on_events(source->owner, events[i].events);
        }
    }
    call_timers(loop);
    free_all(&loop->removed);
}
