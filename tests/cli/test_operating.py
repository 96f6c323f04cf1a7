"""Operating on the command line: dead letters, tenants, pools, types, workers, servers, the doctor, events, backups."""

import json
import os
import tempfile

import api_case
import tap
from api_case import DONE, REFUSED, USAGE

TRIGGER = "trg_06c4q0wm8g001"


class Dead(api_case.ApiCase):
    def test_they_are_listed_with_a_filter(self):
        head, row = self.lines("dead", "list", "--tenant", "acme", "--type", "t", "--error-code", "smtp_421",
                               "--since", "2026-04-08T00:00:00Z")
        self.assertIn("http_404: the answer was 404 Not Found", row)
        self.assertIn(TRIGGER, row)
        self.assertEqual(self.api.last().query, {"tenant": "acme", "type": "t", "error_code": "smtp_421",
                                                 "since": "2026-04-08T00:00:00Z", "limit": "50"})
        self.assertEqual(self.lines("dead"), [head, row])

    def test_named_ones_are_replayed_or_discarded(self):
        self.assertIn("12 dead letters replayed", self.done("dead", "replay", TRIGGER))
        self.assertEqual((self.api.last().path, self.body()), ("/v1/dead/replay", {"triggers": [TRIGGER]}))
        self.assertIn("discarded", self.done("dead", "discard", TRIGGER))
        self.assertEqual(self.api.last().path, "/v1/dead/discard")

    def test_a_filter_chooses_them_at_a_rate(self):
        self.done("dead", "replay", "--tenant", "acme", "--error-code", "smtp_421", "--rate", "50/s", "--key", "k")
        self.assertEqual(self.body(), {"tenant": "acme", "error_code": "smtp_421", "rate": "50/s"})
        self.assertEqual(self.api.last().headers["idempotency-key"], "k")

    def test_nothing_is_done_where_it_is_not_clear_what(self):
        for args, word in [
            (("replay",), "which ones"),
            (("discard", "--rate", "1/s"), "which ones"),
            (("replay", TRIGGER, "--type", "x"), "not both"),
            (("replay", "job_06c4q0wm8g001"), "not the id of a trigger"),
            (("resurrect", TRIGGER), "list, replay or discard"),
            (("list", "--rate", "1/s"), "--rate"),
            (("replay", TRIGGER, "--all"), "--all"),
            (("replay", TRIGGER, "--after", "x"), "not both"),
            (("replay", "--after", "x"), "which ones"),
            (("discard", TRIGGER, "--key", "k"), "--key"),
            (("list", "--since", "yesterday"), "--since"),
        ]:
            self.assertIn(word, self.refused(USAGE, "dead", *args))
        self.assertEqual(self.api.asked, [])

    def test_what_was_not_dead_and_what_is_left_is_told(self):
        answer = {"accepted": 1, "not_dead": 2, "more": True, "next": "06c4q0wm8g000", "triggers": []}
        self.api.answer("POST", "/v1/dead/replay", answer, 202)
        out = self.done("dead", "replay", "--type", "x")
        self.assertIn("1 dead letter replayed; 2 of those named are not dead, or being replayed", out)
        self.assertIn("there may be more that match; add --after 06c4q0wm8g000 for the next", out)
        self.done("dead", "replay", "--type", "x", "--after", "06c4q0wm8g000")
        self.assertEqual(self.body(), {"type": "x", "after": "06c4q0wm8g000"})


