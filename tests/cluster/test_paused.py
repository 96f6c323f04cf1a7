"""An owner that stands still until another one took over, and then goes on: it must not notice too late."""

import threading

import cluster
import load
import scenario
import tap
from history import INFO, OK, outcome_of


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

    def test_what_is_under_way_to_a_paused_owner_is_answered_by_the_next_one(self):
        owner = self.wait_for_owner()
        standby = self.cluster.standbys()[0]
        owner.pause()
        answers = {}

        def send(name, method, path, body, headers):
            answers[name] = load.ask(standby, method, path, body, headers, seconds=cluster.SECONDS_MAX)

        sent = [
            ("read", "GET", "/v1/stats", None, {}),
            ("keyed", "POST", "/v1/jobs", {"delay": "24h", "pool": "later"}, {"Idempotency-Key": "paused"}),
            ("plain", "POST", "/v1/jobs", {"delay": "24h", "pool": "later"}, {}),
        ]
        threads = [threading.Thread(target=send, args=one) for one in sent]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        owner.resume()
        self.assertEqual([outcome_of(answers[name]) for name in ("read", "keyed")], [OK, OK], answers)
        # Whether the paused one had it already nobody can know, and nobody says otherwise.
        self.assertEqual((answers["plain"][0], answers["plain"][2]["code"]), (503, "no_owner"))
        self.assertEqual(outcome_of(answers["plain"]), INFO)

    @staticmethod
    def is_standing_by(member):
        """It says that it has no shard, and carries what it is asked for."""
        answer = load.ask(member, "GET", "/v1/servers")
        mine = [one for one in answer[2]["items"] if one["url"] == member.url] if outcome_of(answer) == OK else []
        stats = load.ask(member, "GET", "/v1/stats")
        return bool(mine) and mine[0]["shards"] == [] and outcome_of(stats) == OK


if __name__ == "__main__":
    tap.main()
