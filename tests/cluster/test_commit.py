"""Connections that end during COMMIT: whether the batch is there is found out, and not guessed."""

import pathlib
import sys

import scenario
import tap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "chaos"))

import pg_proxy  # noqa: E402


class Commit(scenario.Scenario):
    def store(self):
        self.proxy = pg_proxy.Proxy(self.database.port)
        self.addCleanup(self.proxy.stop)
        return self.database.url_through(self.proxy.port)

    def cut(self, what):
        done, epoch = self.proxy.done, self.cluster.epoch()
        self.proxy.arm(what)
        self.wait_until(lambda: self.proxy.done > done, "no COMMIT came by")
        # Nobody writes before the shard was acquired anew: that ends, or waits for, what is still under way.
        self.wait_until(lambda: self.cluster.epoch() > epoch, "nobody acquired the shard anew")
        self.wait_for_owner()
        self.go_on(creates=10, reports=10)

    def test_a_commit_whose_answer_is_lost_is_neither_lost_nor_done_twice(self):
        for _ in range(4):
            self.cut(pg_proxy.FORWARD_AND_CUT)
        self.finish()

    def test_a_commit_that_never_arrives_is_not_believed(self):
        for _ in range(4):
            self.cut(pg_proxy.SWALLOW_AND_CUT)
        self.finish()

    def test_a_commit_that_stands_still_is_given_up(self):
        self.cut(pg_proxy.STALL)
        self.finish()


if __name__ == "__main__":
    tap.main()
