"""Every alert fires when what it is about happens: a real Prometheus scrapes real servers. One is healthy and gets work of
all kinds, one stands on a PostgreSQL that is killed, one has a clock that jumps."""

import datetime
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import prometheus
import scrape
import tap

sys.path[:0] = [str(scrape.ROOT / "tests" / one) for one in ("server", "cluster")]

import postgres  # noqa: E402
import process  # noqa: E402
import stepped  # noqa: E402
from server import ApiCase  # noqa: E402

TOKEN = "bf_" + "0123456789abcdefghjkmnpq" * 2
CLOCK_STEP = os.path.abspath(sys.argv[2])
# Those that twenty million jobs would be needed for: promtool's unit tests have them.
UNREACHABLE = {"BelfryIndexLarge"}


def ago(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)).isoformat()


class Watched(process.Process):
    """A server that Prometheus watches. It speaks as tests/api expects (Answer)."""

    def __init__(self, folder, *words, env=None):
        data = tempfile.mkdtemp(dir=folder)
        super().__init__(data, "server", "--listen", "127.0.0.1:0", "--data", data, *words,
                         env={"BELFRY_TOKEN": TOKEN, **(env or {})})
        self.ready()

    def token(self):
        return TOKEN

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"


class World:
    """Three servers and who watches them."""

    def __init__(self, folder):
        self.ends = []
        try:
            self.begin(folder)
        except BaseException:
            self.end()
            raise

    def begin(self, folder):
        self.database = postgres.Postgres(True)
        self.ends.append(self.database.stop)
        self.database.start()
        subprocess.run([process.BELFRY, "init", "--store", self.database.url], check=True, capture_output=True,
                       timeout=process.SECONDS_MAX)
        self.clock = stepped.Clock(tempfile.mkdtemp(dir=folder))
        self.main = self.start(folder)
        self.on_database = self.start(folder, "--store", self.database.url)
        self.stepped = self.start(folder, env=self.clock.environment(CLOCK_STEP))
        self.prometheus = prometheus.Prometheus(
            tempfile.mkdtemp(dir=folder),
            {self.main.address: {"cluster": "main"}, self.on_database.address: {"cluster": "database"},
             self.stepped.address: {"cluster": "stepped"}},
            TOKEN,
        )
        self.ends.append(self.prometheus.stop)

    def start(self, *args, **more):
        server = Watched(*args, **more)
        self.ends.append(server.end)
        return server

    def end(self):
        for end in reversed(self.ends):
            end()


