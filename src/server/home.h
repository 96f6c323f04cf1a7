/* home: the data folder, and the token and the address in it.
 *
 * Rules: (1) the folder is made 0700, the token 0600; a token that others can read is refused, and so is a folder that
 *            everybody may write to.
 *        (2) a token is made once, at the first start, from the operating system's random source, and is whole or not
 *            there: a start that is killed leaves no half of one.
 *        (3) the address says where the server of this folder listens, from its ready line to its orderly end. One that
 *            a killed server left is harmless: nobody answers there, or the next server puts its own in its place.
 * See:   client/place.h (which folder, where nobody says), tests/unit/server/test_home.c
 */
#ifndef SERVER_HOME_H
#define SERVER_HOME_H

#include <stddef.h>

#include "base/err.h"

#define HOME_TOKEN_NAME "token"
#define HOME_ADDRESS_NAME "address"
#define HOME_PATH_BYTES_MAX 4096
/* "bf_" and 32 bytes in base64url; what people bring along may be longer. */
#define HOME_TOKEN_BYTES_MAX 512
#define HOME_TOKEN_RANDOM_BYTES 32
/* The longest line of a file: a token, or an address with its newline. */
#define HOME_LINE_BYTES_MAX 1024

/* Makes the folder, and those above it, where they are not there. */
enum err home_open(const char *path, struct error *reterr) MUST_CHECK;

/* The token of the file, which is made where it is not there. */
enum err home_token(const char *path, char ret_token[HOME_TOKEN_BYTES_MAX], struct error *reterr) MUST_CHECK;

/* The same, but the file must be there. */
enum err home_token_read(const char *path, char ret_token[HOME_TOKEN_BYTES_MAX], struct error *reterr) MUST_CHECK;

/* Rule 3: where the server is found. Taking it away leaves the address of another server, if that came later. */
enum err home_address_write(const char *folder, const char *url, struct error *reterr) MUST_CHECK;
void home_address_remove(const char *folder, const char *url);

/* A file of one line, 0600, whole or as it was before. */
enum err home_line_write(const char *path, const char *text, struct error *reterr) MUST_CHECK;

/* Bytes nobody can guess. */
enum err home_random(void *bytes, size_t len, struct error *reterr) MUST_CHECK;

/* The folder and a name in it. */
enum err home_path(const char *folder, const char *name, char ret_path[HOME_PATH_BYTES_MAX],
                   struct error *reterr) MUST_CHECK;

#endif
