"""Why a job does not run now, and what became of its fires: at a server with SQLite, or with the store that
BELFRY_TEST_POSTGRES names."""

import datetime
import os
import subprocess

from server import BELFRY, ApiCase, Server

import tap

STORE = os.environ.get("BELFRY_TEST_POSTGRES")


def instant(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


def text_of(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class WhyCase(ApiCase):
    @classmethod
    def setUpClass(cls):
        if STORE:
            subprocess.run([BELFRY, "init", "--store", STORE], check=True, stdout=subprocess.DEVNULL)
        cls.server = Server(words=["--store", STORE] if STORE else [])

    def why(self, at=None, name=None):
        query = "" if at is None else "?at=" + at.replace("+", "%2B")
        return self.expect(200, "GET", f"/v1/jobs/{name or self.name}/why{query}").json

    def gate(self, kind, name=None):
        found = [gate for gate in self.why(name=name)["gates"] if gate["gate"] == kind]
        self.assertEqual(len(found), 1, self.why(name=name))
        return found[0]

    def fate(self, at, outcome):
        fire = self.why(at)["fire"]
        self.assertEqual(fire["outcome"], outcome, fire)
        return fire


class Gates(WhyCase):
    def test_a_paused_pool_says_since_when_and_what_to_type(self):
        self.create(name=self.name, pool=self.name)
        self.expect(200, "POST", f"/v1/pools/{self.name}/pause", {})
        gate = self.gate("pool_paused")
        self.assertRegex(gate["detail"], rf"^pool {self.name} is paused since 2\d\d\d-.*Z$")
        self.assertTrue(gate["since"])
        self.assertEqual(gate["advice"], f"belfry pools resume {self.name}")

    def test_a_key_says_who_holds_it(self):
        key = {"key": self.name, "max": 1}
        self.create(name=self.name + "-a", pool=self.name, concurrency=key)
        self.create(name=self.name, pool=self.name, concurrency=key)
        attempt = self.take()
        held = self.name if attempt["name"] != self.name else self.name + "-a"
        gate = self.gate("concurrency_key", held)
        self.assertEqual(gate["blocked_by"], attempt["trigger"])
        self.assertEqual((gate["running"], gate["max"]), (1, 1))
        self.assertEqual(gate["worker"], self.name)
        self.finish(attempt)

    def test_a_job_that_waits_for_another_names_it(self):
        self.create(name=self.name + "-up", pool=self.name, delay="1h")
        child = self.create(name=self.name, depends_on=[self.name + "-up"], pool=self.name)
        self.assertEqual(self.gate("dependencies")["clears"], "when they have ended")
        self.assertEqual(child["status"], "active")

    def test_a_failure_says_how_it_ended_and_when_it_goes_on(self):
        self.create(name=self.name, pool=self.name, retry={"max_attempts": 4, "delays": ["1h"]})
        attempt = self.take()
        self.finish(attempt, "failed", error={"code": "e", "message": "m"}, retryable=True)
        gate = self.gate("backoff")
        self.assertIn("(1 of 4 attempts are used up)", gate["detail"])
        self.assertTrue(gate["clears_at"])
        self.assertEqual(gate["advice"], f"to try at once: belfry run {attempt['trigger']}")

    def test_what_may_expire_says_when(self):
        self.create(name=self.name, pool=self.name, run_at="2199-01-01T00:00:00Z", expires_after="10m")
        self.assertEqual(self.why()["expires_at"], "2199-01-01T00:10:00.000Z")

    def test_the_last_result_is_there(self):
        self.create(name=self.name, pool=self.name)
        self.assertIsNone(self.why()["last_result"])
        attempt = self.take()
        self.finish(attempt)
        self.assertEqual(self.why()["last_result"]["trigger"], attempt["trigger"])


class Fires(WhyCase):
    def every_second(self, **more):
        self.create(name=self.name, pool=self.name, every="1s", lease="60s", **more)

    def await_skips(self, count=1):
        def skipped():
            skips = self.why()["skipped"]
            return skips if sum(skip["count"] for skip in skips) >= count else None
        return self.wait_for(skipped)

    def test_a_fire_that_ran_says_how(self):
        self.every_second()
        attempt = self.take()
        fire = self.fate(attempt["scheduled_for"], "running")
        self.assertEqual((fire["trigger"], fire["status"]), (attempt["trigger"], "running"))
        self.assertIn(f"attempt 1 at worker {self.name}", fire["detail"])
        self.finish(attempt)
        fire = self.fate(attempt["scheduled_for"], "ran")
        self.assertEqual((fire["trigger"], fire["status"]), (attempt["trigger"], "succeeded"))
        self.assertRegex(fire["detail"], rf"^{attempt['trigger']} ran for it and succeeded at .*, after 1 attempt$")
        second = datetime.timedelta(seconds=1)
        self.assertEqual(instant(fire["after"]), instant(fire["at"]) + second)
        self.assertEqual(fire["version"], 1)

    def test_one_that_failed_is_pending_and_then_dead(self):
        self.create(name=self.name, pool=self.name, retry={"max_attempts": 2, "delays": ["1ms"]})
        attempt = self.take()
        failed = {"status": "failed", "error": {"code": "smtp_421", "message": "busy"}, "retryable": True}
        self.finish(attempt, **failed)
        fire = self.fate(attempt["scheduled_for"], "pending")
        self.assertIn(f"belfry why {attempt['trigger']}", fire["detail"])
        self.finish(self.take(), **failed)
        fire = self.fate(attempt["scheduled_for"], "ran")
        self.assertEqual(fire["status"], "dead")
        self.assertIn("died", fire["detail"])
        self.assertIn("smtp_421: busy", fire["detail"])

    def test_a_fire_that_was_skipped_names_what_ran_meanwhile(self):
        self.every_second(overlap="skip")
        attempt = self.take()
        skip = self.await_skips()[0]
        self.assertIn(f"{attempt['trigger']} was still running (overlap=skip)", skip["detail"])
        fire = self.fate(skip["from"], "skipped")
        self.assertEqual(fire["skip"]["blocked_by"], attempt["trigger"])
        self.assertEqual(fire["skip"]["reason"], "overlap")
        self.assertIn(f"{attempt['trigger']} was still running (overlap=skip)", fire["detail"])
        between = text_of(instant(skip["from"]) + datetime.timedelta(milliseconds=500))
        fire = self.fate(between, "not_a_fire")
        self.assertEqual(fire["before"], skip["from"])
        self.finish(attempt)

    def test_what_was_missed_in_a_pause_names_the_one_that_stood_for_it(self):
        self.every_second(misfire="fire_latest", misfire_after="1ms")
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}/status", {"status": "paused"})
        due = self.wait_for(lambda: [entry for entry in self.expect(
            200, "GET", f"/v1/jobs/{self.name}/triggers?record=due")["items"] if entry["count"] >= 3])[0]
        fire = self.fate(due["from"], "due")
        self.assertIn("the job is paused", fire["detail"])
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}/status", {"status": "active"})
        attempt = self.take()
        fire = self.fate(due["from"], "skipped")
        self.assertEqual(fire["skip"]["reason"], "misfire")
        self.assertRegex(fire["detail"], r"misfire=fire_latest runs only the newest of those missed")
        self.assertIn(attempt["scheduled_for"][:-5], fire["detail"] if fire["instead"] else attempt["scheduled_for"])
        self.finish(attempt)
        fire = self.fate(due["from"], "skipped")
        self.assertEqual(fire["instead"], attempt["trigger"])

    def test_local_times_are_read_in_the_jobs_zone(self):
        self.create(name=self.name, pool=self.name, cron="0 9 * * *", timezone="Europe/Berlin")
        fire = self.fate("2199-07-01T09:00", "coming")
        self.assertEqual(fire["at"], "2199-07-01T07:00:00.000Z")
        self.assertEqual(self.fate("2199-07-01T09:00:00+02:00", "coming")["at"], fire["at"])
        self.assertEqual(self.fate("2199-07-01T09:00:01", "not_a_fire")["before"], fire["at"])
        self.fate("2020-07-01T09:00", "before_job")

    def test_an_earlier_schedule_is_the_one_of_its_time(self):
        self.create(name=self.name, pool=self.name, cron="0 9 * * *")
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}", {"cron": "30 9 * * *"})
        self.assertEqual(self.fate("2199-07-01T09:30:00Z", "coming")["version"], 2)
        self.fate("2199-07-01T09:00:00Z", "not_a_fire")
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}/status", {"status": "cancelled"})
        self.assertIn("cancelled", self.fate("2199-07-01T09:30:00Z", "over")["detail"])

    def test_a_time_that_is_none_is_refused(self):
        self.create(name=self.name, pool=self.name)
        for wrong in ("noon", "2026-13-01T09:00", "2026-11-15", ""):
            answer = self.expect_problem(400, "invalid_time", "GET", f"/v1/jobs/{self.name}/why?at={wrong}")
            self.assertEqual(answer["field"], "at")


if __name__ == "__main__":
    tap.main()
