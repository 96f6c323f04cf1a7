/* limits: every maximum of Belfry in one place, each with its unit and its reason.
 *
 * What comes from outside is checked against its limit before it costs anything. A bound that only one file relies on
 * may stand in that file, with its reason.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/* JSON from outside. Deep nesting is an attack on the stack, many nodes one on memory. */
#define JSON_DEPTH_MAX 32
#define JSON_NODES_MAX 10000
#define JSON_BYTES_MAX (1024 * 1024)
/* The deepest nesting any caller may ask for: jansson reads and frees recursively. */
#define JSON_DEPTH_CEILING 256
/* What we write ourselves is never deeper. */
#define JSON_WRITE_DEPTH_MAX 63

/* An error's text: long enough for a sentence and a hint, short enough for the stack. */
#define ERROR_TEXT_BYTES_MAX 512
#define ERROR_FIELD_BYTES_MAX 64

/* A slice printed into a message: enough to recognise it. */
#define STR_PRINT_BYTES_MAX 200

/* Words compared for "did you mean"; no name of ours is longer, and the work is quadratic. */
#define STR_DISTANCE_BYTES_MAX 64

/* One log record, one line. Longer ones are cut and say so. */
#define LOG_LINE_BYTES_MAX 4096

/* A cron expression; the longest honest one (full lists in all fields) is under 700 bytes. */
#define CRON_EXPR_BYTES_MAX 1024

/* IANA's longest zone name has 32 characters. */
#define ZONE_NAME_BYTES_MAX 64

/* A TZif file; the largest of tzdata's "fat" ones is under 4 KiB. */
#define TZIF_BYTES_MAX (256 * 1024)
#define TZIF_TRANSITIONS_MAX 4096

/* Zones loaded at once; tzdata has about 600 names, with posix/ and right/ 1,800. */
#define ZONE_CACHE_MAX 4096

/* Years for which Belfry computes fire times. */
#define YEAR_MIN 1970
#define YEAR_MAX 2200
/* The same as instants, in seconds since 1970: the first one, and the first after the last one. */
#define TIME_START_S 0LL
#define TIME_END_S 7289654400LL

/* An interval shorter than this is a busy loop, not a schedule. */
#define EVERY_MIN_MS 10
/* A duration longer than this is a typing error: a hundred years. */
#define DURATION_MAX_MS (100LL * 366 * 24 * 3600 * 1000)

/* One request of a --batch command, and its answer: QUERY_COUNT_MAX instants of 27 bytes, and the rest. */
#define LINE_BYTES_MAX (64 * 1024)
#define ANSWER_BYTES_MAX (1024 * 1024)
/* Fires shown by one call of belfry next; enough for any look ahead by hand. */
#define QUERY_COUNT_MAX 10000

/* A job's definition. */
#define PAYLOAD_BYTES_MAX (256 * 1024)
#define TARGET_BYTES_MAX (32 * 1024)
/* A fan-in of a thousand is promised. */
#define DEPENDS_ON_MAX 1000
#define LABELS_MAX 64
#define LABEL_BYTES_MAX 200
/* An attempt that may run longer than this is a service, not a job. */
#define TIMEOUT_MAX_MS (30LL * 24 * 3600 * 1000)
/* A lease is renewed three times in its length: shorter ones cost more than they tell, longer ones hide dead workers.
 */
#define LEASE_MIN_MS 1000
#define LEASE_MAX_MS (3600LL * 1000)

/* A batch of changes: a block holds a usual one. Who gathers stops at 64 MiB and has one more step by then, of which
 * the largest are: a bulk of 32 MiB of texts, 10,000 jobs and 100,000 edges (110 MiB); a backfill, or the cancelling,
 * of 100,000 triggers of 1.5 KiB each and ENGINE_PAYLOAD_BYTES_MAX of payloads (410 MiB); 20,000 timers, each with a
 * skip and a job of 1.5 KiB (60 MiB). So it is never reached. */
#define BATCH_BLOCK_BYTES (128 * 1024)
#define BATCH_BYTES_MAX (1024UL * 1024 * 1024)

/* Rows of one answer of a store: a page of jobs with large payloads, or all that is held whole. Texts beyond their
 * maximum are left out, and the answer says that it is not whole; rows alone do not reach the arena's. */
#define ROWS_BLOCK_BYTES (64 * 1024)
#define ROWS_TEXT_BYTES_MAX (2048UL * 1024 * 1024)
#define ROWS_BYTES_MAX (64UL * 1024 * 1024 * 1024)

/* Rows a filtered list looks at for one page; the page may be short then, and says how to go on. */
#define QUERY_SCAN_MAX 10000
/* Rows of one page. */
#define PAGE_ROWS_MAX 1000

/* How far queue and backfill go back, in fires; what lies before is skipped with reason limit. */
#define CATCH_UP_MAX 100000

/* An Idempotency-Key: a UUID and then some. */
#define IDEM_KEY_BYTES_MAX 200

#endif
