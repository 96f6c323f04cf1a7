"""Server-sent events: every transition as it becomes durable."""

import http.client
import json
import urllib.parse

import server  # noqa: F401 (finds tap)
import tap
from server import SECONDS_MAX, ApiCase


class Stream:
    """An open stream of events."""

    def __init__(self, case, query=None, last_id=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", case.server.port, timeout=SECONDS_MAX)
        headers = {"Authorization": f"Bearer {case.server.token}"}
        if last_id:
            headers["Last-Event-ID"] = last_id
        self.connection.request("GET", "/v1/events?" + urllib.parse.urlencode(query or {}), headers=headers)
        self.response = self.connection.getresponse()
        case.assertEqual(self.response.status, 200)
        case.assertEqual(self.response.headers["Content-Type"], "text/event-stream")
        case.addCleanup(self.connection.close)
        case.assertEqual(self.frame(), {"retry": "1000"})

    def frame(self):
        """The fields up to the next empty line."""
        fields = {}
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if not line:
                return fields
            name, _, value = line.partition(":")
            fields[name] = value.strip()

    def event(self):
        frame = self.frame()
        while "data" not in frame:  # comments
            frame = self.frame()
        data = json.loads(frame["data"])
        assert data["event"] == frame["event"]
        return frame["id"], data

    def kinds(self, count):
        return [self.event()[1]["event"] for _ in range(count)]


class Events(ApiCase):
    def test_the_life_of_a_job_is_told_in_order(self):
        stream = Stream(self, {"pool": self.name})
        job = self.create(pool=self.name, name=self.name)
        self.finish(self.take())
        told = [stream.event()[1] for _ in range(5)]
        self.assertEqual(told[0]["event"], "job.created")
        self.assertEqual(told[1]["event"], "attempt.started")
        self.assertEqual({one["event"] for one in told[2:]}, {"attempt.finished", "trigger.finished", "job.completed"})
        self.assertEqual({(one["job"], one["tenant"], one["name"]) for one in told}, {(job["id"], "default", self.name)})
        finished = [one for one in told if one["event"] == "attempt.finished"][0]
        self.assertEqual(finished["status"], "succeeded")
        self.assertGreaterEqual(finished["duration_ms"], 0)

    def test_filters_leave_the_rest_out(self):
        job = self.create(pool=self.name, name=self.name, delay="1h")
        stream = Stream(self, {"job": job["id"], "event": "job.paused,job.resumed"})
        self.create(pool=self.name)
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}/status", {"status": "paused"})
        self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}/status", {"status": "active"})
        self.assertEqual(stream.kinds(2), ["job.paused", "job.resumed"])
        self.expect_problem(400, "invalid", "GET", "/v1/events?event=job.exploded")

    def test_a_job_is_named_by_its_tenant_and_name_as_everywhere(self):
        self.create(tenant=self.name, name="report", delay="1h")
        self.create(tenant=self.name, name="other", delay="1h")
        stream = Stream(self, {"job": "report", "tenant": self.name})
        for name in ("other", "report"):
            self.expect(202, "POST", f"/v1/jobs/{name}/run?tenant={self.name}")
            self.expect(204, "DELETE", f"/v1/jobs/{name}?tenant={self.name}")
        told = [stream.event()[1] for _ in range(3)]
        self.assertEqual([one["event"] for one in told], ["trigger.pending", "trigger.finished", "job.deleted"])
        self.assertEqual({(one["tenant"], one["name"]) for one in told}, {(self.name, "report")})
        self.expect_problem(404, "not_found", "GET", f"/v1/events?job=report&tenant={self.name}")
        self.expect_problem(404, "not_found", "GET", "/v1/events?job=report")

    def test_a_job_without_a_name_is_called_by_its_id(self):
        stream = Stream(self, {"tenant": self.name})
        job = self.create(tenant=self.name, pool=self.name)
        self.finish(self.take())
        self.assertEqual({stream.event()[1]["name"] for _ in range(5)}, {job["id"]})

    def test_fires_that_are_skipped_say_whose_they_are(self):
        stream = Stream(self, {"tenant": self.name, "event": "fires.skipped"})
        self.create(tenant=self.name, name="late", pool=self.name, every="10ms")
        self.wait_for(lambda: self.expect(200, "GET", f"/v1/jobs/late/triggers?tenant={self.name}")["items"])
        self.expect(200, "PATCH", f"/v1/jobs/late?tenant={self.name}", {"every": "1h"})
        self.assertEqual(stream.event()[1]["name"], "late")

    def test_a_breaker_of_a_job_says_whose_it_is(self):
        settings = {"breaker": {"min_attempts": 1, "failure_rate": 0.1}}
        self.expect(200, "PUT", "/v1/types/default", settings)
        self.addCleanup(self.expect, 200, "PUT", "/v1/types/default", {})
        stream = Stream(self, {"tenant": self.name, "event": "breaker.opened"})
        self.create(tenant=self.name, name="frail", pool=self.name)
        self.finish(self.take(), "failed", error={"code": "x", "message": "y"}, retryable=False)
        told = stream.event()[1]
        self.assertEqual(told["name"], "frail")
        self.assertNotEqual(told.get("type"), "")

    def test_pauses_and_settings_are_told_apart(self):
        stream = Stream(self, {"pool": self.name})
        self.expect(200, "PUT", f"/v1/pools/{self.name}", {"max_in_flight": 3})
        self.expect(200, "POST", f"/v1/pools/{self.name}/pause")
        self.expect(200, "PUT", f"/v1/pools/{self.name}", {"max_in_flight": 4})
        self.expect(200, "POST", f"/v1/pools/{self.name}/resume")
        told = [stream.event()[1] for _ in range(4)]
        self.assertEqual([one["event"] for one in told],
                         ["settings.changed", "scope.paused", "settings.changed", "scope.resumed"])
        self.assertTrue(all((one["scope"], one["name"]) == ("pool", self.name) for one in told))

    def test_who_comes_back_hears_what_was_missed(self):
        stream = Stream(self, {"tenant": self.name})
        self.create(tenant=self.name, delay="1h")
        first, _ = stream.event()
        stream.connection.close()
        later = self.create(tenant=self.name, delay="1h")
        again = Stream(self, {"tenant": self.name}, last_id=first)
        self.assertEqual(again.event()[1]["job"], later["id"])

    def test_an_id_that_is_not_known_any_more_gets_a_gap(self):
        self.assertEqual(Stream(self, last_id="7-nonsense").kinds(1), ["gap"])


if __name__ == "__main__":
    tap.main()
