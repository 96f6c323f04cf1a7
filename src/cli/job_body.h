/* job_body: the JSON of a job from the options of the command line.
 *
 * Pure. Lengths, instants and numbers are checked here, so that a typing error is found before anything is sent; what
 * an expression or a zone means is the server's to judge.
 *
 * Rules: (1) only what was given is written: defaults are the server's.
 *        (2) an error's field is the option it concerns.
 *        (3) a payload keeps its bytes.
 * See:   job_options.h, docs/openapi.yaml (JobRequest, JobPatch), tests/unit/cli/test_job_body.c
 */
#ifndef CLI_JOB_BODY_H
#define CLI_JOB_BODY_H

#include "base/buf.h"
#include "base/err.h"
#include "cli/job_options.h"

/* A definition with a payload and a target, and room for what is around them. */
#define JOB_BODY_BYTES_MAX (1024 * 1024)

struct job_body {
    const struct job_options *options;
    struct str tenant;  /* ptr NULL: not written */
    struct str name;    /* ptr NULL: not written */
    struct str payload; /* checked JSON; ptr NULL: not written */
    char **argv;        /* the command to execute */
    int argc;           /* 0: none */
};

/* Appends the object. */
enum err job_body_write(const struct job_body *body, struct buf *out, struct error *reterr) MUST_CHECK;

#endif
