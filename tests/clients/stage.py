"""stage: a server, a witness before it and a worker that talks with the server through the witness.

    BELFRY_TEST_SERVER=path/of/belfry      runs the tests against the real server instead of the fake one
"""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))  # tap

import fake_server
import web
import witness


class RealServer:
    """`belfry up` on a free port and an empty data folder."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.url = f"http://{address}"
        self.process = subprocess.Popen([binary, "up", "--data", self.folder.name, "--listen", address])
        self.token = self.wait_for_token()

    def wait_for_token(self):
        path = pathlib.Path(self.folder.name) / "token"
        for _ in range(web.SECONDS_MAX * 10):
            try:
                if path.exists() and web.call(self.url, "GET", "/readyz")[0] == 200:
                    return path.read_text().strip()
            except OSError:
                pass  # it does not listen yet
            time.sleep(0.1)
        raise AssertionError("the server did not start")

    def close(self):
        self.process.terminate()
        self.process.wait(web.SECONDS_MAX)
        self.folder.cleanup()


def new_server():
    binary = os.environ.get("BELFRY_TEST_SERVER")
    return RealServer(os.path.abspath(binary)) if binary else fake_server.FakeServer()


class Stage(unittest.TestCase):
    """A test with a server, a witness and workers. COMMAND is how to start the worker."""

    COMMAND = []

    def setUp(self):
        self.server = new_server()
        self.addCleanup(self.server.close)
        self.witness = witness.Witness(self.server)
        self.addCleanup(self.witness.close)
        self.workers = []

    def tearDown(self):
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()
        self.assertEqual([], self.witness.complaints)

    def start(self, *arguments, token=None):
        """Starts a worker. What it prints goes to a file."""
        self.output = tempfile.NamedTemporaryFile("a")
        self.addCleanup(self.output.close)
        more = {"BELFRY_URL": self.witness.url, "BELFRY_TOKEN": token or self.server.token, "no_proxy": "*"}
        worker = subprocess.Popen(
            [*self.COMMAND, *arguments], env={**os.environ, **more}, stdout=self.output, stderr=subprocess.STDOUT
        )
        self.workers.append(worker)
        return worker

    def printed(self):
        return pathlib.Path(self.output.name).read_text()

    def stop(self, worker):
        """Asks a worker to stop, as systemd does, and returns its exit status."""
        worker.send_signal(signal.SIGTERM)
        return worker.wait(web.SECONDS_MAX)

    # ---- the server's side ----

    def call(self, method, path, body=None):
        status, answer = web.call(self.server.url, method, path, body, {"Authorization": f"Bearer {self.server.token}"})
        self.assertLess(status, 300, answer)
        return answer

    def add(self, payload, **more):
        """Creates a job that is due at once; returns its id."""
        return self.call("POST", "/v1/jobs", {"payload": payload, **more})["id"]

    def executions(self, job):
        return self.call("GET", f"/v1/jobs/{job}/executions")["items"]

    def statuses(self, job):
        """How the attempts of a job stand, oldest first."""
        return [item["status"].lower() for item in sorted(self.executions(job), key=lambda item: item["id"])]

    def cancel(self, job):
        trigger = self.call("GET", f"/v1/jobs/{job}/triggers")["items"][0]["id"]
        self.call("POST", f"/v1/triggers/{trigger}/cancel", {})

    # ---- waiting ----

    def wait_until(self, condition, what):
        self.witness.wait_until(condition, f"{what}\n{self.printed()}")

    def wait_for_statuses(self, job, *statuses):
        self.wait_until(lambda: self.statuses(job) == list(statuses), f"{job} is {statuses}, not {self.statuses(job)}")

    def wait_for_renewals(self, job, count):
        """Returns the attempt's id when its worker has named it so often."""
        self.wait_until(lambda: self.executions(job), f"{job} begins")
        attempt = self.executions(job)[0]["id"]
        self.wait_until(lambda: self.witness.renewals.get(attempt, 0) >= count, f"{attempt} is renewed {count} times")
        return attempt
