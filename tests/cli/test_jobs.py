"""Jobs on the command line: what is sent for what is typed, and what is shown for what is answered."""

import api_case
import tap
from api_case import DONE, REFUSED, USAGE


class Add(api_case.ApiCase):
    def sent(self, *args, **more):
        self.done("add", *args, **more)
        self.assertEqual((self.api.last().method, self.api.last().path), ("POST", "/v1/jobs"))
        return self.body()

    def test_a_name_alone_is_a_job_that_runs_now(self):
        self.assertEqual(self.sent("welcome"), {"name": "welcome"})

    def test_a_tenant_may_stand_before_the_name_or_in_an_option(self):
        wanted = {"tenant": "acme", "name": "welcome"}
        self.assertEqual(self.sent("acme/welcome"), wanted)
        self.assertEqual(self.sent("welcome", "--tenant", "acme"), wanted)
        self.assertEqual(self.sent("acme/welcome", "--tenant=acme"), wanted)
        self.assertIn("one of them", self.refused(USAGE, "add", "acme/welcome", "--tenant", "other"))

    def test_every_plain_option_becomes_its_field(self):
        sent = self.sent(
            *("report", "--cron", "0 9 * * MON-FRI", "--tz", "America/New_York"),
            *("--dst-gap", "skip", "--dst-fold", "both"),
            *("--starts", "2027-01-01T00:00:00Z", "--ends", "2028-01-01T00:00:00+01:00", "--max-fires", "10"),
            *("--jitter", "30s", "--overlap", "queue", "--misfire", "backfill", "--misfire-after", "5m"),
            *("--timeout", "2h", "--lease", "1m", "--expires", "1h", "--type", "report", "--pool", "slow"),
            *("--priority", "1", "--created-by", "ada"),
        )
        self.assertEqual(
            sent,
            {
                **{"name": "report", "cron": "0 9 * * MON-FRI", "timezone": "America/New_York"},
                **{"dst": {"gap": "skip", "fold": "both"}, "starts_at": "2027-01-01T00:00:00Z"},
                **{"ends_at": "2028-01-01T00:00:00+01:00", "max_fires": 10, "jitter": "30s", "overlap": "queue"},
                **{"misfire": "backfill", "misfire_after": "5m", "timeout": "2h", "lease": "1m"},
                **{"expires_after": "1h", "type": "report", "pool": "slow", "priority": 1, "created_by": "ada"},
            },
        )

    def test_clock_changes_have_the_same_words_as_in_next(self):
        for gap, fold in [("--dst-gap", "--dst-fold"), ("--gap", "--fold")]:
            sent = self.sent("x", "--cron", "30 2 * * *", gap, "shift", fold, "second")
            self.assertEqual(sent["dst"], {"gap": "shift", "fold": "second"})
            self.done("next", "30 2 * * *", gap, "shift", fold, "second")
        self.assertIn("twice", self.refused(USAGE, "add", "x", "--gap", "skip", "--dst-gap", "skip"))

    def test_a_name_that_is_taken_is_to_be_edited(self):
        self.api.problem("POST", "/v1/jobs", 409, "conflict", "change it with PATCH", field="name")
        for name, shown in [("x", "x"), ("acme/x", "acme/x"), ("default/x", "x")]:
            message = self.refused(REFUSED, "add", name)
            self.assertIn(f"belfry edit {shown} ...", message)
            self.assertNotIn("PATCH", message)
        self.assertIn("PATCH", self.run_belfry("add", "x", "--json").out)

    def test_there_are_four_ways_to_say_when(self):
        at = "2027-01-01T09:00:00Z"
        for args, wanted in [
            (("--at", at), {"run_at": at}),
            (("--in", "1h30m"), {"delay": "1h30m"}),
            (("--every", "5m"), {"every": "5m"}),
            (("--every", "5m", "--after-finish"), {"every": {"interval": "5m", "after": "finish"}}),
            (("--depends-on", "a", "--depends-on", "b=done"), {"depends_on": ["a", {"job": "b", "on": "done"}]}),
        ]:
            self.assertEqual(self.sent("x", *args), {"name": "x", **wanted})

    def test_retries_are_a_list_or_a_formula(self):
        listed = self.sent("x", "--max-attempts", "3", "--retry-delays", "30s,2m, 10m", "--retry-jitter", "0.5")
        self.assertEqual(listed["retry"], {"max_attempts": 3, "delays": ["30s", "2m", "10m"], "jitter": 0.5})
        formula = self.sent("x", "--retry-base", "1s", "--retry-factor", "2", "--retry-max", "5m")
        self.assertEqual(formula["retry"], {"base": "1s", "factor": 2, "max": "5m"})
        self.assertIn("not both", self.refused(USAGE, "add", "x", "--retry-base", "1s", "--retry-delays", "1s"))

    def test_dead_letters_keys_and_labels(self):
        sent = self.sent(
            *("x", "--dead-replay-after", "1h", "--dead-max-replays", "3", "--concurrency-key", "customer-7"),
            *("--concurrency-max", "2", "--label", "team=billing", "--label", "note=a=b"),
        )
        self.assertEqual(sent["dead_policy"], {"replay_after": "1h", "max_replays": 3})
        self.assertEqual(sent["concurrency"], {"key": "customer-7", "max": 2})
        self.assertEqual(sent["labels"], {"team": "billing", "note": "a=b"})

    def test_a_url_is_called(self):
        sent = self.sent("x", "--http", "https://example.org/r", "--method", "PUT", "--header", "X-Team: billing: a")
        headers = {"X-Team": "billing: a"}
        self.assertEqual(
            sent["target"], {"http": {"url": "https://example.org/r", "method": "PUT", "headers": headers}}
        )

    def test_what_stands_behind_two_dashes_is_a_command(self):
        sent = self.sent("x", "--env", "LANG=C.UTF-8", "--cwd", "/srv", "--", "/bin/publish", "--all", "-h", "a b")
        self.assertEqual(
            sent["target"],
            {"exec": {"argv": ["/bin/publish", "--all", "-h", "a b"], "env": {"LANG": "C.UTF-8"}, "cwd": "/srv"}},
        )

    def test_an_option_without_what_it_belongs_to_is_not_lost(self):
        for args, word in [
            (("--method", "GET"), "--http"),
            (("--header", "A: b"), "--http"),
            (("--env", "A=b"), "command"),
            (("--cwd", "/srv"), "command"),
            (("--after-finish",), "--every"),
            (("--http", "http://a.example", "--", "true"), "not both"),
            (("--label", "team"), "="),
            (("--header", "nothing", "--http", "http://a.example"), ":"),
            (("true",), "--"),
        ]:
            self.assertIn(word, self.refused(USAGE, "add", "x", *args))
        self.assertEqual(self.api.asked, [])

    def test_typing_errors_are_found_before_anything_is_sent(self):
        for option, value in [
            ("--in", "5"),
            ("--every", "five"),
            ("--at", "tomorrow"),
            ("--timeout", "1m1h"),
            ("--max-fires", "many"),
            ("--overlap", "sometimes"),
            ("--retry-delays", "1s,,2s"),
            ("--retry-factor", "2x"),
            ("--priority", "9"),
            ("--payload", "{to: ada}"),
            ("--payload", "@/nonexistent/file"),
        ]:
            message = self.refused(USAGE, "add", "x", option, value)
            self.assertIn(option, message)
        self.assertIn("twice", self.refused(USAGE, "add", "x", "--type", "a", "--type", "b"))
        self.assertEqual(self.api.asked, [])

    def test_a_payload_keeps_its_bytes(self):
        payload = '{"id": 12345678901234567890,"share":0.10}'
        self.done("add", "x", "--payload", payload)
        self.assertIn(payload.encode(), self.api.last().body)
        self.done("add", "x", "--payload", "-", stdin=b"\n " + payload.encode() + b"\n")
        self.assertIn(payload.encode() + b"}", self.api.last().body)

    def test_a_definition_may_come_from_a_file_and_options_go_before_it(self):
        file = b'{"name":"x", "timeout":"1m", "payload":{"n":0.10}, "labels":{"a":"b"}}'
        self.assertEqual(
            self.sent("--json-file", "-", "--timeout", "5m", stdin=file),
            {"name": "x", "timeout": "5m", "payload": {"n": 0.1}, "labels": {"a": "b"}},
        )
        self.assertIn(b'"n":0.10', self.api.last().body)
        self.assertIn("--json-file", self.refused(USAGE, "add", "x", "--json-file", "-", stdin=b"{nonsense"))

    def test_it_is_told_what_was_made(self):
        out = self.done("add", "acme/morning-report", "--cron", "0 9 * * *")
        self.assertIn("added acme/morning-report (job_06c4q0wm8g000)", out)
        self.assertIn("2026-04-09 13:00:00Z", out)
        self.api.answer("POST", "/v1/jobs", self.api.description.example({"$ref": "#/components/schemas/Job"}), 200)
        self.assertIn("there already", self.done("add", "acme/morning-report"))

    def test_a_job_that_was_cancelled_is_not_taken_for_one_that_is_there(self):
        job = self.api.description.example({"$ref": "#/components/schemas/Job"})
        self.api.answer("POST", "/v1/jobs", {**job, "status": "cancelled"}, 200)
        self.assertIn("belfry rm job_06c4q0wm8g000", self.refused(REFUSED, "add", "acme/morning-report"))

    def test_each_request_has_a_key_of_its_own_unless_one_is_given(self):
        for args in [(), (), ("--key", "mine")]:
            self.done("add", "x", *args)
        keys = [asked.headers["idempotency-key"] for asked in self.api.asked]
        self.assertEqual(len(set(keys)), 3)
        self.assertEqual(keys[2], "mine")

    def test_the_caret_stands_under_the_mistake_in_the_expression(self):
        self.api.problem("POST", "/v1/jobs", 400, "invalid_cron", "minute 61 is out of range", field="cron", position=1)
        message = self.refused(REFUSED, "add", "x", "--cron", "61 * * * *").splitlines()
        self.assertEqual(message, ["belfry add: minute 61 is out of range", "  61 * * * *", "  ^"])

    def test_a_name_is_asked_for(self):
        self.assertIn("name", self.refused(USAGE, "add"))
        self.assertIn("job", self.refused(USAGE, "add", "a b"))


