"""fake_server: a Belfry in small: enough of the contract to work for, kept in memory.

Jobs run once, at once. It grants, renews, takes reports, cancels and drains by the contract; it has no schedules, no
gates and no store.

Rules: (1) one lock; a waiting exchange sleeps on it and is woken by every change.
       (2) an attempt that its worker does not name is sent again, under a higher seq than the one that granted it.
"""

import itertools
import re
import threading
import time

import web

TOKEN = "bf_for_the_tests"
LEASES = 4  # an attempt is lost after so many of its leases: a busy machine must not fail a test. Renewals are counted


def duration(text):
    """Seconds."""
    units = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
    parts = re.findall(r"(\d+)(ms|[smhd])", text)
    if "".join(number + unit for number, unit in parts) != text or not parts:
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(number) * units[unit] for number, unit in parts)


class Trigger:
    def __init__(self, number, job):
        self.id, self.job = f"trg_{number:013d}", job
        self.attempts, self.state, self.failures = [], "pending", 0


class Attempt:
    def __init__(self, trigger, worker, seq):
        self.trigger, self.worker, self.seq = trigger, worker, seq
        self.number = len(trigger.attempts) + 1
        self.id = f"att_{trigger.id[4:]}_{self.number}"
        self.state, self.error, self.result, self.progress = "started", None, None, None
        self.renew()

    def renew(self):
        self.until = time.monotonic() + LEASES * duration(self.trigger.job["lease"])

    def work_item(self):
        job = self.trigger.job
        return {
            "id": self.id, "trigger": self.trigger.id, "job": job["id"], "tenant": "default", "name": job["name"],
            "type": job["type"], "pool": job["pool"], "priority": 3, "scheduled_for": "2026-04-08T09:00:00.000Z",
            "attempt": self.number, "failures": self.trigger.failures, "max_attempts": job["retry"]["max_attempts"],
            "idempotency_key": f"job:{job['id']}:scheduled_for:2026-04-08T09:00:00.000Z", "payload": job["payload"],
            "target": None, "timeout": "300s", "lease": job["lease"],
        }  # fmt: skip


