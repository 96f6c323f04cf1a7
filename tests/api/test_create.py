"""Creating jobs: one, many, again."""


import server  # noqa: F401 (finds tap)
import tap
from server import ApiCase


class Create(ApiCase):
    def test_a_job_is_accepted_and_can_be_read_back(self):
        answer = self.expect(202, "POST", "/v1/jobs", {"name": self.name, "delay": "1h", "payload": {"a": 1}})
        self.assertEqual(answer["name"], self.name)
        self.assertEqual(answer["status"], "active")
        self.assertEqual(answer["version"], 1)
        self.assertEqual(answer.headers["ETag"], '"1"')
        self.assertEqual(answer.headers["Location"], "/v1/jobs/" + answer["id"])
        self.assertEqual(self.expect(200, "GET", answer.headers["Location"]).json, answer.json)

    def test_a_payload_comes_back_byte_for_byte(self):
        body = b'{"pool":"%s","payload":{"n":0.10,"id":12345678901234567890,"s":"\\u00e9"}}' % self.name.encode()
        self.assertIn(b'{"n":0.10,"id":12345678901234567890,"s":"\\u00e9"}', self.call("POST", "/v1/jobs", body).body)
        answer = self.call("POST", "/v1/work", {"worker": self.name, "pools": [self.name], "want": 1, "wait": "20s"})
        self.assertIn(b'"payload":{"n":0.10,"id":12345678901234567890,"s":"\\u00e9"}', answer.body)

    def test_the_same_again_is_the_job_that_is_there(self):
        body = {"name": self.name, "delay": "1h"}
        first = self.expect(202, "POST", "/v1/jobs", body)
        again = self.expect(200, "POST", "/v1/jobs", body)
        self.assertEqual(again["id"], first["id"])
        self.expect_problem(409, "conflict", "POST", "/v1/jobs", {"name": self.name, "delay": "2h"})

    def test_a_key_gives_the_same_answer_and_refuses_another_body(self):
        key = {"Idempotency-Key": self.name}
        first = self.expect(202, "POST", "/v1/jobs", {"delay": "1h"}, headers=key)
        again = self.expect(200, "POST", "/v1/jobs", {"delay": "1h"}, headers=key)
        self.assertEqual(again["id"], first["id"])
        self.expect_problem(422, "idempotency_key_reused", "POST", "/v1/jobs", {"delay": "2h"}, headers=key)

    def test_what_is_wrong_is_named(self):
        wrong = self.expect_problem(400, "unknown_field", "POST", "/v1/jobs", {"prioritty": 1})
        self.assertIn("priority", wrong["detail"])
        wrong = self.expect_problem(400, "invalid_cron", "POST", "/v1/jobs", {"cron": "99 * * * *"})
        self.assertEqual(wrong["field"], "cron")
        self.assertEqual(wrong["position"], 1)
        self.expect_problem(400, "invalid_json", "POST", "/v1/jobs", b"{")
        self.expect_problem(415, "unsupported_media_type", "POST", "/v1/jobs", b"a=1",
                            headers={"Content-Type": "application/x-www-form-urlencoded"})
        self.expect_problem(400, "unknown_field", "POST", "/v1/jobs?nmae=1", {})
        self.expect_problem(422, "unknown_timezone", "POST", "/v1/jobs", {"cron": "0 9 * * *", "timezone": "Europe/Prais"})


    def test_a_body_that_is_a_byte_too_large_is_told_the_limit(self):
        body = b'{"delay":"1h"}'
        self.expect(202, "POST", "/v1/jobs", body + b" " * (1048576 - len(body)))
        wrong = self.expect_problem(413, "too_large", "POST", "/v1/jobs", body + b" " * (1048577 - len(body)))
        self.assertEqual(wrong["detail"], "the body has 1048577 bytes; at most 1048576 are allowed")
        self.assertNotIn("Outcome", wrong.headers)

    def test_who_sends_on_without_saying_how_much_is_told_the_limit_too(self):
        parts = (b" " * 65536 for _ in range(64))
        wrong = self.expect_problem(413, "too_large", "POST", "/v1/jobs", parts)
        self.assertIn("1048576 bytes", wrong["detail"])


class Batch(ApiCase):
    def test_a_batch_answers_with_ids_in_order(self):
        jobs = [{"name": f"{self.name}-{i}", "delay": "1h"} for i in range(3)]
        ids = self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})["ids"]
        self.assertEqual([self.expect(200, "GET", f"/v1/jobs/{id}")["name"] for id in ids], [j["name"] for j in jobs])
        self.assertEqual(self.expect(200, "POST", "/v1/jobs/batch", {"jobs": jobs})["ids"], ids)

    def test_ndjson_is_a_job_a_line(self):
        lines = b'{"delay":"1h"}\n\n{"delay":"2h"}\n'
        ids = self.expect(202, "POST", "/v1/jobs/batch", lines, headers={"Content-Type": "application/x-ndjson"})["ids"]
        self.assertEqual(len(ids), 2)

    def test_ten_thousand_are_taken_and_one_more_is_not(self):
        lines = b'{"delay":"1h"}\n' * 10000
        kind = {"Content-Type": "application/x-ndjson"}
        self.assertEqual(len(self.expect(202, "POST", "/v1/jobs/batch", lines, headers=kind)["ids"]), 10000)
        wrong = self.expect_problem(413, "too_large", "POST", "/v1/jobs/batch", lines + b"{}\n", headers=kind)
        self.assertIn("10000", wrong["detail"])

    def test_all_or_none_and_the_index_of_what_is_wrong(self):
        jobs = [{"name": self.name, "delay": "1h"}, {"delay": "1h"}, {"delay": "nonsense"}]
        wrong = self.call("POST", "/v1/jobs/batch", {"jobs": jobs})
        self.assertEqual((wrong.status, wrong["index"]), (400, 2), wrong)
        self.assertIn("delay", wrong["field"])
        self.expect(404, "GET", f"/v1/jobs/{self.name}")

    def test_what_the_engine_refuses_has_its_index_too(self):
        self.create(name=self.name + "-there", delay="1h")
        jobs = [{"name": self.name, "delay": "1h"}, {"name": self.name + "-there", "delay": "2h"}]
        wrong = self.expect_problem(409, "conflict", "POST", "/v1/jobs/batch", {"jobs": jobs})
        self.assertEqual(wrong["index"], 1)
        self.assertEqual(self.expect(409, "POST", "/v1/jobs/batch", {"jobs": jobs[1:]})["index"], 0)
        self.assertNotIn("index", self.expect(409, "POST", "/v1/jobs", jobs[1]).json)
        self.expect(404, "GET", f"/v1/jobs/{self.name}")

    def test_jobs_of_a_batch_may_depend_on_each_other(self):
        jobs = [{"name": self.name + "-b", "depends_on": [self.name + "-a"]}, {"name": self.name + "-a", "delay": "1h"}]
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})

    def test_atomic_is_said_where_the_form_has_it(self):
        kind = {"Content-Type": "application/x-ndjson"}
        self.expect(202, "POST", "/v1/jobs/batch?atomic=false", b'{"delay":"1h"}\n', headers=kind)
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": [{"delay": "1h"}], "atomic": False})
        wrong = self.expect_problem(400, "invalid", "POST", "/v1/jobs/batch?atomic=maybe", b"{}\n", headers=kind)
        self.assertEqual(wrong["field"], "atomic")


if __name__ == "__main__":
    tap.main()
