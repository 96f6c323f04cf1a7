"""Servers that are killed: another one goes on where the owner was, and nobody's word is broken."""

import scenario
import tap


class Killed(scenario.Scenario):
    def test_owners_that_are_killed_under_load_lose_and_repeat_nothing(self):
        epoch = self.cluster.epoch()
        for _ in range(3):
            owner = self.wait_for_owner()
            owner.kill()
            successor = self.wait_for_owner(other_than=owner)
            self.go_on()
            self.assertRegex(successor.logged(), r"(?s)event=shard\.standby.*event=shard\.serving")
            self.cluster.add()
        self.finish()
        self.assertGreaterEqual(self.cluster.epoch(), epoch + 3)

    def test_a_standby_that_is_killed_is_missed_by_nobody_but_its_own_callers(self):
        owner, epoch = self.wait_for_owner(), self.cluster.epoch()
        self.cluster.standbys()[0].kill()
        self.go_on()
        self.assertIs(self.cluster.owner(), owner)
        self.assertEqual(self.cluster.epoch(), epoch)
        self.finish()


if __name__ == "__main__":
    tap.main()
