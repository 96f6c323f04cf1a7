"""postgres: a PostgreSQL server that a test kills and starts again, and what its tables say.

Rules: (1) what the tests ask comes over a way of its own, the Unix socket: no proxy and no pool stands between.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "store"))

import with_postgres  # noqa: E402

SECONDS_MAX = 60


def children_of(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class Postgres(with_postgres.Server):
    @property
    def url(self):
        return self.environment()["BELFRY_TEST_POSTGRES"]

    def url_through(self, port):
        """By TCP, through whatever listens there."""
        return f"postgresql://belfry@127.0.0.1:{port}/postgres"

    def kill(self):
        """Every process of it, as when a machine loses its power; what was written stays written."""
        pids = [self.process.pid, *children_of(self.process.pid)]
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(SECONDS_MAX)

    def ask(self, text):
        """What psql says, line by line."""
        done = subprocess.run(
            [with_postgres.find("psql"), self.url, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text],
            capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
        )
        if done.returncode != 0:
            raise AssertionError(f"{text}: {done.stderr}")
        return done.stdout.splitlines()

    def rows(self, query):
        """What a query gives, each row a dict."""
        return [json.loads(line) for line in self.ask(f"SELECT row_to_json(asked) FROM ({query}) AS asked")]

    def value(self, query):
        """The one value of a query's one row."""
        (row,) = self.rows(query)
        (value,) = row.values()
        return value


class Replica(Postgres):
    """A copy of another one that follows it: what the other commits, this one has (if it is synchronous)."""

    def __init__(self, primary, is_synchronous=True):
        super().__init__(primary.is_fast)
        self.primary = primary
        self.is_synchronous = is_synchronous

    def start(self):
        self.run(
            with_postgres.find("pg_basebackup"), "-h", self.primary.folder, "-p", str(self.primary.port),
            "-U", "belfry", "-D", self.folder / "data", "-R", "-X", "stream", "-c", "fast", "--no-sync",
        )
        self.launch()
        if not self.is_synchronous:
            return
        # Set after the copy was made: this one waits for nobody when it is the primary.
        self.primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.ask("SELECT pg_reload_conf()")

    def is_in_step(self):
        return self.primary.value("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1

    def promote(self):
        self.ask("SELECT pg_promote()")


def url_of_pair(primary, replica):
    """For whoever wants the one of them that can be written to."""
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{replica.port}"
    return f"postgresql://belfry@{hosts}/postgres?target_session_attrs=read-write"
