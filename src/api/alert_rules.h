/* alert_rules: when somebody is to be told. Figures and the time go in, changes come out.
 *
 * The thresholds are those of deploy/prometheus/belfry.rules.yml, for those who have no Prometheus. What only an
 * onlooker can see (a server that is down, nobody who owns the shard) is not among them.
 *
 * Never: reads a clock, locks, sends.
 * Rules: (1) an alert fires when its value has been above its threshold for its for_ms, and is resolved when it has not
 *            been for ALERT_CALM_MS: what flutters is told once.
 *        (2) a value that is not known changes nothing.
 * See:   api/alerts.h (who gathers and sends), tests/unit/api/test_alert_rules.c
 */
#ifndef API_ALERT_RULES_H
#define API_ALERT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/name.h"

#define ALERT_CALM_MS 10000

enum alert {
    ALERT_DEAD_LETTERS,
    ALERT_DEAD_LETTERS_MANY,
    ALERT_TYPE_FAILING,
    ALERT_RETRY_RATE,
    ALERT_BREAKER_OPEN,
    ALERT_OVERDUE,
    ALERT_TRIGGER_LAG,
    ALERT_QUEUE_GROWING,
    ALERT_BACKLOG,
    ALERT_POOL_WITHOUT_WORKERS,
    ALERT_WORKER_HEARTBEATS,
    ALERT_INDEX_LARGE,
    ALERT_STORE_ERRORS,
    ALERT_CLOCK_HELD,
    ALERTS
};

/* What is looked at. Windows end now. */
struct alert_figures {
    bool has_engine;      /* without one only store_failures is known */
    bool has_dead;        /* dead is known */
    int64_t dead;         /* dead letters */
    int64_t due, overdue; /* triggers */
    int64_t due_before;   /* due two minutes ago; -1: not known */
    int64_t jobs;         /* in the index */
    int64_t breakers_open;
    int64_t silences;       /* of workers, in five minutes */
    int64_t store_failures; /* in five minutes; at least 1 while it is down */
    int64_t lag_p99_ms;     /* of starts in five minutes; -1: none */
    uint64_t day_started, day_retried;
    bool is_clock_held;
    double failing_share; /* failures of the type that fails most, in an hour; -1: none ran often enough */
    char failing_type[NAME_BYTES_MAX + 1];
    int64_t bare_pools;                 /* with work and without workers */
    char bare_pool[NAME_BYTES_MAX + 1]; /* the one with the most work */
};

struct alert_rule {
    const char *name;
    const char *severity; /* warning, critical */
    int64_t for_ms;
    double threshold;
    const char *before, *after; /* of the summary: the value stands between them; after is NULL where none does */
    const char *what_to_do;
};

struct alert_state {
    bool is_firing;
    bool is_above;         /* at the last step */
    int64_t above_mono_ms; /* since when; valid where is_above */
    int64_t calm_mono_ms;  /* since when not; valid where is_firing and not is_above */
    int64_t since_ms;      /* wall time of the first step above; valid while firing, and when it is resolved */
    double value;          /* at the last step that knew it */
};

extern const struct alert_rule alert_rules[ALERTS];

/* True: it fires, or is resolved, with this step. */
bool alert_step(enum alert alert, struct alert_state *state, const struct alert_figures *figures, int64_t mono_ms,
                int64_t wall_ms);

/* The type or pool that an alert is about; "" where it is about all. */
const char *alert_subject(enum alert alert, const struct alert_figures *figures);

#endif