class Looking(api_case.ApiCase):
    def test_a_list_is_a_table(self):
        head, row = self.lines("list", "nightly-", "--tenant", "acme", "--status", "active", "--label", "team=billing")
        self.assertEqual(head.split(), ["NAME", "STATUS", "SCHEDULE", "NEXT", "LAST", "RESULT", "TYPE", "POOL"])
        self.assertIn("acme/morning-report", row)
        self.assertIn("0 9 * * MON-FRI, America/New_York", row)
        self.assertRegex(row, r"\d+ d ago")
        query = {"tenant": "acme", "status": "active", "label": "team=billing", "q": "nightly-", "limit": "50"}
        self.assertEqual(self.api.last().query, query)

    def test_a_list_fits_the_terminal(self):
        for width in (50, 60, 80):
            for line in self.lines("list", env={"COLUMNS": str(width)}):
                self.assertLessEqual(len(line), width)

    def test_a_page_says_how_to_see_the_next(self):
        job = self.api.description.example({"$ref": "#/components/schemas/JobSummary"})
        self.api.answer("GET", "/v1/jobs", {"items": [job], "next": "06c4"})
        got = self.run_belfry("list")
        self.assertIn("--after 06c4", got.err)
        self.run_belfry("list", "--after", "06c4")
        self.assertEqual(self.api.last().query["after"], "06c4")

    def test_all_goes_through_every_page_also_the_empty_ones(self):
        job = self.api.description.example({"$ref": "#/components/schemas/JobSummary"})
        for items, following in [([job], "p2"), ([], "p3"), ([job, job], None)]:
            self.api.answer("GET", "/v1/jobs", {"items": items, "next": following})
        self.assertEqual(len(self.lines("list", "--all")), 4)
        self.assertEqual([asked.query.get("after") for asked in self.api.asked], [None, "p2", "p3"])
        self.assertEqual({asked.query["limit"] for asked in self.api.asked}, {"500"})

    def test_one_connection_serves_all_pages(self):
        for following in ["p2", "p3", "p4", None]:
            self.api.answer("GET", "/v1/jobs", {"items": [], "next": following})
        self.run_belfry("list", "--all")
        self.assertEqual((len(self.api.asked), len({asked.connection for asked in self.api.asked})), (4, 1))

    def test_nothing_is_said_to_be_nothing(self):
        self.api.answer("GET", "/v1/jobs", {"items": [], "next": None})
        got = self.run_belfry("list")
        self.assertEqual((got.code, got.out, got.err), (DONE, "", "no jobs\n"))

    def test_control_characters_of_the_server_do_not_reach_the_terminal(self):
        job = self.api.description.example({"$ref": "#/components/schemas/JobSummary"})
        self.api.answer("GET", "/v1/jobs", {"items": [{**job, "name": "a\x1b[31mb\n\u202e"}], "next": None})
        out = self.done("list")
        self.assertNotIn("\x1b", out)
        self.assertEqual(len(out.splitlines()), 2)
        self.assertNotIn("\u202e", out)

    def test_show_tells_everything_and_the_next_fires(self):
        out = self.done("show", "acme/morning-report")
        for text in ["acme/morning-report\n", "job_06c4q0wm8g000", "active", '"max_attempts"', "skip", "5m"]:
            self.assertIn(text, out)
        self.assertEqual([asked.path for asked in self.api.asked],
                         ["/v1/jobs/morning-report", "/v1/jobs/morning-report/next"])
        self.assertEqual(self.api.asked[0].query, {"tenant": "acme"})

    def test_show_of_a_trigger_has_its_attempts(self):
        trigger = self.api.description.example({"$ref": "#/components/schemas/TriggerDetail"})
        trigger["executions"] = [trigger["last_attempt"]]
        self.api.answer("GET", "/v1/triggers/{id}", trigger)
        out = self.done("show", "trg_06c4q0wm8g001")
        for text in ["dead", "permanent", "1 of 5", "http_404", "1.2 s"]:
            self.assertIn(text, out)
        self.assertNotIn("replayed by", out)

    def test_show_of_a_dead_trigger_names_its_replay(self):
        trigger = self.api.description.example({"$ref": "#/components/schemas/TriggerDetail"})
        self.api.answer("GET", "/v1/triggers/{id}", {**trigger, "replayed_by": "trg_06c4q0wm8g002"})
        self.assertRegex(self.done("show", "trg_06c4q0wm8g001"), r"replayed by +trg_06c4q0wm8g002\n")

    def test_history_is_the_ledger(self):
        lines = self.lines("history", "morning-report", env={"COLUMNS": "200"})
        self.assertEqual(len(lines), 4)
        self.assertIn("due", lines[1])
        self.assertIn("overlap: 12 fires to 2026-04-08 14:00:00Z", lines[2])
        self.assertIn("permanent; http_404: the answer was 404 Not Found", lines[3])

    def test_history_may_be_one_kind_or_the_attempts(self):
        self.done("history", "x", "--record", "skip", "--limit", "7")
        self.assertEqual((self.api.last().path, self.api.last().query),
                         ("/v1/jobs/x/triggers", {"record": "skip", "limit": "7"}))
        self.run_belfry("history", "x", "--attempts")
        self.assertEqual(self.api.last().path, "/v1/jobs/x/executions")

    def test_why_speaks_in_sentences(self):
        out = self.done("why", "acme/morning-report")
        self.assertIn("acme/morning-report does not run now, for this reason:", out)
        self.assertIn("acme has 10 of 10 running; it clears when one finishes", out)
        self.assertIn("to allow more: belfry tenants set acme max_in_flight=NUMBER", out)
        self.done("why", "trg_06c4q0wm8g001")
        self.assertEqual(self.api.last().path, "/v1/triggers/trg_06c4q0wm8g001/why")

    def why(self, **parts):
        """An answer of the server's with these parts."""
        gate = self.api.description.example({"$ref": "#/components/schemas/Gate"})
        self.api.replies.clear()
        self.api.answer("GET", "/v1/jobs/{id}/why", {
            "runnable": True, "expires_at": None, "gates": [{**gate, "gate": "waiting_turn"}], "last_result": None,
            "skipped": [], "fire": None, **parts})

    def test_what_runs_or_is_over_is_not_said_to_be_held(self):
        gate = self.api.description.example({"$ref": "#/components/schemas/Gate"})
        for kind, sentence in [("running", "x is running: y."), ("job_ended", "x is over: y."),
                               ("ended", "x is over: y.")]:
            self.why(runnable=False, gates=[{**gate, "gate": kind, "detail": "y", "advice": None}])
            self.assertEqual(self.done("why", "x"), f"{sentence}\n")
        self.why()
        self.assertEqual(self.done("why", "x"), "Nothing holds x back; it runs when its turn comes.\n")

    def test_why_tells_what_did_not_run_and_how_the_last_one_ended(self):
        last = self.api.description.example({"$ref": "#/components/schemas/LastResult"})
        self.why(expires_at="2199-04-08T09:10:00.000Z", last_result={
            **last, "trigger": "trg_06c4q0wm8g001", "status": "dead", "finished_at": "2026-04-08T09:00:00.000Z",
            "error": {"code": "smtp_421", "message": "busy"}},
            skipped=[{"detail": "the fire of 2026-04-08T09:00:00Z was skipped: it rained"}])
        out = self.done("why", "x")
        self.assertIn("If it has not started by 2199-04-08 09:10:00Z it never will (expires_after).\n", out)
        self.assertRegex(out, r"The last one that ended, trg_06c4q0wm8g001, dead .* ago: smtp_421: busy\.\n")
        self.assertIn("What did not run lately:\n  - the fire of 2026-04-08T09:00:00Z was skipped: it rained\n", out)

    def test_why_at_tells_of_one_fire(self):
        fate = self.api.description.example({"$ref": "#/components/schemas/FireFate"})
        self.why(fire={**fate, "outcome": "skipped", "detail": "it rained"})
        out = self.done("why", "x", "--at", "2026-04-08T09:00")
        self.assertEqual(self.api.last().query, {"at": "2026-04-08T09:00"})
        self.assertEqual(out, "x at 2026-04-08 09:00:00Z: skipped.\n  it rained\n")
        self.why(fire={**fate, "outcome": "due", "detail": "it waits"})
        out = self.done("why", "x", "--at", "2026-04-08T09:00")
        self.assertIn("it waits\nNothing holds x back", out)
        refused = self.run_belfry("why", "trg_06c4q0wm8g001", "--at", "2026-04-08T09:00")
        self.assertEqual(refused.code, 2)

    def test_json_is_the_servers_own(self):
        for args in [("list",), ("show", "x"), ("history", "x"), ("why", "x"), ("run", "x"), ("pause", "x")]:
            got = self.done(*args, "--json")
            wanted = self.api.description.reply(self.operation())
            self.assertEqual(got, wanted.body.decode() + "\n", args)

    def operation(self):
        last = self.api.last()
        return self.api.description.root["paths"][last.template][last.method.lower()]


