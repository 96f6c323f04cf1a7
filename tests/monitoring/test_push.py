"""Alerts that the server sends by itself, to a webhook that the test plays: what comes, how often, and when it is over."""

import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import scrape
import tap

sys.path[:0] = [str(scrape.ROOT / "tests" / one) for one in ("server", "cluster")]

import postgres  # noqa: E402
import process  # noqa: E402
from server import ApiCase  # noqa: E402

TOKEN = "bf_" + "0123456789abcdefghjkmnpq" * 2
SECRET = "T0P-5ecret"


class Webhook(http.server.ThreadingHTTPServer):
    """What was sent to it. It refuses as often as refusals says."""

    def __init__(self, refusals=0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.taken, self.refused, self.refusals = [], [], refusals
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/hooks/{SECRET}?key={SECRET}"

    def of(self, alert, status=None):
        return [one for one in list(self.taken) if one["alert"] == alert and status in (None, one["status"])]

    def end(self):
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refused = len(self.server.refused) < self.server.refusals
        (self.server.refused if refused else self.server.taken).append(body)
        self.send_response(500 if refused else 204)
        self.end_headers()

    def log_message(self, *args):
        pass


class Push(unittest.TestCase):
    wait_for = ApiCase.wait_for
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="belfry-push-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.seq = 0

    def hook(self, refusals=0):
        webhook = Webhook(refusals)
        self.addCleanup(webhook.end)
        return webhook

    def start(self, url, *words):
        data = tempfile.mkdtemp(dir=self.folder)
        server = process.Process(data, "server", "--listen", "127.0.0.1:0", "--data", data, *words,
                                 env={"BELFRY_TOKEN": TOKEN, "BELFRY_ALERT_URL": url})
        server.token = lambda: TOKEN
        self.addCleanup(server.end)
        return server.ready()

    def call(self, server, method, path, body=None):
        status, _, answer = server.call(method, path, body)
        self.assertIn(status, (200, 202), answer)
        return answer

    def make_dead(self, server):
        self.call(server, "POST", "/v1/jobs", {"pool": "p"})
        self.seq += 2
        work = {"worker": "w", "pools": ["p"]}
        (attempt,) = self.call(server, "POST", "/v1/work",
                               {**work, "seq": self.seq, "want": 1, "wait": "20s"})["attempts"]
        report = {"attempt": attempt["id"], "status": "failed", "error": {"code": "boom", "message": "it went off"},
                  "retryable": False}
        self.call(server, "POST", "/v1/work", {**work, "seq": self.seq + 1, "finished": [report]})

    def test_what_is_wrong_is_told_once_and_so_is_its_end(self):
        webhook = self.hook()
        server = self.start(webhook.url)
        self.make_dead(server)
        (alert,) = self.wait_for(lambda: webhook.of("dead_letters"))
        since, at = alert.pop("since"), alert.pop("at")
        self.assertLessEqual(since, at)
        self.assertTrue(alert.pop("what_to_do") and alert.pop("server"))
        self.assertEqual(alert, {"alert": "dead_letters", "status": "firing", "severity": "warning",
                                 "summary": "1 dead letters", "subject": None, "value": 1, "threshold": 0,
                                 "url": f"http://127.0.0.1:{server.port}"})
        doctor = self.call(server, "GET", "/v1/doctor")
        (check,) = [one for one in doctor["checks"] if one["check"] == "alerts_firing"]
        self.assertIn("dead_letters", check["findings"][0]["detail"])
        self.call(server, "POST", "/v1/dead/discard", {"tenant": "default"})
        (over,) = self.wait_for(lambda: webhook.of("dead_letters", "resolved"))
        self.assertEqual((over["since"], over["value"]), (since, 0))
        self.assertEqual(len(webhook.of("dead_letters")), 2)

    def test_a_webhook_that_refuses_is_tried_again_and_the_secret_in_its_address_is_nowhere(self):
        webhook = self.hook(refusals=2)
        server = self.start(webhook.url)
        self.make_dead(server)
        self.wait_for(lambda: webhook.refused)

        def finding():
            checks = self.call(server, "GET", "/v1/doctor")["checks"]
            return next((one["findings"] for one in checks if one["check"] == "alerts_sent"), [])

        (found,) = self.wait_for(finding)
        self.assertIn("it answered 500", found["detail"])
        self.wait_for(lambda: webhook.of("dead_letters"))
        self.assertEqual(webhook.refused, [webhook.taken[0]] * 2)
        self.wait_for(lambda: not finding())
        page = server.open("GET", "/metrics").getresponse().read().decode()
        self.assertIn("\nbelfry_alert_send_failures_total 2\n", page)
        self.assertIn('\nbelfry_alert_firing{alert="dead_letters"} 1\n', page)
        self.assertEqual(scrape.promtool("check", "metrics", text=page), (0, ""))
        shown = subprocess.run([process.BELFRY, "config"], capture_output=True, text=True, check=True,
                               env=process.clean_environment({"BELFRY_ALERT_URL": webhook.url})).stdout
        self.assertIn(f"http://127.0.0.1:{webhook.server_port} ", shown)
        for text in (server.logged(), json.dumps(finding()), found["detail"], page, shown):
            self.assertNotIn(SECRET, text)

    def test_only_the_owner_tells_and_one_that_lost_its_store_tells_of_that(self):
        database = postgres.Postgres(True)
        self.addCleanup(database.stop)
        database.start()
        subprocess.run([process.BELFRY, "init", "--store", database.url], check=True, capture_output=True,
                       timeout=process.SECONDS_MAX)
        of_owner, of_other = self.hook(), self.hook()
        owner = self.start(of_owner.url, "--store", database.url)
        self.start(of_other.url, "--store", database.url)
        self.make_dead(owner)
        self.wait_for(lambda: of_owner.of("dead_letters"))
        self.assertEqual(of_other.taken, [])
        database.kill()
        (alert,) = self.wait_for(lambda: of_owner.of("store_errors"))
        self.assertEqual(alert["severity"], "critical")
        self.assertEqual(of_other.taken, [])

    def test_an_address_that_is_none_is_refused_at_the_start(self):
        data = pathlib.Path(self.folder, "data")
        done = subprocess.run([process.BELFRY, "server", "--data", data, "--alert-url", "hooks.example.com"],
                              capture_output=True, text=True, check=False, timeout=process.SECONDS_MAX)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("begins with http:// or https://", done.stderr)


if __name__ == "__main__":
    tap.main()
