#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/state.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The tables once more, drawn by hand: a row is what is, a column what it may become, x where it may. Spaces only
 * divide. */

static const enum job_status jobs[] = {JOB_ACTIVE, JOB_PAUSED, JOB_CANCELLED, JOB_COMPLETED};
static const char *const job_moves[] = {
    /*              act pau can com */
    /* active    */ " .   x   x   x ",
    /* paused    */ " x   .   x   x ",
    /* cancelled */ " .   .   .   . ",
    /* completed */ " x   .   .   . ", /* a changed schedule may have fires again */
};

static const enum trigger_state triggers[] = {
    TRIGGER_WAITING, TRIGGER_PENDING, TRIGGER_RUNNING, TRIGGER_SUCCEEDED, TRIGGER_DEAD, TRIGGER_CANCELLED,
};
static const char *const trigger_moves[] = {
    /*              wai pen run suc dea can */
    /* waiting   */ " .   x   .   .   .   x ",
    /* pending   */ " .   .   x   x   x   x ", /* succeeded, dead: a report after its lease ended still counts */
    /* running   */ " .   x   .   x   x   x ",
    /* succeeded */ " .   .   .   .   .   . ",
    /* dead      */ " .   .   .   .   .   . ",
    /* cancelled */ " .   .   .   .   .   . ",
};

static const enum attempt_state attempts[] = {
    ATTEMPT_STARTED, ATTEMPT_SUCCEEDED, ATTEMPT_FAILED,    ATTEMPT_TIMED_OUT,
    ATTEMPT_LOST,    ATTEMPT_RELEASED,  ATTEMPT_CANCELLED,
};
static const char *const attempt_moves[] = {
    /*              sta suc fai tim los rel can */
    /* started   */ " .   x   x   x   x   x   x ",
    /* succeeded */ " .   .   .   .   .   .   . ",
    /* failed    */ " .   .   .   .   .   .   . ",
    /* timed_out */ " .   .   .   .   .   .   . ",
    /* lost      */ " .   x   x   .   .   x   . ", /* what a worker may report, too late */
    /* released  */ " .   .   .   .   .   .   . ",
    /* cancelled */ " .   .   .   .   .   .   . ",
};

/* Every state has its row. */
#define X(...) +1
_Static_assert(COUNT_OF(jobs) == 0 JOB_STATUS_TABLE(X) && COUNT_OF(jobs) == COUNT_OF(job_moves), "jobs");
_Static_assert(COUNT_OF(triggers) == 0 TRIGGER_STATE_TABLE(X) && COUNT_OF(triggers) == COUNT_OF(trigger_moves),
               "triggers");
_Static_assert(COUNT_OF(attempts) == 0 ATTEMPT_STATE_TABLE(X) && COUNT_OF(attempts) == COUNT_OF(attempt_moves),
               "attempts");
#undef X

/* The nth mark of a row. */
static bool allowed(const char *row, size_t column)
{
    return row[1 + 4 * column] == 'x';
}

static void jobs_move_as_drawn(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT_OF(jobs); from++) {
        for (size_t to = 0; to < COUNT_OF(jobs); to++) {
            if (job_may_become(jobs[from], jobs[to]) != allowed(job_moves[from], to)) {
                fail_msg("%s to %s", job_status_text(jobs[from]), job_status_text(jobs[to]));
            }
        }
    }
}

static void triggers_move_as_drawn(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT_OF(triggers); from++) {
        for (size_t to = 0; to < COUNT_OF(triggers); to++) {
            if (trigger_may_become(triggers[from], triggers[to]) != allowed(trigger_moves[from], to)) {
                fail_msg("%s to %s", trigger_state_text(triggers[from]), trigger_state_text(triggers[to]));
            }
        }
    }
}

static void attempts_move_as_drawn(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT_OF(attempts); from++) {
        for (size_t to = 0; to < COUNT_OF(attempts); to++) {
            if (attempt_may_become(attempts[from], attempts[to]) != allowed(attempt_moves[from], to)) {
                fail_msg("%s to %s", attempt_state_text(attempts[from]), attempt_state_text(attempts[to]));
            }
        }
    }
}

static void an_allowed_move_is_made(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT_OF(triggers); from++) {
        for (size_t to = 0; to < COUNT_OF(triggers); to++) {
            enum trigger_state trigger = triggers[from];

            if (allowed(trigger_moves[from], to)) {
                trigger_move(&trigger, triggers[to]);
                assert_int_equal(trigger, triggers[to]);
            }
        }
    }
    for (size_t from = 0; from < COUNT_OF(attempts); from++) {
        for (size_t to = 0; to < COUNT_OF(attempts); to++) {
            enum attempt_state attempt = attempts[from];

            if (allowed(attempt_moves[from], to)) {
                attempt_move(&attempt, attempts[to]);
                assert_int_equal(attempt, attempts[to]);
            }
        }
    }
}

static void move_trigger(size_t from, size_t to)
{
    enum trigger_state trigger = triggers[from];

    trigger_move(&trigger, triggers[to]);
}

static void move_attempt(size_t from, size_t to)
{
    enum attempt_state attempt = attempts[from];

    attempt_move(&attempt, attempts[to]);
}

/* In a child: an assertion ends the process. */
static int signal_that_ends(void (*move)(size_t, size_t), size_t from, size_t to)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        const struct rlimit no_core = {0, 0};

        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGABRT, SIG_DFL); /* cmocka's handler belongs to the parent */
        (void)close(STDERR_FILENO);
        move(from, to);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_forbidden_move_of_a_trigger_is_a_bug(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT_OF(triggers); from++) {
        for (size_t to = 0; to < COUNT_OF(triggers); to++) {
            if (!allowed(trigger_moves[from], to)) {
                assert_int_equal(signal_that_ends(move_trigger, from, to), SIGABRT);
            }
        }
    }
}

