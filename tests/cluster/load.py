"""load: clients that create, and workers that work, through any member, whatever happens to the cluster.

Rules: (1) nobody gives up on a broken connection or a 503: it is asked again, through whoever lives.
       (2) what is asked again without a key is another request with another label.
       (3) workers are honest (they keep what they hold, and name it) but for what a payload tells them to do.
"""

import collections
import http.client
import itertools
import json
import random
import secrets
import threading
import time

from cluster import BROKEN, TOKEN
from history import FAIL, OK, Create, Grant, Report, outcome_of

POLL = "1s"
ASK_SECONDS = 15  # far beyond what an answer takes, and what a takeover takes
SHUNNED_REQUESTS = 100
BEHIND_MAX = 60  # clients wait for the workers
LEASE = "2m"  # longer than any test: nothing is lost because a test machine is slow
RECURRING = {
    "rec-skip": {"every": "250ms", "overlap": "skip"},
    "rec-allow": {"every": "400ms", "overlap": "allow", "misfire": "backfill"},
    "rec-queue": {"every": "500ms", "overlap": "queue"},
    "rec-cron": {"cron": "* * * * * ?", "overlap": "allow", "misfire": "backfill"},
}
# How often each is taken.
KINDS = {"plain": 4, "keyed": 4, "failing": 2, "limited": 4, "batch": 1, "later": 1, "run_now": 1}
LIMITED_KEYS = 3
MANUAL = "manual"


def ask(member, method, path, body=None, headers=None, seconds=ASK_SECONDS):
    """Status, headers and JSON; or the exception that came instead, as a value."""
    connection = http.client.HTTPConnection("127.0.0.1", member.port, timeout=seconds)
    sent = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(headers or {})}
    try:
        connection.request(method, path, body=None if body is None else json.dumps(body).encode(), headers=sent)
        response = connection.getresponse()
        text = response.read()
        return response.status, response.headers, json.loads(text) if text else None
    except BROKEN as error:
        return error
    finally:
        connection.close()


class Person(threading.Thread):
    """A client or a worker, with chance of its own."""

    def __init__(self, load, number):
        super().__init__(daemon=True)
        self.load, self.history, self.number = load, load.history, number
        self.random = random.Random(f"{load.seed}-{type(self).__name__}-{number}")
        self.error = None
        self.shunned = {}  # a member that did not answer: it is not asked for so many requests

    def run(self):
        try:
            self.work()
        except Exception as error:  # told by Load.stop, in the test's own thread
            self.error = error

    def ask(self, what, method, path, body=None, **more):
        member = self.load.cluster.any(but=self.shunned)
        self.shunned = {one: count - 1 for one, count in self.shunned.items() if count > 1}
        answer = ask(member, method, path, body, **more)
        if isinstance(answer, TimeoutError):
            self.shunned[member] = SHUNNED_REQUESTS
        self.history.note(what, answer)
        return answer

    def ask_until_done(self, what, method, path, body=None, **more):
        """With a key, or harmless: as often as it takes. All outcomes, and the last answer."""
        outcomes = []
        end = time.monotonic() + self.load.patience_seconds
        while time.monotonic() < end:
            answer = self.ask(what, method, path, body, **more)
            outcomes.append(outcome_of(answer))
            if outcomes[-1] == OK or (outcomes[-1] == FAIL and not isinstance(answer, Exception) and answer[0] < 500):
                return outcomes, answer
            self.load.pause.wait(0.02)
        raise AssertionError(f"{what}: never answered; the last: {answer}")


