#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "rig.h"

int client_open(struct rig *rig)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(net_server_port(rig->server))};
    struct timeval patience = {.tv_sec = RIG_PATIENCE_S};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

void client_send_bytes(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);

        if (sent <= 0) {
            return; /* the server has closed: what it said is read next */
        }
        bytes += sent;
        len -= (size_t)sent;
    }
}

void client_send(int fd, const char *text)
{
    client_send_bytes(fd, text, strlen(text));
}

/* False at the end. */
static bool read_more(int fd, struct buf *buf)
{
    char bytes[16384];
    ssize_t len = recv(fd, bytes, sizeof bytes, 0);

    if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        fail_msg("waited too long for the server");
    }
    if (len <= 0) {
        return false;
    }
    buf_append(buf, bytes, (size_t)len);
    return true;
}

void client_read_all(int fd, struct buf *buf)
{
    while (read_more(fd, buf)) {
    }
}

bool client_is_closed(int fd)
{
    struct buf buf;
    bool is_closed;

    buf_init(&buf, 100000);
    is_closed = !read_more(fd, &buf);
    buf_done(&buf);
    return is_closed;
}

void client_read_until(int fd, struct buf *buf, const char *text)
{
    while (strstr(buf_text(buf), text) == NULL) {
        if (!read_more(fd, buf)) {
            fail_msg("the connection ended before \"%s\"", text);
        }
    }
}

/* One byte at a time to the empty line, so that nothing of the next answer is taken. */
static bool read_head(int fd, struct buf *head)
{
    while (!str_ends_with(buf_str(head), STR("\r\n\r\n"))) {
        char c;
        ssize_t len = recv(fd, &c, 1, 0);

        if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            fail_msg("waited too long for the server");
        }
        if (len <= 0) {
            return false;
        }
        buf_append_char(head, c);
    }
    return true;
}

static size_t length_in(const struct buf *head)
{
    const char *at = strcasestr(buf_text(head), "\r\nContent-Length:");

    return at == NULL ? 0 : strtoul(at + strlen("\r\nContent-Length:"), NULL, 10);
}

void client_read(int fd, struct reply *reply)
{
    *reply = (struct reply){.status = 0};
    buf_init(&reply->head, 65536);
    buf_init(&reply->body, 8UL * 1024 * 1024);
    if (!read_head(fd, &reply->head)) {
        return;
    }
    reply->status = (int)strtol(buf_text(&reply->head) + strlen("HTTP/1.1 "), NULL, 10);
    for (size_t left = length_in(&reply->head); left > 0;) {
        char bytes[16384];
        ssize_t len = recv(fd, bytes, left < sizeof bytes ? left : sizeof bytes, 0);

        if (len <= 0) {
            reply->status = 0;
            return;
        }
        buf_append(&reply->body, bytes, (size_t)len);
        left -= (size_t)len;
    }
}

void reply_done(struct reply *reply)
{
    buf_done(&reply->head);
    buf_done(&reply->body);
}

void client_expect(int fd, const char *request, int status, const char *body)
{
    struct reply reply;

    client_send(fd, request);
    client_read(fd, &reply);
    assert_int_equal(reply.status, status);
    if (body != NULL) {
        assert_string_equal(buf_text(&reply.body), body);
    }
    reply_done(&reply);
}

void client_add_many(struct buf *buf, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_append_text(buf, piece);
    }
}
