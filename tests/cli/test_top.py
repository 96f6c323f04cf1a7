"""belfry top, on a terminal of its own and without one."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios

import api_case
import binary
import tap
from api_case import DONE

ESCAPE = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Top(api_case.ApiCase):
    def setUp(self):
        super().setUp()
        worker = self.api.description.example({"$ref": "#/components/schemas/Worker"})
        held = self.api.description.example({"$ref": "#/components/schemas/Held"})
        held["progress"] = {"percent": 40, "note": "page 4 of 10", "at": "2026-04-08T09:00:00.000Z"}
        self.api.answer("GET", "/v1/workers", {"items": [{**worker, "holding": [held]}], "next": None})
        point = self.api.description.example({"$ref": "#/components/schemas/StatsPoint"})
        self.api.answer("GET", "/v1/stats/history", {"from": point["at"], "to": point["at"], "step": "1m",
                                                     "points": [{**point, "executed": n * 60} for n in (0, 4, 8, 2)]})

    def test_without_a_terminal_it_is_shown_once(self):
        out = self.done("top")
        for text in ["ready 12", "rate: 8.0 a second", "email", "acme/welcome", "40 % page 4 of 10", "mailer-3"]:
            self.assertIn(text, out)
        self.assertNotIn("\x1b", out)

    def start(self, rows=40, columns=100, **env):
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(binary.BELFRY, [binary.BELFRY, "top", "--interval", "100ms"],
                      binary.environment(self.surroundings({"TERM": "xterm", **env})))
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.addCleanup(os.close, fd)
        return pid, fd

    def read_until(self, fd, enough):
        heard = ""
        while not enough(heard):
            self.assertTrue(select.select([fd], [], [], binary.SECONDS_MAX)[0], heard[-300:])
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            heard += data.decode("utf-8", "replace")
        return heard

    def ended(self, pid):
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_it_draws_again_and_q_ends_it(self):
        pid, fd = self.start()
        heard = self.read_until(fd, lambda text: text.count("belfry top") > 2)
        self.assertTrue(heard.startswith(ENTER))
        os.write(fd, b"q")
        rest = self.read_until(fd, lambda text: False)
        self.assertIn(LEAVE, rest)
        self.assertEqual(self.ended(pid), DONE)

    def test_an_interrupt_leaves_the_terminal_as_it_was(self):
        pid, fd = self.start()
        self.read_until(fd, lambda text: "belfry top" in text)
        os.kill(pid, signal.SIGTERM)
        self.assertIn(LEAVE, self.read_until(fd, lambda text: False))
        self.assertEqual(self.ended(pid), DONE)

    def test_no_line_is_wider_and_no_screen_higher_than_the_terminal(self):
        pid, fd = self.start(rows=12, columns=50)
        screens = self.read_until(fd, lambda text: text.count("belfry top") > 4).split("\x1b[H")[3:-1]
        os.write(fd, b"q")
        self.read_until(fd, lambda text: False)
        self.ended(pid)
        self.assertTrue(screens)
        for screen in screens:
            lines = ESCAPE.sub("", screen).replace("\r", "").split("\n")
            self.assertLessEqual(len(lines), 12)
            self.assertLessEqual(max(len(line) for line in lines), 50)


if __name__ == "__main__":
    tap.main()