class Client(Person):
    def work(self):
        kinds = [kind for kind, weight in KINDS.items() for _ in range(weight)]
        for count in itertools.count():
            while self.history.behind() > BEHIND_MAX and not self.load.is_over():
                self.load.pause.wait(0.02)
            if self.load.is_over():
                return
            if count % len(kinds) == 0:
                self.random.shuffle(kinds)  # each comes as often as it should, in some order
            getattr(self, kinds[count % len(kinds)])(f"{self.number}-{count}")

    @staticmethod
    def body(label, **more):
        return {"pool": "work", "lease": LEASE, "timeout": "5m", "payload": {"label": label}, **more}

    def create(self, label, kind, body):
        """With a key."""
        one = Create(label, True, kind)
        self.history.add(self.history.creates, one)
        outcomes, answer = self.ask_until_done(
            "create", "POST", "/v1/jobs", body, headers={"Idempotency-Key": label}
        )
        self.tell(one, outcomes, answer)
        return one

    def tell(self, one, outcomes, answer):
        with self.history.lock:
            one.outcomes += outcomes
            if outcomes[-1] == OK:
                one.ids.add(answer[2]["id"])
            elif not isinstance(answer, Exception):
                one.errors.append(answer[2])

    def keyed(self, label):
        one = self.create(label, "keyed", self.body(label))
        if self.random.random() < 0.3:  # the same again is the same job
            outcomes, answer = self.ask_until_done(
                "create again", "POST", "/v1/jobs", self.body(label), headers={"Idempotency-Key": label}
            )
            self.tell(one, outcomes, answer)

    def plain(self, label):
        one = Create(label, False, "plain")
        self.history.add(self.history.creates, one)
        answer = self.ask("plain create", "POST", "/v1/jobs", self.body(label))
        self.tell(one, [outcome_of(answer)], answer)

    def failing(self, label):
        retry = {"max_attempts": 3, "delays": ["20ms"]}
        self.create(label, "failing", self.body(label, retry=retry, payload={"label": label, "fails": 1}))

    def limited(self, label):
        key = f"key-{self.random.randrange(LIMITED_KEYS)}"
        payload = {"label": label, "limited": key}
        self.create(label, "limited", self.body(label, concurrency={"key": key, "max": 1}, payload=payload))

    def batch(self, label):
        parts = [Create(f"{label}-{number}", True, "batch") for number in range(5)]
        for one in parts:
            self.history.add(self.history.creates, one)
        outcomes, answer = self.ask_until_done(
            "batch", "POST", "/v1/jobs/batch", {"jobs": [self.body(one.label) for one in parts]},
            headers={"Idempotency-Key": label},
        )
        for one, job in zip(parts, answer[2]["ids"]):
            self.tell(one, outcomes, (answer[0], answer[1], {"id": job}))

    def later(self, label):
        """A job for tomorrow, which is cancelled."""
        one = self.create(label, "later", self.body(label, delay="24h", pool="later"))
        (job,) = one.ids
        outcomes, _ = self.ask_until_done("cancel", "PATCH", f"/v1/jobs/{job}/status", {"status": "cancelled"})
        with self.history.lock:
            one.is_cancelled = outcomes[-1] == OK

    def run_now(self, label):
        one = Create(label, True, "run_now")
        self.history.add(self.history.runs, one)
        outcomes, answer = self.ask_until_done(
            "run", "POST", f"/v1/jobs/{MANUAL}/run", {"payload": {"label": label}}, headers={"Idempotency-Key": label}
        )
        self.tell(one, outcomes, answer)


