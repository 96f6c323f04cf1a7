#include "server/mailbox.h"

#include <time.h>

#include "base/chrono.h"

void mailbox_init(struct mailbox *mailbox)
{
    pthread_condattr_t attr;

    list_init(&mailbox->letters);
    mailbox->is_waiting = false;
    mailbox->is_closed = false;
    pthread_mutex_init(&mailbox->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&mailbox->has_letters, &attr);
    pthread_condattr_destroy(&attr);
}

void mailbox_done(struct mailbox *mailbox)
{
    pthread_cond_destroy(&mailbox->has_letters);
    pthread_mutex_destroy(&mailbox->lock);
}

bool mailbox_post(struct mailbox *mailbox, struct list_node *letter)
{
    pthread_mutex_lock(&mailbox->lock);
    bool is_open = !mailbox->is_closed;

    if (is_open) {
        list_push_back(&mailbox->letters, letter);
    }
    /* Under the lock: without it the taker may take this letter, be done and free the mailbox before the signal. */
    if (is_open && mailbox->is_waiting) {
        pthread_cond_signal(&mailbox->has_letters);
    }
    pthread_mutex_unlock(&mailbox->lock);
    return is_open;
}

void mailbox_take(struct mailbox *mailbox, int64_t wait_ms, struct list *taken)
{
    struct timespec until = {0};

    if (wait_ms > 0) {
        until = chrono_deadline(wait_ms);
    }
    pthread_mutex_lock(&mailbox->lock);
    mailbox->is_waiting = wait_ms != 0;
    while (wait_ms != 0 && list_empty(&mailbox->letters)) {
        if (wait_ms < 0) {
            pthread_cond_wait(&mailbox->has_letters, &mailbox->lock);
        } else if (pthread_cond_timedwait(&mailbox->has_letters, &mailbox->lock, &until) != 0) {
            break;
        }
    }
    mailbox->is_waiting = false;
    list_append_all(taken, &mailbox->letters);
    pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_close(struct mailbox *mailbox, struct list *taken)
{
    pthread_mutex_lock(&mailbox->lock);
    mailbox->is_closed = true;
    list_append_all(taken, &mailbox->letters);
    pthread_mutex_unlock(&mailbox->lock);
}
