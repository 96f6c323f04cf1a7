"""history: what clients and workers were told, while it happened.

What an answer says of the request (a rule of the contract):
    ok       it was done
    fail     it was certainly not done: 4xx, or Outcome: not-applied, or nobody took the connection
    info     nobody knows

Rules: (1) only what a process saw itself is written down, with its own clock (one machine, one monotonic clock).
       (2) an attempt is written down once: workers drop what they have seen.
"""

import collections
import dataclasses
import threading

OK, FAIL, INFO = "ok", "fail", "info"


def outcome_of(answer):
    """answer: (status, headers, json), or the exception that came instead."""
    if isinstance(answer, ConnectionRefusedError):
        return FAIL
    if isinstance(answer, Exception):
        return INFO
    status, headers, _ = answer
    if 200 <= status < 300:
        return OK
    return FAIL if status < 500 or headers.get("Outcome") == "not-applied" else INFO


@dataclasses.dataclass
class Create:
    """One job that was asked for. With a key it was asked for again and again, until it was done."""

    label: str
    has_key: bool
    kind: str  # of load.KINDS
    outcomes: list = dataclasses.field(default_factory=list)
    ids: set = dataclasses.field(default_factory=set)  # all that were told
    is_cancelled: bool = False  # it was told that it is
    errors: list = dataclasses.field(default_factory=list)

    @property
    def is_done(self):
        return OK in self.outcomes

    @property
    def is_impossible(self):
        return all(outcome == FAIL for outcome in self.outcomes)


@dataclasses.dataclass
class Grant:
    attempt: str
    trigger: str
    job: str
    number: int
    worker: str
    payload: dict
    begin: float  # when the worker was told
    end: float = None  # before its report was sent


@dataclasses.dataclass
class Report:
    attempt: str
    worker: str
    status: str
    is_accepted: bool
    times: int = 1  # it was sent, before it was answered
    is_own: bool = True  # False: by somebody who was never given the attempt, or after a newer one was granted


class History:
    def __init__(self):
        self.lock = threading.Lock()
        self.creates, self.runs = [], []
        self.grants, self.reports = [], []
        self.answers = collections.Counter()  # by what asked and outcome
        self.failures = []  # of requests, for people

    def note(self, what, answer):
        outcome = outcome_of(answer)
        with self.lock:
            self.answers[what, outcome] += 1
            if outcome != OK and len(self.failures) < 200:
                said = answer if isinstance(answer, Exception) else (answer[0], (answer[2] or {}).get("detail"))
                self.failures.append((what, outcome, str(said)))
        return outcome

    def add(self, where, what):
        with self.lock:
            where.append(what)

    def counts(self):
        """How much was acknowledged so far: creates, reports."""
        with self.lock:
            return sum(one.is_done for one in self.creates), sum(one.is_accepted for one in self.reports)

    def behind(self):
        done, reported = self.counts()
        return done - reported
