/* proc: what /proc tells about processes.
 *
 * See: orphans.h, leftovers.h
 */
#ifndef WORKER_PROC_H
#define WORKER_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/str.h"

#define PROC_PATH_BYTES 64
/* Of one process; what lies behind it is not looked at. */
#define PROC_ENVIRON_BYTES_MAX (256 * 1024)

/* Appends a file of /proc, as far as the buffer goes; nothing where it cannot be read. */
void proc_read(const char *path, struct buf *out);

/* The environment that a process began with: "NAME=value" and NUL each. */
void proc_read_environ(pid_t pid, struct buf *out);

/* Whether such an environment has that variable with that value. */
bool proc_environ_has(struct str environ_bytes, struct str name, struct str value);

#endif
