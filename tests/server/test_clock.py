"""A wall clock that is set while the server runs: nothing fires twice, nothing early, leases do not mind, and a jump is
not believed until somebody says so."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import process
import stepped
import tap

stepped.SteppedCase.library = os.path.abspath(sys.argv[2])

MINUTE = 60
HOUR = 60 * MINUTE


def may_unshare():
    """Whether this user may mount a file system of its own."""
    if shutil.which("unshare") is None:
        return False
    words = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(words, capture_output=True, timeout=60, check=False).returncode == 0


class Back(stepped.SteppedCase):
    def test_nothing_fires_twice_and_nothing_early_when_the_clock_goes_back_a_little(self):
        server = self.start()
        job = self.create(server, cron="* * * * * *")["id"]
        fired = []
        for step in (0, -2, 0, -1, 0):
            self.clock.step(step)
            for attempt in self.granted(server, wait="20s", want=1):
                fired.append(attempt["scheduled_for"])
                self.finish(server, attempt)
        self.assertEqual(len(fired), 5)
        self.assertEqual(fired, sorted(set(fired)))
        self.belfry(server, "audit", job)
        self.assertEqual(server.stop(), 0)

    def test_time_stands_still_until_the_clock_has_caught_up(self):
        server = self.start()
        job = self.create(server, delay="10m")["id"]
        self.clock.step(-HOUR)
        before = server.call("POST", "/v1/clock/accept")[2]
        self.assertFalse(before["held"])
        self.assertGreater(stepped.in_ms(before["now"]) - stepped.in_ms(before["wall"]), HOUR * 1000 - 60000)
        self.assertEqual(self.gates(server, job)[0], "not_due")
        self.assertEqual(server.call("POST", "/v1/clock/accept")[2]["now"], before["now"])
        self.assertEqual(self.metric(server, "belfry_clock_held"), 0)
        self.assertIn("schedules stand still", self.finding(server, "clock_held")[0]["detail"])
        self.clock.step(HOUR)
        after = server.call("POST", "/v1/clock/accept")[2]
        self.assertEqual(after["now"], after["wall"])
        self.assertEqual(self.finding(server, "clock_held"), [])
        self.assertEqual(server.stop(), 0)

    def test_a_server_that_starts_with_an_earlier_clock_decides_nothing_again(self):
        server = self.start()
        job = self.create(server, cron="* * * * * *")["id"]
        first = self.granted(server, wait="20s", want=1)[0]
        self.finish(server, first)
        server.signal(signal.SIGKILL)
        server.wait()
        self.clock.step(-HOUR)
        server = self.start()
        self.assertEqual(self.granted(server), [])
        self.assertGreater(self.create(server, delay="1d")["id"], job)
        self.clock.step(HOUR)  # more than is believed while it runs
        self.belfry(server, "clock", "accept")
        again = self.granted(server, wait="20s", want=1)[0]
        self.assertGreater(again["scheduled_for"], first["scheduled_for"])
        self.belfry(server, "audit", job)
        self.assertEqual(server.stop(), 0)


class Forward(stepped.SteppedCase):
    def pass_minutes(self, server, count):
        """Steps that are believed, one after the other."""
        for _ in range(count):
            self.clock.step(MINUTE)
            self.assertFalse(server.call("POST", "/v1/clock/accept")[2]["held"])

    def test_a_step_of_less_than_a_minute_is_noticed_though_nobody_asks(self):
        server = self.start()
        self.create(server, delay="2h")
        self.clock.step(50)
        self.wait_for(lambda: stepped.in_ms(self.stats(server)["at"]) >= self.clock.latest_ms)
        self.assertEqual(self.metric(server, "belfry_clock_held"), 0)
        self.assertEqual(server.stop(), 0)

    def test_what_a_step_made_due_is_given_to_a_worker_that_waits(self):
        server = self.start()
        job = self.create(server, run_at=self.at(server, 40))["id"]
        body = {"worker": "w", "seq": 1, "pools": ["default"], "want": 1, "wait": "60s"}
        waits = server.open("POST", "/v1/work", body)
        self.wait_for(lambda: self.stats(server)["workers"] == 1)
        self.clock.step(50)
        _, _, answer = server.answer(waits)
        self.assertEqual([attempt["job"] for attempt in answer["attempts"]], [job])
        self.assertEqual(server.stop(), 0)

    @staticmethod
    def at(server, seconds):
        """So long after now by the server's clock."""
        now = server.call("POST", "/v1/clock/accept")[2]["now"]
        moment = stepped.datetime.datetime.fromisoformat(now.replace("Z", "+00:00"))
        return (moment + stepped.datetime.timedelta(seconds=seconds)).isoformat()

    def test_fires_that_a_step_went_over_are_misfires_by_each_policy(self):
        server = self.start()
        expected = {
            "fire_latest": [("skip", [10]), ("run", [20])],
            "fire_now": [("run", [10]), ("skip", [20])],
            "skip": [("skip", [10, 20])],
            "backfill": [("run", [10]), ("run", [20])],
        }
        jobs = {}
        for policy in expected:
            body = {"every": "10m", "misfire": policy, "misfire_after": "1m", "pool": policy}
            jobs[policy] = self.create(server, **body)
        self.pass_minutes(server, 25)
        for policy, fates in expected.items():
            with self.subTest(policy):
                while attempts := self.granted(server, pool=policy):
                    self.assertEqual(len(attempts), 1)  # one at a time
                    self.finish(server, attempts[0])
                self.assertEqual(self.fates(server, jobs[policy]), fates)
                self.belfry(server, "audit", jobs[policy]["id"])
        self.assertEqual(server.stop(), 0)

    def fates(self, server, job):
        """Of its fires, by minutes since it began."""
        begin_ms = stepped.in_ms(job["next_fire_at"]) - 10 * MINUTE * 1000
        fates = []
        for entry in self.ledger(server, job["id"]):
            if entry["record"] == "skip":
                self.assertEqual(entry["reason"], "misfire")
                times = sorted({entry["from"], entry["to"]})
            else:
                self.assertEqual(entry["status"], "succeeded")
                times = [entry["scheduled_for"]]
            minutes = [(stepped.in_ms(time) - begin_ms) // MINUTE // 1000 for time in times]
            fates.append(("skip" if entry["record"] == "skip" else "run", minutes))
        return sorted(fates, key=lambda fate: fate[1])


class Jump(stepped.SteppedCase):
    def assert_held(self, server, job):
        self.assertEqual(self.granted(server), [])
        self.assertIn("clock_held", self.gates(server, job))
        self.wait_for(lambda: self.metric(server, "belfry_clock_held") == 1)
        self.assertTrue(self.stats(server)["clock_held"])
        self.assertIn("belfry clock accept", self.finding(server, "clock_held")[0]["advice"])
        self.assertEqual(self.ledger(server, job), [])  # nor is it called due

    def assert_believed(self, server):
        self.wait_for(lambda: self.metric(server, "belfry_clock_held") == 0)
        self.assertFalse(self.stats(server)["clock_held"])
        self.assertEqual(self.finding(server, "clock_held"), [])

    def test_a_jump_is_held_until_it_is_accepted(self):
        server = self.start()
        job = self.create(server, delay="30m")["id"]
        self.clock.step(HOUR)
        self.assert_held(server, job)
        self.belfry(server, "clock", "accept")
        self.assert_believed(server)
        self.assertEqual([attempt["job"] for attempt in self.granted(server, wait="20s")], [job])
        self.belfry(server, "audit")
        self.assertEqual(server.stop(), 0)

    def test_a_jump_is_noticed_though_nobody_asks(self):
        server = self.start()
        self.create(server, delay="2h")
        self.clock.step(HOUR)
        self.wait_for(lambda: self.metric(server, "belfry_clock_held") == 1)
        self.assertEqual(server.stop(), 0)

    def test_time_goes_on_by_the_monotonic_clock_while_a_jump_is_held(self):
        server = self.start()
        far = self.create(server, delay="30m", pool="far")["id"]
        self.clock.step(HOUR)
        self.assertIn("clock_held", self.gates(server, far))
        soon = self.create(server, delay="1s")["id"]
        self.assertEqual([attempt["job"] for attempt in self.granted(server, wait="20s")], [soon])
        self.assertIn("clock_held", self.gates(server, far))
        self.assertEqual(self.stats(server)["last_24h"]["fired"], 1)  # counted when it was, not an hour later
        self.assertEqual(server.stop(), 0)

    def test_a_clock_that_jumps_back_again_is_believed_and_nothing_fired(self):
        server = self.start()
        job = self.create(server, delay="30m")["id"]
        self.clock.step(HOUR)
        self.assert_held(server, job)
        self.clock.step(-HOUR)
        self.assertEqual(self.gates(server, job)[0], "not_due")
        self.assertNotIn("clock_held", self.gates(server, job))
        self.assert_believed(server)
        self.assertEqual(self.granted(server), [])
        self.assertEqual(server.stop(), 0)

    def test_a_server_that_was_told_to_accept_every_clock_holds_nothing(self):
        server = self.start("--accept-clock")
        job = self.create(server, delay="30m")["id"]
        self.clock.step(HOUR)
        self.assertEqual([attempt["job"] for attempt in self.granted(server, wait="20s")], [job])
        self.assert_believed(server)
        self.assertEqual(server.stop(), 0)

    @unittest.skipUnless(may_unshare(), "needs a mount of its own")
    def test_a_jump_is_held_though_the_store_was_full_meanwhile(self):
        os.mkdir(self.data, 0o700)
        script = f'mount -t tmpfs -o size=6m,mode=700 tmpfs {self.data} && exec "$@"'
        server = self.start(before=["unshare", "-rm", "sh", "-c", script, "sh"])
        inside = pathlib.Path(f"/proc/{server.pid}/root{self.data}")
        token = (inside / "token").read_text().strip()
        body = {"delay": "30m", "payload": {"text": "y" * 200000}}

        def create():
            return server.call("POST", "/v1/jobs", body, token=token)

        status, _, job = create()
        self.assertEqual(status, 202)
        self.clock.step(HOUR)
        self.assertTrue(self.is_held(server, token, job["id"]))
        filler = inside / "filler"
        try:
            filler.write_bytes(b"x" * 16 * 1024 * 1024)
        except OSError:
            pass  # it is full now, as it should be
        self.wait_for(lambda: create()[0] == 503)
        filler.unlink()
        self.wait_for(lambda: create()[0] == 202)
        self.assertTrue(self.is_held(server, token, job["id"]))
        self.assertEqual(server.stop(), 0)

    @staticmethod
    def is_held(server, token, job):
        answer = server.call("GET", f"/v1/jobs/{job}/why", token=token)[2]
        return "clock_held" in [gate["gate"] for gate in answer["gates"]]


class Leases(stepped.SteppedCase):
    def test_a_lease_is_not_lost_by_a_clock_that_jumps_ahead(self):
        server = self.start()
        self.create(server, lease="10m", timeout="20m")
        attempt = self.granted(server)[0]
        for step in (59, HOUR, -2 * HOUR):
            self.clock.step(step)
            answer = self.work(server, holding=[attempt["id"]])
            self.assertEqual((answer["cancel"], answer["refused"]), ([], []))
        self.finish(server, attempt)
        self.assertEqual(server.stop(), 0)

    def test_a_lease_ends_and_a_timeout_comes_though_the_clock_stands_an_hour_back(self):
        server = self.start()
        lost = self.create(server, lease="1s", pool="lost")["id"]
        late = self.create(server, lease="10m", timeout="1s", pool="late")["id"]
        self.granted(server, pool="lost")
        attempt = self.granted(server, pool="late")[0]
        self.clock.step(-HOUR)
        self.wait_for(lambda: self.executions(server, lost) == ["lost"])
        self.wait_for(lambda: self.work(server, holding=[attempt["id"]])["cancel"] == [attempt["id"]])
        self.assertEqual(self.executions(server, late), ["timed_out"])
        self.assertEqual(server.stop(), 0)

    @staticmethod
    def executions(server, job):
        return [one["status"] for one in server.call("GET", f"/v1/jobs/{job}/executions")[2]["items"]]


if __name__ == "__main__":
    tap.main()
