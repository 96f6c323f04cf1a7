#include "server/home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

#define TOKEN_PREFIX "bf_"

enum err home_path(const char *folder, const char *name, char ret_path[HOME_PATH_BYTES_MAX], struct error *reterr)
{
    int len = snprintf(ret_path, HOME_PATH_BYTES_MAX, "%s/%s", folder, name);

    if (len < 0 || len >= HOME_PATH_BYTES_MAX) {
        return err_set(reterr, ERR_INVALID, "the path of the data folder is too long");
    }
    return ERR_OK;
}

/* ---- the folder ---- */

static enum err check_folder(const char *path, struct error *reterr)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        return err_set(reterr, ERR_IO, "cannot use the folder %s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        return err_set(reterr, ERR_IO, "cannot use the folder %s: it is not a folder", path);
    }
    if ((st.st_mode & S_IWOTH) != 0) {
        return err_set(reterr, ERR_FORBIDDEN, "everybody may write to the folder %s; run chmod 700 on it", path);
    }
    if (access(path, R_OK | W_OK | X_OK) != 0) {
        return err_set(reterr, ERR_IO, "cannot use the folder %s: %s", path, strerror(errno));
    }
    return ERR_OK;
}

enum err home_open(const char *path, struct error *reterr)
{
    char part[HOME_PATH_BYTES_MAX];
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof part) {
        return err_set(reterr, ERR_INVALID, "the path of the data folder is %s",
                       len == 0 ? "empty; name it with --data" : "too long");
    }
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, S_IRWXU) != 0 && errno != EEXIST) {
            return err_set(reterr, ERR_IO, "cannot make the folder %s: %s", part, strerror(errno));
        }
    }
    return check_folder(path, reterr);
}

/* ---- the token ---- */

enum err home_random(void *bytes, size_t len, struct error *reterr)
{
    size_t done = 0;

    while (done < len) {
        ssize_t got = getrandom((char *)bytes + done, len - done, 0);

        if (got < 0 && errno != EINTR) {
            return err_set(reterr, ERR_IO, "the system gives no random numbers: %s", strerror(errno));
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return ERR_OK;
}

static enum err new_token(char token[HOME_TOKEN_BYTES_MAX], struct error *reterr)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[HOME_TOKEN_RANDOM_BYTES];
    enum err err = home_random(bytes, sizeof bytes, reterr);
    size_t len = sizeof TOKEN_PREFIX - 1;
    unsigned bits = 0;
    unsigned bit_count = 0;

    if (err != ERR_OK) {
        return err;
    }
    memcpy(token, TOKEN_PREFIX, len);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bits = bits << 8 | bytes[i];
        for (bit_count += 8; bit_count >= 6; bit_count -= 6) {
            token[len++] = digits[bits >> (bit_count - 6) & 63];
        }
    }
    if (bit_count > 0) {
        token[len++] = digits[bits << (6 - bit_count) & 63];
    }
    token[len] = '\0';
    return ERR_OK;
}

static bool write_whole(int fd, const char *text, size_t len)
{
    return write(fd, text, len) == (ssize_t)len && fsync(fd) == 0;
}

