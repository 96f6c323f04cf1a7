"""A server that is asked to go: it hands the shard over, and nobody's request fails because of it."""

import signal

import scenario
import tap
from history import INFO

EXCHANGES = ("work", "lie")
SENT_AWAY = ("ask another one", "does not own the shard")


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
        """Who comes when the door is closed goes to another server; a poll at the one that goes is sent there, and so is an
        exchange whose reports it may have taken. Nothing else."""
        odd = [
            (what, outcome, said)
            for what, outcome, said in self.history.failures
            if "Connection refused" not in said and not (what in EXCHANGES and any(word in said for word in SENT_AWAY))
        ]
        self.assertEqual(odd, [])
        unknown = [what for what, outcome in self.history.answers if outcome == INFO and what not in EXCHANGES]
        self.assertEqual(unknown, [])

    def test_a_poll_at_a_server_that_stays_is_not_refused(self):
        owner = self.wait_for_owner()
        polls = []
        for number, server in enumerate(8 * self.cluster.standbys()):
            body = {"worker": f"stays-{number}", "seq": 1, "pools": ["nobody"], "want": 1, "wait": "3s"}
            polls.append((server, server.open("POST", "/v1/work", body)))
        owner.signal(signal.SIGTERM)
        for server, poll in polls:
            status, _, answer = server.answer(poll)
            self.assertEqual((status, answer.get("attempts")), (200, []), answer)
        self.assertEqual(owner.wait(), 0, owner.logged())

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
