"""terminal: a program on a terminal of its own, as a person has one: drawn on, typed at, of a given size.

    with terminal.Terminal([BELFRY, "top"], env, rows=24, columns=80) as shown:
        shown.until(lambda text: "belfry top" in text)
        shown.type("q")
        code = shown.end()

Rules: (1) no wait is endless (SECONDS_MAX), and none is for a fixed time.
       (2) what a test started ends with it.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SECONDS_MAX = 60

ESCAPE = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")


def plain(text):
    """The text without what only moves the cursor or colours."""
    return ESCAPE.sub("", text).replace("\r", "")


class Terminal:
    def __init__(self, words, env, rows=24, columns=80):
        self.heard = ""
        self.code = None
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(master)
            self.take(slave)
            os.execve(words[0], words, env)
        self.fd = master
        self.slave = slave  # kept open, so that what the program leaves of the terminal can be looked at

    @staticmethod
    def take(slave):
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(slave, fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)  # rule 2
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        os.close(self.slave)

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        self.heard += os.read(self.fd, 65536).decode("utf-8", "replace")
        return True

    def until(self, enough):
        """Reads until enough(text so far); returns the text."""
        while not enough(self.heard):
            if not self.read(SECONDS_MAX):  # rule 1
                raise AssertionError(f"it never came; the end of what did: {self.heard[-500:]!r}")
        return self.heard

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """Waits for the program's own end; its exit code."""
        last = time.monotonic() + SECONDS_MAX
        while self.code is None:
            if time.monotonic() > last:
                raise AssertionError(f"it does not end; the end of what it said: {self.heard[-500:]!r}")
            self.read(0.01)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid == self.pid:
                self.code = os.waitstatus_to_exitcode(status)
        while self.read(0):
            pass
        return self.code

    def is_as_before(self):
        """Whether the terminal's settings are those of the beginning."""
        return termios.tcgetattr(self.slave) == self.before


def run(words, env, rows=24, columns=80):
    """A program's exit code and all that it showed."""
    with Terminal(words, env, rows, columns) as shown:
        code = shown.end()
        return code, shown.heard
