#include "server/own_id.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "server/home.h"

static enum err path_of(const char *store_path, char ret_path[HOME_PATH_BYTES_MAX], struct error *reterr)
{
    int len = snprintf(ret_path, HOME_PATH_BYTES_MAX, "%s.worker", store_path);

    return len > 0 && len < HOME_PATH_BYTES_MAX ? ERR_OK
                                                : err_set(reterr, ERR_INVALID, "the path of the store is too long");
}

static bool is_word(struct str text)
{
    bool is_word = text.len > 0 && text.len < OWN_ID_BYTES_MAX;

    for (size_t i = 0; i < text.len; i++) {
        is_word = is_word && text.ptr[i] > ' ' && text.ptr[i] <= '~';
    }
    return is_word;
}

void own_id_read(const char *store_path, char ret_id[OWN_ID_BYTES_MAX])
{
    char path[HOME_PATH_BYTES_MAX];
    char bytes[OWN_ID_BYTES_MAX + 1];
    struct error error;
    int fd = path_of(store_path, path, &error) == ERR_OK ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    ssize_t len = fd >= 0 ? read(fd, bytes, sizeof bytes) : 0;
    struct str text = str_trim((struct str){bytes, len > 0 ? (size_t)len : 0});

    ret_id[0] = '\0';
    if (is_word(text)) {
        memcpy(ret_id, text.ptr, text.len);
        ret_id[text.len] = '\0';
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

enum err own_id_write(const char *store_path, const char *id, struct error *reterr)
{
    char path[HOME_PATH_BYTES_MAX];
    enum err err = path_of(store_path, path, reterr);

    return err == ERR_OK ? home_line_write(path, id, reterr) : err;
}
