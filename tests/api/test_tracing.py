"""Traces: a context that a client gives reaches the attempts, http and exec targets; spans reach a collector."""

import http.server
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading

from otlp_sink import Sink
from server import BELFRY, ApiCase, Server

import tap

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
GIVEN = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
FORM = re.compile(r"^00-([0-9a-f]{32})-([0-9a-f]{16})-(0[01])$")


def parts(text):
    return FORM.match(text).groups()


class TraceCase(ApiCase):
    @classmethod
    def setUpClass(cls):
        cls.sink = Sink()
        cls.server = Server(words=["--otlp-endpoint", cls.sink.url])

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.sink.stop()

    def make(self, headers=None, **definition):
        return self.expect(202, "POST", "/v1/jobs", {"name": self.name, "pool": self.name, **definition},
                           headers=headers).json

    def spans(self, trigger, attempts=1):
        """The trigger's span and its attempts', when all of them are there."""
        def found():
            own, of_attempts = self.sink.of(trigger)
            return (own, of_attempts) if own and len(of_attempts) == attempts else None
        got = self.wait_for(found)
        self.assertEqual(self.sink.wrong, [])
        return got


class Context(TraceCase):
    def test_what_a_client_gives_is_gone_on_with(self):
        job = self.make(GIVEN)
        self.assertEqual(job["traceparent"], GIVEN["traceparent"])
        attempt = self.take()
        trace, span, flags = parts(attempt["traceparent"])
        self.assertEqual((trace, flags), (TRACE, "01"))
        self.assertNotEqual(span, SPAN)
        self.finish(attempt)
        own, attempts = self.spans(attempt["trigger"])
        self.assertEqual((own["traceId"], own["parentSpanId"]), (TRACE, SPAN))
        self.assertEqual((attempts[1]["traceId"], attempts[1]["spanId"]), (TRACE, span))
        self.assertEqual(attempts[1]["parentSpanId"], own["spanId"])

    def test_each_attempt_is_a_span_with_its_outcome(self):
        self.make(GIVEN, type="mail", retry={"max_attempts": 2, "delays": ["1ms"]})
        first = self.take()
        self.finish(first, "failed", error={"code": "smtp_421", "message": "busy"}, retryable=True)
        second = self.take()
        self.assertNotEqual(first["traceparent"], second["traceparent"])
        self.finish(second)
        own, attempts = self.spans(first["trigger"], 2)
        told = attempts[1]["attributes"]
        self.assertEqual(attempts[1]["status"], {"code": 2, "message": "busy"})
        self.assertEqual(attempts[2]["status"], {"code": 1})
        self.assertEqual(own["status"], {"code": 1})
        self.assertEqual((told["belfry.outcome"], told["error.type"]), ("failed", "smtp_421"))
        self.assertEqual(
            (told["belfry.tenant"], told["belfry.type"], told["belfry.pool"], told["belfry.job"], told["belfry.name"],
             told["belfry.worker"], told["belfry.scheduled_for"], told["belfry.kind"]),
            ("default", "mail", self.name, first["job"], self.name, self.name, first["scheduled_for"], "schedule"))
        self.assertEqual((attempts[1]["name"], own["name"]), ("attempt mail", "trigger mail"))

    def test_without_one_each_trigger_is_a_trace_of_its_own(self):
        self.make(every="1s")
        seen = set()
        for _ in range(2):
            attempt = self.take()
            trace, span, flags = parts(attempt["traceparent"])
            self.assertEqual(flags, "01")
            self.finish(attempt)
            own, attempts = self.spans(attempt["trigger"])
            self.assertNotIn("parentSpanId", own)
            self.assertEqual((own["traceId"], attempts[1]["spanId"]), (trace, span))
            seen.add(trace)
        self.assertEqual(len(seen), 2)

    def test_what_is_no_context_is_ignored(self):
        for wrong in ("", "00-" + TRACE.upper() + f"-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{SPAN}-01-x"):
            self.setUp()
            job = self.make({"traceparent": wrong})
            self.assertNotIn("traceparent", job)
            attempt = self.take()
            self.assertNotEqual(parts(attempt["traceparent"])[0], TRACE)
            self.finish(attempt)

    def test_a_definition_with_a_wrong_one_is_refused(self):
        answer = self.expect_problem(400, "invalid", "POST", "/v1/jobs", {"traceparent": "00-1-2-3"})
        self.assertEqual(answer["field"], "traceparent")

    def test_the_same_definition_from_another_trace_is_the_same(self):
        job = self.make(GIVEN, delay="1h")
        other = {"traceparent": f"00-{'a' * 32}-{SPAN}-01"}
        again = self.expect(200, "POST", "/v1/jobs", {"name": self.name, "pool": self.name, "delay": "1h"},
                            headers=other)
        self.assertEqual((again["id"], again["traceparent"]), (job["id"], GIVEN["traceparent"]))

    def test_a_batch_is_in_one_trace_but_for_who_names_another(self):
        mine = f"00-{'b' * 32}-{SPAN}-01"
        jobs = [{"name": self.name + "-a", "pool": self.name},
                {"name": self.name + "-b", "pool": self.name, "traceparent": mine}]
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs}, headers=GIVEN)
        traces = {}
        for attempt in self.take(2):
            traces[attempt["name"]] = parts(attempt["traceparent"])[0]
            self.finish(attempt)
        self.assertEqual(traces, {self.name + "-a": TRACE, self.name + "-b": "b" * 32})

    def test_a_run_is_in_the_trace_of_who_asked_for_it(self):
        self.make(delay="1h")
        ran = self.expect(202, "POST", f"/v1/jobs/{self.name}/run", {}, headers=GIVEN)
        attempt = self.take()
        self.assertEqual(parts(attempt["traceparent"])[0], TRACE)
        self.finish(attempt)
        own, attempts = self.spans(ran["id"])
        self.assertEqual((own["parentSpanId"], attempts[1]["traceId"]), (SPAN, TRACE))
        self.assertEqual(own["attributes"]["belfry.kind"], "manual")

    def test_what_is_not_sampled_is_not_sent(self):
        self.make({"traceparent": f"00-{'c' * 32}-{SPAN}-00"})
        silent = self.take()
        self.assertEqual(parts(silent["traceparent"])[2], "00")
        self.finish(silent)
        self.setUp()
        self.make()
        loud = self.take()
        self.finish(loud)
        self.spans(loud["trigger"])
        self.assertEqual(self.sink.of(silent["trigger"]), (None, {}))


