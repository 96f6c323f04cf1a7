/* mask: addresses that may hold a password, made fit to be seen.
 *
 *     postgres://me:pass-word@db/belfry?password=x     becomes     postgres://me:***@db/belfry?password=***
 *
 * Owns:  nothing.
 * Rules: (1) rather too much is hidden than too little: a password with an @, / or ? in it that nobody escaped is
 *            hidden too.
 * See:   tests/unit/base/test_mask.c
 */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include "base/buf.h"
#include "base/str.h"

/* Appends the text without its passwords: between the colon and the @ of a URL, and behind every "password=". */
void mask_append(struct buf *out, struct str text);

/* Appends of a URL only "scheme://host:port": for addresses whose path or query is a secret. */
void mask_append_host(struct buf *out, struct str url);

#endif
