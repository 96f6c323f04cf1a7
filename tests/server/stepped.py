"""stepped: a belfry whose wall clock a test steps while it runs (clock_step.c); its monotonic clock is the real one.

Rules: (1) the test's own clock is the real one; clock.now_ms() is what the server's shows.
       (2) nothing waits for a step to be noticed by itself unless that is what is shown: every command tells the engine
           what time it is.
"""

import datetime
import os
import struct
import tempfile
import time

import process


def in_ms(instant):
    at = datetime.datetime.fromisoformat(instant.replace("Z", "+00:00"))
    return round(at.timestamp() * 1000)


class Clock:
    """A file that says how far the wall clock is ahead."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "clock")
        self.ahead_ms = 0
        self.latest_ms = 0  # that it has ever shown
        self.write()

    def write(self):
        with open(self.path, "r+b" if os.path.exists(self.path) else "wb") as file:
            file.write(struct.pack("=q", self.ahead_ms))
        self.now_ms()

    def step(self, seconds):
        self.now_ms()
        self.ahead_ms += round(seconds * 1000)
        self.write()

    def now_ms(self):
        now_ms = time.time_ns() // 1_000_000 + self.ahead_ms
        self.latest_ms = max(self.latest_ms, now_ms)
        return now_ms

    def environment(self, library):
        # Sanitizers want to come first, and do as well behind this.
        return {"LD_PRELOAD": library, "BELFRY_TEST_CLOCK": self.path, "ASAN_OPTIONS": "verify_asan_link_order=0"}


class SteppedCase(process.ProcessCase):
    library = None  # clock_step.so; the test's file says where

    def setUp(self):
        super().setUp()
        self.clock = Clock(tempfile.mkdtemp(dir=self.folder))
        self.seq = 0

    def start(self, *words, **more):
        return self.server(*words, env=self.clock.environment(self.library), **more)

    def create(self, server, **body):
        status, _, job = server.call("POST", "/v1/jobs", body)
        self.assertEqual(status, 202, job)
        return job

    def work(self, server, **parts):
        self.seq += 1
        body = {"worker": "w", "seq": self.seq, **parts}
        status, _, answer = server.call("POST", "/v1/work", body)
        self.assertEqual(status, 200, answer)
        return answer

    def granted(self, server, pool="default", wait="0s", want=100, **parts):
        """What a worker gets; nothing is early, whatever the clock does."""
        attempts = self.work(server, pools=[pool], want=want, wait=wait, **parts)["attempts"]
        self.clock.now_ms()
        for attempt in attempts:
            self.assertLessEqual(in_ms(attempt["scheduled_for"]), self.clock.latest_ms)
        return attempts

    def finish(self, server, attempt):
        answer = self.work(server, finished=[{"attempt": attempt["id"], "status": "succeeded"}])
        self.assertEqual(answer["refused"], [])

    def why(self, server, job):
        status, _, answer = server.call("GET", f"/v1/jobs/{job}/why")
        self.assertEqual(status, 200, answer)
        return answer

    def gates(self, server, job):
        return [gate["gate"] for gate in self.why(server, job)["gates"]]

    def ledger(self, server, job):
        """What became of the job's fires, oldest first: (status or reason, nominal times since it was created in s)."""
        return list(reversed(server.call("GET", f"/v1/jobs/{job}/triggers?limit=1000")[2]["items"]))

    def stats(self, server):
        return server.call("GET", "/v1/stats")[2]

    def metric(self, server, name):
        connection = server.open("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        found = [line for line in text.splitlines() if line.startswith(name + " ")]
        return float(found[0].split()[-1])

    def finding(self, server, check):
        checks = server.call("GET", "/v1/doctor")[2]["checks"]
        return next(one for one in checks if one["check"] == check)["findings"]

    def belfry(self, server, *words):
        return self.run_belfry(*words, "--url", f"http://127.0.0.1:{server.port}", "--data", self.data)
