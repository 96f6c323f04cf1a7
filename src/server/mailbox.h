/* mailbox: letters from any thread to one.
 *
 * Owns:  nothing but its lock: letters belong to who posts them until they are taken, then to who took them.
 * Rules: (1) letters come out in the order in which they went in.
 *        (2) posting never blocks for longer than another post or take; there is no maximum here: who posts on behalf
 *            of strangers counts (server/shard.h).
 *        (3) a letter is taken, or its poster is told that it will not be: closing takes the last ones.
 * See:   tests/unit/server/test_mailbox.c
 */
#ifndef SERVER_MAILBOX_H
#define SERVER_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t has_letters;
    struct list letters;
    bool is_waiting;
    bool is_closed;
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_done(struct mailbox *mailbox);

/* False: it is closed, and the letter is still the caller's. */
bool mailbox_post(struct mailbox *mailbox, struct list_node *letter) MUST_CHECK;

/* Waits for a letter, at most wait_ms (negative: for ever; 0: not at all), and moves all of them to the end of taken.
 */
void mailbox_take(struct mailbox *mailbox, int64_t wait_ms, struct list *taken);

/* Takes what is there; nothing is posted any more (rule 3). */
void mailbox_close(struct mailbox *mailbox, struct list *taken);

#endif
