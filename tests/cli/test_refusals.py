"""How belfry says no: where the error points, which exit status it has, and what it advises."""

import json
import unittest

import binary
import tap
from binary import run

DONE, REFUSED, USAGE = 0, 1, 2

# expression, column of the caret, words that the message must have
POINTED = [
    ("60 9 * * *", 1, ["minute", "60", "0 to 59"]),
    ("0 24 * * *", 3, ["hour", "24", "0 to 23"]),
    ("0 9 0 * *", 5, ["day of month", "1 to 31"]),
    ("0 9 * 13 *", 7, ["month", "13", "1 to 12"]),
    ("0 9 * * 8", 9, ["day of week", "8", "0 to 7"]),
    ("0 9 * * MOX", 9, ["day of week", "MOX"]),
    ("0 22-2 * * *", 3, ["hour", "22-2", "reversed"]),
    ("1,,2 * * * *", 3, ["minute"]),
    ("0 9x * * *", 4, ["hour", "x"]),
    ("0 */0 * * *", 5, ["hour", "step"]),
    ("0 0 9 ? * 8", 11, ["day of week", "8"]),
    ("0 0 9 1 1 ? 2300", 13, ["year", "2300"]),
    ("0 0 30 2 *", 5, ["day of month", "never fire"]),
    ("  0   25 * * *", 7, ["hour", "25"]),
    ("TZID=Europe/Berlin:0 29 * * *", 22, ["hour", "29"]),
    ("TZID=Europe/Berln:0 9 * * *", 6, ["Europe/Berln", "Europe/Berlin"]),
    ("@every 5", 8, ["duration"]),
    ("@dayly", 1, ["@dayly", "@daily"]),
]


class Carets(unittest.TestCase):
    def test_the_caret_stands_under_the_mistake(self):
        for expr, column, _ in POINTED:
            lines = run("next", expr).err.splitlines()
            self.assertEqual(lines[1:], ["  " + expr, " " * (column + 1) + "^"], expr)

    def test_a_tab_does_not_move_the_caret(self):
        lines = run("next", "0\t25 * * *").err.splitlines()
        self.assertEqual((lines[1][4:6], lines[2]), ("25", "    ^"))

    def test_the_message_names_the_field_and_what_is_allowed(self):
        for expr, _, words in POINTED:
            message = run("next", expr).err.splitlines()[0]
            self.assertTrue(message.startswith("belfry next: "), message)
            self.assertEqual([word for word in words if word not in message], [], message)

    def test_batch_and_json_give_the_same_position(self):
        answers = binary.ask("next", [{"expr": expr} for expr, _, _ in POINTED])
        self.assertEqual([answer.get("position") for answer in answers], [column for _, column, _ in POINTED])
        for (expr, _, _), answer in zip(POINTED, answers):
            self.assertEqual(json.loads(run("next", expr, "--json").out), answer)

    def test_a_wrong_number_of_fields_says_how_many_there_were(self):
        for expr, count in [("0 9 * *", 4), ("0 9 * * * * * *", 8), ("hello", 1)]:
            self.assertIn(f"found {count} field", run("next", expr).err)

    def test_an_empty_expression_is_refused(self):
        for expr in ("", "   "):
            got = run("next", expr)
            self.assertEqual((got.code, got.out), (REFUSED, ""))
            self.assertIn("empty", got.err)