static void a_forbidden_move_of_an_attempt_is_a_bug(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT_OF(attempts); from++) {
        for (size_t to = 0; to < COUNT_OF(attempts); to++) {
            if (!allowed(attempt_moves[from], to)) {
                assert_int_equal(signal_that_ends(move_attempt, from, to), SIGABRT);
            }
        }
    }
}

static void a_trigger_that_has_ended_becomes_nothing_else(void **state)
{
    (void)state;
    static const bool ended[] = {false, false, false, true, true, true};

    for (size_t from = 0; from < COUNT_OF(triggers); from++) {
        assert_int_equal(trigger_ended(triggers[from]), ended[from]);
        for (size_t to = 0; to < COUNT_OF(triggers); to++) {
            assert_false(ended[from] && trigger_may_become(triggers[from], triggers[to]));
        }
    }
}

static void every_attempt_but_a_started_one_has_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(attempts); i++) {
        assert_int_equal(attempt_ended(attempts[i]), attempts[i] != ATTEMPT_STARTED);
    }
}

static void failed_timed_out_and_lost_count_for_the_breaker(void **state)
{
    (void)state;
    static const bool failed[] = {false, false, true, true, true, false, false};

    for (size_t i = 0; i < COUNT_OF(attempts); i++) {
        assert_int_equal(attempt_failed(attempts[i]), failed[i]);
    }
}

static void states_have_the_names_of_the_contract(void **state)
{
    (void)state;
    static const char *const job_names[] = {"active", "paused", "cancelled", "completed"};
    static const char *const trigger_names[] = {"waiting", "pending", "running", "succeeded", "dead", "cancelled"};
    static const char *const attempt_names[] = {"started", "succeeded", "failed",   "timed_out",
                                                "lost",    "released",  "cancelled"};

    for (size_t i = 0; i < COUNT_OF(jobs); i++) {
        assert_string_equal(job_status_text(jobs[i]), job_names[i]);
    }
    for (size_t i = 0; i < COUNT_OF(triggers); i++) {
        assert_string_equal(trigger_state_text(triggers[i]), trigger_names[i]);
    }
    for (size_t i = 0; i < COUNT_OF(attempts); i++) {
        assert_string_equal(attempt_state_text(attempts[i]), attempt_names[i]);
    }
    assert_string_equal(trigger_kind_text(TRIGGER_SCHEDULE), "schedule");
    assert_string_equal(trigger_kind_text(TRIGGER_MANUAL), "manual");
    assert_string_equal(trigger_kind_text(TRIGGER_BACKFILL), "backfill");
    assert_string_equal(trigger_kind_text(TRIGGER_REPLAY), "replay");
    assert_string_equal(trigger_kind_text(TRIGGER_DEPENDENCY), "dependency");
}

static void the_names_are_read_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(jobs); i++) {
        enum job_status status = jobs[(i + 1) % COUNT_OF(jobs)];

        assert_int_equal(job_status_parse(str_from(job_status_text(jobs[i])), &status, NULL), ERR_OK);
        assert_int_equal(status, jobs[i]);
    }
    for (size_t i = 0; i < COUNT_OF(triggers); i++) {
        enum trigger_state trigger = triggers[(i + 1) % COUNT_OF(triggers)];

        assert_int_equal(trigger_state_parse(str_from(trigger_state_text(triggers[i])), &trigger, NULL), ERR_OK);
        assert_int_equal(trigger, triggers[i]);
    }
}

static void assert_names_all(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, names[i]) == NULL) {
            fail_msg("\"%s\" does not name %s", text, names[i]);
        }
    }
}

static void another_word_is_refused_with_those_there_are(void **state)
{
    (void)state;
    static const char *const job_names[] = {"active", "paused", "cancelled", "completed"};
    static const char *const trigger_names[] = {"waiting", "pending", "running", "succeeded", "dead", "cancelled"};
    static const char *const wrong[] = {"", "Active", "DEAD", "pause", "activex", "dead ", "succeeded,dead"};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        enum job_status status = JOB_PAUSED;
        enum trigger_state trigger = TRIGGER_RUNNING;
        struct error error = {0};

        assert_int_equal(job_status_parse(str_from(wrong[i]), &status, &error), ERR_INVALID);
        assert_names_all(error.text, job_names, COUNT_OF(job_names));
        assert_int_equal(status, JOB_PAUSED);
        assert_int_equal(trigger_state_parse(str_from(wrong[i]), &trigger, &error), ERR_INVALID);
        assert_names_all(error.text, trigger_names, COUNT_OF(trigger_names));
        assert_int_equal(trigger, TRIGGER_RUNNING);
        assert_int_equal(job_status_parse(str_from(wrong[i]), &status, NULL), ERR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_move_as_drawn),
        cmocka_unit_test(triggers_move_as_drawn),
        cmocka_unit_test(attempts_move_as_drawn),
        cmocka_unit_test(an_allowed_move_is_made),
        cmocka_unit_test(a_forbidden_move_of_a_trigger_is_a_bug),
        cmocka_unit_test(a_forbidden_move_of_an_attempt_is_a_bug),
        cmocka_unit_test(a_trigger_that_has_ended_becomes_nothing_else),
        cmocka_unit_test(every_attempt_but_a_started_one_has_ended),
        cmocka_unit_test(failed_timed_out_and_lost_count_for_the_breaker),
        cmocka_unit_test(states_have_the_names_of_the_contract),
        cmocka_unit_test(the_names_are_read_back),
        cmocka_unit_test(another_word_is_refused_with_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
