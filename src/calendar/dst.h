/* dst: what a fixed time does when the clock jumps over it or comes to it twice.
 *
 * See: cron_fire.h for the rules, docs/time.md for examples
 */
#ifndef CALENDAR_DST_H
#define CALENDAR_DST_H

#include "base/err.h"
#include "base/str.h"

enum dst_gap {
    DST_GAP_AFTER, /* once, at the first instant after the gap */
    DST_GAP_SHIFT, /* later by the gap's length */
    DST_GAP_SKIP,  /* not at all */
};

enum dst_fold {
    DST_FOLD_FIRST,  /* in the first pass */
    DST_FOLD_SECOND, /* in the second pass */
    DST_FOLD_BOTH,   /* in both */
};

/* The zeroed one is the default: after, first. */
struct dst {
    enum dst_gap gap;
    enum dst_fold fold;
};

/* "after", "shift", "skip"; "first", "second", "both". */
const char *dst_gap_text(enum dst_gap gap);
const char *dst_fold_text(enum dst_fold fold);
enum err dst_gap_parse(struct str text, enum dst_gap *ret_gap, struct error *reterr) MUST_CHECK;
enum err dst_fold_parse(struct str text, enum dst_fold *ret_fold, struct error *reterr) MUST_CHECK;

#endif
