"""What becomes of calls: what they carry, what each answer means, and what a malicious endpoint can do."""

import base64
import hashlib
import hmac
import json
import socket
import unittest

import server
import endpoint
import tap
from server import call


class Calls(unittest.TestCase):
    def setUp(self):
        self.server = server.Server()
        self.addCleanup(self.server.stop)
        self.endpoint = endpoint.Endpoint()
        self.addCleanup(self.endpoint.stop)

    def start(self, **settings):
        worker = server.Worker(self.server, **settings)
        self.addCleanup(worker.close)
        return worker

    def call(self, path, **fields):
        return self.server.run(call(self.endpoint.url + path, **fields))

    # ---- what it carries ----

    def test_the_payload_is_the_body_and_the_headers_say_what_runs(self):
        self.start()
        headers = {"X-Mine": "1", "Host": "evil", "Belfry-Job": "forged"}
        one = call(self.endpoint.url + "/json", payload={"a": [1, 2.50]}, headers=headers)
        self.assertEqual(self.server.run(one)["status"], "succeeded")
        seen = self.endpoint.calls[0]
        headers = {name.lower(): value for name, value in seen["headers"].items()}
        self.assertEqual((seen["method"], json.loads(seen["body"])), ("POST", one["payload"]))
        self.assertEqual((headers["idempotency-key"], headers["belfry-job"]), (one["idempotency_key"], one["job"]))
        self.assertEqual((headers["belfry-trigger"], headers["belfry-attempt"]), (one["trigger"], one["id"]))
        self.assertEqual(headers["belfry-scheduled-for"], one["scheduled_for"])
        self.assertEqual((headers["content-type"], headers["x-mine"]), ("application/json", "1"))
        self.assertEqual(headers["host"], self.endpoint.url[len("http://") :])
        self.assertEqual(headers["webhook-id"], one["trigger"])
        self.assertRegex(headers["traceparent"], "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$")
        self.assertNotIn("webhook-signature", headers)
        self.assertNotIn("expect", headers)

    def test_every_method_is_sent_as_it_is(self):
        self.start()
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"):
            self.assertEqual(self.call("/json", method=method)["status"], "succeeded")
            seen = self.endpoint.calls[-1]
            self.assertEqual((seen["method"], bool(seen["body"])), (method, method not in ("GET", "HEAD")))

    def test_with_a_secret_it_is_signed(self):
        key = b"0123456789abcdef01234567"
        self.start(secrets="whsec_" + base64.b64encode(key).decode())
        self.call("/json")
        seen = self.endpoint.calls[0]
        headers = {name.lower(): value for name, value in seen["headers"].items()}
        text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + seen["body"]
        proof = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        self.assertEqual(headers["webhook-signature"], "v1," + proof)

    def test_connections_are_used_again(self):
        self.start(slots=1)
        for _ in range(5):
            self.call("/json")
        self.assertEqual(self.endpoint.connections, 1)

    def test_a_host_gets_no_more_connections_than_it_may(self):
        self.start(slots=30, per_host=3)
        reports = self.server.run(*[call(self.endpoint.url + "/slow") for _ in range(30)])
        self.assertEqual({report["status"] for report in reports}, {"succeeded"})
        self.assertEqual(self.endpoint.most, 3)

    # ---- what answers mean ----

    def test_an_answer_that_is_json_is_the_result_and_other_text_is_output(self):
        self.start()
        self.assertEqual(self.call("/json")["result"], {"sent": 1, "big": 12345678901234567890})
        self.assertEqual(self.call("/text/hello")["output"], "hello")
        self.assertEqual(self.call("/text")["output"], "plain \ufffd\ufffdtext")
        self.assertTrue(self.call("/zipped")["output"].endswith(" not unpacked"))

    def test_statuses_mean_what_the_contract_says(self):
        self.start()
        for status, retryable in [(301, False), (302, False), (400, False), (404, False), (408, True), (410, False),
                                  (425, True), (429, True), (500, True), (501, True), (503, True), (599, True)]:
            report = self.call(f"/status/{status}")
            self.assertEqual((report["status"], report["error"]["code"]), ("failed", f"http_{status}"))
            self.assertEqual(report["retryable"], retryable, status)
        self.assertEqual({one["path"] for one in self.endpoint.calls if "json" in one["path"]}, set())  # no redirect
        for status in (200, 201, 204):
            self.assertEqual(self.call(f"/status/{status}")["status"], "succeeded")

    def test_the_endpoint_may_say_when_to_come_again(self):
        self.start()
        for value, expected in [("30", "30s"), ("999999999999", "1d"), ("-5", None), ("soon", None), ("0", None)]:
            self.assertEqual(self.call(f"/status/503/{value}").get("retry_after"), expected, value)
        date = endpoint.seconds_from_now(3600).replace(" ", "_")
        self.assertRegex(self.call(f"/status/429/{date}")["retry_after"], "^(59m|1h)")
        past = endpoint.seconds_from_now(-3600).replace(" ", "_")
        self.assertNotIn("retry_after", self.call(f"/status/429/{past}"))
        self.assertNotIn("retry_after", self.call("/status/404/30"))

    def test_failing_connections_are_retried(self):
        self.start()
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = nobody.getsockname()[1]
        for url, code in [
            (f"http://127.0.0.1:{port}/", "connect_failed"),
            ("http://no-such-host.invalid/", "dns_failed"),
            (self.endpoint.url.replace("http:", "https:") + "/", "tls_failed"),
            (self.endpoint.url + "/cut", "connection_lost"),
            (self.endpoint.url + "/nothing", "connection_lost"),
        ]:
            report = self.server.run(call(url))
            self.assertEqual((report["error"]["code"], report["retryable"]), (code, True), url)

    def test_only_http_is_spoken(self):
        self.start()
        for url in ("file:///etc/passwd", "gopher://127.0.0.1/", "http://", "http://[::1", ""):
            report = self.server.run(call(url))
            self.assertEqual(report["retryable"], False, url)
            self.assertIn(report["error"]["code"], ("bad_url", "bad_target"))

    def test_private_addresses_can_be_denied(self):
        self.start(deny=1)
        port = self.endpoint.url.rsplit(":", 1)[1]
        for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0"):
            report = self.server.run(call(f"http://{host}:{port}/json"))
            self.assertEqual(report["error"]["code"], "connect_failed", host)
        self.assertEqual(self.endpoint.calls, [])

    # ---- mischief ----

    def test_who_hangs_or_drips_costs_a_slot_until_the_timeout_and_nothing_else(self):
        worker = self.start(slots=8)
        paths = ("/hang", "/drip", "/hang", "/drip", "/continue")
        bad = [call(self.endpoint.url + path, timeout="1s") for path in paths]
        self.server.give(*bad)
        self.assertEqual(self.call("/json")["status"], "succeeded")
        codes = {self.server.report_of(one["id"])["error"]["code"] for one in bad}
        self.assertLessEqual(codes, {"timeout", "bad_answer"})
        self.assertIn("timeout", codes)
        worker.figures_until(lambda it: it["running"] == 0)

    def test_an_endless_body_is_cut_and_the_status_counts(self):
        self.start()
        report = self.call("/endless")
        self.assertEqual((report["status"], len(report["output"])), ("succeeded", 65536))

    def test_endless_headers_are_a_failure(self):
        self.start()
        report = self.call("/headers")
        self.assertEqual((report["error"]["code"], report["retryable"]), ("bad_answer", True))

    def test_a_cancelled_call_is_over_at_once(self):
        self.start()
        one = self.server.give(call(self.endpoint.url + "/hang"))
        self.server.wait_for(lambda: one in self.server.holding())
        self.server.cancel(one)
        self.server.wait_for(lambda: one not in self.server.holding())
        self.assertNotIn(one, self.server.reports)

    def test_a_drain_gives_hanging_calls_back(self):
        worker = self.start(grace_ms=100)
        one = self.server.give(call(self.endpoint.url + "/hang"))
        self.server.wait_for(lambda: one in self.server.holding())
        worker.say("drain")
        self.assertEqual(self.server.report_of(one)["status"], "released")
        worker.end()

    def test_nothing_leaks_over_many_calls(self):
        worker = self.start(per_host=4)
        self.server.run(*[call(self.endpoint.url + "/json") for _ in range(20)])
        before = worker.figures()["fds"]
        self.server.run(*[call(self.endpoint.url + path) for path in ("/json", "/cut", "/nothing", "/status/503") * 25])
        worker.figures_until(lambda it: it["running"] == 0 and it["fds"] <= before + 1)


if __name__ == "__main__":
    tap.main()
