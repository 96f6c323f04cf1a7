#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "server/mailbox.h"

#define POSTERS 4
#define LETTERS_EACH 5000

struct note {
    struct list_node node;
    size_t poster, number;
};

static struct note *note_new(size_t poster, size_t number)
{
    struct note *note = mem_zalloc(sizeof *note);

    list_node_init(&note->node);
    note->poster = poster;
    note->number = number;
    return note;
}

static void letters_come_out_in_their_order(void **state)
{
    (void)state;
    struct mailbox mailbox;
    struct list taken;

    mailbox_init(&mailbox);
    list_init(&taken);
    for (size_t i = 0; i < 10; i++) {
        assert_true(mailbox_post(&mailbox, &note_new(0, i)->node));
    }
    mailbox_take(&mailbox, 0, &taken);
    for (size_t i = 0; i < 10; i++) {
        struct list_node *node = list_pop_front(&taken);
        struct note *note = node != NULL ? CONTAINER_OF(node, struct note, node) : NULL;

        assert_true(note != NULL && note->number == i);
        mem_free(note);
    }
    assert_true(list_empty(&taken));
    mailbox_done(&mailbox);
}

static void an_empty_mailbox_gives_nothing_after_the_wait(void **state)
{
    (void)state;
    struct mailbox mailbox;
    struct list taken;

    mailbox_init(&mailbox);
    list_init(&taken);
    mailbox_take(&mailbox, 0, &taken);
    mailbox_take(&mailbox, 1, &taken);
    assert_true(list_empty(&taken));
    mailbox_done(&mailbox);
}

static void a_closed_mailbox_gives_its_last_letters_and_takes_no_more(void **state)
{
    (void)state;
    struct mailbox mailbox;
    struct list taken;
    struct note *late = note_new(0, 2);

    mailbox_init(&mailbox);
    list_init(&taken);
    assert_true(mailbox_post(&mailbox, &note_new(0, 1)->node));
    mailbox_close(&mailbox, &taken);
    assert_false(mailbox_post(&mailbox, &late->node));
    assert_false(list_linked(&late->node));
    mem_free(late);
    struct list_node *last = list_pop_front(&taken);
    assert_non_null(last);
    mem_free(CONTAINER_OF(last, struct note, node));
    assert_true(list_empty(&taken));
    mailbox_done(&mailbox);
}

struct poster {
    struct mailbox *mailbox;
    size_t number;
};

static void *post_many(void *arg)
{
    const struct poster *poster = arg;

    for (size_t i = 0; i < LETTERS_EACH; i++) {
        if (!mailbox_post(poster->mailbox, &note_new(poster->number, i)->node)) {
            return NULL;
        }
    }
    return NULL;
}

static void letters_of_many_threads_all_come_each_thread_s_in_order(void **state)
{
    (void)state;
    struct mailbox mailbox;
    struct poster posters[POSTERS];
    pthread_t threads[POSTERS];
    size_t next[POSTERS] = {0};
    struct list taken;

    mailbox_init(&mailbox);
    list_init(&taken);
    for (size_t i = 0; i < POSTERS; i++) {
        posters[i] = (struct poster){&mailbox, i};
        assert_int_equal(pthread_create(&threads[i], NULL, post_many, &posters[i]), 0);
    }
    for (size_t count = 0; count < (size_t)POSTERS * LETTERS_EACH;) {
        mailbox_take(&mailbox, -1, &taken);
        for (struct list_node *node = list_pop_front(&taken); node != NULL; node = list_pop_front(&taken)) {
            struct note *note = CONTAINER_OF(node, struct note, node);

            assert_int_equal(note->number, next[note->poster]++);
            mem_free(note);
            count++;
        }
    }
    for (size_t i = 0; i < POSTERS; i++) {
        pthread_join(threads[i], NULL);
    }
    mailbox_done(&mailbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_come_out_in_their_order),
        cmocka_unit_test(an_empty_mailbox_gives_nothing_after_the_wait),
        cmocka_unit_test(a_closed_mailbox_gives_its_last_letters_and_takes_no_more),
        cmocka_unit_test(letters_of_many_threads_all_come_each_thread_s_in_order),
    };

    return cmocka_run_group_tests_name("server/mailbox", tests, NULL, NULL);
}
