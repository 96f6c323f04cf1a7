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

    def rows(self, query):
        """What a query gives, each row a dict."""
        done = subprocess.run(
            [with_postgres.find("psql"), self.url, "-XAtq", "-c", f"SELECT row_to_json(asked) FROM ({query}) AS asked"],
            capture_output=True, text=True, timeout=SECONDS_MAX, check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    def value(self, query):
        """The one value of a query's one row."""
        (row,) = self.rows(query)
        (value,) = row.values()
        return value
