#include "client/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "client/addresses.h"

/* rule 3 */
static const char *given(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : NULL;
}

struct place_surroundings place_around(void)
{
    return (struct place_surroundings){
        .belfry_url = getenv("BELFRY_URL"),
        .belfry_token = getenv("BELFRY_TOKEN"),
        .belfry_data = getenv("BELFRY_DATA"),
        .xdg_data_home = getenv("XDG_DATA_HOME"),
        .home = getenv("HOME"),
        .is_root = geteuid() == 0,
    };
}

enum err place_data(const char *data, const struct place_surroundings *around, char ret_path[PLACE_PATH_BYTES_MAX],
                    struct error *reterr)
{
    const char *folder = "";
    const char *rest = "";
    char path[PLACE_PATH_BYTES_MAX];

    if (given(data) != NULL) {
        folder = data;
    } else if (given(around->belfry_data) != NULL) {
        folder = around->belfry_data;
    } else if (around->is_root) {
        folder = PLACE_ROOT_DATA;
    } else if (given(around->xdg_data_home) != NULL) {
        folder = around->xdg_data_home;
        rest = "/belfry";
    } else if (given(around->home) != NULL) {
        folder = around->home;
        rest = "/.local/share/belfry";
    } else {
        return err_set(reterr, ERR_INVALID, "there is no HOME to find the data folder in; name it with --data");
    }
    int len = snprintf(path, sizeof path, "%s%s", folder, rest);
    if (len < 0 || (size_t)len >= sizeof path) {
        return err_set(reterr, ERR_INVALID, "the path of the data folder is too long");
    }
    memcpy(ret_path, path, (size_t)len + 1);
    return ERR_OK;
}

/* The host in http://host:port/, without brackets. */
static struct str host_of(struct str url)
{
    size_t scheme = 0;

    while (scheme < url.len && !str_starts_with(str_skip(url, scheme), STR("://"))) {
        scheme++;
    }
    struct str rest = scheme < url.len ? str_skip(url, scheme + 3) : url;

    for (size_t i = 0; i < rest.len; i++) {
        rest.len = strchr("/?#", rest.ptr[i]) != NULL ? i : rest.len;
    }
    size_t at = str_find_char(rest, '@');
    if (at < rest.len) {
        rest = str_skip(rest, at + 1);
    }
    if (rest.len > 0 && rest.ptr[0] == '[') {
        rest = str_skip(rest, 1);
        rest.len = str_find_char(rest, ']');
        return rest;
    }
    rest.len = str_find_char(rest, ':');
    return rest;
}

static bool is_local(struct str url)
{
    struct str host = host_of(url);
    size_t digits = 0;

    while (digits < host.len && strchr("0123456789.", host.ptr[digits]) != NULL) {
        digits++;
    }
    return str_equal_nocase(host, STR("localhost")) || str_is(host, "::1") ||
           (digits == host.len && str_starts_with(host, STR("127.")));
}

bool place_is_local(const char *url)
{
    struct str rest = str_from(url), one;

    while (addresses_cut(&rest, &one)) {
        if (!is_local(one)) {
            return false;
        }
    }
    return true;
}

static enum err check_url(struct str url, struct error *reterr)
{
    bool has_odd = host_of(url).len == 0;

    for (size_t i = 0; i < url.len; i++) {
        has_odd = has_odd || strchr("?# \t\r\n", url.ptr[i]) != NULL;
    }
    if (has_odd || (!str_starts_with(url, STR("http://")) && !str_starts_with(url, STR("https://")))) {
        return err_set(reterr, ERR_INVALID, "\"%.*s\" is not the URL of a server; write it as %s", STR_ARGS(url),
                       PLACE_URL_DEFAULT);
    }
    return ERR_OK;
}

/* One, or several with commas between. */
static enum err take_url(const char *text, char ret_url[PLACE_URL_BYTES_MAX], struct error *reterr)
{
    SCOPE(buf_done) struct buf urls;
    struct str rest = str_from(text), url;
    size_t count = 0;

    buf_init(&urls, PLACE_URL_BYTES_MAX);
    while (addresses_cut(&rest, &url)) {
        enum err err = check_url(url, reterr);

        if (err != ERR_OK) {
            return err;
        }
        buf_append_text(&urls, count++ > 0 ? "," : "");
        buf_append_str(&urls, url);
    }
    if (count > ADDRESSES_MAX || buf_overflowed(&urls)) {
        return err_set(reterr, ERR_INVALID, "at most %d URLs of servers, and %d bytes of them", ADDRESSES_MAX,
                       PLACE_URL_BYTES_MAX - 1);
    }
    (void)snprintf(ret_url, PLACE_URL_BYTES_MAX, "%s", buf_text(&urls));
    return ERR_OK;
}

