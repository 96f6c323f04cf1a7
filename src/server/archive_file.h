/* archive_file: a file that grows by whole gzip members, and stays readable whatever happens in between.
 *
 * Owns:  nothing that has to be ended.
 * Rules: (1) a member that was appended is on the disk, and so is the file's name.
 *        (2) at most the last member can be torn, by a crash: that one was never said to be written, and is cut off
 *            before the next is appended.
 *        (3) a file with anything that is not ours is left as it is, and refused.
 * See:   server/gzip.h, server/archive.h, tests/unit/server/test_archive_file.c
 */
#ifndef SERVER_ARCHIVE_FILE_H
#define SERVER_ARCHIVE_FILE_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "server/home.h"

struct archive_file {
    char path[HOME_PATH_BYTES_MAX]; /* "": none yet */
    int64_t end;                    /* bytes that are known to be whole; of another length it is looked at anew */
};

/* Appends the member to FOLDER/NAME; both are made where they are not there. The same struct serves for every file: it
 * remembers the last. */
enum err archive_file_append(struct archive_file *file, const char *folder, const char *name, struct str member,
                             struct error *reterr) MUST_CHECK;

#endif
