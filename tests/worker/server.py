"""server: the server's side of POST /v1/work, played by a script; and the worker that talks to it.

Rules: (1) it keeps the contract: reports and holding first, an unnamed attempt is sent again, a higher seq ends the
           exchange that waits, a lower or equal one is a conflict.
       (2) every exchange is kept, so that a test can ask what was said.
       (3) nothing is timed: tests wait for what they want to see, and a wait that never ends fails (SECONDS_MAX).
"""

import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))  # tap

PROBE = os.path.abspath(sys.argv[1])
SECONDS_MAX = 60  # a guard, far beyond what any wait takes

CUT = "cut"  # a fault: the connection is closed without an answer, and nothing was done
CUT_AFTER = "cut after"  # the same, after everything was done


class Exchange:
    """One that came in."""

    def __init__(self, body, headers):
        self.body, self.headers = body, headers
        self.at = time.monotonic()

    def __getattr__(self, name):
        return self.body.get(name)


class Server:
    def __init__(self):
        self.changed = threading.Condition()
        self.exchanges = []
        self.ready = []  # attempts to hand out
        self.leased = {}  # id -> [attempt, seq that granted it]
        self.reports = {}  # id -> every report for it that was taken
        self.cancelled = set()
        self.faults = []  # one is used up by each exchange: CUT, CUT_AFTER, or (status, headers)
        self.refuses = lambda body: None  # a status for a body that it will not have
        self.holds_on = False  # an exchange that may wait does so until there is something
        self.is_draining = False
        self.seq = 0
        self.port = 0
        self.web = None
        self.start()

    # ---- for the tests ----

    def start(self):
        handler = type("Handler", (Handler,), {"server_script": self})
        self.web = Web(("127.0.0.1", self.port), handler)
        self.port = self.web.server_address[1]
        threading.Thread(target=self.web.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        """Away, with every connection that it had."""
        web, self.web = self.web, None
        if web:
            web.shutdown()
            web.server_close()
            web.cut_all()
            with self.changed:
                self.changed.notify_all()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def give(self, *attempts):
        with self.changed:
            self.ready += attempts
            self.changed.notify_all()
        return attempts[0]["id"]

    def run(self, *attempts):
        """Gives them and returns the (last) report for each of them, one alone as itself."""
        self.give(*attempts)
        reports = [self.report_of(attempt["id"]) for attempt in attempts]
        return reports if len(attempts) > 1 else reports[0]

    def report_of(self, attempt):
        self.wait_for(lambda: attempt in self.reports)
        return self.reports[attempt][-1]

    def cancel(self, attempt):
        with self.changed:
            self.cancelled.add(attempt)
            self.leased.pop(attempt, None)
            self.changed.notify_all()

    def wait_for(self, condition):
        """Until condition() is true; it is looked at after every exchange."""
        with self.changed:
            if not self.changed.wait_for(condition, SECONDS_MAX):
                raise AssertionError("it never came to that")

    def holding(self):
        """What the newest exchange named."""
        return self.exchanges[-1].holding if self.exchanges else []

    # ---- the contract ----

    def exchange(self, body, headers):
        """Returns (status, headers, answer); None: cut."""
        with self.changed:
            self.exchanges.append(Exchange(body, headers))
            fault = self.faults.pop(0) if self.faults else None
            refusal = self.refuses(body)
            try:
                if fault == CUT:
                    return None
                if isinstance(fault, tuple):
                    return (*fault, {"code": "fault"})
                if refusal:
                    return refusal, {}, {"code": "refused"}
                if body["seq"] <= self.seq:
                    return 409, {}, {"code": "worker_id_shared"}
                answer = self.take(body, waits=fault != CUT_AFTER)
                return None if fault == CUT_AFTER else (200, {}, answer)
            finally:
                self.changed.notify_all()

    def take(self, body, waits):
        seq = self.seq = body["seq"]
        self.changed.notify_all()  # who waits with a lower one ends
        refused = []
        for report in body["finished"]:
            if report["attempt"] in self.cancelled:
                refused.append({"attempt": report["attempt"], "reason": "stale"})
            else:
                self.reports.setdefault(report["attempt"], []).append(report)
            self.leased.pop(report["attempt"], None)
        again = [it for it, by in self.leased.values() if it["id"] not in body["holding"] and by < seq]
        answer = {"attempts": again, "refused": refused, "cancel": [], "drain": False}
        wait = wait_seconds(body["wait"]) if waits else 0
        until = time.monotonic() + (SECONDS_MAX if self.holds_on and wait else wait)
        while True:
            room = body["want"] - len(answer["attempts"]) if self.seq == seq else 0
            for attempt in self.ready[: max(room, 0)]:
                self.leased[attempt["id"]] = (attempt, seq)
                answer["attempts"].append(attempt)
            self.ready = self.ready[max(room, 0) :]
            answer["cancel"] = [it for it in body["holding"] if it in self.cancelled]
            answer["drain"] = self.is_draining
            left = until - time.monotonic()
            done = answer["attempts"] or answer["cancel"] or self.is_draining or self.seq > seq
            if done or left <= 0 or self.web is None:
                return answer
            self.changed.wait(left)


def wait_seconds(text):
    """Of the durations that the worker sends: 20s, 250ms, 0s, 7s500ms."""
    seconds, number = 0.0, ""
    unit = ""
    for char in text + "1":
        if char.isdigit():
            if unit:
                seconds += float(number) * {"ms": 0.001, "s": 1, "m": 60}[unit]
                number, unit = "", ""
            number += char
        else:
            unit += char
    return seconds


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_script = None

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/work", self.path
        said = self.server_script.exchange(body, dict(self.headers))
        if said is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, headers, answer = said
        data = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Web(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, *args):
        self.connections = set()
        super().__init__(*args)

    def get_request(self):
        connection, address = super().get_request()
        self.connections.add(connection)
        return connection, address

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, *_):
        pass  # whom we have cut does not like it

    def cut_all(self):
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Worker:
    """The worker as a process. Ends with the test; what it said is shown if it ended badly."""

    def __init__(self, server, **settings):
        args = [f"{name}={value}" for name, value in settings.items()]
        self.errors = open(os.path.join(os.environ.get("TMPDIR", "/tmp"), f"worker-{os.getpid()}.log"), "w+b")
        os.unlink(self.errors.name)
        self.process = subprocess.Popen(
            [PROBE, server.url, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors
        )

    @property
    def pid(self):
        return self.process.pid

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def figures(self):
        self.say("figures")
        return json.loads(self.process.stdout.readline())

    def figures_until(self, condition):
        until = time.monotonic() + SECONDS_MAX
        while time.monotonic() < until:
            figures = self.figures()
            if condition(figures):
                return figures
            time.sleep(0.02)
        raise AssertionError(f"it never came to that; at last {figures}")

    def end(self):
        """Waits for the end and returns the last figures."""
        out, _ = self.process.communicate(timeout=SECONDS_MAX)
        lines = out.decode().splitlines()
        if self.process.returncode != 0 or lines[-1] != "ended":
            raise AssertionError(f"the worker ended with {self.process.returncode}: {self.log()}")
        return json.loads(lines[-2])

    def log(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def close(self):
        try:
            if self.process.poll() is None and not self.process.stdin.closed:
                self.end()
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            raise
        finally:
            self.errors.close()


NUMBERS = iter(range(1, 1 << 30))


def attempt(target, **fields):
    """An attempt for the worker; fields replace what it has."""
    number = next(NUMBERS)
    return {
        "id": f"att_{number:013d}_1",
        "trigger": f"trg_{number:013d}",
        "job": f"job_{number:013d}",
        "tenant": "acme",
        "name": "nightly",
        "type": "report",
        "pool": "default",
        "priority": 3,
        "scheduled_for": "2026-04-08T09:00:00.000Z",
        "attempt": 1,
        "failures": 0,
        "max_attempts": 5,
        "idempotency_key": f"job:job_{number:013d}:scheduled_for:2026-04-08T09:00:00.000Z",
        "payload": {"n": 1},
        "target": target,
        "timeout": "60s",
        "lease": "30s",
        **fields,
    }


def program(*argv, env=None, cwd=None, **fields):
    target = {"argv": list(argv)}
    if env is not None:
        target["env"] = env
    if cwd is not None:
        target["cwd"] = cwd
    return attempt({"exec": target}, **fields)


def call(url, **fields):
    more = {name: fields.pop(name) for name in ("method", "headers") if name in fields}
    return attempt({"http": {"url": url, **more}}, **fields)
