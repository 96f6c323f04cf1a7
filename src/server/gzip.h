/* gzip: text as members of a gzip file (RFC 1952), each of which says how long it is. Only this file sees zlib.
 *
 * Members that follow each other are one gzip file: zcat and everybody else read it as one text. The length stands in
 * the header's field for such things (subfield BF, four bytes), so that a file can be gone through without unpacking.
 *
 * See:   server/archive_file.h, tests/unit/server/test_gzip.c
 */
#ifndef SERVER_GZIP_H
#define SERVER_GZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

#define GZIP_HEADER_BYTES 20

/* Appends the text as one member; text and member have less than 4 GiB. */
void gzip_append(struct buf *out, struct str text);

/* Length of the member that begins with these bytes, header and trailer included; 0: it is none of ours. */
uint32_t gzip_length(struct str beginning);

/* Whether these bytes could be the beginning of a member, or of one that never reached the disk (zeros). */
bool gzip_may_begin(struct str beginning);

/* Whether these bytes are a member of ours, whole and undamaged. */
bool gzip_is_whole(struct str member);

/* Appends the text of a gzip file of one member, whoever wrote it. false: it is damaged, or does not fit; what was
 * appended is then worth nothing. */
bool gzip_unpack(struct buf *out, struct str file);

#endif
