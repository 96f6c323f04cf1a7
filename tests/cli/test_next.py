"""What `belfry next` shows: the table with its marks and notes, and the JSON object."""

import datetime
import json
import re
import unittest

import binary
import tap
from binary import run, run_json

BERLIN = ("--tz", "Europe/Berlin")

# Expressions of every kind, with an autumn night, a spring night and an odd zone among them.
CASES = [
    ("0 9 * * MON-FRI", "America/New_York", "2027-03-11T12:00:00Z"),
    ("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z"),
    ("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z"),
    ("0 0 9 L * ?", "Europe/Paris", "2026-01-01T00:00:00Z"),
    ("30 0 9 ? * 2#1 2030", "Asia/Tokyo", "2029-01-01T00:00:00Z"),
    ("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T00:00:00Z"),
    ("0 9 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z"),
    ("@daily", "America/Havana", "2026-10-30T00:00:00Z"),
    ("@every 90s", "UTC", "2026-01-01T00:00:00Z"),
    ("H H(0-5) * * *", "Asia/Kathmandu", "2026-01-01T00:00:00Z"),
]


def table(expr, *options):
    """The rows of one table."""
    return binary.rows(run("next", expr, *options).out)


def marks(expr, start, *options):
    """The marks of a table in Berlin, None where a row has none."""
    return [row["mark"] for row in table(expr, *BERLIN, "--from", start, *options)]


class Table(unittest.TestCase):
    def test_the_description_comes_first(self):
        got = run("next", "0 9 * * MON-FRI", "--tz", "America/New_York", "--count", "1")
        lines = got.out.splitlines()
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertEqual(lines[0], "at 09:00, Monday to Friday, New York time")
        self.assertEqual(lines[1], "")
        self.assertEqual(lines[2].split(), ["local", "time", "UTC"])
        self.assertEqual(len(lines), 4)

    def test_a_row_has_weekday_local_time_abbreviation_and_utc(self):
        complaints = []
        for expr, zone, start in CASES:
            for row in table(expr, "--tz", zone, "--from", start, "--count", "6"):
                local = binary.in_zone(row["utc"], zone)
                clock = "%Y-%m-%d %H:%M:%S" if row["local"].count(":") == 2 else "%Y-%m-%d %H:%M"
                want = (local.strftime("%a"), local.strftime(clock), local.tzname())
                if (row["weekday"], row["local"], row["abbr"]) != want:
                    complaints.append(f"{expr} in {zone}: {row[0]!r}, wanted {want}")
        self.assertEqual(complaints, [])

    def test_every_row_stands_under_the_headings(self):
        lines = run("next", "@every 1500ms", *BERLIN, "--from", "2026-10-25T00:59:59Z", "--count", "4").out.splitlines()
        head = lines[2]
        for line in lines[3:]:
            self.assertEqual(line.index("Sun"), head.index("local"))
            self.assertEqual(line.index("2026-10-25T"), head.index("UTC"))

    def test_seconds_are_shown_when_there_are_some(self):
        for expr, want in [("0 9 * * *", "2026-01-01 09:00"), ("5 0 9 * * ?", "2026-01-01 09:00:05")]:
            self.assertEqual(table(expr, "--from", "2026-01-01T00:00:00Z", "--count", "1")[0]["local"], want)

    def test_a_past_fire_is_ago_and_a_future_one_is_in(self):
        self.assertRegex(table("0 9 * * *", "--from", "1999-01-01T00:00:00Z")[0]["away"], r"^\d+ d( \d+ h)? ago$")
        self.assertRegex(table("0 9 * * *", "--from", "2190-01-01T00:00:00Z")[0]["away"], r"^in \d+ d( \d+ h)?$")

    def test_the_distance_is_counted_from_now(self):
        before = datetime.datetime.now(binary.UTC)
        found = table("0 */7 * * *", "--count", "9")
        after = datetime.datetime.now(binary.UTC)
        units = {"d": 86400, "h": 3600, "min": 60, "s": 1}
        for row in found:
            parts = re.findall(r"(\d+) (d|h|min|s)", row["away"])
            said = sum(int(number) * units[unit] for number, unit in parts)
            coarse = units[parts[-1][1]] if len(parts) == 2 else 3600  # what the text leaves out
            self.assertGreaterEqual(said + coarse, (binary.instant(row["utc"]) - after).total_seconds())
            self.assertLessEqual(said - coarse, (binary.instant(row["utc"]) - before).total_seconds())

    def test_without_from_the_first_fire_is_after_now(self):
        before = datetime.datetime.now(binary.UTC)
        first = binary.instant(table("* * * * * ?", "--count", "1")[0]["utc"])
        after = datetime.datetime.now(binary.UTC)
        self.assertGreater(first, before)
        self.assertLessEqual(first, after + datetime.timedelta(seconds=1))

    def test_nothing_ends_with_a_space(self):
        for args in [
            ("next", "30 2 * * *", *BERLIN, "--from", "2026-10-24T00:00:00Z", "--dst-fold", "both"),
            ("next", "@every 1500ms", "--from", "2026-10-24T00:00:00Z"),
            ("next", "0 0 */2 * *"),
            ("next", "0 0 0 1 1 ? 2020", "--from", "2026-01-01T00:00:00Z"),
            ("next", "-h"),
            ("zone", "Europe/Berlin"),
            ("zone", "UTC"),
            ("zone", "-h"),
            ("version",),
            ("-h",),
        ]:
            out = run(*args).out
            self.assertTrue(out.endswith("\n"), args)
            self.assertEqual([line for line in out.splitlines() if line != line.rstrip()], [], args)

    def test_there_is_no_colour_in_a_pipe(self):
        got = run("next", "30 2 * * *", *BERLIN, "--from", "2026-10-24T00:00:00Z", env={"TERM": "xterm-256color"})
        self.assertNotIn("\x1b", got.out + got.err)

    def test_the_zone_of_the_shell_changes_nothing(self):
        args = ("next", "0 9 * * *", *BERLIN, "--from", "2026-01-01T00:00:00Z", "--json")
        self.assertEqual(run(*args, env={"TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"}).out, run(*args).out)

    def test_a_schedule_without_further_fires_says_so(self):
        got = run("next", "0 0 0 1 1 ? 2020", "--from", "2026-01-01T00:00:00Z")
        self.assertEqual(got.code, 0)
        self.assertIn("does not fire again after 2026-01-01T00:00:00Z", got.out)
        self.assertNotIn("local time", got.out)


