"""A server that is asked to go: it hands the shard over, and nobody's request fails because of it."""

import signal

import scenario
import tap
from history import INFO


class HandOver(scenario.Scenario):
    def test_a_planned_hand_over_fails_no_request_that_was_taken_and_repeats_nothing(self):
        for _ in range(2):
            owner = self.wait_for_owner()
            owner.signal(signal.SIGTERM)
            self.assertEqual(owner.wait(), 0, owner.logged())
            self.wait_for_owner(other_than=owner)
            self.go_on()
            self.cluster.add()
        self.finish()
        self.check_that_nobody_noticed()
        repeated = [grant for grant in self.history.grants if grant.number > 1 + grant.payload.get("fails", 0)]
        self.assertEqual(repeated, [], "an attempt was given again")

    def check_that_nobody_noticed(self):
        """Who comes when the door is closed goes to another server; a poll that waits is sent there. Nothing else."""
        odd = [
            (what, outcome, said)
            for what, outcome, said in self.history.failures
            if "Connection refused" not in said and not (what == "work" and "ask another one" in said)
        ]
        self.assertEqual(odd, [])
        unknown = [what for what, outcome in self.history.answers if outcome == INFO and what != "work"]
        self.assertEqual(unknown, [])

    def test_a_standby_goes_without_anybody_noticing(self):
        epoch = self.cluster.epoch()
        standby = self.cluster.standbys()[0]
        self.assertEqual(standby.stop(), 0, standby.logged())
        self.go_on()
        self.finish()
        self.assertEqual(self.cluster.epoch(), epoch)
        self.check_that_nobody_noticed()


if __name__ == "__main__":
    tap.main()
