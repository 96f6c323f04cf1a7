"""An owner that stands still until another one took over, and then goes on: it must not notice too late."""

import load
import scenario
import tap
from history import OK, outcome_of


class Paused(scenario.Scenario):
    def test_a_paused_owner_is_replaced_and_writes_nothing_when_it_wakes(self):
        zombie, epoch = self.wait_for_owner(), self.cluster.epoch()
        zombie.pause()
        owner = self.wait_for_owner(other_than=zombie)
        self.go_on()
        batch = self.database.value("SELECT last_batch FROM belfry.shards")
        zombie.resume()
        # What it says from now on is the new owner's word, or an error; and in the end it stands by as any other.
        self.wait_until(lambda: self.is_standing_by(zombie), "the old owner does not stand by")
        self.go_on()
        self.assertIs(self.cluster.owner(), owner)
        late = self.database.rows(f"SELECT * FROM belfry.batch_log WHERE number > {batch} AND epoch <= {epoch}")
        self.assertEqual(late, [])
        self.finish()

    @staticmethod
    def is_standing_by(member):
        """It says that it has no shard, and carries what it is asked for."""
        answer = load.ask(member, "GET", "/v1/servers")
        mine = [one for one in answer[2]["items"] if one["url"] == member.url] if outcome_of(answer) == OK else []
        stats = load.ask(member, "GET", "/v1/stats")
        return bool(mine) and mine[0]["shards"] == [] and outcome_of(stats) == OK


if __name__ == "__main__":
    tap.main()
