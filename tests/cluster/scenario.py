"""scenario: a cluster under load, something that goes wrong, and the proof that nothing came of it."""

import json

import checker
import cluster
import load
import tables
from history import OK, History, outcome_of


class Scenario(cluster.ClusterCase):
    """A test begins with self.load running; self.finish() ends it and proves."""

    def setUp(self):
        super().setUp()
        self.history = History()
        self.load = load.Load(self.cluster, self.history)
        self.load.begin()
        self.addCleanup(self.load.pause.set)
        self.addCleanup(self.load.workers_may_go.set)
        self.go_on()

    def go_on(self, creates=40, reports=40):
        """Until so much more was acknowledged."""
        done, reported = self.history.counts()

        def is_enough():
            if self.load.error() is not None:
                raise self.load.error()
            now_done, now_reported = self.history.counts()
            return now_done >= done + creates and now_reported >= reported + reports

        try:
            self.wait_for(is_enough)
        except AssertionError:
            self.fail(f"no progress; {self.history.answers}; {self.history.failures[-20:]}\n{self.logs()}")

    def wait_until(self, what, why):
        try:
            return self.wait_for(what)
        except AssertionError:
            return self.fail(f"{why}\n{self.history.failures[-20:]}\n{self.logs()}")

    def pause_recurring(self):
        for name in load.RECURRING:
            self.wait_until(
                lambda name=name: outcome_of(
                    load.ask(self.cluster.any(), "PATCH", f"/v1/jobs/{name}/status", {"status": "paused"})
                ) == OK,
                f"{name} cannot be paused",
            )

    def finish(self):
        """All that was acknowledged comes to its end, and all of it is checked."""
        self.wait_until(lambda: not checker.too_few(self.history), "too little happens")
        self.load.stop_clients()
        self.pause_recurring()
        self.wait_until(lambda: tables.left(self.database) == 0, "not everything came to its end")
        self.load.stop_workers()
        self.check_audit()
        found = checker.check(self.history, tables.read(self.database))
        self.assertEqual(found, [], f"seed {self.load.seed}\n{self.history.failures[-20:]}\n{self.logs()}")

    def check_audit(self):
        """No fire was missed, by the definitions alone."""
        said = json.loads(self.run_belfry("audit", "--json", "--url", self.cluster.any().url))
        self.assertEqual(said["findings"], [])
        self.assertGreater(said["fires"], 20)