/* What the rename did is on the disk. */
static void sync_folder_of(const char *path)
{
    char folder[HOME_PATH_BYTES_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = slash != NULL ? (size_t)(slash - path) : 0;

    memcpy(folder, slash != NULL ? path : ".", slash != NULL ? len : 1);
    folder[slash != NULL ? len : 1] = '\0';
    int fd = open(folder[0] != '\0' ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

/* Rule 2: under another name until it is whole. */
enum err home_line_write(const char *path, const char *text, struct error *reterr)
{
    char line[HOME_LINE_BYTES_MAX];
    char fresh[HOME_PATH_BYTES_MAX];
    int path_len = snprintf(fresh, sizeof fresh, "%s.new", path);
    int len = snprintf(line, sizeof line, "%s\n", text);

    if (path_len < 0 || (size_t)path_len >= sizeof fresh || len < 0 || (size_t)len >= sizeof line) {
        return err_set(reterr, ERR_INVALID, "cannot make %s: it or its path is too long", path);
    }
    (void)unlink(fresh);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return err_set(reterr, ERR_IO, "cannot make %s: %s", fresh, strerror(errno));
    }
    bool is_written = write_whole(fd, line, (size_t)len);
    int number = errno;
    (void)close(fd);
    if (!is_written || rename(fresh, path) != 0) {
        number = is_written ? errno : number;
        (void)unlink(fresh);
        return err_set(reterr, ERR_IO, "cannot make %s: %s", path, strerror(number));
    }
    sync_folder_of(path);
    return ERR_OK;
}

static enum err make_token(const char *path, struct error *reterr)
{
    char token[HOME_TOKEN_BYTES_MAX];
    enum err err = new_token(token, reterr);

    return err == ERR_OK ? err_wrap(reterr, home_line_write(path, token, reterr), "the token") : err;
}

static enum err take_token(struct str text, const char *path, char ret_token[HOME_TOKEN_BYTES_MAX],
                           struct error *reterr)
{
    text = str_trim(text);
    bool is_word = text.len > 0 && text.len < HOME_TOKEN_BYTES_MAX;

    for (size_t i = 0; i < text.len; i++) {
        is_word = is_word && text.ptr[i] > ' ' && text.ptr[i] <= '~';
    }
    if (!is_word) {
        return err_set(reterr, ERR_INVALID, "%s holds no token: it is one word of the form bf_...", path);
    }
    memcpy(ret_token, text.ptr, text.len);
    ret_token[text.len] = '\0';
    return ERR_OK;
}

static enum err read_open(int fd, const char *path, char ret_token[HOME_TOKEN_BYTES_MAX], struct error *reterr)
{
    char bytes[HOME_TOKEN_BYTES_MAX + 1];
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        return err_set(reterr, ERR_INVALID, "%s holds no token: it is not a file", path);
    }
    if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0) { /* rule 1 */
        return err_set(reterr, ERR_FORBIDDEN,
                       "others can read the token in %s; run chmod 600 on it, and make another "
                       "one (remove the file) if they may have",
                       path);
    }
    ssize_t len = read(fd, bytes, sizeof bytes);
    if (len < 0) {
        return err_set(reterr, ERR_IO, "cannot read the token in %s: %s", path, strerror(errno));
    }
    return take_token((struct str){bytes, (size_t)len}, path, ret_token, reterr);
}

enum err home_token_read(const char *path, char ret_token[HOME_TOKEN_BYTES_MAX], struct error *reterr)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        return err_set(reterr, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "cannot read the token in %s: %s", path,
                       strerror(errno));
    }
    enum err err = read_open(fd, path, ret_token, reterr);
    (void)close(fd);
    return err;
}

enum err home_token(const char *path, char ret_token[HOME_TOKEN_BYTES_MAX], struct error *reterr)
{
    enum err err = home_token_read(path, ret_token, reterr);

    if (err != ERR_NOT_FOUND) {
        return err;
    }
    err = make_token(path, reterr);
    return err == ERR_OK ? home_token_read(path, ret_token, reterr) : err;
}

/* ---- the address ---- */

enum err home_address_write(const char *folder, const char *url, struct error *reterr)
{
    char path[HOME_PATH_BYTES_MAX];
    enum err err = home_path(folder, HOME_ADDRESS_NAME, path, reterr);

    return err == ERR_OK ? home_line_write(path, url, reterr) : err;
}

void home_address_remove(const char *folder, const char *url)
{
    char path[HOME_PATH_BYTES_MAX];
    char bytes[HOME_LINE_BYTES_MAX];
    struct error error;
    int fd = home_path(folder, HOME_ADDRESS_NAME, path, &error) == ERR_OK ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0) {
        return;
    }
    ssize_t len = read(fd, bytes, sizeof bytes);
    (void)close(fd);
    if (len > 0 && str_is(str_trim((struct str){bytes, (size_t)len}), url)) { /* rule 3 */
        (void)unlink(path);
    }
}
