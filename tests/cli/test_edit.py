"""belfry edit: what is sent for what is changed, by options and in an editor."""

import api_case
import tap
from api_case import REFUSED, USAGE


class Options(api_case.ApiCase):
    def sent(self, *args, **more):
        self.done("edit", "acme/morning-report", *args, **more)
        last = self.api.last()
        self.assertEqual((last.method, last.path, last.query), ("PATCH", "/v1/jobs/morning-report", {"tenant": "acme"}))
        return self.body()

    def test_only_what_is_given_is_sent_with_the_version_it_was_read_at(self):
        self.assertEqual(self.sent("--timeout", "2h", "--priority", "1"), {"timeout": "2h", "priority": 1})
        self.assertEqual(self.api.last().headers["if-match"], '"3"')

    def test_the_rest_of_a_retry_stays(self):
        self.assertEqual(
            self.sent("--max-attempts", "3"),
            {"retry": {"max_attempts": 3, "delays": ["30s", "2m", "10m", "30m", "2h"], "jitter": 0.2}},
        )
        self.assertEqual(self.sent("--retry-base", "1s"), {"retry": {"max_attempts": 5, "jitter": 0.2, "base": "1s"}})
        self.assertEqual(self.sent("--gap", "skip"), {"dst": {"gap": "skip", "fold": "first"}})

    def test_another_way_of_saying_when_takes_the_place_of_the_old_one(self):
        self.assertEqual(self.sent("--every", "5m"), {"every": "5m", "cron": None})
        self.assertEqual(self.sent("--cron", "0 10 * * *"), {"cron": "0 10 * * *"})

    def test_a_default_is_null(self):
        self.assertEqual(self.sent("--default", "retry", "--default", "timeout"), {"retry": None, "timeout": None})
        self.assertIn("did you mean retry", self.refused(USAGE, "edit", "x", "--default", "retri"))
        self.assertIn("both", self.refused(USAGE, "edit", "x", "--default", "timeout", "--timeout", "1m"))

    def test_a_command_replaces_the_target(self):
        self.assertEqual(self.sent("--", "/bin/true", "-x"), {"target": {"exec": {"argv": ["/bin/true", "-x"]}}})

    def test_a_file_may_be_a_whole_definition(self):
        file = b'{"tenant":"acme","name":"morning-report","timeout":"1m","priority":2}'
        self.assertEqual(self.sent("--json-file", "-", "--priority", "5", stdin=file), {"timeout": "1m", "priority": 5})

    def test_what_was_skipped_is_told(self):
        out = self.done("edit", "x", "--cron", "0 10 * * *")
        self.assertIn("changed x: version 3", out)
        self.assertIn("1 fire that was due already is skipped", out)

    def test_somebody_elses_change_is_not_overwritten(self):
        self.api.problem("PATCH", "/v1/jobs/{id}", 412, "version_mismatch", "the job is at version 4; read it again")
        self.assertIn("version 4", self.refused(REFUSED, "edit", "x", "--timeout", "1m"))


class Editor(api_case.ApiCase):
    def edited(self, script, *args):
        return self.run_belfry("edit", "acme/morning-report", *args, env={"EDITOR": script, "VISUAL": ""})

    def test_what_changed_is_sent(self):
        got = self.edited("sed -i 's/\"5m\"/\"10m\"/; /\"overlap\"/d'")
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertEqual(self.body(), {"timeout": "10m", "overlap": None})

    def test_the_file_is_the_definition_and_nothing_else(self):
        got = self.edited("python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert \"status\" not in d; "
                          "assert d[\"cron\"] == \"0 9 * * MON-FRI\"; assert d[\"payload\"] == {}'")
        self.assertEqual((got.code, got.out), (0, "nothing was changed\n"))

    def test_nothing_is_sent_where_nothing_changed_or_the_editor_failed(self):
        self.assertEqual(self.edited("true").out, "nothing was changed\n")
        got = self.edited("false")
        self.assertEqual((got.code, got.out), (REFUSED, ""))
        self.assertIn("nothing was changed", got.err)
        self.assertEqual(self.edited("echo nonsense >").code, REFUSED)
        self.assertEqual({asked.method for asked in self.api.asked}, {"GET"})

    def test_visual_goes_before_editor(self):
        got = self.run_belfry("edit", "x", env={"EDITOR": "false", "VISUAL": "true"})
        self.assertEqual(got.out, "nothing was changed\n")


if __name__ == "__main__":
    tap.main()
