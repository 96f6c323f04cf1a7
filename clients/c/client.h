/* client: where the server is, and one conversation with it at a time.
 *
 * Owns:  struct belfry. It does not change after belfry_open, so threads share it freely.
 * Rules: (1) a token found in a local data folder is sent to this machine only.
 */
#ifndef BELFRY_CLIENT_H
#define BELFRY_CLIENT_H

#include "belfry.h"

struct belfry {
    char *url;   /* without a slash at the end */
    char *token; /* NULL: none */
};

/* Fills the error (which may be NULL) and returns status. */
enum belfry_status bf_fail(struct belfry_error *ret_error, enum belfry_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The token of the local data folder, to be freed; NULL: none. */
char *bf_local_token(void);

/* Hexadecimal digits of fresh randomness; bytes is even room for them, the NUL included. */
void bf_random_hex(char *ret_text, size_t digits);

#endif
