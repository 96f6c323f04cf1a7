"""witness: stands between a worker and the server, checks every exchange and does harm on request.

It knows the contract and not the server, so that it watches over conversations with a real one just as well.

Rules: (1) whatever a worker says wrongly is in complaints; a test fails if there are any.
       (2) harm is what networks do: requests that do not arrive, answers that do not come back or come twice.
"""

import json
import re
import threading

import fake_server
import web

ATTEMPT = re.compile(r"att_[0-9a-z]{13}_[1-9][0-9]*")
FIELDS = {"worker": str, "seq": int, "name": str, "pools": list, "targets": list, "capacity": int, "want": int, "wait": str,
          "holding": list, "finished": list, "progress": list}  # fmt: skip
OPTIONAL = {"progress"}
REPORT_FIELDS = {"succeeded": {"result"}, "failed": {"error", "retryable", "retry_after"}, "released": set()}


class Wrong(Exception):
    pass


def need(condition, sentence):
    if not condition:
        raise Wrong(sentence)


def check_report(report):
    status = report.get("status")
    need(status in REPORT_FIELDS, f"there is no status {status!r}")
    unknown = set(report) - {"attempt", "status"} - REPORT_FIELDS[status]
    need(not unknown, f"a report of {status} has no field {unknown}")
    if status == "failed":
        need(set(report["error"]) == {"code", "message"}, "an error has a code and a message")
        need(all(isinstance(text, str) for text in report["error"].values()), "which are text")
        need(isinstance(report["retryable"], bool), "retryable is true or false")
        need(fake_server.duration(report.get("retry_after", "1s")) > 0, "retry_after is a duration")


def check_note(note, holding):
    need(set(note) - {"note"} == {"attempt", "percent"}, "a note names attempt and percent")
    need(isinstance(note["percent"], int) and 0 <= note["percent"] <= 100, "percent is 0 to 100")
    need(note["attempt"] in holding, "a note is of something held")


def check_shape(body):
    need(set(body) <= set(FIELDS), f"there are no fields {set(body) - set(FIELDS)}")
    need(set(FIELDS) - OPTIONAL <= set(body), f"the fields {set(FIELDS) - OPTIONAL - set(body)} are missing")
    for field, value in body.items():
        need(type(value) is FIELDS[field], f"{field} is no {FIELDS[field].__name__}")
    need(len(body["worker"]) >= 24, "a worker's id has 96 random bits or more")
    need(body["seq"] > 0 and body["pools"], "seq begins with 1, and some pool is served")
    need(0 <= fake_server.duration(body["wait"]) <= 60, "a wait lasts 60 s at most")
    finished = [report["attempt"] for report in body["finished"]]
    named = body["holding"] + finished
    need(all(ATTEMPT.fullmatch(id) for id in named), f"these are no attempts: {named}")
    need(len(set(named)) == len(named), f"an attempt is named twice: {named}")
    need(0 <= body["want"] <= body["capacity"] - len(body["holding"]), "more is wanted than there is room for")
    for report in body["finished"]:
        check_report(report)
    for note in body.get("progress", []):
        check_note(note, body["holding"])


class Talk:
    """What one worker has said so far."""

    def __init__(self):
        self.seq = 0
        self.held, self.reports, self.granted, self.cancelled = set(), {}, {}, set()

    def check(self, body):
        """Holds an exchange against the earlier ones. One that was overtaken on its way says nothing new."""
        if body["seq"] < self.seq:
            return
        need(body["seq"] != self.seq, f"seq {body['seq']} is used twice")
        self.seq = body["seq"]
        finished = {report["attempt"]: report for report in body["finished"]}
        named = set(body["holding"]) | set(finished)
        need(named <= set(self.granted), f"these were never given: {named - set(self.granted)}")
        for id in body["holding"]:
            need(id not in self.reports, f"{id} has ended and is held again")
        for id, report in finished.items():
            need(self.reports.setdefault(id, report) == report, f"{id} has ended in two ways")
        forgotten = self.held - named - self.cancelled
        need(not forgotten, f"these are neither held nor reported any more: {forgotten}")
        self.held = set(body["holding"])


class Witness(web.Site):
    def __init__(self, server):
        super().__init__()
        self.server = server
        self.lock = threading.Condition()
        self.talks, self.complaints, self.renewals = {}, [], {}
        self.exchanges, self.last = 0, None
        self.lose = lambda number: None  # of an exchange: None, "request" or "answer"
        self.is_repeating = False  # every answer brings what earlier ones brought

    def serve(self, method, path, headers, body):
        if path != "/v1/work":
            return self.forward(method, path, headers, body)
        said = json.loads(body)
        with self.lock:
            self.exchanges += 1
            harm = self.lose(self.exchanges)
            self.listen(said)
            self.lock.notify_all()
        if harm == "request":
            raise web.Hangup
        status, answer = self.forward(method, path, headers, body)
        if status == 200:
            self.remember(said, answer)
        if harm == "answer":
            raise web.Hangup
        return status, answer

    def forward(self, method, path, headers, body):
        kept = {name: headers[name] for name in ("Authorization", "Idempotency-Key") if name in headers}
        return web.call(self.server.url, method, path, body, kept)

    def listen(self, said):
        try:
            check_shape(said)
            self.talks.setdefault(said["worker"], Talk()).check(said)
            self.last = said
            for id in said["holding"]:
                self.renewals[id] = self.renewals.get(id, 0) + 1
        except (Wrong, ValueError, KeyError, TypeError, AttributeError) as wrong:
            self.complaints.append(f"{wrong!r} in {json.dumps(said)}")

    def remember(self, said, answer):
        with self.lock:
            talk = self.talks.setdefault(said["worker"], Talk())
            talk.cancelled |= set(answer["cancel"])
            talk.granted |= {attempt["id"]: attempt for attempt in answer["attempts"]}
            if self.is_repeating:
                answer["attempts"] = list(talk.granted.values())
            self.lock.notify_all()

    def wait_until(self, condition, what):
        """Looks after every exchange, and now and then."""
        with self.lock:
            for _ in range(web.SECONDS_MAX * 10):
                if condition():
                    return
                self.lock.wait(0.1)
        raise AssertionError(f"it did not come to this: {what}")