class ExitStatus(unittest.TestCase):
    def assert_ends(self, code, *args):
        """The status is code; a failure speaks on standard error alone, a success on standard output alone."""
        got = run(*args)
        self.assertEqual(got.code, code, (args, got.err))
        self.assertEqual(got.out != "", code == DONE, (args, got.out))
        self.assertEqual(got.err != "", code != DONE, (args, got.err))
        return got.err

    def test_what_is_done_is_0(self):
        for args in [("next", "0 9 * * *"), ("zone", "UTC"), ("version",), ("-h",), ("--version",)]:
            self.assert_ends(DONE, *args)

    def test_what_is_refused_is_1(self):
        for args in [
            ("next", "0 25 * * *"),
            ("next", "0 0 30 2 *"),
            ("next", "0 9 * * *", "--tz", "Europe/Berln"),
            ("zone", "Europe/Berln"),
        ]:
            self.assert_ends(REFUSED, *args)

    def test_a_command_line_that_is_not_understood_is_2(self):
        for args in [
            (),
            ("nxet",),
            ("-x",),
            ("next",),
            ("next", "--colour", "0 9 * * *"),
            ("next", "0 9 * * *", "--count"),
            ("next", "--batch", "0 9 * * *"),
            ("zone",),
            ("zone", "UTC", "GMT"),
            ("zone", "--tz", "UTC"),
            ("zone", "--batch", "UTC"),
            ("version", "2"),
        ]:
            self.assert_ends(USAGE, *args)

    def test_a_malformed_value_of_an_option_is_2(self):
        for option in [
            ("--count", "0"),
            ("--count", "10001"),
            ("--count", "ten"),
            ("--count", "99999999999999999999"),
            ("--count", ""),
            ("--count", " 5"),
            ("--dst-gap", "later"),
            ("--dst-fold", "third"),
            ("--from", "yesterday"),
            ("--from", "2300-01-01T00:00:00Z"),
            ("--from", ""),
        ]:
            message = self.assert_ends(USAGE, "next", "0 9 * * *", *option)
            self.assertIn(option[1], message)

    def test_an_empty_zone_is_not_utc(self):
        self.assert_ends(REFUSED, "next", "0 9 * * *", "--tz", "")
        self.assert_ends(REFUSED, "zone", "")
        self.assertIn("error", binary.ask("next", [{"expr": "0 9 * * *", "tz": ""}])[0])

    def test_an_option_beside_batch_is_not_silently_lost(self):
        for args in [
            ("next", "--batch", "--tz", "Europe/Berlin"),
            ("next", "--batch", "--count", "2"),
            ("next", "--batch", "--dst-gap", "skip"),
            ("zone", "--batch", "--at", "2026-01-01T00:00:00Z"),
        ]:
            self.assert_ends(USAGE, *args)


class Advice(unittest.TestCase):
    def test_an_expression_without_quotes_is_told_about_quotes(self):
        for args in [("0", "9", "*", "*", "MON-FRI"), ("0", "9", "LICENSE", "README.md", "*"), ("@every", "90s")]:
            got = run("next", *args)
            self.assertEqual((got.code, got.out), (USAGE, ""))
            self.assertIn("quotes", got.err)

    def test_an_unknown_command_gets_the_likely_one(self):
        for wrong, right in [("nxet", "next"), ("nex", "next"), ("zones", "zone"), ("verison", "version")]:
            got = run(wrong)
            self.assertEqual(got.code, USAGE)
            self.assertIn(f'"{wrong}"', got.err)
            self.assertIn(f'did you mean "{right}"', got.err)
            self.assertIn("belfry -h", got.err)

    def test_a_command_unlike_any_gets_no_guess(self):
        self.assertNotIn("did you mean", run("qqqqqqqq").err)

    def test_an_unknown_option_is_named_once_with_the_way_to_help(self):
        for command in ("next", "zone"):
            lines = run(command, "--colour").err.splitlines()
            self.assertTrue(lines[0].startswith(f"belfry {command}: "), lines)
            self.assertIn("--colour", lines[0])
            self.assertEqual(lines[1:], [f"belfry {command} -h says how it is used"])

    def test_every_command_has_help(self):
        listed = [line.split()[0] for line in run("-h").out.splitlines() if line.startswith("  ")]
        self.assertLessEqual({"next", "zone", "version"}, set(listed))
        for command in listed:
            got = run(command, "-h")
            self.assertEqual((got.code, got.err), (DONE, ""), command)
            self.assertTrue(got.out.startswith(f"belfry {command}"), got.out)
            self.assertEqual(run(command, "--help").out, got.out)

    def test_help_without_a_command_goes_where_it_was_asked_for(self):
        asked, unasked = run("--help"), run()
        self.assertEqual((asked.code, asked.err), (DONE, ""))
        self.assertEqual((unasked.code, unasked.out), (USAGE, ""))
        self.assertEqual(asked.out, unasked.err)

    def test_help_behind_an_option_is_help(self):
        self.assertEqual(run("--data", "anywhere", "--help").out, run("--help").out)

    def test_help_names_every_option(self):
        options = ["--tz", "--from", "--count", "--dst-gap", "--dst-fold", "--seed", "--json", "--batch", "--help"]
        self.assertEqual([option for option in options if option not in run("next", "-h").out], [])
        options = ["--at", "--json", "--batch", "--help"]
        self.assertEqual([option for option in options if option not in run("zone", "-h").out], [])

    def test_every_command_takes_json(self):
        for args in [("next", "0 9 * * *"), ("zone", "UTC"), ("version",)]:
            self.assertIsInstance(binary.run_json(*args), dict)


if __name__ == "__main__":
    tap.main()
