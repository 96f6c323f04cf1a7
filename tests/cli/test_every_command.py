"""What holds for every command: its help, its mistakes, its JSON, and a server that is not there.

COMMANDS has a row for each, and a command without one fails the test: nothing is left out."""

import json
import os
import re
import tempfile

import api_case
import binary
import fake_api
import tap
import terminal
from api_case import DONE, NOWHERE, REFUSED, UNREACHABLE, USAGE

TRIGGER = "trg_06c4q0wm8g001"
CRONTAB = b"0 4 * * * /usr/bin/true\n"
SINCE = ("--from", "2026-04-01T00:00:00Z", "--to", "2026-04-02T00:00:00Z")

# What each is called with, against a server. Those without need none.
OVER_THE_API = {
    "add": ("x", "--every", "5m"),
    "list": (),
    "show": ("x",),
    "history": ("x",),
    "why": ("x",),
    "run": ("x",),
    "pause": ("x",),
    "resume": ("x",),
    "cancel": ("x",),
    "edit": ("x", "--priority", "1"),
    "backfill": ("x", *SINCE),
    "rm": ("x",),
    "import": ("-",),
    "dead": ("replay", TRIGGER),
    "tenants": (),
    "pools": ("show", "email"),
    "types": ("pause", "send_email"),
    "workers": (),
    "servers": (),
    "events": ("--count", "1"),
    "top": (),
    "doctor": (),
    "forecast": (),
    "audit": (),
    "clock": ("accept",),
    "accept": (),
    "backup": ("/var/backups/b.db",),
}
WITHOUT = {
    "config": (),
    "next": ("0 9 * * *",),
    "zone": ("UTC",),
    "completion": (),
    "version": (),
}
# They run until they are told to end; tests/server and tests/worker start them. And one that works on files.
OTHERS = {"init", "migrate", "up", "server", "worker", "witness", "restore"}

# The examples of the description are no ledger: the audit has something to say about them.
ENDS = {"audit": REFUSED}

# More than one thing that a command does.
MORE_JSON = [
    ("history", "x", "--attempts"),
    ("show", TRIGGER),
    ("why", TRIGGER),
    ("run", TRIGGER),
    ("cancel", TRIGGER),
    ("list", "--all"),
    ("dead", "list"),
    ("dead", "discard", TRIGGER),
    ("tenants", "set", "acme", "weight=5"),
    ("tenants", "resume", "acme"),
    ("types", "list"),
    ("import", "-", "--dry-run"),
]


def described():
    return {entry["name"]: entry for entry in binary.run_json("completion")["commands"]}


