"""What clients change: definitions, status, runs, single triggers."""

import server  # noqa: F401 (finds tap)
import tap
from server import ApiCase


class Changes(ApiCase):
    def test_a_patch_is_a_new_version(self):
        job = self.create(name=self.name, cron="0 9 * * *")
        answer = self.expect(200, "PATCH", f"/v1/jobs/{self.name}", {"priority": 1, "labels": {"team": "a"}})
        self.assertEqual((answer["version"], answer["priority"], answer["labels"]), (2, 1, {"team": "a"}))
        self.assertEqual(answer.headers["ETag"], '"2"')
        self.assertIsNone(answer["skipped"])
        self.assertEqual(answer["next_fire_at"], job["next_fire_at"])
        self.assertEqual(self.expect(200, "PATCH", f"/v1/jobs/{self.name}", {"priority": None})["priority"], 3)

    def test_if_match_guards_a_change(self):
        self.create(name=self.name, cron="0 9 * * *")
        path = f"/v1/jobs/{self.name}"
        self.expect(200, "PATCH", path, {"priority": 1}, headers={"If-Match": '"1"'})
        self.expect_problem(412, "version_mismatch", "PATCH", path, {"priority": 2}, headers={"If-Match": '"1"'})
        self.expect(200, "PATCH", path, {"priority": 2}, headers={"If-Match": "*"})
        self.expect_problem(400, "invalid", "PATCH", path, {"priority": 2}, headers={"If-Match": "3"})

    def test_a_name_stays(self):
        self.create(name=self.name, cron="0 9 * * *")
        self.assertEqual(self.expect(422, "PATCH", f"/v1/jobs/{self.name}", {"name": "x"})["field"], "name")

    def test_status_is_paused_resumed_and_cancelled(self):
        self.create(name=self.name, cron="0 9 * * *")
        path = f"/v1/jobs/{self.name}/status"
        self.assertEqual(self.expect(200, "PATCH", path, {"status": "paused"})["status"], "paused")
        self.assertEqual(self.expect(200, "PATCH", path, {"status": "active"})["status"], "active")
        self.assertEqual(self.expect(200, "PATCH", path, {"status": "cancelled"})["status"], "cancelled")
        self.expect(409, "PATCH", path, {"status": "active"})
        self.assertEqual(self.expect(400, "PATCH", path, {"status": "completed"})["field"], "status")

    def test_a_one_time_job_that_has_fired_is_not_cancelled(self):
        job = self.create(pool=self.name)
        self.take()
        self.expect_problem(409, "conflict", "PATCH", f"/v1/jobs/{job['id']}/status", {"status": "cancelled"})

    def test_delete_takes_the_definition_away(self):
        self.create(name=self.name, delay="1h")
        self.assertEqual(self.expect(204, "DELETE", f"/v1/jobs/{self.name}").body, b"")
        self.expect_problem(404, "not_found", "DELETE", f"/v1/jobs/{self.name}")
        self.expect_problem(404, "not_found", "GET", f"/v1/jobs/{self.name}")

    def test_a_job_others_depend_on_is_not_deleted(self):
        self.create(name=self.name, delay="1h")
        self.create(depends_on=[self.name])
        self.expect_problem(409, "conflict", "DELETE", f"/v1/jobs/{self.name}")

    def test_tenants_have_their_own_names(self):
        self.create(name=self.name, tenant="acme", delay="1h")
        self.expect(404, "PATCH", f"/v1/jobs/{self.name}", {"priority": 1})
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}?tenant=acme", {"priority": 1})
        self.expect(204, "DELETE", f"/v1/jobs/{self.name}?tenant=acme")


