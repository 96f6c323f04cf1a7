"""Settings of tenants, pools and types; pauses; the clock."""

import server  # noqa: F401 (finds tap)
import tap
from server import ApiCase


class Settings(ApiCase):
    def test_nobody_is_unknown(self):
        for path, key in (("tenants", "tenant"), ("pools", "pool"), ("types", "type")):
            answer = self.expect(200, "GET", f"/v1/{path}/{self.name}")
            self.assertEqual((answer[key], answer["settings"], answer["paused"], answer["ramp"]),
                             (self.name, {}, False, None))

    def test_settings_are_replaced_whole(self):
        path = f"/v1/tenants/{self.name}"
        answer = self.expect(200, "PUT", path, {"max_in_flight": 10, "rate": "100/s"})
        self.assertEqual(answer["settings"], {"max_in_flight": 10, "rate": "100/s"})
        self.assertEqual(self.expect(200, "PUT", path, {"weight": 3})["settings"], {"weight": 3})
        self.assertEqual(self.expect(200, "GET", path)["settings"], {"weight": 3})

    def test_what_makes_no_sense_is_named(self):
        self.assertEqual(self.call("PUT", f"/v1/pools/{self.name}", {"weight": 3}).json["field"], "weight")
        self.assertEqual(self.call("PUT", f"/v1/tenants/{self.name}", {"rate": "fast"}).json["field"], "rate")
        self.assertEqual(self.expect(400, "GET", "/v1/tenants/job_x")["code"], "invalid")

    def test_a_type_may_be_narrowed_to_a_tenant(self):
        path = f"/v1/types/{self.name}"
        self.expect(200, "PUT", path + "?tenant=acme", {"max_in_flight": 1})
        self.assertEqual(self.expect(200, "GET", path + "?tenant=acme")["settings"], {"max_in_flight": 1})
        self.assertEqual(self.expect(200, "GET", path + "?tenant=acme")["tenant"], "acme")
        self.assertEqual(self.expect(200, "GET", path)["settings"], {})

    def test_a_paused_pool_gives_nothing_until_it_is_resumed(self):
        self.assertTrue(self.expect(200, "POST", f"/v1/pools/{self.name}/pause")["paused"])
        self.create(pool=self.name)
        self.assertEqual(self.work(want=1)["attempts"], [])
        self.assertFalse(self.expect(200, "POST", f"/v1/pools/{self.name}/resume")["paused"])
        self.take()

    def test_a_ramp_is_shown_while_it_goes_on(self):
        self.expect(200, "POST", f"/v1/tenants/{self.name}/pause")
        self.assertIsNotNone(self.expect(200, "POST", f"/v1/tenants/{self.name}/resume", {"ramp": "5m"})["ramp"])

    def test_lists_have_what_has_settings_work_or_jobs_by_name(self):
        tenants = [f"{self.name}-{letter}" for letter in "cab"]
        for tenant in tenants:
            self.create(tenant=tenant, pool=tenant, type=tenant)
        self.expect(200, "PUT", f"/v1/tenants/{self.name}-d", {"weight": 2})
        for path, key, expected in (("tenants", "tenant", "abcd"), ("pools", "pool", "abc"), ("types", "type", "abc")):
            seen, after = [], ""
            while after is not None:
                page = self.expect(200, "GET", f"/v1/{path}?limit=2{after and '&after=' + after}")
                self.assertLessEqual(len(page["items"]), 2)
                seen += [item[key] for item in page["items"]]
                after = page["next"]
            self.assertEqual(seen, sorted(set(seen)))
            self.assertEqual([name for name in seen if name.startswith(self.name + "-")],
                             [f"{self.name}-{letter}" for letter in expected])

    def test_max_jobs_is_a_limit(self):
        self.expect(200, "PUT", f"/v1/tenants/{self.name}", {"max_jobs": 1})
        self.create(tenant=self.name, delay="1h")
        answer = self.expect_problem(429, "limit", "POST", "/v1/jobs", {"tenant": self.name, "delay": "1h"})
        self.assertTrue(answer.headers["Retry-After"])
        self.assertEqual(self.expect(200, "GET", f"/v1/tenants/{self.name}")["jobs"], 1)


class Clock(ApiCase):
    def test_the_clock_is_accepted(self):
        answer = self.expect(200, "POST", "/v1/clock/accept")
        self.assertEqual(answer["held"], False)
        self.assertRegex(answer["now"], r"Z$")


if __name__ == "__main__":
    tap.main()
