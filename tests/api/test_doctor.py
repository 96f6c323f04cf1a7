"""The incident playbooks as checks: each condition is made at a real server, and its finding seen."""

from server import ApiCase

import tap

ALL = {
    "not_running": {"starts", "pools_without_workers", "pools_saturated", "tenants_paused", "pools_paused",
                    "types_paused", "limits_reached", "breakers_open", "overdue", "clock_held", "held"},
    "running_twice": {"leases_lost", "timeouts", "timed_out_held", "leases_about_to_end", "orphans"},
    "retries": {"types_failing", "retry_rate", "dead_letters", "released_often", "fires_beyond_limit"},
}


class DoctorCase(ApiCase):
    def checks(self):
        return {check["check"]: check for check in self.expect(200, "GET", "/v1/doctor")["checks"]}

    def finding(self, check, **wanted):
        """The one of a check that has these fields, when it is there."""
        def found():
            for one in self.checks()[check]["findings"]:
                if all(one.get(key) == value for key, value in wanted.items()):
                    return one
            return None
        return self.wait_for(found)

    def report_failed(self, attempt, code="smtp_421", retryable=True):
        self.finish(attempt, "failed", error={"code": code, "message": "busy"}, retryable=retryable)


class Healthy(DoctorCase):
    def test_what_is_well_is_listed_with_its_numbers(self):
        answer = self.expect(200, "GET", "/v1/doctor").json
        playbooks = {}
        for check in answer["checks"]:
            playbooks.setdefault(check["playbook"], set()).add(check["check"])
            self.assertEqual((check["severity"], check["findings"]), ("ok", []), check)
            self.assertTrue(check["detail"], check)
        self.assertEqual({name: playbooks[name] for name in ALL}, ALL)
        self.assertEqual(answer["severity"], "ok")


class NotRunning(DoctorCase):
    def test_a_pool_without_workers(self):
        self.create(pool=self.name)
        found = self.finding("pools_without_workers", pool=self.name)
        self.assertEqual(found["detail"], f"pool {self.name} has 1 ready and no worker")
        self.assertEqual(found["command"], f"belfry worker --worker-pools {self.name}")
        self.finish(self.take())

    def test_workers_that_have_no_room(self):
        for _ in range(2):
            self.create(pool=self.name)
        held = self.take(capacity=1)
        found = self.finding("pools_saturated", pool=self.name)
        self.assertEqual(found["detail"], f"pool {self.name} runs 1 with a capacity of 1, and 1 are ready")
        self.finish(held)
        self.finish(self.take())

    def test_tenants_pools_and_types_that_are_paused(self):
        self.create(tenant=self.name, pool=self.name, type=self.name)
        for plural, key in (("tenants", "tenant"), ("pools", "pool"), ("types", "type")):
            self.expect(200, "POST", f"/v1/{plural}/{self.name}/pause", {})
            found = self.finding(f"{plural}_paused", **{key: self.name})
            self.assertRegex(found["detail"], rf"^{key} {self.name} is paused and has 1 ready; it is since 2.*Z$")
            self.assertEqual(found["command"], f"belfry {plural} resume {self.name}")
            self.expect(200, "POST", f"/v1/{plural}/{self.name}/resume", {})
        self.finish(self.take())

    def test_a_limit_that_is_reached(self):
        self.expect(200, "PUT", f"/v1/types/{self.name}", {"max_in_flight": 1})
        for _ in range(2):
            self.create(pool=self.name, type=self.name)
        held = self.take()
        found = self.finding("limits_reached", type=self.name)
        self.assertEqual(found["detail"], f"type {self.name} has 1 of 1 running and 1 ready")
        self.assertEqual(found["command"], f"belfry types set {self.name} max_in_flight=2")
        self.finish(held)
        self.finish(self.take())

    def test_a_breaker_that_is_open(self):
        self.expect(200, "PUT", f"/v1/types/{self.name}", {"breaker": {"min_attempts": 2, "open": "1h"}})
        for _ in range(2):
            self.create(pool=self.name, type=self.name, retry={"max_attempts": 1, "delays": ["1s"]})
        for attempt in self.take(2):
            self.report_failed(attempt)
        found = self.finding("breakers_open", type=self.name)
        self.assertIn("is open; it tries again at 2", found["detail"])
        self.assertEqual(len(found["examples"]), 2)


