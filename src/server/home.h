/* home: the data folder, and the token in it.
 *
 * Rules: (1) the folder is made 0700, the token 0600; a token that others can read is refused, and so is a folder that
 *            everybody may write to.
 *        (2) a token is made once, at the first start, from the operating system's random source, and is whole or not
 *            there: a start that is killed leaves no half of one.
 * See:   client/place.h (which folder, where nobody says), tests/unit/server/test_home.c
 */
#ifndef SERVER_HOME_H
#define SERVER_HOME_H

#include <stddef.h>

#include "base/err.h"

#define HOME_TOKEN_NAME "token"
#define HOME_PATH_BYTES_MAX 4096
/* "bf_" and 32 bytes in base64url; what people bring along may be longer. */
#define HOME_TOKEN_BYTES_MAX 512
#define HOME_TOKEN_RANDOM_BYTES 32

/* Makes the folder, and those above it, where they are not there. */
enum err home_open(const char *path, struct error *reterr) MUST_CHECK;

/* The token of the file, which is made where it is not there. */
enum err home_token(const char *path, char ret_token[HOME_TOKEN_BYTES_MAX], struct error *reterr) MUST_CHECK;

/* The same, but the file must be there. */
enum err home_token_read(const char *path, char ret_token[HOME_TOKEN_BYTES_MAX], struct error *reterr) MUST_CHECK;

/* Bytes nobody can guess. */
enum err home_random(void *bytes, size_t len, struct error *reterr) MUST_CHECK;

/* The folder and a name in it. */
enum err home_path(const char *folder, const char *name, char ret_path[HOME_PATH_BYTES_MAX],
                   struct error *reterr) MUST_CHECK;

#endif
