"""Requests through a standby: every call answers as the owner does, and nobody can tell the difference."""

import http.client
import json
import re
import socket

import cluster
import load
import tap
from cluster import SECONDS_MAX, TOKEN

# Of a connection and of a moment, not of the answer.
HEADERS_OF_THE_WAY = {"date", "content-length", "connection", "transfer-encoding", "keep-alive"}


def shape(value):
    """What a body is made of, without its values."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return "list" if isinstance(value, list) else "value"


class Story:
    """A life of jobs, told to one member; what it answered, call by call."""

    def __init__(self, member, prefix):
        self.member, self.prefix = member, prefix
        self.answers, self.asked = [], set()

    def call(self, template, body=None, headers=None, **places):
        """template: "GET /v1/jobs/{id}?limit=1"."""
        method, path = template.split(" ")
        self.asked.add(f"{method} {path.split('?')[0]}")
        connection = http.client.HTTPConnection("127.0.0.1", self.member.port, timeout=SECONDS_MAX)
        sent = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(headers or {})}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path.format(**places), body=data, headers=sent)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        names = {name.lower() for name in response.headers} - HEADERS_OF_THE_WAY
        kind = response.headers.get("Content-Type") or ""
        said = json.loads(text) if "json" in kind and text else None
        self.answers.append((template, response.status, kind, sorted(names), shape(said)))
        return said

    def create(self, name, **more):
        body = {"name": f"{self.prefix}-{name}", "pool": f"{self.prefix}-pool", **more}
        return self.call("POST /v1/jobs", body)["id"]

    def work(self, **more):
        self.seq = getattr(self, "seq", 0) + 1
        return self.call("POST /v1/work", {"worker": f"{self.prefix}-w", "seq": self.seq, **more})

    def take(self):
        return self.work(pools=[f"{self.prefix}-pool"], want=1, wait="20s")["attempts"][0]

    def tell(self):
        self.tell_of_jobs()
        self.tell_of_work()
        self.tell_of_scopes()
        self.tell_of_the_whole()
        self.tell_of_mistakes()

    def tell_of_jobs(self):
        job = self.create("daily", cron="0 9 * * *", timezone="Europe/Vienna")
        self.create("daily", cron="0 9 * * *", timezone="Europe/Vienna")
        self.call("POST /v1/jobs", {"name": f"{self.prefix}-daily", "cron": "0 8 * * *"})
        self.call("POST /v1/jobs", {"delay": "24h"}, {"Idempotency-Key": f"{self.prefix} 1"})
        self.call("POST /v1/jobs", {"delay": "24h"}, {"Idempotency-Key": f"{self.prefix} 1"})
        self.call("POST /v1/jobs", {"delay": "23h"}, {"Idempotency-Key": f"{self.prefix} 1"})
        self.call("POST /v1/jobs/batch", {"jobs": [{"delay": "24h"}] * 3})
        lines = b'{"delay":"24h"}\n{"delay":"24h"}\n'
        self.call("POST /v1/jobs/batch", lines, {"Content-Type": "application/x-ndjson"})
        for path in ("", "/next?count=3", "/triggers", "/executions", "/why", "/graph", "/versions"):
            self.call("GET /v1/jobs/{id}" + path, id=job)
        self.call("GET /v1/jobs/{id}?tenant=default", id=f"{self.prefix}-daily")
        self.call("GET /v1/jobs?limit=1")
        self.call("GET /v1/jobs?limit=1&q={prefix}", prefix=self.prefix)
        rules = self.call("GET /v1/jobs/{id}/versions", id=job)["items"][0].get("rules")
        self.call("GET /v1/rules/{rules}", rules=rules)
        self.call("PATCH /v1/jobs/{id}", {"priority": 2}, {"If-Match": '"1"'}, id=job)
        self.call("PATCH /v1/jobs/{id}", {"priority": 1}, {"If-Match": '"1"'}, id=job)
        self.call("POST /v1/jobs/{id}/backfill", {"from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z"}, id=job)
        self.call("PATCH /v1/jobs/{id}/status", {"status": "paused"}, id=job)
        self.call("DELETE /v1/jobs/{id}", id=job)
        self.call("POST /v1/schedules/preview", {"cron": "*/5 * * * *", "count": 3})

    def tell_of_work(self):
        job = self.create("work", retry={"max_attempts": 1}, delay="24h")
        self.call("POST /v1/jobs/{id}/run", {"payload": {"n": 1}}, id=job)
        attempt = self.take()
        self.work(holding=[attempt["id"]], progress=[{"attempt": attempt["id"], "percent": 40, "note": "half"}])
        self.call("GET /v1/triggers/{id}", id=attempt["trigger"])
        self.call("GET /v1/triggers/{id}/why", id=attempt["trigger"])
        self.call("GET /v1/workers?pool={pool}", pool=f"{self.prefix}-pool")
        error = {"code": "no", "message": "it does not"}
        self.work(finished=[{"attempt": attempt["id"], "status": "failed", "error": error, "retryable": False}])
        self.work(finished=[{"attempt": attempt["id"], "status": "succeeded"}])
        self.call("GET /v1/jobs/{id}/executions", id=job)
        self.call("GET /v1/dead?limit=1&error_code=no")
        self.call("GET /v1/dead/groups")
        self.call("POST /v1/dead/replay", {"triggers": [attempt["trigger"]]})
        self.call("POST /v1/dead/discard", {"triggers": [attempt["trigger"]]})
        replay = self.take()
        self.call("POST /v1/triggers/{id}/retry", id=replay["trigger"])
        self.call("POST /v1/triggers/{id}/cancel", id=replay["trigger"])
        self.work(holding=[replay["id"]])

    def tell_of_scopes(self):
        for scope in ("tenant", "pool", "type"):
            name = {scope: f"{self.prefix}-{scope}"}
            self.call(f"PUT /v1/{scope}s/{{{scope}}}", {"max_in_flight": 3}, **name)
            self.call(f"GET /v1/{scope}s/{{{scope}}}", **name)
            self.call(f"POST /v1/{scope}s/{{{scope}}}/pause", **name)
            self.call(f"POST /v1/{scope}s/{{{scope}}}/resume", {"ramp": "1s"}, **name)
            self.call(f"GET /v1/{scope}s?limit=100")
        self.call("GET /v1/pools/{pool}/stats", pool=f"{self.prefix}-pool")

    def tell_of_the_whole(self):
        for path in ("stats", "stats/history", "upcoming", "forecast?days=1", "doctor", "servers"):
            self.call(f"GET /v1/{path}")
        self.call("GET /v1/whoami")
        self.call("POST /v1/clock/accept")
        self.call("POST /v1/held/accept")
        self.call("POST /v1/backup", {"path": "/nowhere/at/all"})
        for path in ("metrics", "healthz", "readyz", "version", "openapi.json"):
            self.call(f"GET /{path}")

    def tell_of_mistakes(self):
        self.call("GET /v1/jobs/{id}", id="job_0000000000001")
        self.call("GET /v1/jobs/{id}", id="not-there")
        self.call("GET /v1/nothing")
        self.call("DELETE /v1/jobs")
        self.call("POST /v1/jobs", b"{")
        self.call("POST /v1/jobs", b"")
        self.call("POST /v1/jobs", {"nam": "x"})
        self.call("POST /v1/jobs", {"cron": "99 * * * *"})
        self.call("POST /v1/jobs", {"payload": "x" * 300000})
        self.call("POST /v1/jobs", {"payload": "x" * 3000000})
        self.call("POST /v1/work", {"worker": f"{self.prefix}-w", "seq": 1})
        self.call("GET /v1/stats?what=x")


class Standby(cluster.ClusterCase):
    size = 2

    def setUp(self):
        super().setUp()
        self.owner = self.wait_for_owner()
        (self.standby,) = self.cluster.standbys()

    def test_every_call_answers_as_at_the_owner(self):
        stories = [Story(self.owner, "own"), Story(self.standby, "stand")]
        for story in stories:
            story.tell()
        pairs = list(zip(*(story.answers for story in stories)))
        self.assertGreater(len(pairs), 80)
        self.assertEqual([pair for pair in pairs if pair[0] != pair[1]], [])
        described = load.ask(self.owner, "GET", "/openapi.json")[2]["paths"]
        calls = {f"{method.upper()} {path}" for path, methods in described.items() for method in methods
                 if method in ("get", "post", "put", "patch", "delete")}
        self.assertEqual(calls - stories[0].asked, {"GET /v1/events"})
        self.assertIs(self.cluster.owner(), self.owner)

    def test_a_payload_arrives_byte_for_byte(self):
        sent = b'{"name":"exact","delay":"24h","payload":{"price":0.10,"id":12345678901234567890}}'
        story = Story(self.standby, "x")
        story.call("POST /v1/jobs", sent)
        stored = self.database.value("SELECT def FROM belfry.jobs WHERE name = 'exact'")
        self.assertIn('"price":0.10', stored)
        self.assertIn("12345678901234567890", stored)

    def test_nobody_comes_in_without_the_token(self):
        for member in (self.owner, self.standby):
            for method, path in [("GET", "/v1/jobs"), ("GET", "/v1/stats"), ("POST", "/v1/jobs"), ("POST", "/v1/work")]:
                for said in ("Bearer wrong", "", f"Bearer {TOKEN}x"):
                    status, _, problem = load.ask(member, method, path, {}, headers={"Authorization": said})
                    self.assertEqual((status, problem["code"]), (401, "unauthorized"), (path, said))
            self.assertEqual(load.ask(member, "GET", "/healthz", headers={"Authorization": ""})[0], 200)

    def test_a_request_makes_two_hops_at_most(self):
        for hops, expected in [("0", 200), ("1", 200), ("2", 503), ("3", 503), ("-1", 503), ("x", 503)]:
            status, headers, said = load.ask(self.standby, "GET", "/v1/stats", headers={"Belfry-Hops": hops})
            self.assertEqual(status, expected, hops)
            if expected == 503:
                self.assertEqual((said["code"], headers["Outcome"]), ("no_owner", "not-applied"))
                self.assertRegex(headers["Retry-After"], r"\A\d+\Z")

    def test_a_wrong_address_of_the_owner_ends_in_a_refusal_and_not_in_a_loop(self):
        self.database.ask(f"UPDATE belfry.shards SET owner_url = '{self.standby.url}'")
        status, headers, said = self.wait_for(
            lambda: (lambda answer: answer if answer[0] != 202 else None)(
                load.ask(self.standby, "POST", "/v1/jobs", {"delay": "24h"})
            )
        )
        self.assertEqual((status, said["code"], headers["Outcome"]), (503, "no_owner", "not-applied"))
        self.assertIsNotNone(headers["Retry-After"])


class Waiting(cluster.ClusterCase):
    size = 2

    def setUp(self):
        super().setUp()
        self.owner = self.wait_for_owner()
        (self.standby,) = self.cluster.standbys()

    def workers(self, member):
        return {one["worker"]: one for one in load.ask(member, "GET", "/v1/workers")[2]["items"]}

    def poll(self, member, worker):
        """A poll under way; its socket."""
        body = json.dumps({"worker": worker, "seq": 1, "pools": ["p"], "want": 1, "wait": "60s"}).encode()
        connection = socket.create_connection(("127.0.0.1", member.port), SECONDS_MAX)
        connection.sendall(
            b"POST /v1/work HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )
        return connection

    def test_a_poll_whose_client_goes_away_at_a_standby_is_given_nothing(self):
        for number in range(3):
            gone, stays = f"gone-{number}", f"stays-{number}"
            connection = self.poll(self.standby, gone)
            self.wait_for(lambda gone=gone: self.is_waiting(gone))
            connection.close()
            self.wait_for(lambda gone=gone: not self.is_waiting(gone))
            job = load.ask(self.standby, "POST", "/v1/jobs", {"pool": "p"})[2]["id"]
            body = {"worker": stays, "seq": 1, "pools": ["p"], "want": 1, "wait": "20s"}
            (attempt,) = load.ask(self.standby, "POST", "/v1/work", body)[2]["attempts"]
            self.assertEqual((attempt["job"], attempt["attempt"]), (job, 1))

    def is_waiting(self, worker):
        return self.workers(self.owner).get(worker, {"waiting": False})["waiting"]

    def test_a_poll_that_waits_at_a_standby_is_answered_with_work_that_comes(self):
        connection = self.poll(self.standby, "w")
        self.wait_for(lambda: self.is_waiting("w"))
        job = load.ask(self.owner, "POST", "/v1/jobs", {"pool": "p"})[2]["id"]
        said = b""
        while job.encode() not in said:
            more = connection.recv(65536)
            self.assertTrue(more, said)
            said += more
        connection.close()

    def test_polls_that_wait_survive_the_owner_s_death(self):
        connection = self.poll(self.standby, "w")
        self.wait_for(lambda: self.is_waiting("w"))
        self.owner.kill()
        job = self.wait_for(lambda: load.ask(self.standby, "POST", "/v1/jobs", {"pool": "p"})[2].get("id"))
        said = b""
        while job.encode() not in said:
            more = connection.recv(65536)
            self.assertTrue(more, said)
            said += more
        self.assertTrue(said.startswith(b"HTTP/1.1 200 "), said)
        connection.close()


class Events(cluster.ClusterCase):
    size = 2

    def stream(self, member, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", member.port, timeout=SECONDS_MAX)
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {TOKEN}", **(headers or {})})
        response = connection.getresponse()
        self.assertEqual((response.status, response.headers["Content-Type"]), (200, "text/event-stream"))
        return response

    @staticmethod
    def event(response):
        """The next one: its id and its data. A stream that ended has none."""
        fields = {}
        for line in response:
            found = re.fullmatch(r"(\w+): ?(.*)\n", line.decode())
            if found:
                fields[found[1]] = found[2]
            elif line == b"\n" and "data" in fields:
                return fields["id"], json.loads(fields["data"])
            elif line == b"\n":
                fields = {}
        return None

    def test_events_come_through_a_standby_as_they_happen_and_from_where_one_was(self):
        owner = self.wait_for_owner()
        (standby,) = self.cluster.standbys()
        response = self.stream(standby)
        first = load.ask(owner, "POST", "/v1/jobs", {"delay": "24h"})[2]["id"]
        last_id, event = self.event(response)
        self.assertEqual((event["event"], event["job"]), ("job.created", first))
        second = load.ask(standby, "POST", "/v1/jobs", {"delay": "24h"})[2]["id"]
        self.assertEqual(self.event(response)[1]["job"], second)
        again = self.stream(standby, {"Last-Event-ID": last_id})
        self.assertEqual(self.event(again)[1]["job"], second)

    def test_a_stream_through_a_standby_ends_with_its_owner_and_can_be_opened_again(self):
        owner = self.wait_for_owner()
        (standby,) = self.cluster.standbys()
        response = self.stream(standby)
        owner.kill()
        self.assertIsNone(self.event(response))
        response = self.stream(standby)  # held until there is an owner
        job = load.ask(standby, "POST", "/v1/jobs", {"delay": "24h"})[2]["id"]
        self.assertEqual(self.event(response)[1]["job"], job)


if __name__ == "__main__":
    tap.main()
