"""process: the real belfry as a process: started, asked, stopped, killed.

Rules: (1) no wait is endless (SECONDS_MAX), and none is for a fixed time.
       (2) what a test started ends with it.
"""

import http.client
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
SECONDS_MAX = 60


def clean_environment(more=None):
    """Without anything that would tell belfry where to look."""
    hidden = ("BELFRY_", "XDG_", "TZ", "NOTIFY_SOCKET", "WATCHDOG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, **(more or {})}


class Process:
    """A belfry that runs. before: words in front of the command, such as those of unshare."""

    def __init__(self, data, *words, env=None, before=(), **more):
        self.data = data
        self.log_path = pathlib.Path(tempfile.mkstemp(prefix="belfry-log-")[1])
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [*before, BELFRY, *words], stdout=subprocess.PIPE, stderr=self.log, env=clean_environment(env), **more
        )
        self.lines = []
        self.port = None

    @property
    def pid(self):
        return self.process.pid

    def read_line(self):
        line = self.process.stdout.readline().decode()
        self.lines.append(line)
        return line

    def ready(self):
        """Waits for the ready line."""
        line = self.read_line()
        found = re.fullmatch(r"belfry listens on http://127\.0\.0\.1:(\d+)\n", line)
        if not found:
            raise AssertionError(f"no ready line but {line!r}; the log: {self.logged()}")
        self.port = int(found[1])
        return self

    def logged(self):
        return self.log_path.read_text()

    def token(self):
        return pathlib.Path(self.data, "token").read_text().strip()

    def open(self, method, path, body=None, token=None):
        """A request under way; getresponse() waits for its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        headers = {"Authorization": f"Bearer {self.token() if token is None else token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        connection.request(method, path, body=body, headers=headers)
        return connection

    def call(self, method, path, body=None, token=None):
        """Status, headers, the body as JSON (None where it is none)."""
        connection = self.open(method, path, body, token)
        return self.answer(connection)

    @staticmethod
    def answer(connection):
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, response.headers, json.loads(text) if text else None

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """The exit code."""
        code = self.process.wait(SECONDS_MAX)
        self.lines += [line.decode() for line in self.process.stdout]
        return code

    def stop(self):
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.wait()

    def end(self):
        """Rule 2."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(SECONDS_MAX)
        self.process.stdout.close()
        self.log.close()
        self.log_path.unlink(missing_ok=True)


class ProcessCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="belfry-process-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.data = os.path.join(self.folder, "data")

    def begin(self, *words, **more):
        process = Process(self.data, *words, **more)
        self.addCleanup(process.end)
        return process

    def server(self, *words, **more):
        return self.begin("server", "--listen", "127.0.0.1:0", "--data", self.data, *words, **more).ready()

    def up(self, *words, **more):
        return self.begin("up", "--listen", "127.0.0.1:0", "--data", self.data, *words, **more).ready()

    def refused(self, *words, code=1, **more):
        """Runs a command that must not start; what it says on standard error."""
        process = self.begin(*words, **more)
        self.assertEqual(process.wait(), code, process.logged())
        self.assertEqual("".join(process.lines), "")
        return process.logged()

    def run_belfry(self, *words, env=None):
        done = subprocess.run(
            [BELFRY, *words], capture_output=True, env=clean_environment(env), timeout=SECONDS_MAX, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def wait_for(self, what):
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            value = what()
            if value:
                return value
            time.sleep(0.01)
        return self.fail("it never came")
