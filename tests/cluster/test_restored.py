"""A database that is behind what its servers had seen: restored from a backup, or failed over without its last commits.

What has run since then must not run again unasked; and what was lost is said.
"""

import os
import re
import signal
import subprocess

import cluster
import load
import postgres
import tap
import with_postgres
from history import OK, outcome_of


def metric(member, name):
    """None: it does not say, as one that is about to own the shard and does not serve it yet."""
    connection = load.http.client.HTTPConnection("127.0.0.1", member.port, timeout=cluster.SECONDS_MAX)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {cluster.TOKEN}"})
    text = connection.getresponse().read().decode()
    connection.close()
    found = re.search(rf"^belfry_{name} (\S+)$", text, re.M)
    return float(found[1]) if found else None


def work(member, worker, wait="0s", finished=()):
    body = {"worker": worker, "pools": ["pay"], "want": 10, "wait": wait, "finished": list(finished)}
    return load.ask(member, "POST", "/v1/work", body)[2]["attempts"]


def findings(member, check):
    checks = load.ask(member, "GET", "/v1/doctor")[2]["checks"]
    return [finding for one in checks if one["check"] == check for finding in one["findings"]]


class Behind(cluster.ClusterCase):
    size = 1

    def create(self, member, name):
        answer = load.ask(member, "POST", "/v1/jobs", {"name": name, "pool": "pay"})
        self.assertEqual(outcome_of(answer), OK, answer)

    def run_all(self, member):
        done = [{"attempt": one["id"], "status": "succeeded"} for one in work(member, "w")]
        work(member, "w", finished=done)
        return len(done)

    def gates(self, member, name):
        return [gate["gate"] for gate in load.ask(member, "GET", f"/v1/jobs/{name}/why")[2]["gates"]]


class Restored(Behind):
    def tool(self, name, *words):
        done = subprocess.run(
            [with_postgres.find(name), "-h", str(self.database.folder), "-p", str(self.database.port), "-U", "belfry",
             *words], capture_output=True, text=True, timeout=cluster.SECONDS_MAX, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def restore(self, member):
        """As docs/cluster.md says; the one that begins on it is the server that was there before."""
        dump = os.path.join(self.folder, "belfry.dump")
        self.create(member, "salaries")
        self.tool("pg_dump", "--schema=belfry", "--format=custom", f"--file={dump}", "postgres")
        self.assertEqual(self.run_all(member), 1)
        self.assertEqual(member.stop(), 0, member.logged())
        self.database.ask("DROP SCHEMA belfry CASCADE")
        self.tool("pg_restore", "-d", "postgres", dump)
        return self.cluster.add(member.data)

    def check_held(self, member):
        self.wait_for(lambda: metric(member, "held") == 1)
        self.assertEqual(work(member, "w2"), [])
        self.assertIn("held", self.gates(member, "salaries"))
        (finding,) = findings(member, "held")
        self.assertIn("belfry accept", finding["advice"])
        self.assertIn("held", [one["kind"] for one in load.ask(member, "GET", "/v1/stats")[2]["attention"]])

    def test_what_had_run_is_held_until_somebody_accepts_it(self):
        member = self.restore(self.cluster.members[0])
        self.assertIn("store.behind", member.logged())
        self.check_held(member)
        self.assertEqual(len(findings(member, "store_behind")), 1)
        self.assertGreater(metric(member, "store_lost_batches_total"), 0)
        # Whoever has it next holds it, too: another server, and the same one again.
        other = self.cluster.add()
        member.kill()
        self.assertIs(self.wait_for_owner(other_than=member), other)
        self.check_held(other)
        self.run_belfry("accept", "--url", other.url)
        self.assertEqual(metric(other, "held"), 0)
        (attempt,) = work(other, "w3")
        self.assertEqual(attempt["name"], "salaries")
        # And what was accepted stays so.
        self.assertEqual(other.stop(), 0, other.logged())
        again = self.cluster.add(other.data)
        self.assertEqual(metric(again, "held"), 0)
        self.assertEqual(metric(again, "store_rewinds_total"), 0)

    def test_a_worker_that_waits_is_given_work_when_it_is_accepted(self):
        member = self.restore(self.cluster.members[0])
        self.check_held(member)
        answers = []
        waiting = load.threading.Thread(target=lambda: answers.extend(work(member, "waits", "30s")))
        waiting.start()
        self.wait_for(lambda: any(one["waiting"] for one in load.ask(member, "GET", "/v1/workers")[2]["items"]))
        self.assertEqual(outcome_of(load.ask(member, "POST", "/v1/held/accept")), OK)
        waiting.join(cluster.SECONDS_MAX)
        self.assertEqual([one["name"] for one in answers], ["salaries"])

    def test_a_server_that_runs_holds_what_went_back_by_hours(self):
        member = self.cluster.members[0]
        for name in ("salaries", "bonus"):
            self.create(member, name)
        self.database.ask("DELETE FROM belfry.batch_log WHERE number > 1")
        self.database.ask("UPDATE belfry.shards SET last_batch = 1, id_high_ms = id_high_ms - 3 * 3600 * 1000")
        load.ask(member, "POST", "/v1/jobs", {"name": "refused", "pool": "pay"})  # it notices by its next batch
        self.check_held(member)
        self.assertIn("store.behind", member.logged())

    def test_a_server_may_be_told_to_hold(self):
        member = self.cluster.members[0]
        self.create(member, "salaries")
        self.assertEqual(member.stop(), 0, member.logged())
        member = self.cluster.add(member.data, "--hold")
        self.check_held(member)
        self.assertNotIn("store.behind", member.logged())
        self.run_belfry("accept", "--url", member.url)
        self.assertEqual(len(work(member, "w")), 1)


class FailedOver(Behind):
    """To a replica that was behind: what it lost is moments, and work goes on."""

    def store(self):
        self.replica = postgres.Replica(self.database, is_synchronous=False)
        self.addCleanup(self.replica.stop)
        self.replica.start()
        return postgres.url_of_pair(self.database, self.replica)

    def test_what_was_lost_is_counted_and_said_and_work_goes_on(self):
        member = self.cluster.members[0]
        self.create(member, "before")
        self.wait_for(lambda: self.replica.value("SELECT count(*) FROM belfry.jobs") == 1)
        sender = self.database.value("SELECT pid FROM pg_stat_replication")
        os.kill(sender, signal.SIGSTOP)
        for number in range(5):
            self.create(member, f"lost-{number}")
        self.database.kill()
        self.replica.promote()
        self.wait_for(lambda: "store.behind" in member.logged())
        self.wait_for(lambda: outcome_of(load.ask(member, "GET", "/v1/stats")) == OK)
        self.assertGreaterEqual(metric(member, "store_lost_batches_total"), 5)
        self.assertEqual(metric(member, "held"), 0)
        (finding,) = findings(member, "store_behind")
        self.assertIn("behind", finding["detail"])
        self.assertEqual([one["name"] for one in work(member, "w")], ["before"])
        self.check_that_the_old_primary_is_left_alone(member)

    def check_that_the_old_primary_is_left_alone(self, member):
        self.database.launch()
        self.replica.kill()
        self.wait_for(lambda: "has been replaced" in load.ask(member, "GET", "/readyz")[2].get("detail", ""))
        self.assertEqual(self.database.value("SELECT last_batch FROM belfry.shards"), 6)
        self.replica.launch()
        self.wait_for(lambda: outcome_of(load.ask(member, "GET", "/v1/stats")) == OK)


if __name__ == "__main__":
    tap.main()
