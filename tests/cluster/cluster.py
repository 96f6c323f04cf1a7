"""cluster: several real servers on one PostgreSQL, and how tests start, ask, pause and kill them.

Rules: (1) no wait is endless (SECONDS_MAX), and none is for a fixed time.
       (2) what a test started ends with it.
"""

import http.client
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "server"))

import postgres  # noqa: E402
import process  # noqa: E402

SECONDS_MAX = process.SECONDS_MAX
TOKEN = "bf_" + "0123456789abcdefghjkmnpq" * 2
BROKEN = (OSError, http.client.HTTPException)  # what a connection may end with


class Member(process.Process):
    """One server. The whole cluster has one token."""

    def __init__(self, data, store, *options):
        super().__init__(
            data, "server", "--listen", "127.0.0.1:0", "--data", data, "--store", store, *options,
            env={"BELFRY_TOKEN": TOKEN},
        )
        self.is_paused = False

    def token(self):
        return TOKEN

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_alive(self):
        return self.process.poll() is None

    def pause(self):
        self.signal(signal.SIGSTOP)
        self.is_paused = True

    def resume(self):
        self.signal(signal.SIGCONT)
        self.is_paused = False

    def kill(self):
        self.signal(signal.SIGKILL)
        self.wait()


class Cluster:
    """Members on one database. store: the URL they are given; None: PostgreSQL's own."""

    def __init__(self, database, folder, store=None):
        self.database = database
        self.folder = pathlib.Path(folder)
        self.store = store or database.url
        self.members = []
        self.count = 0

    def add(self, data=None, *options):
        """Starts one more, in a folder of its own or in that of one that has ended, and waits until it is ready."""
        self.count += 1
        member = Member(data or str(self.folder / f"member-{self.count}"), self.store, *options)
        self.members.append(member)
        return member.ready()

    def alive(self):
        return [member for member in self.members if member.is_alive]

    def any(self, but=()):
        """One of those that live, whether it works or is paused: who asks cannot know."""
        alive = self.alive()
        return random.choice([member for member in alive if member not in but] or alive)

    def owner_row(self):
        return self.database.rows("SELECT epoch, owner_url, until > clock_timestamp() AS lives FROM belfry.shards")[0]

    def epoch(self):
        return self.owner_row()["epoch"]

    def owner(self):
        """The member that the database names, if it lives and its lease does; else None."""
        row = self.owner_row()
        if not row["lives"]:
            return None
        return next((member for member in self.alive() if member.url == row["owner_url"]), None)

    def standbys(self):
        owner = self.owner()
        return [member for member in self.alive() if member is not owner and not member.is_paused]

    def end(self):
        """Rule 2."""
        for member in self.members:
            member.end()


class ClusterCase(unittest.TestCase):
    """Each test has a database and three members."""

    maxDiff = None
    size = 3
    is_fast = True  # PostgreSQL without fsync: what is killed here is processes, not the machine

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="belfry-cluster-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.database = postgres.Postgres(self.is_fast)
        self.addCleanup(self.database.stop)
        self.database.start()
        self.run_belfry("init", "--store", self.database.url)
        self.cluster = Cluster(self.database, self.folder, self.store())
        self.addCleanup(self.cluster.end)
        for _ in range(self.size):
            self.cluster.add()

    def store(self):
        """The URL that servers are given."""
        return None

    def run_belfry(self, *words):
        done = process.subprocess.run(
            [process.BELFRY, *words], capture_output=True, env=process.clean_environment({"BELFRY_TOKEN": TOKEN}),
            timeout=SECONDS_MAX, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())
        return done.stdout.decode()

    wait_for = process.ProcessCase.wait_for

    def wait_for_owner(self, other_than=None):
        """Until a member owns the shard that is not the one given."""

        def found():
            owner = self.cluster.owner()
            return owner if owner is not other_than else None

        return self.wait_for(found)

    def logs(self):
        """What the members said: for a test that failed."""
        return "\n".join(
            line
            for member in self.cluster.members
            for line in [f"--- {member.url} {os.path.basename(member.data)}", *member.logged().splitlines()]
            if "event=job_attempt_finished" not in line
        )
