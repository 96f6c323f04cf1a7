/* doctor: the incident playbooks as checks with findings and advice. For doctor*.c.
 *
 * See: docs/openapi.yaml (Doctor), api/doctor_checks.c
 */
#ifndef API_DOCTOR_H
#define API_DOCTOR_H

#include "api/alerts.h"
#include "api/counters.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "engine/view.h"
#include "model/rows.h"
#include "server/rezone.h"
#include "server/shard.h"

#define DOCTOR_FINDINGS_MAX 100
#define DOCTOR_BYTES_MAX (1024 * 1024)
#define DOCTOR_EXAMPLES_MAX 3
/* Dead letters read for examples and for their errors. */
#define DOCTOR_LETTERS_MAX 50

enum doctor_severity { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_CRITICAL };

const char *doctor_severity_text(enum doctor_severity severity);

/* What was looked at, and what is being written. */
struct doctor {
    struct engine_figures figures;
    struct view_health health;
    struct view_scope all;
    struct view_scope *pools, *tenants, *types; /* the busiest */
    size_t pool_count, tenant_count, type_count;
    struct view_breaker *breakers;
    size_t breaker_count;
    struct view_worker *workers;
    size_t worker_count;
    bool has_more_workers;
    struct shard_view shard;
    struct rezone_figures zones;
    int64_t dead;
    const struct rows *letters;                   /* the newest dead ones; of doctor_read */
    struct tally day, minutes;                    /* the last 24 hours, and the last five minutes */
    struct counters_row *type_days, *tenant_days; /* by type, by tenant */
    size_t type_day_count, tenant_day_count;
    struct counters_batches batches;

    struct buf checks, looked;
    struct jw jw;
    size_t check_count, finding_count;
    enum doctor_severity severity, worst;
};

/* Begins a check, and ends the one before; NULL: ends alone. playbook is not_running, running_twice, retries or system.
 */
void doctor_check(struct doctor *doctor, const char *check, const char *playbook, const char *title);

/* What the check looked at, with its numbers, whether all is well or not. Once for each check. */
void doctor_looked(struct doctor *doctor, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begins a finding, to be ended by doctor_found after more fields were written into what it returns; NULL where there
 * are enough already. */
struct jw *doctor_find(struct doctor *doctor, enum doctor_severity severity, const char *advice, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));
/* What to type about it. */
void doctor_command(struct doctor *doctor, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Dead letters of a type (empty: any) as examples, at most DOCTOR_EXAMPLES_MAX of those that were read. */
void doctor_letters(struct doctor *doctor, struct str type);
void doctor_found(struct doctor *doctor);

/* A name and a number, or a number alone, into what doctor_find returned; nothing into NULL. */
void doctor_put(struct jw *jw, const char *key, struct str name, int64_t count);
void doctor_put_count(struct jw *jw, int64_t count);

void doctor_not_running(struct doctor *doctor);
void doctor_running_twice(struct doctor *doctor);
void doctor_retries(struct doctor *doctor);
void doctor_system(struct doctor *doctor);
/* NULL: nobody is told. */
void doctor_alerts(struct doctor *doctor, struct alerts *alerts);

#endif
