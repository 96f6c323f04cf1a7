#include "server/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

bool notify_send(const char *message)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = path != NULL ? strlen(path) : 0;

    if (len == 0) {
        return true;
    }
    if ((path[0] != '/' && path[0] != '@') || len >= sizeof address.sun_path) {
        return false;
    }
    memcpy(address.sun_path, path, len);
    if (path[0] == '@') { /* an abstract name begins with a zero byte */
        address.sun_path[0] = '\0';
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    ssize_t sent = sendto(fd, message, strlen(message), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
    (void)close(fd);
    return sent >= 0;
}

int64_t notify_watchdog_ms(void)
{
    const char *text = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    int64_t usec;
    int64_t whose;

    if (text == NULL || str_to_int(str_from(text), 1, INT64_MAX, &usec, NULL) != ERR_OK) {
        return 0;
    }
    if (pid != NULL && pid[0] != '\0' &&
        (str_to_int(str_from(pid), 1, INT32_MAX, &whose, NULL) != ERR_OK || whose != getpid())) {
        return 0;
    }
    return usec / 2000 > 0 ? usec / 2000 : 1;
}
