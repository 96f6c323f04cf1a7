/* limits_worker: the maxima of the worker, each with its unit and its reason.
 *
 * See: base/limits.h
 */
#ifndef WORKER_LIMITS_WORKER_H
#define WORKER_LIMITS_WORKER_H

/* What is kept of a program's output (its end) and of an endpoint's answer (its beginning). */
#define OUTPUT_BYTES_MAX (64 * 1024)
/* Of that, for the line that says how much was left out. */
#define OUTPUT_NOTE_BYTES 128
/* An answer's body is read this far, so that its connection can be used again; beyond it the connection is closed. */
#define BODY_READ_BYTES_MAX (1024 * 1024)
/* All header lines of an answer, those of 1xx answers included. */
#define ANSWER_HEADER_BYTES_MAX (64 * 1024)

/* Attempts at once; each costs up to three descriptors, and every exchange names them all. */
#define SLOTS_MAX 4096
#define SLOTS_DEFAULT 32
#define SLOT_DESCRIPTORS 3
#define OTHER_DESCRIPTORS 128
#define PER_HOST_DEFAULT 16
#define POOLS_MAX 64
/* Asked for in one exchange; the contract says so. */
#define WANT_MAX 1000

/* One exchange. The server reads a body of JSON_BYTES_MAX and JSON_NODES_MAX at most; holding may name SLOTS_MAX. */
#define REQUEST_BYTES_MAX (900 * 1024)
#define REQUEST_REPORTS_MAX 500
#define REQUEST_NODES_MAX 5000 /* of all reports; holding has the rest */
#define RESULT_NODES_MAX 1000  /* of one answer that is JSON; with more it is sent as text */
/* An answer with this many bytes is refused, and less is asked for next time. */
#define ANSWER_WORK_BYTES_MAX (64 * 1024 * 1024)
/* Values in it: what a worker with SLOTS_MAX could be sent, were each a quarter of the largest. */
#define ANSWER_NODES_MAX (10 * 1000 * 1000)
/* One attempt in an answer: a payload, a target and the rest. */
#define ITEM_BYTES_MAX (512 * 1024)
#define ITEM_NODES_MAX 20000

/* Reports that wait for the server: beyond this no more work is asked for. */
#define REPORT_BYTES_BACKLOG (16 * 1024 * 1024)
/* Attempt ids remembered, so that one that is sent twice is executed once. */
#define SEEN_MAX 16384

/* A program gets this long between TERM and KILL. */
#define KILL_AFTER_MS 5000
/* What it left behind is looked for this long; what even KILL cannot end by then hangs in the kernel. */
#define SWEEP_MS_MAX 5000

#define WAIT_MS 20000
#define RETRY_AFTER_MAX_MS (24LL * 3600 * 1000)

#endif
