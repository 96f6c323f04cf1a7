"""The database's primary dies and its synchronous replica is promoted: nothing that was acknowledged is lost."""

import postgres
import scenario
import tap


class Failover(scenario.Scenario):
    def store(self):
        self.replica = postgres.Replica(self.database)
        self.addCleanup(self.replica.stop)
        self.replica.start()
        self.wait_for(self.replica.is_in_step)
        return postgres.url_of_pair(self.database, self.replica)

    def test_a_replica_that_is_promoted_has_all_that_was_acknowledged(self):
        epoch = self.cluster.epoch()
        self.database.kill()
        self.replica.promote()
        self.database = self.cluster.database = self.replica
        self.wait_until(lambda: self.cluster.epoch() > epoch, "nobody acquired the shard anew")
        self.wait_for_owner()
        self.go_on()
        self.finish()


if __name__ == "__main__":
    tap.main()