class Scopes(api_case.ApiCase):
    KINDS = [("tenants", "tenant", "acme"), ("pools", "pool", "email"), ("types", "type", "send_email")]

    def test_they_are_listed(self):
        for command, _, name in self.KINDS:
            head, row = self.lines(command)
            self.assertTrue(head.startswith(command[:-1].upper()), head)
            self.assertTrue(row.startswith(name), row)
            self.assertIn("active", row)
        self.assertIn("max_in_flight 10, rate 100/s", self.done("tenants"))

    def test_one_is_shown(self):
        for command, word, name in self.KINDS:
            out = self.done(command, "show", name)
            self.assertTrue(out.startswith(f"{word} {name}\n"), out)
            self.assertEqual((self.api.last().method, self.api.last().path), ("GET", f"/v1/{command}/{name}"))

    def test_setting_keeps_what_is_not_named(self):
        self.done("tenants", "set", "acme", "weight=5", "rate=none", 'retry={"max_attempts":3}', "timeout=5m")
        self.assertEqual([asked.method for asked in self.api.asked], ["GET", "PUT"])
        self.assertEqual(
            self.body(), {"max_in_flight": 10, "weight": 5, "retry": {"max_attempts": 3}, "timeout": "5m"}
        )

    def test_replacing_keeps_nothing(self):
        self.done("pools", "set", "email", "rate=10/s", "--replace")
        self.assertEqual([asked.method for asked in self.api.asked], ["PUT"])
        self.assertEqual(self.body(), {"rate": "10/s"})
        self.done("pools", "set", "email", "burst=2", "--json-file", "-", stdin=b'{"rate":"1/s"}')
        self.assertEqual(self.body(), {"rate": "1/s", "burst": 2})

    def test_a_type_may_be_narrowed_to_a_tenant(self):
        self.done("types", "set", "send_email", "rate=1/s", "--tenant", "acme")
        self.assertEqual({asked.query.get("tenant") for asked in self.api.asked}, {"acme"})

    def test_pause_and_resume(self):
        for command, word, name in self.KINDS:
            self.assertEqual(self.done(command, "pause", name), f"paused {word} {name}\n")
            self.assertEqual(self.done(command, "resume", name), f"resumed {word} {name}\n")
            self.assertEqual(self.api.last().body, b"")
            self.done(command, "resume", name, "--ramp", "5m")
            self.assertEqual(self.body(), {"ramp": "5m"})

    def test_mistakes_are_found_before_anything_is_sent(self):
        for args, word in [
            (("set", "email", "max_inflight=3"), "max_in_flight"),
            (("set", "email", "rate"), "NAME=VALUE"),
            (("set", "email"), "which settings"),
            (("set",), "which pool"),
            (("show",), "which pool"),
            (("show", "a", "b"), "unexpected"),
            (("resume", "email", "--ramp", "slowly"), "--ramp"),
            (("pause", "email", "--ramp", "5m"), "--ramp"),
            (("show", "email", "--replace"), "--replace"),
            (("pause", "email", "--limit", "3"), "--limit"),
            (("stop", "email"), "list show set pause resume"),
        ]:
            self.assertIn(word, self.refused(USAGE, "pools", *args))
        self.assertEqual(self.api.asked, [])


class Figures(api_case.ApiCase):
    def test_workers_and_servers_are_tables(self):
        worker = self.api.description.example({"$ref": "#/components/schemas/Worker"})
        self.api.answer("GET", "/v1/workers", {"items": [{**worker, "capacity": 16}], "next": None})
        self.assertIn("12 of 16", self.lines("workers", "--pool", "email")[1])
        self.assertEqual(self.api.last().query["pool"], "email")
        server = self.api.description.example({"$ref": "#/components/schemas/Server"})
        self.api.answer("GET", "/v1/servers", {"items": [server, {**server, "shards": [], "epoch": None}], "next": None})
        lines = self.lines("servers")
        self.assertIn("belfry-1", lines[1])
        self.assertIn("standby", lines[2])

    def doctor(self, severity):
        check = self.api.description.example({"$ref": "#/components/schemas/Check"})
        finding = {"detail": "pool email has 1204 ready and no worker", "advice": "start workers that serve email",
                   "command": "belfry worker --worker-pools email", "examples": ["trg_06c4q0wm8g001"]}
        well = {**check, "severity": "ok", "detail": "7 workers are there", "findings": []}
        ill = {**check, "severity": severity, "title": "Is it so?", "findings": [finding]}
        self.api.answer("GET", "/v1/doctor", {"at": "2026-04-08T09:00:00.000Z", "severity": severity,
                                              "checks": [well, ill]})

    def test_the_doctor_advises(self):
        self.doctor("warning")
        out = self.done("doctor")
        for text in ["ok ", "7 workers are there", "warning ", "Is it so?", "1204 ready", "start workers",
                     "belfry worker --worker-pools email", "belfry show trg_06c4q0wm8g001"]:
            self.assertIn(text, out)
        self.assertNotIn("ok ", self.done("doctor", "--quiet"))

    def test_what_is_critical_ends_with_1(self):
        self.doctor("critical")
        self.assertEqual(self.run_belfry("doctor").code, REFUSED)
        self.assertEqual(self.run_belfry("doctor", "--json").code, REFUSED)

    def test_the_clock_is_accepted(self):
        self.assertIn("2026-04-08 09:00:00Z", self.done("clock", "accept"))
        self.refused(USAGE, "clock")

    def test_what_is_stored_is_accepted(self):
        self.assertIn("workers are given", self.done("accept"))
        self.refused(USAGE, "accept", "clock")


