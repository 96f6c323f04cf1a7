"""belfry witness: a second pair of eyes, with the real binary on both sides."""

import http.server
import json
import os
import signal
import re
import subprocess
import tempfile
import threading
import time

import server
import tap
from server import ApiCase, Server

SECOND = 1.0


def instant(seconds_ahead):
    """A whole second, so many ahead."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds_ahead))


class Front:
    """Stands before a server and takes alarms, too. It hangs up on what is_lost(path) says, and keeps what it was asked."""

    def __init__(self, server, is_lost):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                if not is_lost(self.path):
                    answer = server.call("GET", self.path)
                    self.answer(answer.status, json.dumps(answer.json).encode())

            def do_POST(self):
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked.append("alarm " + said["condition"])
                self.answer(200, b"{}")

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class Witness(ApiCase):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(lambda: self.server.stop())
        self.front = None  # or what stands before it
        self.folder = tempfile.TemporaryDirectory(prefix="belfry-witness-")
        self.addCleanup(self.folder.cleanup)
        self.state = os.path.join(self.folder.name, "state")
        self.heard = os.path.join(self.folder.name, "heard")

    def command(self, *more):
        url = self.front.url if self.front else f"http://127.0.0.1:{self.server.port}"
        return [server.BELFRY, "witness", "--watch", url, "--token-file", os.path.join(self.folder.name, "token"),
                "--grace", "1s", "--every", "200ms", "--json", *more]

    def write_token(self):
        with open(os.path.join(self.folder.name, "token"), "w") as file:
            file.write(self.server.token)
        os.chmod(file.name, 0o600)

    def once(self, *more):
        """One look: its exit code, and what it told."""
        self.write_token()
        got = subprocess.run(self.command("--once", *more), capture_output=True, text=True, timeout=server.SECONDS_MAX)
        self.assertEqual(got.stderr, "")
        return got.returncode, [json.loads(line) for line in got.stdout.splitlines()]

    def start(self, *more):
        self.write_token()
        process = subprocess.Popen(self.command("--alert-command", f"cat >> {self.heard}", *more),
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def told(self):
        """What the alarm's command was given so far."""
        if not os.path.exists(self.heard):
            return []
        with open(self.heard) as file:
            return [json.loads(line) for line in file.read().splitlines()]

    def wait_told(self, alarm, condition):
        return self.wait_for(lambda: [one for one in self.told()
                                      if one["alarm"] == alarm and one["condition"].startswith(condition)])

    def test_a_healthy_server_gives_no_alarm(self):
        self.create(name="hourly", every="1h")
        self.create(name="paused", every="1s")
        self.expect(200, "PATCH", "/v1/jobs/paused/status", {"status": "paused"})
        self.create(name="night", cron="30 2 * * *", timezone="Europe/Paris", dst={"gap": "skip", "fold": "both"})
        self.assertEqual(self.once("--state", self.state), (0, []))
        time.sleep(3 * SECOND)  # the paused one's time comes and goes, and its grace
        self.assertEqual(self.once("--state", self.state), (0, []))

    def test_a_server_that_dies_is_told_once_and_so_is_its_return(self):
        self.create(name="soon", every="1h", starts_at=instant(6))
        process = self.start("--state", self.state)
        self.wait_for(lambda: os.path.exists(self.state) and "soon" in open(self.state).read())
        data, port = self.server.data, self.server.port
        self.server.is_own = False
        self.server.stop(signal.SIGKILL)
        raised = self.wait_told("raised", "server ")
        self.assertIn("does not answer", raised[0]["text"])
        fire = self.wait_told("raised", "fire ")  # by its own calendar
        self.assertIn("job soon of tenant default should have fired at", fire[0]["text"])
        self.server = Server(data, port=port)
        self.server.is_own = True
        self.wait_told("resolved", "server ")
        self.assertEqual(len([one for one in self.told() if one["condition"].startswith("server ")]), 2)
        process.kill()

    def test_a_fire_that_nobody_takes_is_an_alarm_until_somebody_does(self):
        self.create(name="late", every="1h", starts_at=instant(1), pool=self.name)
        self.start()
        raised = self.wait_told("raised", "fire ")
        self.assertRegex(raised[0]["text"], r"^job late of tenant default should have fired at .* and has not, grace 1 s$")
        self.finish(self.take())
        self.wait_told("resolved", "fire ")
        self.assertEqual(len(self.told()), 2)

    def test_a_restart_does_not_tell_twice(self):
        self.create(name="late", run_at=instant(-10), pool=self.name)
        code, lines = self.once("--job", "late", "--state", self.state)
        self.assertEqual((code, [one["alarm"] for one in lines]), (1, ["raised"]))
        self.assertEqual(self.once("--job", "late", "--state", self.state), (1, []))
        self.finish(self.take())
        code, lines = self.once("--job", "late", "--state", self.state)
        self.assertEqual((code, [one["alarm"] for one in lines]), (0, ["resolved"]))

    def test_an_alarm_is_posted_again_until_it_is_taken(self):
        got, answers = [], [500, 200, 200]

        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                got.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                self.send_response(answers[min(len(got), len(answers)) - 1])
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

        hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        self.addCleanup(hook.server_close)
        self.addCleanup(hook.shutdown)
        self.create(name="late", every="1h", starts_at=instant(1), pool=self.name)
        self.write_token()
        url = f"http://127.0.0.1:{hook.server_address[1]}/hooks/ops?room=1"
        process = subprocess.Popen(self.command("--alert-url", url), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for(lambda: len(got) >= 2)
        self.assertEqual([(path, one["alarm"]) for path, one in got[:2]], 2 * [("/hooks/ops?room=1", "raised")])
        self.finish(self.take())
        self.wait_for(lambda: len(got) >= 3)
        self.assertEqual(got[2][1]["alarm"], "resolved")

    def put_front(self, is_lost):
        self.front = Front(self.server, is_lost)
        self.addCleanup(self.front.close)
        return self.front

    def test_an_address_that_is_gone_is_told_before_anything_else_is_asked(self):
        front = self.put_front(lambda path: True)
        code, lines = self.once("--alert-url", front.url)
        self.assertEqual((code, [one["condition"] for one in lines]), (1, [f"server {front.url}"]))
        told = front.asked.index(f"alarm server {front.url}")
        self.assertEqual(set(front.asked[:told]), {"/healthz"})
        self.assertEqual({path.split("?")[0] for path in front.asked[told + 1:]}, {"/v1/jobs"})

    def test_once_nobody_answers_what_is_due_is_told_without_asking(self):
        for name in ("a", "b", "c"):
            self.create(name=name, run_at=instant(-10), pool=self.name)
        front = self.put_front(lambda path: path.startswith("/v1/jobs/job_"))
        code, lines = self.once("--job", "a", "--job", "b", "--job", "c")
        self.assertEqual((code, len(lines)), (1, 3))
        for name, one in zip("abc", lines):
            self.assertRegex(one["text"], rf"^job {name} of .* nobody can say whether it has: the server does not answer")
        lost = [path for path in front.asked if re.match("/v1/jobs/job_", path)]
        self.assertEqual(len(set(lost)), 1)

    def test_skips_are_alarms_where_that_is_asked_for(self):
        self.create(name="skips", every="1s", pool=self.name, overlap="skip")
        self.take()  # it runs, and never ends
        self.start("--skips")
        self.assertIn("was skipped", self.wait_told("raised", "fire ")[0]["text"])

    def test_a_token_that_is_wrong_is_said(self):
        self.server.token = "bf_nonsense"
        code, lines = self.once()
        self.assertEqual(code, 1)
        self.assertIn("refused", {one["condition"] for one in lines})


if __name__ == "__main__":
    tap.main()