class Targets(TraceCase):
    def worker(self):
        worker = subprocess.Popen(
            [BELFRY, "worker", "--url", f"http://127.0.0.1:{self.server.port}", "--worker-pools", self.name, "--exec",
             "on", "--private-targets", "on", "--data", self.folder],
            env={**os.environ, "BELFRY_TOKEN": self.server.token}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.send_signal, signal.SIGTERM)

    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(prefix="belfry-trace-")

    def test_a_program_finds_it_in_its_environment(self):
        self.worker()
        job = self.make(GIVEN, target={"exec": {"argv": ["/bin/sh", "-c", 'printf %s "$TRACEPARENT"']}})
        last = self.wait_for(lambda: self.expect(200, "GET", f"/v1/jobs/{job['id']}")["last_result"])
        trace = re.search(FORM.pattern[1:-1], str(self.expect(200, 'GET', f"/v1/triggers/{last['trigger']}").json))
        _, attempts = self.spans(last["trigger"])
        self.assertEqual(trace.group(1, 2), (TRACE, attempts[1]["spanId"]))

    def test_a_url_is_called_with_it(self):
        seen = []

        class Endpoint(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                seen.append(self.headers["traceparent"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        endpoint = http.server.HTTPServer(("127.0.0.1", 0), Endpoint)
        threading.Thread(target=endpoint.serve_forever, daemon=True).start()
        self.addCleanup(endpoint.server_close)
        self.addCleanup(endpoint.shutdown)
        self.worker()
        job = self.make(GIVEN, target={"http": {"url": f"http://127.0.0.1:{endpoint.server_port}/"}})
        last = self.wait_for(lambda: self.expect(200, "GET", f"/v1/jobs/{job['id']}")["last_result"])
        _, attempts = self.spans(last["trigger"])
        self.assertEqual(parts(seen[0])[:2], (TRACE, attempts[1]["spanId"]))


class Export(TraceCase):
    def test_a_collector_that_fails_for_a_while_gets_them_later(self):
        self.sink.failures = [503, 429]
        self.make()
        attempt = self.take()
        self.finish(attempt)
        self.spans(attempt["trigger"])
        self.assertGreaterEqual(self.sink.requests, 3)

    def test_what_a_collector_refuses_is_dropped_and_counted(self):
        self.sink.failures = [400]
        self.make()
        refused = self.take()
        self.finish(refused)
        self.wait_for(lambda: not self.sink.failures)
        self.setUp()
        self.make()
        taken = self.take()
        self.finish(taken)
        self.spans(taken["trigger"])
        self.assertEqual(self.sink.of(refused["trigger"]), (None, {}))
        text = self.expect(200, "GET", "/metrics").body.decode()
        self.assertGreaterEqual(int(re.search(r"^belfry_spans_dropped_total (\d+)$", text, re.M)[1]), 2)
        self.assertGreaterEqual(int(re.search(r"^belfry_spans_exported_total (\d+)$", text, re.M)[1]), 2)

    def test_the_log_names_the_collector_without_its_password(self):
        server = Server(words=["--otlp-endpoint", self.sink.url.replace("//", "//me:pass-word@")])
        log = pathlib.Path(server.data, "log")
        try:
            self.server, shared = server, self.server
            self.sink.failures = [400]
            self.make()
            self.finish(self.take())
            self.wait_for(lambda: "spans.dropped" in log.read_text())
            self.assertIn(self.sink.url, log.read_text())
            self.assertNotIn("pass-word", log.read_text())
        finally:
            self.server = shared
            server.stop()

    def test_an_endpoint_that_is_no_url_is_refused(self):
        with tempfile.TemporaryDirectory() as data:
            done = subprocess.run([BELFRY, "server", "--data", data, "--listen", "127.0.0.1:0", "--otlp-endpoint", "x"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"otlp-endpoint", done.stderr)

    def test_a_server_that_stops_sends_what_it_has(self):
        server = Server(words=["--otlp-endpoint", self.sink.url + "/v1/traces/"])
        try:
            self.server, shared = server, self.server
            self.make()
            attempt = self.take()
            self.finish(attempt)
        finally:
            self.server = shared
            self.assertEqual(server.stop(), 0)
        self.spans(attempt["trigger"])


if __name__ == "__main__":
    tap.main()