class Runs(ApiCase):
    def test_a_manual_run_is_a_trigger(self):
        job = self.create(name=self.name, pool=self.name, cron="0 0 1 1 *", payload={"a": 1})
        answer = self.expect(202, "POST", f"/v1/jobs/{self.name}/run", {"payload": {"a": 2}})
        self.assertEqual((answer["kind"], answer["job"], answer["name"]), ("manual", job["id"], self.name))
        self.assertEqual(answer.headers["Location"], "/v1/triggers/" + answer["id"])
        attempt = self.take()
        self.assertEqual((attempt["trigger"], attempt["payload"]), (answer["id"], {"a": 2}))

    def test_a_run_needs_no_body(self):
        self.create(name=self.name, pool=self.name, cron="0 0 1 1 *", payload={"a": 1})
        self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
        self.assertEqual(self.take()["payload"], {"a": 1})

    def test_a_key_makes_a_run_safe_to_repeat(self):
        self.create(name=self.name, pool=self.name, cron="0 0 1 1 *")
        path = f"/v1/jobs/{self.name}/run"
        first = self.expect(202, "POST", path, {"key": self.name})
        self.assertEqual(self.expect(202, "POST", path, {"key": self.name})["id"], first["id"])
        self.expect_problem(422, "idempotency_key_reused", "POST", path, {"key": self.name, "payload": 1})
        self.expect(400, "POST", path, {"key": self.name}, headers={"Idempotency-Key": "another"})

    def test_a_backfill_makes_triggers_for_nominal_times(self):
        self.create(name=self.name, pool=self.name, cron="0 0 * * *", starts_at="2026-01-01T00:00:00Z")
        path = f"/v1/jobs/{self.name}/backfill"
        body = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-04T00:00:00Z"}
        answer = self.expect(202, "POST", path, body)
        self.assertEqual((answer["created"], answer["not_needed"], len(answer["triggers"])), (3, 0, 3))
        again = self.expect(202, "POST", path, body)
        self.assertEqual((again["created"], again["not_needed"]), (0, 3))
        for end in (body["from"], "2025-12-31T00:00:00Z"):
            wrong = self.expect_problem(422, "unprocessable", "POST", path, {**body, "to": end})
            self.assertEqual(wrong["field"], "to")

    def test_a_trigger_is_cancelled_once(self):
        self.create(name=self.name, pool=self.name, cron="0 0 1 1 *")
        trigger = self.expect(202, "POST", f"/v1/jobs/{self.name}/run")["id"]
        self.assertEqual(self.expect(200, "POST", f"/v1/triggers/{trigger}/cancel")["status"], "cancelled")
        self.expect_problem(409, "conflict", "POST", f"/v1/triggers/{trigger}/cancel")
        self.expect_problem(404, "not_found", "POST", "/v1/triggers/trg_00000000000z1/cancel")

    def test_a_running_trigger_is_cancelled_and_its_worker_told(self):
        self.create(pool=self.name)
        attempt = self.take()
        self.assertEqual(self.expect(200, "POST", f"/v1/triggers/{attempt['trigger']}/cancel")["status"], "cancelled")
        self.assertEqual(self.work(holding=[attempt["id"]])["cancel"], [attempt["id"]])

    def test_retry_hurries_a_backoff(self):
        self.create(pool=self.name, retry={"max_attempts": 3, "delays": ["1h"], "jitter": 0})
        attempt = self.take()
        self.finish(attempt, "failed", error={"code": "x", "message": "y"})
        self.expect(202, "POST", f"/v1/triggers/{attempt['trigger']}/retry")
        again = self.take()
        self.assertEqual((again["trigger"], again["attempt"], again["failures"]), (attempt["trigger"], 2, 1))
        self.expect_problem(409, "conflict", "POST", f"/v1/triggers/{attempt['trigger']}/retry")

    def test_retry_of_a_dead_one_is_a_replay(self):
        dead = self.kill()
        answer = self.expect(202, "POST", f"/v1/triggers/{dead}/retry")
        self.assertEqual((answer["kind"], answer["replay_of"]), ("replay", dead))


if __name__ == "__main__":
    tap.main()
