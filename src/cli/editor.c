#include "cli/editor.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/json_text.h"

#define PATH_BYTES_MAX 4096

static const char *editor_name(void)
{
    const char *visual = getenv("VISUAL");
    const char *editor = getenv("EDITOR");

    if (visual != NULL && visual[0] != '\0') {
        return visual;
    }
    return editor != NULL && editor[0] != '\0' ? editor : "vi";
}

static enum err write_all(int fd, struct str text, struct error *reterr)
{
    while (text.len > 0) {
        ssize_t written = write(fd, text.ptr, text.len);

        if (written < 0 && errno != EINTR) {
            return err_set(reterr, ERR_IO, "cannot write the text for the editor: %s", strerror(errno));
        }
        text = str_skip(text, written > 0 ? (size_t)written : 0);
    }
    return ERR_OK;
}

/* The name may hold options ("code --wait"), so that a shell reads it; the path is an argument and never read by it. */
static enum err open_editor(const char *path, struct error *reterr)
{
    char command[PATH_BYTES_MAX];
    char shell[] = "sh", option[] = "-c", name[] = "belfry";
    char place[PATH_BYTES_MAX];
    char *const argv[] = {shell, option, command, name, place, NULL};
    pid_t pid = 0;
    int status = 0;

    (void)snprintf(command, sizeof command, "%s \"$1\"", editor_name());
    (void)snprintf(place, sizeof place, "%s", path);
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) != 0) {
        return err_set(reterr, ERR_IO, "cannot start the editor %s", editor_name());
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return err_set(reterr, ERR_IO, "the editor %s failed; nothing was changed", editor_name());
    }
    return ERR_OK;
}

enum err editor_run(struct str text, size_t bytes_max, struct buf *ret_text, struct error *reterr)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_BYTES_MAX];

    (void)snprintf(path, sizeof path, "%s/belfry-XXXXXX.json", folder != NULL && folder[0] != '\0' ? folder : "/tmp");
    int fd = mkstemps(path, (int)strlen(".json"));
    if (fd < 0) {
        return err_set(reterr, ERR_IO, "cannot make a file for the editor: %s", strerror(errno));
    }
    enum err err = write_all(fd, text, reterr);
    (void)close(fd);
    if (err == ERR_OK) {
        err = open_editor(path, reterr);
    }
    if (err == ERR_OK) {
        err = json_text_file(path, bytes_max, ret_text, reterr);
    }
    (void)unlink(path);
    return err;
}
