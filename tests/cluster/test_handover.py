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
        # Who comes to the door while it closes finds it closed, and goes to another: nothing of that was taken.
        self.assertEqual([what for what, outcome in self.history.answers if outcome == INFO], [],
                         [failure for failure in self.history.failures if failure[1] == INFO])

    def test_a_standby_goes_without_anybody_noticing(self):
        epoch = self.cluster.epoch()
        standby = self.cluster.standbys()[0]
        self.assertEqual(standby.stop(), 0, standby.logged())
        self.go_on()
        self.finish()
        self.assertEqual(self.cluster.epoch(), epoch)


if __name__ == "__main__":
    tap.main()
