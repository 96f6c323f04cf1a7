"""The database goes away and comes back: what it acknowledged is there, and everything goes on by itself."""

import load
import scenario
import tap


class Database(scenario.Scenario):
    is_fast = False

    def test_a_database_that_is_killed_and_started_again_loses_nothing(self):
        for _ in range(2):
            self.database.kill()
            self.wait_until(lambda: not self.is_ready(), "nobody notices that the database is gone")
            self.database.launch()
            self.wait_for_owner()
            self.go_on()
        self.finish()

    def is_ready(self):
        return any(load.ask(member, "GET", "/readyz")[0] == 200 for member in self.cluster.alive())


if __name__ == "__main__":
    tap.main()