class FakeServer(web.Site):
    def __init__(self):
        super().__init__()
        self.token = TOKEN
        self.changed = threading.Condition()
        self.numbers = itertools.count(1)
        self.jobs, self.triggers, self.keys = {}, {}, {}
        self.seqs = {}  # worker -> the highest it has sent
        self.draining = False

    def drain(self, is_draining):
        with self.changed:
            self.draining = is_draining
            self.changed.notify_all()

    # ---- HTTP ----

    def serve(self, method, path, headers, body):
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, {"status": 401, "code": "unauthorized", "detail": "who are you?"}
        body = web.json.loads(body) if body else {}
        parts = path.strip("/").split("/")
        with self.changed:  # rule 1
            if (method, parts) == ("POST", ["v1", "work"]):
                return self.work(body)
            if (method, parts) == ("POST", ["v1", "jobs"]):
                return self.create(body, headers.get("Idempotency-Key"))
            if method == "POST" and parts[1] == "triggers" and parts[3] == "cancel":
                return self.cancel(self.triggers[parts[2]])
            if method == "GET" and parts[3] == "triggers":
                return 200, {"items": [{"id": trigger.id} for trigger in self.of(parts[2])], "next": None}
            if method == "GET" and parts[3] == "executions":
                return 200, {"items": [self.show(a) for t in self.of(parts[2]) for a in t.attempts], "next": None}
        return 404, {"status": 404, "code": "not_found", "detail": path}

    def of(self, job):
        return [trigger for trigger in self.triggers.values() if trigger.job["id"] == job]

    @staticmethod
    def show(attempt):
        return {"id": attempt.id, "status": attempt.state, "worker": attempt.worker, "error": attempt.error,
                "result": attempt.result, "progress": attempt.progress}  # fmt: skip

    def create(self, body, key):
        if key in self.keys:
            return 202, self.keys[key]
        number = next(self.numbers)
        defaults = {"type": "default", "pool": "default", "payload": {}, "lease": "30s", "retry": {"max_attempts": 5}}
        job = {**defaults, **body}
        job["id"] = f"job_{number:013d}"
        job.setdefault("name", job["id"])
        self.jobs[job["id"]] = job
        trigger = Trigger(number, job)
        self.triggers[trigger.id] = trigger
        if key:
            self.keys[key] = job
        self.changed.notify_all()
        return 202, job

    def cancel(self, trigger):
        for attempt in trigger.attempts:
            if attempt.state == "started":
                attempt.state = "cancelled"
        trigger.state = "cancelled"
        self.changed.notify_all()
        return 200, {"id": trigger.id}

    # ---- workers ----

    def work(self, body):
        worker, seq = body["worker"], body["seq"]
        if seq <= self.seqs.get(worker, 0):
            return 409, {"status": 409, "code": "worker_id_shared", "detail": f"seq {seq} is old"}
        self.seqs[worker] = seq
        self.changed.notify_all()
        refused = [refusal for report in body["finished"] for refusal in self.report(worker, report)]
        for note in body.get("progress", []):
            self.attempt(note["attempt"]).progress = note
        cancel = self.hold(worker, body["holding"])
        until = time.monotonic() + self.wait_of(worker, body)
        while True:
            answer = {"attempts": self.grant(worker, seq, body), "refused": refused, "cancel": cancel,
                      "drain": self.draining}  # fmt: skip
            is_overtaken = self.seqs[worker] != seq
            if any(answer.values()) or is_overtaken or not self.changed.wait(max(0, until - time.monotonic())):
                return 200, answer
            cancel = [id for id in body["holding"] if self.attempt(id).state != "started"]

    def wait_of(self, worker, body):
        leases = [duration(self.attempt(id).trigger.job["lease"]) / 3 for id in body["holding"]]
        return min([duration(body["wait"]), *leases])

    def attempt(self, id):
        trigger, number = id[4:].rsplit("_", 1)
        return self.triggers[f"trg_{trigger}"].attempts[int(number) - 1]

    def report(self, worker, report):
        """Takes a report; yields a refusal if it does not count."""
        attempt = self.attempt(report["attempt"])
        trigger = attempt.trigger
        if attempt.worker != worker or attempt is not trigger.attempts[-1] or attempt.state == "cancelled":
            yield {"attempt": attempt.id, "reason": "stale"}
        elif attempt.state in ("started", "lost"):
            attempt.state, attempt.error, attempt.result = report["status"], report.get("error"), report.get("result")
            trigger.failures += attempt.state == "failed"
            is_dead = attempt.state == "failed" and (
                not report["retryable"] or trigger.failures >= trigger.job["retry"]["max_attempts"]
            )
            trigger.state = "dead" if is_dead else "succeeded" if attempt.state == "succeeded" else "pending"
            self.changed.notify_all()
        elif attempt.state != report["status"]:
            yield {"attempt": attempt.id, "reason": "conflict"}

    def hold(self, worker, holding):
        """Renews what is held; returns what is to be stopped."""
        cancel = []
        for id in holding:
            attempt = self.attempt(id)
            if attempt.worker == worker and attempt.state == "started":
                attempt.renew()
            else:
                cancel.append(id)
        return cancel

    def grant(self, worker, seq, body):
        if self.seqs[worker] != seq:
            return []
        given = [
            trigger.attempts[-1]
            for trigger in self.triggers.values()
            if trigger.state == "running" and self.is_unheard(trigger.attempts[-1], worker, seq, body)  # rule 2
        ]
        for trigger in self.triggers.values():
            self.lose(trigger)
            fits = trigger.state == "pending" and trigger.job["pool"] in body["pools"] and not self.draining
            if fits and len(given) < body["want"]:
                trigger.state = "running"
                trigger.attempts.append(Attempt(trigger, worker, seq))
                given.append(trigger.attempts[-1])
        return [attempt.work_item() for attempt in given]

    @staticmethod
    def is_unheard(attempt, worker, seq, body):
        return attempt.worker == worker and attempt.seq < seq and attempt.id not in body["holding"]

    @staticmethod
    def lose(trigger):
        if trigger.state == "running" and trigger.attempts[-1].until < time.monotonic():
            trigger.attempts[-1].state, trigger.state = "lost", "pending"
