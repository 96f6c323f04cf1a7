/* lines: batch commands: JSON lines in, exactly one line out for each, in order.
 *
 * A line that is wrong gets an error as its answer and the work goes on. Answers are written whenever the input read so
 * far has been answered, so that a program may also talk with Belfry line by line.
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"

/* Answers one request: writes the fields of the answer into the open object, or nothing and fails. */
typedef enum err lines_answer(void *context, struct jr request, struct jw *answer, struct error *reterr);

/* {"error":"...","position":n} and a newline; without position where the error names none. */
void lines_put_error(struct buf *out, const struct error *error);

/* The whole of a --batch command: answers standard input, with a zone cache as context; returns the exit code. */
int lines_command(const char *name, lines_answer *answer);

/* Reads fd_in to its end. Fails only when reading or writing does. */
enum err lines_run(int fd_in, int fd_out, lines_answer *answer, void *context, struct error *reterr) MUST_CHECK;

#endif