class Backup(api_case.ApiCase):
    def test_the_server_writes_where_it_is_told(self):
        self.assertIn("/var/backups/belfry.db: 12 bytes", self.done("backup", "/var/backups/belfry.db"))
        self.assertEqual(self.body(), {"path": "/var/backups/belfry.db"})

    def test_a_path_is_made_absolute(self):
        self.done("backup", "belfry.db")
        self.assertEqual(self.body(), {"path": os.path.join(os.getcwd(), "belfry.db")})

    def test_a_restore_says_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("/nonexistent/backup", self.refused(REFUSED, "restore", "/nonexistent/backup", "--data", folder))
        got = self.run_belfry("restore", "/nonexistent/backup", "--data", "/nonexistent", "--json")
        self.assertEqual((got.code, list(json.loads(got.out))), (REFUSED, ["error"]))


class Backfill(api_case.ApiCase):
    def test_a_range_is_sent(self):
        out = self.done("backfill", "acme/x", "--from", "2026-04-01T00:00:00Z", "--to", "2026-04-02T00:00:00Z")
        self.assertIn("12 triggers made", out)
        self.assertEqual(self.body(), {"from": "2026-04-01T00:00:00Z", "to": "2026-04-02T00:00:00Z"})
        self.assertIn("idempotency-key", self.api.last().headers)

    def test_a_range_that_is_none_is_refused(self):
        for args in [(), ("--from", "2026-04-01T00:00:00Z"), ("--from", "x", "--to", "y"),
                     ("--from", "2026-04-02T00:00:00Z", "--to", "2026-04-01T00:00:00Z")]:
            self.refused(USAGE, "backfill", "x", *args)


class Events(api_case.ApiCase):
    STREAM = (
        b": hello\n\nid: 1-1\nevent: attempt.finished\ndata: "
        b'{"event":"attempt.finished","at":"2026-04-08T09:00:01.250Z","batch":1,"tenant":"acme","name":"x",'
        b'"status":"succeeded","duration_ms":1250}\n\n'
        b'id: 1-2\ndata: {"event":"gap","at":"2026-04-08T09:00:02.000Z","batch":2,"count":7}\n\n'
    )

    def stream(self, handler, asked):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b"retry: 1\n\n" + self.STREAM)
        handler.close_connection = True

    def test_they_are_lines(self):
        self.api.answer("GET", "/v1/events", self.stream)
        lines = self.lines("events", "--count", "2", "--tenant", "acme", "--event", "attempt.finished,gap")
        self.assertIn("attempt.finished", lines[0])
        self.assertIn("acme/x  succeeded  1.2 s", lines[0])
        self.assertIn("7", lines[1])
        self.assertEqual(self.api.last().query, {"tenant": "acme", "event": "attempt.finished,gap"})

    def test_a_job_is_given_by_name_tenant_and_name_or_id(self):
        self.api.answer("GET", "/v1/events", self.stream)
        for words, query in [(("x",), {"job": "x"}), (("acme/x",), {"job": "x", "tenant": "acme"}),
                             (("x", "--tenant", "acme"), {"job": "x", "tenant": "acme"}),
                             (("job_06c4q0wm8g000",), {"job": "job_06c4q0wm8g000"})]:
            self.done("events", "--count", "1", "--job", *words)
            self.assertEqual(self.api.last().query, query)
        self.refused(USAGE, "events", "--job", "acme/x", "--tenant", "other")

    def test_json_is_a_line_for_each(self):
        self.api.answer("GET", "/v1/events", self.stream)
        self.assertEqual([json.loads(line)["event"] for line in self.lines("events", "--count", "2", "--json")],
                         ["attempt.finished", "gap"])

    def test_a_broken_stream_goes_on_behind_the_last_one_seen(self):
        self.api.answer("GET", "/v1/events", self.stream)
        self.assertEqual(len(self.lines("events", "--count", "4")), 4)
        self.assertEqual([asked.headers.get("last-event-id") for asked in self.api.asked], [None, "1-2"])
        self.done("events", "--count", "1", "--last-id", "9-9")
        self.assertEqual(self.api.last().headers["last-event-id"], "9-9")

    def test_a_refusal_ends_it(self):
        self.api.problem("GET", "/v1/events", 403, "forbidden", "this key belongs to tenant acme")
        self.assertIn("belongs to tenant acme", self.refused(REFUSED, "events"))


if __name__ == "__main__":
    tap.main()