class EveryCommand(api_case.ApiCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.commands = described()

    def test_none_is_left_out(self):
        listed = {line.split()[0] for line in binary.run("-h").out.splitlines() if re.match("  [a-z]", line)}
        self.assertEqual(listed, set(self.commands))
        self.assertEqual(listed, set(OVER_THE_API) | set(WITHOUT) | OTHERS)

    def test_help_says_how_it_is_called_and_names_every_option(self):
        for name, entry in self.commands.items():
            for words in [(name, "-h"), (name, "--help"), ("help", name)]:
                got = binary.run(*words)
                self.assertEqual((got.code, got.err), (DONE, ""), words)
            self.assertTrue(got.out.startswith(f"belfry {name}"), got.out)
            for option in entry["options"]:
                self.assertRegex(got.out, rf"(?m)^  --{option['name']}( |$)", name)
            self.assertLessEqual(max(len(line) for line in got.out.splitlines()), 120, name)

    def test_every_one_takes_json(self):
        for name, entry in self.commands.items():
            self.assertIn("json", [option["name"] for option in entry["options"]], name)

    def test_an_option_that_there_is_not_is_2_with_a_hint(self):
        for name, entry in self.commands.items():
            message = self.refused(USAGE, name, "--qqqqqqqq")
            self.assertIn("--qqqqqqqq", message)
            self.assertIn(f"belfry {name} -h", message)
            near = max((option["name"] for option in entry["options"]), key=len)
            self.assertIn(f"did you mean --{near}?", self.refused(USAGE, name, f"--{near}x"))
            self.refused(USAGE, name, "-q")
        self.assertEqual(self.api.asked, [])

    def test_an_option_without_its_value_and_a_flag_with_one_are_2(self):
        for name, entry in self.commands.items():
            for option in entry["options"]:
                wrong = f"--{option['name']}" + ("" if option["value"] else "=x")
                self.assertIn("value", self.refused(USAGE, name, wrong))
                if option["choices"] and not option["choices"].startswith("@"):
                    self.assertIn(option["choices"].split()[0], self.refused(USAGE, name, f"{wrong}=qqq"))

    def run_one(self, name, args, *more, **env):
        return self.run_belfry(name, *args, *more, env=env, stdin=CRONTAB)

    def test_json_is_json(self):
        rows = [(name, args) for name, args in {**OVER_THE_API, **WITHOUT}.items()]
        rows += [(words[0], words[1:]) for words in MORE_JSON]
        self.api.answer("GET", "/v1/events", self.stream)
        for name, args in rows:
            got = self.run_one(name, args, "--json")
            self.assertEqual((got.code, got.err), (ENDS.get(name, DONE), ""), (name, args))
            self.assertTrue(got.out.endswith("\n"), (name, args, got.out))
            for line in got.out.splitlines():
                self.assertIsInstance(json.loads(line), dict, (name, args))

    @staticmethod
    def stream(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(b'id: 1-1\ndata: {"event":"job.created","at":"2026-04-08T09:00:00.000Z"}\n\n')
        handler.close_connection = True

    def test_a_server_that_is_not_there_is_3_and_what_to_do(self):
        for name, args in OVER_THE_API.items():
            got = self.run_one(name, args, BELFRY_URL=NOWHERE)
            self.assertEqual((got.code, got.out), (UNREACHABLE, ""), (name, got.err))
            self.assertIn(NOWHERE, got.err)
            self.assertIn("belfry up", got.err)
            got = self.run_one(name, args, "--json", BELFRY_URL=NOWHERE)
            self.assertEqual((got.code, got.err), (UNREACHABLE, ""), name)
            self.assertIn(NOWHERE, json.loads(got.out)["error"])

    def test_a_refusal_is_1(self):
        for name, args in OVER_THE_API.items():
            with fake_api.FakeApi() as api:
                for template, item in ((row[1], row[3]) for row in api.description.paths):
                    for method in ("get", "post", "put", "patch", "delete"):
                        if method in item:
                            api.problem(method.upper(), template, 403, "forbidden", "this key may not")
                got = self.run_one(name, args, BELFRY_URL=api.url)
                self.assertEqual((got.code, got.out), (REFUSED, ""), (name, got.err))
                self.assertIn("this key may not", got.err, name)
                got = self.run_one(name, args, "--json", BELFRY_URL=api.url)
                self.assertEqual((got.code, got.err), (REFUSED, ""), name)
                self.assertEqual(json.loads(got.out)["code"], "forbidden")

    def test_what_fails_without_a_server_is_json_too(self):
        with tempfile.TemporaryDirectory() as folder:
            taken = os.path.join(folder, "file")
            open(taken, "w", encoding="ascii").close()
            for words in [("up",), ("server",), ("worker", "--token-file", "/nonexistent"), ("restore", "/nonexistent")]:
                got = self.run_belfry(*words, "--data", taken + "/below", "--json")
                self.assertEqual((got.code, got.err), (REFUSED, ""), words)
                self.assertIn("error", json.loads(got.out))

    def test_a_missing_argument_is_2_and_asks_for_it(self):
        for name, args in {**OVER_THE_API, **WITHOUT}.items():
            if args and args[0] in ("x", "-", "0 9 * * *", "UTC", "accept", "/var/backups/b.db"):
                self.assertRegex(self.refused(USAGE, name), r"\?|accept|name one", name)

    def test_colours_are_for_terminals_that_want_them(self):
        env = self.surroundings({"TERM": "xterm"})
        for name, args in {**OVER_THE_API, **WITHOUT}.items():
            if name in ("import", "events", "top", "completion"):
                continue  # reads standard input, never ends, has screens of its own, has no text
            words = [binary.BELFRY, name, *args]
            code, shown = terminal.run(words, binary.environment({**env, "NO_COLOR": "1"}))
            self.assertEqual((code, "\x1b" in shown), (ENDS.get(name, DONE), False), (name, shown))
            self.assertNotIn("\x1b", terminal.run([*words, "--json"], binary.environment(env))[1], name)

    def test_tables_fit_a_narrow_terminal(self):
        worker = self.api.description.example({"$ref": "#/components/schemas/Worker"})
        attempt = self.api.description.example({"$ref": "#/components/schemas/Attempt"})
        self.api.answer("GET", "/v1/workers", {"items": [worker], "next": None})
        self.api.answer("GET", "/v1/jobs/{id}/executions", {"items": [attempt], "next": None})
        for name, args in [("list", ()), ("dead", ()), ("tenants", ()), ("pools", ()), ("types", ()), ("workers", ()),
                           ("history", ("x",)), ("history", ("x", "--attempts")), ("servers", ())]:
            env = {"COLUMNS": "60"}
            lines = self.done(name, *args, env=env).splitlines()
            self.assertTrue(lines)
            self.assertLessEqual(max(len(line) for line in lines), 60, (name, args, lines))


class NoCommand(api_case.ApiCase):
    def test_the_list_of_commands_is_the_answer_to_nothing_and_to_a_mistake(self):
        self.assertIn("usage:", self.refused(USAGE))
        message = self.refused(USAGE, "lsit")
        self.assertIn('did you mean "list"?', message)
        self.assertIn("belfry -h", message)
        self.assertIn("did you mean", self.refused(USAGE, "help", "lsit"))

    def test_options_of_all_commands_may_stand_before_the_command(self):
        self.assertIn("items", json.loads(self.done("--json", "--url", self.api.url, "list")))
        self.assertIn("items", json.loads(self.done(f"--url={self.api.url}", "list", "--json")))
        self.refused(USAGE, "--url", self.api.url)
        self.refused(USAGE, "--tenant", "acme", "list")


if __name__ == "__main__":
    tap.main()