class Worker(Person):
    capacity = 4

    def __init__(self, load, number):
        super().__init__(load, number)
        self.id = f"w-{number}-{secrets.token_hex(12)}"
        self.seq = 0
        self.held, self.reports, self.seen = {}, {}, {}
        self.times = collections.Counter()  # a report was sent

    def work(self):
        while not (self.load.workers_may_go.is_set() and not self.held and not self.reports):
            self.exchange()
            self.do_something()

    def exchange(self):
        self.seq += 1
        reports = dict(self.reports)
        self.times.update(reports.keys())
        room = self.capacity - len(self.held)
        body = {
            "worker": self.id, "seq": self.seq, "pools": ["work"], "capacity": self.capacity,
            "want": 0 if self.load.workers_may_go.is_set() else room,
            "wait": "0s" if self.held else POLL,
            "holding": list(self.held), "finished": list(reports.values()),
        }
        answer = self.ask("work", "POST", "/v1/work", body)
        if outcome_of(answer) != OK:
            self.load.pause.wait(0.02)
            return
        self.hear(answer[2], reports)

    def hear(self, said, reports):
        now = time.monotonic()
        refused = {one["attempt"] for one in said["refused"]}
        for attempt, report in reports.items():
            del self.reports[attempt]
            one = Report(attempt, self.id, report["status"], attempt not in refused, self.times[attempt])
            self.history.add(self.history.reports, one)
        for item in said["attempts"]:
            if item["id"] in self.seen:  # rule 2 of history
                continue
            grant = Grant(item["id"], item["trigger"], item["job"], item["attempt"], self.id, item["payload"], now)
            self.seen[item["id"]] = grant
            self.held[item["id"]] = grant
            self.history.add(self.history.grants, grant)
        for attempt in said["cancel"]:
            self.held.pop(attempt, None)

    def do_something(self):
        """Some of what is held comes to its end."""
        for attempt, grant in list(self.held.items()):
            if self.random.random() < 0.4:
                continue  # it takes another round
            grant.end = time.monotonic()
            del self.held[attempt]
            fails = grant.number <= grant.payload.get("fails", 0)
            said = (
                {"status": "failed", "error": {"code": "told_to", "message": "x"}, "retryable": True}
                if fails else {"status": "succeeded", "result": {"by": self.id}}
            )
            self.reports[attempt] = {"attempt": attempt, **said}


class Liar(Person):
    """Reports what it was never given, and what has been over for long: all of it has to be refused."""

    def __init__(self, load, number):
        super().__init__(load, number)
        self.id = f"liar-{number}-{secrets.token_hex(12)}"
        self.seq = 0
        self.count = 0

    def work(self):
        while not self.load.is_over():
            with self.history.lock:
                grant = self.random.choice(self.history.grants[-20:]) if self.history.grants else None
            if grant is None or self.count >= 300:
                self.load.pause.wait(0.02)
                continue
            self.lie(grant)
            self.load.pause.wait(0.02)

    def lie(self, grant):
        self.seq += 1
        self.count += 1
        status = self.random.choice(["succeeded", "failed"])
        finished = [{"attempt": grant.attempt, "status": status}]
        answer = self.ask("lie", "POST", "/v1/work", {"worker": self.id, "seq": self.seq, "finished": finished})
        if outcome_of(answer) == OK:
            refused = [one["attempt"] for one in answer[2]["refused"]] == [grant.attempt]
            self.history.add(self.history.reports, Report(grant.attempt, self.id, status, not refused, is_own=False))


class Load:
    """All of them. Make it, begin(), break things, stop()."""

    def __init__(self, cluster, history, clients=3, workers=3, seed=None):
        self.cluster, self.history = cluster, history
        self.seed = secrets.token_hex(4) if seed is None else seed
        self.patience_seconds = 120
        self.pause = threading.Event()  # set when clients are to stop: waits end then
        self.workers_may_go = threading.Event()
        self.clients = [Client(self, number) for number in range(clients)] + [Liar(self, 0)]
        self.workers = [Worker(self, number) for number in range(workers)]

    def is_over(self):
        return self.pause.is_set()

    def begin(self):
        manual = {"name": MANUAL, "delay": "24h", "pool": "work", "lease": LEASE, "overlap": "allow"}
        bodies = [manual] + [{"name": name, "pool": "work", "lease": LEASE, **schedule}
                             for name, schedule in RECURRING.items()]
        for body in bodies:
            answer = ask(self.cluster.any(), "POST", "/v1/jobs", body)
            if outcome_of(answer) != OK:
                raise AssertionError(f"{body}: {answer}")
        for person in self.clients + self.workers:
            person.start()

    @staticmethod
    def join(people):
        for person in people:
            person.join(120)
            if person.error is not None:
                raise person.error
            if person.is_alive():
                raise AssertionError(f"{person} does not come to an end")

    def error(self):
        """Why somebody stopped; None: nobody did."""
        return next((person.error for person in self.clients + self.workers if person.error is not None), None)

    def stop_clients(self):
        self.pause.set()
        self.join(self.clients)

    def stop_workers(self):
        self.workers_may_go.set()
        self.join(self.workers)