/* The address in the data folder; false where there is none, or none that makes sense. */
static bool read_address(const char *data, const struct place_surroundings *around, char ret_url[PLACE_URL_BYTES_MAX])
{
    char folder[PLACE_PATH_BYTES_MAX];
    char path[PLACE_PATH_BYTES_MAX + sizeof "/" PLACE_ADDRESS_FILE];
    char bytes[PLACE_URL_BYTES_MAX];
    struct error error;

    if (place_data(data, around, folder, &error) != ERR_OK) {
        return false;
    }
    (void)snprintf(path, sizeof path, "%s/%s", folder, PLACE_ADDRESS_FILE);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t len = fd >= 0 ? read(fd, bytes, sizeof bytes - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    while (len > 0 && bytes[len - 1] == '\n') {
        len--;
    }
    if (len <= 0) {
        return false;
    }
    bytes[len] = '\0';
    return take_url(bytes, ret_url, &error) == ERR_OK;
}

static enum err find_url(const struct place_wishes *wishes, const struct place_surroundings *around,
                         struct place_found *place, struct error *reterr)
{
    const char *text = given(wishes->url) != NULL ? wishes->url : given(around->belfry_url);
    const char *data = given(wishes->data) != NULL ? wishes->data : given(around->belfry_data);

    (void)snprintf(place->data, sizeof place->data, "%s", data != NULL ? data : "");
    if (text != NULL) {
        place->source = PLACE_GIVEN;
        return take_url(text, place->url, reterr);
    }
    if (read_address(wishes->data, around, place->url)) {
        place->source = PLACE_OF_FOLDER;
        return ERR_OK;
    }
    place->source = PLACE_OF_NOBODY;
    return take_url(PLACE_URL_DEFAULT, place->url, reterr);
}

static enum err take_token(struct str text, const char *from, char ret_token[PLACE_TOKEN_BYTES_MAX],
                           struct error *reterr)
{
    text = str_trim(text);
    if (text.len == 0 || text.len >= PLACE_TOKEN_BYTES_MAX) {
        return err_set(reterr, ERR_INVALID, "%s holds no token: it is one word of the form bf_...", from);
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~') { /* it becomes a header: no line may end in it */
            return err_set(reterr, ERR_INVALID, "%s holds no token: it is one word of the form bf_...", from);
        }
    }
    memcpy(ret_token, text.ptr, text.len);
    ret_token[text.len] = '\0';
    return ERR_OK;
}

/* ERR_NOT_FOUND where the file cannot be read. */
static enum err read_token(const char *path, char ret_token[PLACE_TOKEN_BYTES_MAX], struct error *reterr)
{
    char bytes[PLACE_TOKEN_BYTES_MAX + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return err_set(reterr, ERR_NOT_FOUND, "cannot read the token in %s: %s", path, strerror(errno));
    }
    ssize_t len = read(fd, bytes, sizeof bytes);
    int error_number = errno;
    (void)close(fd);
    if (len < 0) {
        return err_set(reterr, ERR_NOT_FOUND, "cannot read the token in %s: %s", path, strerror(error_number));
    }
    return take_token((struct str){bytes, (size_t)len}, path, ret_token, reterr);
}

/* The token of the data folder, where it may be used (rule 1) and can be read (rule 2). */
static enum err find_local_token(const struct place_wishes *wishes, const struct place_surroundings *around,
                                 struct place_found *place, struct error *reterr)
{
    bool is_named = given(wishes->data) != NULL || given(around->belfry_data) != NULL;
    char folder[PLACE_PATH_BYTES_MAX];
    char path[PLACE_PATH_BYTES_MAX + sizeof "/" PLACE_TOKEN_FILE];
    struct error error;

    if (!is_named && place->source != PLACE_OF_FOLDER && !place_is_local(place->url)) {
        (void)snprintf(place->note, sizeof place->note,
                       "no token was given; put one into BELFRY_TOKEN or --token-file");
        return ERR_OK;
    }
    enum err err = place_data(wishes->data, around, folder, &error);
    if (err == ERR_OK) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, PLACE_TOKEN_FILE);
        err = read_token(path, place->token, &error);
    }
    if (err == ERR_INVALID && is_named) {
        return err_set(reterr, err, "%s", error.text);
    }
    if (err != ERR_OK) {
        (void)snprintf(place->note, sizeof place->note, "%.400s; put a token into BELFRY_TOKEN or --token-file",
                       error.text);
    }
    return ERR_OK;
}

enum err place_find(const struct place_wishes *wishes, const struct place_surroundings *around,
                    struct place_found *ret_place, struct error *reterr)
{
    struct place_found place = {0};
    enum err err = find_url(wishes, around, &place, reterr);

    if (err != ERR_OK) {
        return err;
    }
    if (given(wishes->token_file) != NULL) {
        err = read_token(wishes->token_file, place.token, reterr);
    } else if (given(around->belfry_token) != NULL) {
        err = take_token(str_from(around->belfry_token), "BELFRY_TOKEN", place.token, reterr);
    } else {
        err = find_local_token(wishes, around, &place, reterr);
    }
    if (err == ERR_OK) {
        *ret_place = place;
    }
    return err;
}
