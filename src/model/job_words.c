#include "model/job_words.h"

#include <stddef.h>

static const char *const overlap_words[] = {[OVERLAP_SKIP] = "skip",
                                            [OVERLAP_QUEUE] = "queue",
                                            [OVERLAP_COLLAPSE] = "collapse",
                                            [OVERLAP_ALLOW] = "allow",
                                            NULL};
static const char *const misfire_words[] = {[MISFIRE_FIRE_LATEST] = "fire_latest",
                                            [MISFIRE_FIRE_NOW] = "fire_now",
                                            [MISFIRE_SKIP] = "skip",
                                            [MISFIRE_BACKFILL] = "backfill",
                                            NULL};
static const char *const edge_words[] = {
    [EDGE_SUCCESS] = "success", [EDGE_FAILURE] = "failure", [EDGE_DONE] = "done", NULL};

const char *job_overlap_text(enum job_overlap overlap)
{
    return overlap_words[overlap];
}

const char *job_misfire_text(enum job_misfire misfire)
{
    return misfire_words[misfire];
}

const char *job_edge_text(enum job_edge edge)
{
    return edge_words[edge];
}

enum err job_overlap_parse(struct str text, enum job_overlap *ret_overlap, struct error *reterr)
{
    int found = str_index_in(text, overlap_words);

    if (found < 0) {
        return err_set(reterr, ERR_INVALID,
                       "\"%.*s\" is not an overlap policy; there are skip, queue, collapse and allow", STR_ARGS(text));
    }
    *ret_overlap = (enum job_overlap)found;
    return ERR_OK;
}

enum err job_misfire_parse(struct str text, enum job_misfire *ret_misfire, struct error *reterr)
{
    int found = str_index_in(text, misfire_words);

    if (found < 0) {
        return err_set(reterr, ERR_INVALID,
                       "\"%.*s\" is not a misfire policy; there are fire_latest, fire_now, skip and backfill",
                       STR_ARGS(text));
    }
    *ret_misfire = (enum job_misfire)found;
    return ERR_OK;
}

enum err job_edge_parse(struct str text, enum job_edge *ret_edge, struct error *reterr)
{
    int found = str_index_in(text, edge_words);

    if (found < 0) {
        return err_set(reterr, ERR_INVALID, "\"%.*s\" is not an edge; there are success, failure and done",
                       STR_ARGS(text));
    }
    *ret_edge = (enum job_edge)found;
    return ERR_OK;
}
