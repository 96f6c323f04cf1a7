"""What systemd is told."""

import os
import signal
import socket
import unittest

import process
import tap


class Notify(process.ProcessCase):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.bind(self.path)
        self.socket.settimeout(process.SECONDS_MAX)

    def said(self):
        return self.socket.recv(4096).decode()

    def test_it_says_when_it_is_ready_and_when_it_stops(self):
        server = self.server(env={"NOTIFY_SOCKET": self.path})
        self.assertEqual(self.said(), "READY=1")
        server.signal(signal.SIGTERM)
        self.assertEqual(self.said(), "STOPPING=1")
        self.assertEqual(server.wait(), 0)

    def test_the_watchdog_is_fed(self):
        self.server(env={"NOTIFY_SOCKET": self.path, "WATCHDOG_USEC": "200000"})
        self.assertEqual(self.said(), "READY=1")
        for _ in range(3):
            self.assertEqual(self.said(), "WATCHDOG=1")


if __name__ == "__main__":
    tap.main()
