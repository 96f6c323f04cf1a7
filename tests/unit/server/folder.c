#include "folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATHS 8

static char folder[64];
static char paths[PATHS][256];
static size_t next_path;

int folder_make(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, P_tmpdir "/belfry-server-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int folder_remove(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *path_of(const char *name)
{
    char *path = paths[next_path++ % PATHS];

    (void)snprintf(path, sizeof paths[0], "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    return path;
}

void write_file(const char *name, const char *text)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}
