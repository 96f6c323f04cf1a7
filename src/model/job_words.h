/* job_words: the words of a definition's policies, and back. Used by the readers and writers of definitions.
 */
#ifndef MODEL_JOB_WORDS_H
#define MODEL_JOB_WORDS_H

#include "base/err.h"
#include "base/str.h"
#include "model/job_def.h"

const char *job_overlap_text(enum job_overlap overlap);
const char *job_misfire_text(enum job_misfire misfire);
const char *job_edge_text(enum job_edge edge);

enum err job_overlap_parse(struct str text, enum job_overlap *ret_overlap, struct error *reterr) MUST_CHECK;
enum err job_misfire_parse(struct str text, enum job_misfire *ret_misfire, struct error *reterr) MUST_CHECK;
enum err job_edge_parse(struct str text, enum job_edge *ret_edge, struct error *reterr) MUST_CHECK;

#endif
