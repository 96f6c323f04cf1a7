/* keys: by which fields rows are ordered. Each compares two rows of its kind as ordered.h wants it.
 *
 * See: disk.h (which order is for what)
 */
#ifndef STORE_MEMORY_KEYS_H
#define STORE_MEMORY_KEYS_H

#include "store/memory/ordered.h"
#include "store/memory/shape.h"

/* The key of a kind. */
ordered_compare *key_compare_of(enum row_kind kind);

ordered_compare key_job_name;        /* tenant, name */
ordered_compare key_job_wake;        /* wake_ms, id */
ordered_compare key_place;           /* of struct place */
ordered_compare key_trigger;         /* id */
ordered_compare key_trigger_job;     /* job, id */
ordered_compare key_trigger_time;    /* job, scheduled_ms, id */
ordered_compare key_edge_downstream; /* downstream, upstream */

#endif