class Marks(unittest.TestCase):
    def test_days_without_a_change_have_no_mark(self):
        self.assertEqual(marks("0 9 * * *", "2026-01-01T00:00:00Z", "--count", "30"), [None] * 30)

    def test_the_first_fire_after_a_change_says_which_way(self):
        self.assertEqual(
            marks("0 9 * * *", "2026-03-28T00:00:00Z", "--count", "3"), [None, "clocks went forward 1 h", None]
        )
        self.assertEqual(
            marks("0 9 * * *", "2026-10-24T00:00:00Z", "--count", "3"), [None, "clocks went back 1 h", None]
        )

    def test_a_fire_whose_time_was_jumped_over_says_so(self):
        for gap in ("after", "shift"):
            found = marks("30 2 * * *", "2026-03-28T00:00:00Z", "--count", "3", "--dst-gap", gap)
            self.assertEqual((found[0], found[2]), (None, None))
            self.assertIn("clocks went forward 1 h", found[1])
            self.assertIn("jumped over", found[1])

    def test_both_passes_of_a_fold_are_marked(self):
        found = marks("30 2 * * *", "2026-10-24T12:00:00Z", "--count", "3", "--dst-fold", "both")
        self.assertEqual(found, ["this time comes twice, first pass", "clocks went back 1 h; this time comes twice, second pass", None])

    def test_a_mark_gives_the_true_length_of_a_change(self):
        for zone, start, want in [
            ("Australia/Lord_Howe", "2026-10-03T12:00:00Z", "forward 30 min"),
            ("Antarctica/Troll", "2026-03-28T12:00:00Z", "forward 2 h"),
            ("Pacific/Apia", "2011-12-30T05:00:00Z", "forward 1 d"),
        ]:
            found = table("0 12 * * *", "--tz", zone, "--from", start, "--count", "1", "--dst-gap", "skip")
            self.assertIn(f"clocks went {want}", found[0]["mark"] or "", zone)


