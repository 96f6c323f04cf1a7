#include "client.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "http.h"
#include "text.h"

#define URL_DEFAULT "http://127.0.0.1:7600"
#define TOKEN_BYTES_MAX 4096

enum belfry_status bf_fail(struct belfry_error *ret_error, enum belfry_status status, const char *format, ...)
{
    va_list arguments;

    if (ret_error == NULL) {
        return status;
    }
    *ret_error = (struct belfry_error){.status = status};
    va_start(arguments, format);
    (void)vsnprintf(ret_error->text, sizeof ret_error->text, format, arguments);
    va_end(arguments);
    return status;
}

void bf_random_hex(char *ret_text, size_t digits)
{
    for (size_t i = 0; i < digits; i += 2) {
        unsigned char byte;

        if (getrandom(&byte, 1, 0) != 1) {
            abort(); /* it cannot fail for so little, once the machine has started */
        }
        (void)snprintf(ret_text + i, 3, "%02x", byte);
    }
}

/* ---- the token ---- */

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool find_token_file(char *ret_path, size_t size)
{
    const char *data = environment("BELFRY_DATA"), *xdg = environment("XDG_DATA_HOME"), *home = environment("HOME");
    int length = -1;

    if (data != NULL) {
        length = snprintf(ret_path, size, "%s/token", data);
    } else if (xdg != NULL) {
        length = snprintf(ret_path, size, "%s/belfry/token", xdg);
    } else if (home != NULL) {
        length = snprintf(ret_path, size, "%s/.local/share/belfry/token", home);
    }
    return length >= 0 && (size_t)length < size;
}

char *bf_local_token(void)
{
    char path[4096], line[TOKEN_BYTES_MAX] = "";
    FILE *file = find_token_file(path, sizeof path) ? fopen(path, "re") : NULL;

    if (file == NULL) {
        return NULL;
    }
    if (fgets(line, sizeof line, file) == NULL) {
        line[0] = '\0';
    }
    (void)fclose(file);
    line[strcspn(line, " \t\r\n")] = '\0';
    return line[0] != '\0' ? bf_copy_of(line) : NULL;
}

static bool is_this_machine(const char *url)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = strstr(url, "://");

    for (size_t i = 0; host != NULL && i < sizeof hosts / sizeof hosts[0]; i++) {
        size_t length = strlen(hosts[i]);
        char next = strncmp(host + 3, hosts[i], length) == 0 ? host[3 + length] : 'x';

        if (next == '\0' || next == ':' || next == '/') {
            return strchr(host, '@') == NULL; /* localhost:7600@elsewhere is elsewhere */
        }
    }
    return false;
}

/* A header ends at a line's end; so would a token that has one. */
static bool is_header_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text <= ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

/* ---- open and close ---- */

static char *without_slash(const char *url)
{
    char *copy = bf_copy_of(url);
    size_t length = strlen(copy);

    while (length > 0 && copy[length - 1] == '/') {
        copy[--length] = '\0';
    }
    return copy;
}

enum belfry_status belfry_open(const char *url, const char *token, struct belfry **ret_client,
                               struct belfry_error *ret_error)
{
    url = url != NULL ? url : environment("BELFRY_URL");
    url = url != NULL ? url : URL_DEFAULT;
    token = token != NULL ? token : environment("BELFRY_TOKEN");
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        return bf_fail(ret_error, BELFRY_INVALID, "%.200s is no address: it begins with neither http:// nor https://",
                       url);
    }
    if (token != NULL && !is_header_text(token)) {
        return bf_fail(ret_error, BELFRY_INVALID, "the token has characters that no token has");
    }
    if (!bf_http_begin()) {
        return bf_fail(ret_error, BELFRY_INVALID, "libcurl cannot start");
    }
    struct belfry *client = bf_zalloc(1, sizeof *client);

    client->url = without_slash(url);
    client->token = token != NULL ? bf_copy_of(token) : NULL;
    if (token == NULL && is_this_machine(url)) { /* rule 1 */
        client->token = bf_local_token();
    }
    *ret_client = client;
    return BELFRY_OK;
}

void belfry_close(struct belfry *client)
{
    if (client != NULL) {
        free(client->url);
        free(client->token);
        free(client);
    }
}
