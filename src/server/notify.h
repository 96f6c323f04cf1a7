/* notify: tells systemd how the service is: a datagram to the socket that NOTIFY_SOCKET names. Silent where there is
 * none.
 *
 * See: sd_notify(3), tests/server/test_systemd.py
 */
#ifndef SERVER_NOTIFY_H
#define SERVER_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* One message such as "READY=1". False: it could not be sent. Where nobody listens it is true. */
bool notify_send(const char *message);

/* How often WATCHDOG=1 is wanted, at half of what systemd allows; 0: never. */
int64_t notify_watchdog_ms(void);

#endif