class Alerts(unittest.TestCase):
    wait_for = ApiCase.wait_for

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="belfry-alerts-")
        cls.world = World(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.world.end()
        shutil.rmtree(cls.folder, ignore_errors=True)

    # ---- what tests say ----

    def setUp(self):
        self.name = self.id().split(".")[-1].removeprefix("test_")
        self.seq = 0
        self.prometheus = self.world.prometheus
        self.call("PUT", f"/v1/types/{self.name}", {"breaker": {"min_attempts": 10000}})  # none opens by itself

    def tearDown(self):
        """What is left would fire in other tests."""
        while self.call("POST", "/v1/dead/discard", {"type": self.name})["more"]:
            pass

    def call(self, method, path, body=None, server=None):
        status, _, answer = (server or self.world.main).call(method, path, body)
        self.assertIn(status, (200, 202), answer)
        return answer

    def create(self, count, **definition):
        """So many, of a pool with the test's name."""
        jobs = [{"pool": self.name, "type": self.name, **definition}] * count
        self.call("POST", "/v1/jobs/batch", {"jobs": jobs})

    def work(self, **parts):
        self.seq += 1
        return self.call("POST", "/v1/work", {"worker": self.name, "seq": self.seq, "pools": [self.name], **parts})

    def run_all(self, count, status, **more):
        """Takes and ends so many attempts."""
        while count > 0:
            attempts = self.work(want=min(count, 1000), wait="20s")["attempts"]
            count -= len(attempts)
            self.work(finished=[{"attempt": one["id"], "status": status, **more} for one in attempts])

    def fail_all(self, count, retryable=False):
        self.run_all(count, "failed", error={"code": "boom", "message": "it went off"}, retryable=retryable)

    def expect_silence(self, name, **labels):
        """What other tests did is over."""
        self.wait_for(lambda: not self.prometheus.firing(name, **labels))

    def expect_alert(self, name, severity, meanwhile=lambda: None, **labels):
        """meanwhile is done once for about every scrape."""
        scraped = -1

        def firing():
            nonlocal scraped
            if int(time.monotonic()) != scraped:
                scraped = int(time.monotonic())
                meanwhile()
            return self.prometheus.firing(name, **labels)

        (alert,) = self.wait_for(firing)
        self.assertEqual(alert["labels"]["severity"], severity)
        self.assertTrue(alert["annotations"]["summary"] and alert["annotations"]["description"])
        self.assertNotIn("{{", alert["annotations"]["summary"])

    def know(self, metric):
        """Until Prometheus has seen the series of this test, so that what follows is a change of them."""
        self.wait_for(lambda: self.prometheus.query(f'{metric}{{type="{self.name}"}}'))

    # ---- all is well ----

    def test_0_nothing_fires_where_all_is_well(self):
        self.wait_for(self.prometheus.is_steady)
        self.assertEqual(self.prometheus.alerts(), [])

    # ---- what does not get done ----

    def test_dead_letters(self):
        self.expect_silence("BelfryDeadLetters", cluster="main")
        self.create(1)
        self.fail_all(1)
        self.expect_alert("BelfryDeadLetters", "warning", cluster="main")

    def test_many_dead_letters(self):
        self.expect_silence("BelfryDeadLettersMany", cluster="main")
        self.create(1001)
        self.fail_all(1001)
        self.expect_alert("BelfryDeadLettersMany", "critical", cluster="main")

    def test_type_failing(self):
        self.expect_silence("BelfryTypeFailing", type=self.name)
        self.create(1)
        self.run_all(1, "succeeded")
        self.know("belfry_attempts_finished_total")
        self.create(40)
        self.fail_all(40)
        self.expect_alert("BelfryTypeFailing", "warning", type=self.name)

    def test_retry_rate(self):
        self.expect_silence("BelfryRetryRate", cluster="main")
        self.create(1)
        self.run_all(1, "succeeded")
        self.know("belfry_retries_total")

        def more():  # attempts of other tests are in the same sum
            self.create(50, retry={"max_attempts": 2, "base": "1ms", "max": "1ms"})
            self.fail_all(50, retryable=True)
            self.run_all(50, "succeeded")

        self.expect_alert("BelfryRetryRate", "warning", meanwhile=more, cluster="main")

    def test_breaker(self):
        self.expect_silence("BelfryBreakerOpen", cluster="main")
        self.call("PUT", f"/v1/types/{self.name}", {"breaker": {"min_attempts": 2}})
        self.create(2)
        self.fail_all(2)
        self.expect_alert("BelfryBreakerOpen", "warning", cluster="main")

    # ---- what is late ----

    def test_overdue(self):
        self.expect_silence("BelfryOverdue", cluster="main")
        self.create(11, run_at=ago(300))
        self.expect_alert("BelfryOverdue", "critical", cluster="main")
        self.run_all(11, "succeeded")

    def test_trigger_lag(self):
        self.expect_silence("BelfryTriggerLag", cluster="main")
        def more():
            self.create(200)
            due = time.monotonic()
            self.wait_for(lambda: time.monotonic() > due + 3)  # the alert's two seconds, and more
            self.run_all(200, "succeeded")

        self.expect_alert("BelfryTriggerLag", "critical", meanwhile=more, cluster="main")

    def test_queue_growing(self):
        self.expect_silence("BelfryQueueGrowing", cluster="main")
        created = []

        def more():
            created.append(20)
            self.create(20)

        self.expect_alert("BelfryQueueGrowing", "warning", meanwhile=more, cluster="main")
        self.run_all(sum(created), "succeeded")

    def test_backlog(self):
        self.expect_silence("BelfryBacklog", cluster="main")
        for _ in range(2):
            self.create(5001)
        self.expect_alert("BelfryBacklog", "critical", cluster="main")
        self.run_all(10002, "succeeded")

    # ---- workers ----

    def test_pool_without_workers(self):
        self.expect_silence("BelfryPoolWithoutWorkers", pool=self.name)
        self.create(3)
        self.expect_alert("BelfryPoolWithoutWorkers", "critical", pool=self.name)

    def test_heartbeats(self):
        self.expect_silence("BelfryWorkerHeartbeats", cluster="main")
        self.create(1, lease="1s")
        self.assertEqual(len(self.work(want=1, wait="20s")["attempts"]), 1)
        self.expect_alert("BelfryWorkerHeartbeats", "warning", cluster="main")

    # ---- servers ----

    def test_clock_held(self):
        self.expect_silence("BelfryClockHeld", cluster="stepped")
        self.world.clock.step(3600)
        self.expect_alert("BelfryClockHeld", "critical", cluster="stepped")
        self.call("POST", "/v1/clock/accept", {}, server=self.world.stepped)
        self.wait_for(lambda: not self.prometheus.firing("BelfryClockHeld"))

    def test_store_and_owner(self):
        self.expect_silence("BelfryStoreErrors", cluster="database")
        self.expect_silence("BelfryNoOwner", cluster="database")
        self.world.database.kill()
        self.expect_alert("BelfryStoreErrors", "critical", cluster="database")
        self.expect_alert("BelfryNoOwner", "critical", cluster="database")
        page = self.world.on_database.open("GET", "/metrics").getresponse()
        self.assertEqual(page.status, 200)  # the server tells, whatever its store does
        self.assertIn(b"\nbelfry_store_up 0\n", page.read())

    def test_z_server_down(self):
        self.expect_silence("BelfryServerDown", cluster="stepped")
        self.world.stepped.signal(signal.SIGKILL)
        self.expect_alert("BelfryServerDown", "critical", cluster="stepped")

    def test_every_alert_is_tested_here_or_cannot_be(self):
        named = set(re.findall(r"^ +- alert: (\w+)$", prometheus.RULES.read_text(), re.MULTILINE))
        with open(__file__, encoding="utf-8") as here:
            tested = set(re.findall(r'expect_alert\("(\w+)"', here.read()))
        self.assertEqual(named - tested, UNREACHABLE)
        self.assertEqual(tested - named, set())


if __name__ == "__main__":
    tap.main()
