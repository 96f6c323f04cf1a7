/* samples: rows with something in every field, so that a field that a store forgets shows. */
#ifndef TESTS_CONTRACT_SAMPLES_H
#define TESTS_CONTRACT_SAMPLES_H

#include "model/record.h"

/* A Wednesday in 2026. */
#define NOW_MS INT64_C(1775638800000)

/* An active job of pool "mail", tenant "acme", type "send", priority 3, without a name, that waits until NOW_MS + id.
 */
struct job_row sample_job(uint64_t id);

/* The same with a name. */
struct job_row sample_named(uint64_t id, const char *name);

/* The same at a wake time. */
struct job_row sample_waiting(uint64_t id, int64_t wake_ms);

/* A pending retry whose first attempt failed. */
struct trigger_row sample_trigger(uint64_t id, uint64_t job);

/* The same in a state, with ended_ms where that is an end. */
struct trigger_row sample_trigger_in(uint64_t id, uint64_t job, enum trigger_state state);

struct attempt_row sample_attempt(uint64_t trigger, uint32_t number);
struct version_row sample_version(uint64_t job, uint32_t version);
struct claim sample_claim(uint64_t trigger, uint64_t job, uint32_t number);
struct skip_row sample_skip(uint64_t job, int64_t from_ms);
struct wait_row sample_wait(uint64_t job, int64_t scheduled_ms, uint64_t root);
struct edge_row sample_edge(uint64_t upstream, uint64_t downstream);
struct setting_row sample_setting(enum scope scope, const char *tenant, const char *name);
struct limiter_row sample_limiter(enum scope scope, const char *tenant, const char *name);
struct circuit_row sample_circuit(const char *tenant, const char *type, uint64_t job);
struct idem_row sample_idem(const char *tenant, const char *key);

#endif
