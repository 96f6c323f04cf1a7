#!/usr/bin/env python3
"""Runs a command beside a PostgreSQL server of its own, and removes the server afterwards.

    with_postgres.py [--fast] COMMAND [ARG...]      --fast: without fsync

The command finds in its environment
    BELFRY_TEST_POSTGRES        the URL of an empty database, by a Unix socket
    BELFRY_TEST_POSTGRES_PORT   the port on 127.0.0.1 where the same server listens
The server's files are in a folder of their own below TMPDIR. It runs as another user where this is root, since
PostgreSQL refuses to be root's.
"""

import ctypes
import glob
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_SECONDS = 60
STOP_SECONDS = 20
PR_SET_PDEATHSIG = 1


def find(program):
    """The newest of Debian's, or what PATH has."""
    found = glob.glob(f"/usr/lib/postgresql/*/bin/{program}")
    newest = max(found, key=lambda path: int(path.split("/")[4]), default=shutil.which(program))
    return newest or sys.exit(f"with_postgres: there is no {program} (Debian has it in postgresql-15)")


def server_user():
    """Who the server runs as; None: who we are."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    sys.exit("with_postgres: PostgreSQL does not run as root, and there is no other user for it")


def become(user):
    """What a child does first: it is that user, and goes when we go."""

    def first():
        if user is not None:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)

    return first


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, is_fast):
        self.user = server_user()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="belfry-pg-"))
        self.log = self.folder / "log"
        self.port = free_port()
        self.is_fast = is_fast
        self.process = None
        if self.user is not None:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def run(self, *command):
        done = subprocess.run(
            command, cwd=self.folder, preexec_fn=become(self.user), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"with_postgres: {command[0]}: {done.stdout}{done.stderr}")

    def start(self):
        self.run(
            find("initdb"), "-D", self.folder / "data", "-U", "belfry", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
            "--no-sync", "--no-instructions",
        )
        self.launch()

    def launch(self):
        """The server on the files that are there; again, after it was killed."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.folder,
            "fsync": "off" if self.is_fast else "on",
            "max_connections": 60,
        }
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [find("postgres"), "-D", self.folder / "data"] + [f"-c{key}={value}" for key, value in settings.items()],
                cwd=self.folder, preexec_fn=become(self.user), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            )
        self.wait()

    def wait(self):
        end = time.monotonic() + START_SECONDS
        ready = [find("pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"with_postgres: the server does not start:\n{self.log.read_text()}")
            time.sleep(0.05)

    def environment(self):
        url = f"postgresql://belfry@/postgres?host={self.folder}&port={self.port}"
        return {**os.environ, "BELFRY_TEST_POSTGRES": url, "BELFRY_TEST_POSTGRES_PORT": str(self.port)}

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # ends sessions, then itself
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main(argv):
    is_fast = "--fast" in argv[1:2]
    command = argv[2:] if is_fast else argv[1:]
    if not command:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    server = Server(is_fast)
    try:
        server.start()
        return subprocess.run(command, env=server.environment(), check=False).returncode
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
