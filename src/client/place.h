/* place: where the server is, and by what token it knows us.
 *
 * The server (or several of a cluster, with commas between): --url, else BELFRY_URL, else what the file "address" in
 * the data folder says, which a running server has written, else PLACE_URL_DEFAULT.
 * The data folder: --data, else BELFRY_DATA, else for root PLACE_ROOT_DATA, else $XDG_DATA_HOME/belfry, else
 * ~/.local/share/belfry.
 * The token: the file of --token-file, else BELFRY_TOKEN, else the file "token" in the data folder.
 *
 * Owns:  its texts.
 * Rules: (1) the data folder's token is this machine's: where nobody named the folder, it goes to this machine alone (a
 *            URL whose host is localhost, 127.x or ::1, or the folder's own address) and never to a server elsewhere.
 *        (2) a file that was asked for by name must be there; the data folder's need not, since a server may want no
 *            token, or the user may lack the right to read it. note says which it was, for the day the server refuses.
 *        (3) what was not given is NULL; an empty variable of the environment counts as not given.
 * See:   client.h, tests/unit/client/test_place.c
 */
#ifndef CLIENT_PLACE_H
#define CLIENT_PLACE_H

#include <stdbool.h>

#include "base/err.h"

#define PLACE_URL_DEFAULT "http://127.0.0.1:7600"
#define PLACE_ROOT_DATA "/var/lib/belfry"
#define PLACE_TOKEN_FILE "token"
#define PLACE_ADDRESS_FILE "address"
#define PLACE_URL_BYTES_MAX 1024
#define PLACE_TOKEN_BYTES_MAX 512
#define PLACE_PATH_BYTES_MAX 4096

/* What the command line says; each may be NULL. */
struct place_wishes {
    const char *url;
    const char *token_file;
    const char *data;
};

/* What the surroundings say; each may be NULL. */
struct place_surroundings {
    const char *belfry_url;
    const char *belfry_token;
    const char *belfry_data;
    const char *xdg_data_home;
    const char *home;
    bool is_root;
};

/* Who said where the server is. */
enum place_source { PLACE_GIVEN, PLACE_OF_FOLDER, PLACE_OF_NOBODY };

struct place_found {
    char url[PLACE_URL_BYTES_MAX];     /* one or several (addresses.h), without slashes at their ends */
    enum place_source source;          /* of the url: an option or a variable, the data folder, or the default */
    char data[PLACE_PATH_BYTES_MAX];   /* the data folder that was named; "": none */
    char token[PLACE_TOKEN_BYTES_MAX]; /* "": none */
    char note[ERROR_TEXT_BYTES_MAX];   /* where there is no token: where it was looked for */
};

/* What this process finds around it. */
struct place_surroundings place_around(void);

enum err place_find(const struct place_wishes *wishes, const struct place_surroundings *around,
                    struct place_found *ret_place, struct error *reterr) MUST_CHECK;

/* The data folder; data is what the command line says, or NULL. ERR_INVALID where there is no home to put it in. */
enum err place_data(const char *data, const struct place_surroundings *around, char ret_path[PLACE_PATH_BYTES_MAX],
                    struct error *reterr) MUST_CHECK;

/* Whether a URL, or each of several, leads to this machine by its looks (rule 1). */
bool place_is_local(const char *url);

#endif