class Doing(api_case.ApiCase):
    def test_run_makes_a_trigger(self):
        self.assertIn("trg_06c4q0wm8g001", self.done("run", "acme/x", "--payload", '{"day": 7}', "--key", "k1"))
        last = self.api.last()
        self.assertEqual((last.path, last.query, last.headers["idempotency-key"]),
                         ("/v1/jobs/x/run", {"tenant": "acme"}, "k1"))
        self.assertEqual(self.body(), {"payload": {"day": 7}})
        self.done("run", "x")
        self.assertEqual(self.api.last().body, b"")

    def test_run_of_a_trigger_is_a_retry(self):
        self.done("run", "trg_06c4q0wm8g001")
        self.assertEqual(self.api.last().path, "/v1/triggers/trg_06c4q0wm8g001/retry")

    def test_pause_resume_and_cancel_change_the_status(self):
        for verb, status in [("pause", "paused"), ("resume", "active"), ("cancel", "cancelled")]:
            self.done(verb, "acme/x")
            self.assertEqual((self.api.last().method, self.api.last().path), ("PATCH", "/v1/jobs/x/status"))
            self.assertEqual(self.body(), {"status": status})

    def test_a_trigger_can_be_cancelled_and_nothing_else(self):
        self.done("cancel", "trg_06c4q0wm8g001")
        self.assertEqual((self.api.last().method, self.api.last().path),
                         ("POST", "/v1/triggers/trg_06c4q0wm8g001/cancel"))
        self.refused(USAGE, "pause", "trg_06c4q0wm8g001")

    def past_cancelling(self, status):
        self.api.problem("PATCH", "/v1/jobs/{id}/status", 409, "conflict", "it has fired already")
        trigger = self.api.description.example({"$ref": "#/components/schemas/Trigger"})
        self.api.answer("GET", "/v1/jobs/{id}/triggers", {
            "items": [{**trigger, "record": "trigger", "status": status}], "next": None})
        return trigger["id"]

    def test_a_job_that_has_fired_is_refused_with_the_trigger_to_cancel(self):
        for status in ("running", "pending"):
            trigger = self.past_cancelling(status)
            self.assertIn(f"belfry cancel {trigger}", self.refused(REFUSED, "cancel", "acme/x"))
            self.assertEqual(self.api.last().query["tenant"], "acme")

    def test_a_job_that_has_ended_is_refused_with_where_to_look(self):
        self.past_cancelling("succeeded")
        message = self.refused(REFUSED, "cancel", "x")
        self.assertIn("it has fired already", message)
        self.assertIn("belfry history x", message)
        self.assertIn('"code": "conflict"', self.run_belfry("cancel", "x", "--json").out)

    def test_several_jobs_are_done_one_after_the_other_and_the_worst_counts(self):
        self.assertEqual(self.lines("pause", "a", "acme/b"), ["paused a", "paused acme/b"])
        self.api.problem("DELETE", "/v1/jobs/{id}", 404, "not_found", "no such job")
        self.api.answer("DELETE", "/v1/jobs/{id}", b"", 204)
        got = self.run_belfry("rm", "a", "b")
        self.assertEqual((got.code, got.out, got.err), (REFUSED, "removed b\n", "belfry rm: no such job\n"))

    def test_a_name_arrives_as_it_was_typed(self):
        self.done("pause", "a.b:c_d-e")
        self.assertEqual(self.api.last().path, "/v1/jobs/a.b:c_d-e/status")
        self.assertIn("name", self.refused(USAGE, "pause", "../../version"))


if __name__ == "__main__":
    tap.main()
