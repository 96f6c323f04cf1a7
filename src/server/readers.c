#include "server/readers.h"

#include <pthread.h>

#include "base/mem.h"

struct reader_thread {
    struct readers *readers;
    struct store_reader *reader;
    pthread_t thread;
};

struct readers {
    pthread_mutex_t lock;
    pthread_cond_t has_jobs;
    struct list jobs;
    size_t waiting;
    bool is_stopping;
    size_t thread_count;
    struct reader_thread threads[READERS_THREADS_MAX];
};

/* NULL: it is over. */
static struct read_job *next_job(struct readers *readers)
{
    struct list_node *node;

    pthread_mutex_lock(&readers->lock);
    while (list_empty(&readers->jobs) && !readers->is_stopping) {
        pthread_cond_wait(&readers->has_jobs, &readers->lock);
    }
    node = list_pop_front(&readers->jobs);
    readers->waiting -= node != NULL ? 1 : 0;
    pthread_mutex_unlock(&readers->lock);
    return node != NULL ? CONTAINER_OF(node, struct read_job, node) : NULL;
}

static void *run(void *arg)
{
    struct reader_thread *thread = arg;
    struct read_job *job;

    while ((job = next_job(thread->readers)) != NULL) {
        job->run(job, thread->reader);
    }
    return NULL;
}

static enum err add_thread(struct readers *readers, struct store *store, struct error *reterr)
{
    struct reader_thread *thread = &readers->threads[readers->thread_count];

    thread->readers = readers;
    if (store_reader_open(store, &thread->reader, reterr) != STORE_DONE) {
        return err_wrap(reterr, reterr->code != ERR_OK ? reterr->code : ERR_IO, "no connection for reads");
    }
    if (pthread_create(&thread->thread, NULL, run, thread) != 0) {
        store_reader_close(thread->reader);
        return err_set(reterr, ERR_IO, "no thread can be started");
    }
    readers->thread_count++;
    return ERR_OK;
}

enum err readers_start(struct store *store, size_t threads, struct readers **ret_readers, struct error *reterr)
{
    struct readers *readers = mem_zalloc(sizeof *readers);
    enum err err = ERR_OK;

    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->has_jobs, NULL);
    list_init(&readers->jobs);
    for (size_t i = 0; i < threads && i < READERS_THREADS_MAX && err == ERR_OK; i++) {
        err = add_thread(readers, store, reterr);
    }
    if (err != ERR_OK) {
        readers_stop(readers);
        return err;
    }
    *ret_readers = readers;
    return ERR_OK;
}

bool readers_submit(struct readers *readers, struct read_job *job)
{
    bool has_room;

    pthread_mutex_lock(&readers->lock);
    has_room = readers->waiting < READERS_WAITING_MAX && !readers->is_stopping;
    if (has_room) {
        list_push_back(&readers->jobs, &job->node);
        readers->waiting++;
        pthread_cond_signal(&readers->has_jobs);
    }
    pthread_mutex_unlock(&readers->lock);
    return has_room;
}

size_t readers_waiting(struct readers *readers)
{
    pthread_mutex_lock(&readers->lock);
    size_t waiting = readers->waiting;
    pthread_mutex_unlock(&readers->lock);
    return waiting;
}

void readers_stop(struct readers *readers)
{
    pthread_mutex_lock(&readers->lock);
    readers->is_stopping = true;
    pthread_cond_broadcast(&readers->has_jobs);
    pthread_mutex_unlock(&readers->lock);
    for (size_t i = 0; i < readers->thread_count; i++) {
        pthread_join(readers->threads[i].thread, NULL);
        store_reader_close(readers->threads[i].reader);
    }
    pthread_cond_destroy(&readers->has_jobs);
    pthread_mutex_destroy(&readers->lock);
    mem_free(readers);
}