class Notes(unittest.TestCase):
    def assert_noted(self, expr, word):
        args = ("next", expr, "--count", "1", "--from", "2026-01-01T00:00:00Z")
        top = run(*args).out.split("\n\n")[0].splitlines()
        warnings = run_json(*args)["warnings"]
        self.assertEqual(top[1:], [f"note: {warning}" for warning in warnings])
        self.assertEqual(len(warnings), 1, expr)
        self.assertIn(word, warnings[0])

    def test_a_number_for_a_weekday_in_the_quartz_form_is_noted(self):
        self.assert_noted("0 0 9 ? * 2", "Sunday")

    def test_a_star_with_a_step_in_a_day_field_is_noted(self):
        self.assert_noted("0 0 */2 * *", "step")

    def test_two_day_fields_are_noted(self):
        self.assert_noted("0 0 13 * 5", "both day fields")

    def test_a_step_longer_than_its_field_is_noted(self):
        self.assert_noted("*/90 * * * *", "step")

    def test_a_clear_expression_has_no_note(self):
        for expr in ("0 9 * * MON-FRI", "0 0 9 ? * MON", "*/15 * * * *", "@daily", "@every 90s"):
            self.assertEqual(run_json("next", expr, "--count", "1")["warnings"], [], expr)


class Json(unittest.TestCase):
    def test_the_object_is_one_line_with_every_field(self):
        got = run("next", "30 2 * * *", *BERLIN, "--from", "2026-03-28T12:00:00Z", "--count", "2", "--json")
        self.assertEqual((got.code, got.err, got.out.count("\n")), (0, "", 1))
        answer = json.loads(got.out)
        self.assertEqual(answer["expr"], "30 2 * * *")
        self.assertEqual(answer["tz"], "Europe/Berlin")
        self.assertEqual(answer["description"], "at 02:30, every day, Berlin time")
        self.assertEqual(answer["warnings"], [])
        self.assertEqual(answer["next"], ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"])
        first = answer["fires"][0]
        want = ("2026-03-29T01:00:00Z", "2026-03-29T03:00:00", "Sunday", 7200, "CEST")
        self.assertEqual(tuple(first[name] for name in ("utc", "local", "weekday", "offset", "abbr")), want)
        self.assertIn("jumped over", first["note"])
        self.assertIsNone(answer["fires"][1]["note"])

    def test_each_fire_is_told_as_python_tells_it(self):
        complaints = []
        for expr, zone, start in CASES:
            for fire in run_json("next", expr, "--tz", zone, "--from", start, "--count", "6")["fires"]:
                local = binary.in_zone(fire["utc"], zone)
                want = (
                    local.strftime("%Y-%m-%dT%H:%M:%S"),
                    binary.WEEKDAYS[local.weekday()],
                    local.utcoffset().total_seconds(),
                    local.tzname(),
                )
                if (fire["local"], fire["weekday"], fire["offset"], fire["abbr"]) != want:
                    complaints.append(f"{expr} in {zone}: {fire}, wanted {want}")
        self.assertEqual(complaints, [])

    def test_json_table_and_batch_agree(self):
        for expr, zone, start in CASES:
            options = ("--tz", zone, "--from", start, "--count", "20")
            answer = run_json("next", expr, *options)
            asked = binary.ask("next", [{"expr": expr, "tz": zone, "from": start, "count": 20}])
            self.assertEqual(asked, [{"next": answer["next"]}], expr)
            self.assertEqual([fire["utc"] for fire in answer["fires"]], answer["next"], expr)
            found = table(expr, *options)
            self.assertEqual([row["utc"] for row in found], answer["next"], expr)
            self.assertEqual([row["mark"] for row in found], [fire["note"] for fire in answer["fires"]], expr)

    def test_an_error_is_the_object_that_batch_gives(self):
        for question in [
            {"expr": "0 25 * * *"},
            {"expr": "0 9 * * *", "tz": "Europe/Berln"},
            {"expr": "TZID=Europe/Berlin:0 9 * * *", "tz": "Europe/Paris"},
            {"expr": "0 0 30 2 *"},
        ]:
            options = ("--tz", question["tz"]) if "tz" in question else ()
            got = run("next", question["expr"], *options, "--json")
            self.assertEqual((got.code, got.err), (1, ""))
            self.assertEqual([json.loads(got.out)], binary.ask("next", [question]))

    def test_no_further_fire_is_an_empty_list(self):
        answer = run_json("next", "0 0 0 1 1 ? 2020", "--from", "2026-01-01T00:00:00Z")
        self.assertEqual((answer["next"], answer["fires"]), ([], []))


if __name__ == "__main__":
    tap.main()