class Twice(DoctorCase):
    def test_an_attempt_that_was_lost(self):
        self.create(pool=self.name, lease="1s", retry={"max_attempts": 3, "delays": ["1h"]})
        self.take()
        found = self.finding("leases_lost")
        self.assertRegex(found["detail"], r"^[1-9]\d* attempts lost their lease in the last 24 hours$")
        self.assertGreaterEqual(found["count"], 1)

    def test_an_attempt_that_timed_out_and_is_held(self):
        self.create(pool=self.name, lease="1h", timeout="1s", retry={"max_attempts": 3, "delays": ["1h"]})
        attempt = self.take()
        self.finding("timeouts")
        self.finding("timed_out_held")
        self.work(holding=[])
        self.assertNotEqual(attempt, None)


class Retries(DoctorCase):
    def test_a_type_that_fails_explodes_in_retries_and_dies(self):
        for _ in range(20):
            self.create(tenant=self.name, pool=self.name, type=self.name, retry={"max_attempts": 2, "delays": ["1ms"]})
        self.expect(200, "PUT", f"/v1/types/{self.name}", {"breaker": False})
        for _ in range(4):
            for attempt in self.take(10):
                self.report_failed(attempt)
        found = self.finding("types_failing", type=self.name)
        self.assertEqual(found["detail"], f"0.0 % of the 40 attempts of type {self.name} succeeded in the last 24 hours")
        self.assertIn(f"belfry types pause {self.name}", found["command"])
        self.assertEqual(len(found["examples"]), 3)
        self.assertEqual(self.checks()["types_failing"]["severity"], "critical")
        found = self.finding("retry_rate", tenant=self.name)
        self.assertIn(f"tenant {self.name} made 20 of the 20", found["detail"])
        found = self.finding("dead_letters")
        self.assertIn("the most common error of the newest is smtp_421", found["detail"])
        self.assertEqual(found["command"], "belfry dead list --error-code smtp_421")
        self.expect(200, "GET", f"/v1/triggers/{found['examples'][0]}")

    def test_an_error_code_that_is_no_plain_word_is_not_in_a_command(self):
        for code in ("x; reboot", "$(reboot)", "--all", "it's"):
            self.expect(202, "POST", "/v1/dead/discard", {"since": "2000-01-01T00:00:00Z"})
            self.create(pool=self.name, retry={"max_attempts": 1})
            self.report_failed(self.take(), code=code, retryable=False)
            found = self.finding("dead_letters", count=1)
            self.assertIn(f"the most common error of the newest is {code}", found["detail"])
            self.assertEqual(found["command"], "belfry dead list")

    def test_work_that_is_given_back_again_and_again(self):
        for _ in range(20):
            self.create(pool=self.name)
        for _ in range(3):
            for attempt in self.take(20):
                self.finish(attempt, "released")
        self.finding("released_often")


class Cancelled(DoctorCase):
    def test_a_type_whose_attempts_are_cancelled_does_not_fail(self):
        for _ in range(21):
            self.create(pool=self.name, type=self.name)
        done, *others = self.take(21)
        self.finish(done)
        for attempt in others:
            self.expect(200, "POST", f"/v1/triggers/{attempt['trigger']}/cancel")
        self.assertNotIn(self.name, [one["type"] for one in self.checks()["types_failing"]["findings"]])
        stats = self.expect(200, "GET", "/v1/stats").json
        mine = [one for one in stats["types"] if one["type"] == self.name][0]
        self.assertEqual((mine["executed"], mine["success_rate"], mine["warning"]), (21, 1, False))
        self.assertNotIn("type_failing", [one["kind"] for one in stats["attention"] if one["subject"] == self.name])


if __name__ == "__main__":
    tap.main()
