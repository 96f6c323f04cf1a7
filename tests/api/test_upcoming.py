"""Coming fires in buckets, as the contract says."""

import time

import server  # noqa: F401 (finds tap)
import tap
from server import ApiCase, Server


def bucket_with(answer, at):
    """The bucket that begins at an instant."""
    return next(bucket for bucket in answer["buckets"] if bucket["at"] == at)


def minute_from_now(minutes):
    """A whole minute, so many ahead, as an instant."""
    return time.strftime("%Y-%m-%dT%H:%M:00.000Z", time.gmtime(time.time() + 60 * minutes))


class Upcoming(ApiCase):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.stop)

    def test_without_jobs_every_bucket_is_empty(self):
        answer = self.expect(200, "GET", "/v1/upcoming").json
        self.assertIn(len(answer["buckets"]), (60, 61))
        self.assertEqual({bucket["count"] for bucket in answer["buckets"]}, {0})
        self.assertEqual((answer["total"], answer["herd_above"], answer["complete"]), (0, 50, True))
        self.assertEqual(answer["complete_until"], answer["until"])

    def test_a_herd_is_seen_with_its_tenant_type_and_jobs(self):
        at, later = minute_from_now(20), minute_from_now(30)
        jobs = [{"name": f"j{i}", "tenant": "acme", "type": "bill", "run_at": at} for i in range(60)]
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        self.create(name="other", tenant="globex", run_at=at)
        self.create(name="alone", run_at=later)
        answer = self.expect(200, "GET", "/v1/upcoming").json
        herd = bucket_with(answer, at)
        self.assertEqual(herd["count"], 61)
        self.assertTrue(herd["herd"])
        self.assertEqual(herd["types"][0], {"type": "bill", "count": 60})
        self.assertEqual(herd["tenants"], [{"tenant": "acme", "count": 60}, {"tenant": "globex", "count": 1}])
        self.assertEqual(len(herd["examples"]), 3)
        self.assertEqual([bucket["at"] for bucket in answer["buckets"] if bucket["herd"]], [at])
        alone = bucket_with(answer, later)
        self.assertEqual([example["name"] for example in alone["examples"]], ["alone"])
        self.assertEqual(answer["total"], 62)

    def test_what_recurs_is_expanded_and_what_is_paused_is_not_there(self):
        self.create(name="often", every="5s")
        self.create(name="paused", every="5s")
        self.expect(200, "PATCH", "/v1/jobs/paused/status", {"status": "paused"})
        answer = self.expect(200, "GET", "/v1/upcoming?minutes=10").json
        self.assertEqual({bucket["count"] for bucket in answer["buckets"][1:-1]}, {12})
        self.assertEqual({example["name"] for bucket in answer["buckets"] for example in bucket["examples"]}, {"often"})

    def test_many_viewers_cost_one_computation(self):
        first = self.expect(200, "GET", "/v1/upcoming?minutes=10").json
        self.create(name="later", delay="5m")
        self.assertEqual(self.expect(200, "GET", "/v1/upcoming?minutes=10").json, first)
        self.assertEqual(self.expect(200, "GET", "/v1/upcoming?minutes=11")["total"], 1)
        self.wait_for(lambda: self.expect(200, "GET", "/v1/upcoming?minutes=10")["total"] == 1)

    def test_more_than_is_read_is_counted_and_said(self):
        at = minute_from_now(5)
        for part in range(4):
            jobs = [{"name": f"p{part}-{i}", "every": "10m", "starts_at": at} for i in range(1000)]
            self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        answer = self.expect(200, "GET", "/v1/upcoming?minutes=30").json
        self.assertEqual(bucket_with(answer, at)["count"], 4000)
        self.assertFalse(answer["complete"])
        self.assertEqual(answer["complete_until"], at)
        self.assertEqual(answer["jobs_read"], 2000)
        self.assertEqual(answer["total"], 4000 + 2 * 2000)

    def test_what_makes_no_sense_is_refused(self):
        self.expect_problem(400, "invalid", "GET", "/v1/upcoming?minutes=0")
        self.expect_problem(400, "invalid", "GET", "/v1/upcoming?minutes=1441")
        self.assertEqual(self.expect_problem(400, "invalid", "GET", "/v1/upcoming?bucket=10ms")["field"], "bucket")
        self.expect_problem(400, "invalid", "GET", "/v1/upcoming?minutes=1440&bucket=1s")
        self.expect_problem(400, "unknown_field", "GET", "/v1/upcoming?minute=5")


if __name__ == "__main__":
    tap.main()
