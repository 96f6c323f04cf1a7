"""server: the real belfry server on a port of its own, with a data folder that goes with it; and how tests talk to it.

    class Jobs(ApiCase):
        def test_a_job_is_created(self):
            answer = self.call("POST", "/v1/jobs", {"name": "a"})
            self.assertEqual(answer.status, 202)

Rules: (1) one server for each class of tests; names are the tests' own (self.name), so that they do not meet.
       (2) nothing is timed: tests wait for what they want to see (wait_for), and a wait that never ends fails.
"""

import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))  # tap

BELFRY = os.path.abspath(sys.argv[1])
SECONDS_MAX = 60  # a guard, far beyond what any wait takes


class Answer:
    """What came back. json is None where the body is none."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.json = json.loads(self.body) if b"json" in (self.headers.get("Content-Type") or "").encode() else None

    def __getitem__(self, key):
        return self.json[key]

    def __repr__(self):
        return f"{self.status} {self.body[:2000]!r}"


class Server:
    """belfry server, started; a data folder that is given outlives it."""

    def __init__(self, data=None, words=(), port=0):
        self.is_own = data is None
        self.data = data or tempfile.mkdtemp(prefix="belfry-api-")
        self.process = subprocess.Popen(
            [BELFRY, "server", "--listen", f"127.0.0.1:{port}", "--data", self.data, *words],
            stdout=subprocess.PIPE, stderr=open(os.path.join(self.data, "log"), "ab"),
        )
        self.port = self.read_port()
        self.token = pathlib.Path(self.data, "token").read_text().strip()

    def read_port(self):
        for line in self.process.stdout:
            found = re.search(rb"http://127\.0\.0\.1:(\d+)", line)
            if found:
                return int(found[1])
        raise AssertionError("the server did not start: " + pathlib.Path(self.data, "log").read_text()[-2000:])

    def call(self, method, path, body=None, headers=None, token=None):
        """body: an object, or bytes (a generator of them: chunks) that go out as they are."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        sent = {"Authorization": f"Bearer {token if token is not None else self.token}"}
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        try:
            connection.request(method, path, body=body, headers=sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(SECONDS_MAX)
        self.process.stdout.close()
        if self.is_own:
            shutil.rmtree(self.data, ignore_errors=True)
        return self.process.returncode


class ApiCase(unittest.TestCase):
    numbers = itertools.count(1)
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.name = f"n{next(self.numbers)}"
        self.seqs = {}

    def call(self, method, path, body=None, **more):
        return self.server.call(method, path, body, **more)

    def expect(self, status, method, path, body=None, **more):
        answer = self.call(method, path, body, **more)
        self.assertEqual(answer.status, status, answer)
        return answer

    def expect_problem(self, status, code, method, path, body=None, **more):
        answer = self.expect(status, method, path, body, **more)
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        self.assertEqual(answer["code"], code, answer)
        self.assertEqual(answer["status"], status)
        self.assertTrue(answer["detail"])
        return answer

    def create(self, **definition):
        return self.expect(202, "POST", "/v1/jobs", definition).json

    def work(self, worker=None, **parts):
        """One exchange of a worker; its answer."""
        worker = worker or self.name
        self.seqs[worker] = self.seqs.get(worker, 0) + 1
        body = {"worker": worker, "seq": self.seqs[worker], "pools": [self.name], **parts}
        return self.expect(200, "POST", "/v1/work", body).json

    def take(self, count=1, **parts):
        """So many attempts of the pool that has the test's name."""
        attempts = self.work(want=count, wait="20s", **parts)["attempts"]
        self.assertEqual(len(attempts), count)
        return attempts if count > 1 else attempts[0]

    def finish(self, attempt, status="succeeded", **more):
        answer = self.work(finished=[{"attempt": attempt["id"], "status": status, **more}])
        self.assertEqual(answer["refused"], [])
        return answer

    def kill(self, message="it went off", **definition):
        """A dead letter: the id of its trigger."""
        self.create(pool=self.name, **definition)
        attempt = self.take()
        self.finish(attempt, "failed", error={"code": "boom", "message": message}, retryable=False)
        return attempt["trigger"]

    def wait_for(self, what):
        """Until what() is true; its value."""
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            value = what()
            if value:
                return value
            time.sleep(0.01)
        self.fail("it never came")
