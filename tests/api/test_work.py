"""The work exchange, as workers see it."""

import re
import resource
import socket
import threading

import server  # noqa: F401 (finds tap)
import tap
from server import ApiCase


class Work(ApiCase):
    def test_an_attempt_has_all_that_a_worker_needs(self):
        job = self.create(pool=self.name, type="mail", name=self.name, payload={"to": "ada"}, timeout="1m", lease="20s")
        attempt = self.take()
        self.assertEqual(
            {key: attempt[key] for key in ("job", "name", "type", "pool", "priority", "attempt", "failures",
                                           "max_attempts", "payload", "target", "timeout", "lease", "kind", "version")},
            {"job": job["id"], "name": self.name, "type": "mail", "pool": self.name, "priority": 3, "attempt": 1,
             "failures": 0, "max_attempts": 5, "payload": {"to": "ada"}, "target": None, "timeout": "1m",
             "lease": "20s", "kind": "schedule", "version": 1})
        self.assertEqual(attempt["idempotency_key"], f"job:{job['id']}:scheduled_for:{attempt['scheduled_for']}")

    def test_large_payloads_come_in_several_answers(self):
        jobs = [{"pool": self.name, "payload": "x" * 250000} for _ in range(100)]
        for _ in range(2):
            self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        held = []
        while len(held) < 200:
            attempts = self.work(want=200 - len(held), capacity=1000, wait="20s", holding=held)["attempts"]
            self.assertLess(len(attempts), 120)
            held += [attempt["id"] for attempt in attempts]
        self.assertEqual(len(set(held)), 200)
        self.work(finished=[{"attempt": attempt, "status": "succeeded"} for attempt in held])

    def test_payloads_of_single_runs_come_as_they_were_sent_whatever_their_size(self):
        self.create(name=self.name, pool=self.name, delay="100h", overlap="allow", payload={"of": "all"})
        payloads = [{"x": "y" * size} for size in (10, 15000, 17000, 250000)]
        for payload in payloads:
            self.expect(202, "POST", f"/v1/jobs/{self.name}/run", {"payload": payload})
        self.assertEqual([attempt["payload"] for attempt in self.take(4)], payloads)

    def test_a_success_completes_a_one_time_job(self):
        job = self.create(pool=self.name)
        self.finish(self.take(), result={"sent": 1})
        self.assertEqual(self.expect(200, "GET", f"/v1/jobs/{job['id']}")["status"], "completed")

    def test_a_job_counts_its_triggers(self):
        job = self.create(pool=self.name, cron="0 0 1 1 *", overlap="allow", name=self.name)
        for _ in range(4):
            self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
        attempts = self.take(3)
        self.work(holding=[attempts[0]["id"]],
                  finished=[{"attempt": attempts[1]["id"], "status": "succeeded"},
                            {"attempt": attempts[2]["id"], "status": "failed", "retryable": False}])
        shown = self.expect(200, "GET", f"/v1/jobs/{job['id']}").json
        self.assertEqual(shown["counts"], {"fired": 0, "waiting": 0, "pending": 1, "running": 1, "succeeded": 1,
                                           "dead": 1, "cancelled": 0})
        self.assertIsNotNone(shown["last_result"])

    def test_a_one_time_job_that_runs_is_counted_by_its_claim(self):
        job = self.create(pool=self.name)
        self.take()
        shown = self.expect(200, "GET", f"/v1/jobs/{job['id']}").json
        self.assertEqual((shown["counts"]["running"], shown["counts"]["pending"]), (1, 0))
        self.assertIsNotNone(shown["last_fired_at"])

    def test_a_report_may_come_again_and_a_stale_one_is_refused(self):
        self.create(pool=self.name)
        attempt = self.take()
        self.finish(attempt)
        self.finish(attempt)
        answer = self.work(worker=self.name + "-other", finished=[{"attempt": attempt["id"], "status": "succeeded"}])
        self.assertEqual(answer["refused"], [{"attempt": attempt["id"], "reason": "stale"}])

    def test_a_failure_is_tried_again_and_a_release_costs_nothing(self):
        self.create(pool=self.name, retry={"max_attempts": 2, "delays": ["0s"], "jitter": 0})
        attempt = self.take()
        self.finish(attempt, "released")
        attempt = self.take()
        self.assertEqual((attempt["attempt"], attempt["failures"]), (2, 0))
        self.finish(attempt, "failed", error={"code": "x", "message": "y"}, retryable=True)
        attempt = self.take()
        self.assertEqual((attempt["attempt"], attempt["failures"]), (3, 1))

    def test_an_attempt_that_is_not_named_is_sent_again(self):
        self.create(pool=self.name)
        attempt = self.take()
        self.assertEqual(self.work()["attempts"], [attempt])
        self.assertEqual(self.work(holding=[attempt["id"]])["attempts"], [])

    def test_an_old_seq_is_a_shared_id(self):
        body = {"worker": self.name, "seq": 5, "pools": [self.name]}
        self.expect(200, "POST", "/v1/work", body)
        self.expect_problem(409, "worker_id_shared", "POST", "/v1/work", body)

    def test_who_waits_is_answered_when_work_comes(self):
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.take()))
        waiting.start()
        job = self.create(pool=self.name)
        waiting.join()
        self.assertEqual(answers[0]["job"], job["id"])

    def poll(self, worker):
        """A connection whose poll waits for work for a minute."""
        body = b'{"worker":"%s","pools":["%s"],"want":1,"wait":"60s"}' % (worker.encode(), self.name.encode())
        head = (f"POST /v1/work HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.server.token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        client = socket.create_connection(("127.0.0.1", self.server.port))
        client.sendall(head.encode() + body)
        return client

    def test_a_client_that_goes_gets_no_work(self):
        with self.poll(self.name + "-gone"):
            self.wait_for(lambda: self.worker_is_waiting(self.name + "-gone"))
        self.wait_for(lambda: not self.worker_is_waiting(self.name + "-gone"))
        self.create(pool=self.name)
        self.take()

    def waiting_polls(self):
        metrics = self.expect(200, "GET", "/metrics").body.decode()
        return int(float(re.search(r"^belfry_workers_waiting (\S+)", metrics, re.MULTILINE)[1]))

    def test_a_thousand_polls_that_are_cut_get_no_work(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(2048, hard) if hard > 0 else 2048), hard))
        before = self.waiting_polls()
        clients = [self.poll(f"{self.name}-{i}") for i in range(1000)]
        self.wait_for(lambda: self.waiting_polls() >= before + 1000)
        for client in clients:
            client.close()
        self.wait_for(lambda: self.waiting_polls() <= before)
        for _ in range(20):
            self.create(pool=self.name)
        attempts = self.take(20)
        self.assertEqual({attempt["attempt"] for attempt in attempts}, {1})

    def worker_is_waiting(self, worker):
        items = self.expect(200, "GET", f"/v1/workers?pool={self.name}")["items"]
        return any(item["worker"] == worker and item["waiting"] for item in items)

    def test_targets_choose_who_gets_what(self):
        exec_job = self.create(pool=self.name, target={"exec": {"argv": ["true"]}})
        http_job = self.create(pool=self.name, target={"http": {"url": "http://127.0.0.1:9/"}})
        own_job = self.create(pool=self.name)
        self.assertEqual(self.take(worker=self.name + "-h", targets=["http"])["job"], http_job["id"])
        self.assertEqual(self.take(worker=self.name + "-n", targets=["none"])["job"], own_job["id"])
        self.assertEqual(self.work(worker=self.name + "-h2", targets=["http", "none"], want=5)["attempts"], [])
        attempt = self.take(worker=self.name + "-a")
        self.assertEqual((attempt["job"], attempt["target"]), (exec_job["id"], {"exec": {"argv": ["true"]}}))

    def test_an_attempt_of_an_older_version_has_that_versions_payload(self):
        job = self.create(pool=self.name, name=self.name, cron="0 0 1 1 *", payload={"v": 1})
        self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}", {"payload": {"v": 2}, "labels": {"a": "b"}})
        attempt = self.take()
        self.assertEqual((attempt["job"], attempt["version"], attempt["payload"]), (job["id"], 1, {"v": 1}))

    def test_progress_is_shown_while_the_attempt_runs(self):
        job = self.create(pool=self.name)
        attempt = self.take()
        self.work(holding=[attempt["id"]], progress=[{"attempt": attempt["id"], "percent": 40, "note": "page 4"}])
        shown = self.expect(200, "GET", f"/v1/jobs/{job['id']}/executions")["items"][0]["progress"]
        self.assertEqual((shown["percent"], shown["note"]), (40, "page 4"))
        self.finish(attempt)
        self.assertIsNone(self.expect(200, "GET", f"/v1/jobs/{job['id']}/executions")["items"][0]["progress"])

    def test_unknown_fields_are_passed_over_and_wrong_ones_named(self):
        self.assertEqual(self.work(telepathy=True)["attempts"], [])
        wrong = self.expect_problem(400, "invalid", "POST", "/v1/work", {"worker": self.name, "want": -1})
        self.assertEqual(wrong["field"], "want")


if __name__ == "__main__":
    tap.main()
