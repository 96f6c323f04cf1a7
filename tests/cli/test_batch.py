"""The batch commands: one JSON line out for each line in, whatever the line is."""

import datetime
import json
import unittest

import binary
import tap

MEGABYTE = 1 << 20
YEAR_START = datetime.datetime(2026, 1, 1)
SECOND = datetime.timedelta(seconds=1)


class Batch:
    """What holds for every batch command. The class of a command gives a good question, and what it answers."""

    def id(self):
        return f"{self.command}: {self._testMethodName}"

    def lines(self, data):
        """The answers to bytes on standard input. The run itself must end well, whatever was asked."""
        got = binary.run(self.command, "--batch", stdin=data)
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertEqual(got.out.count("\n"), len(got.out.splitlines()))
        return [json.loads(line) for line in got.out.splitlines()]

    def assert_refused(self, line, *words):
        """One answer, an error that has the words, and the line after it is answered as if nothing had been."""
        wrong, right = self.lines(line + b"\n" + self.question + b"\n")
        self.assertIn("error", wrong)
        self.assertLessEqual(set(wrong), {"error", "position"})
        self.assertEqual([word for word in words if word not in wrong["error"]], [], wrong["error"])
        self.assertEqual(right, self.answer)

    def test_nothing_in_gives_nothing_out(self):
        self.assertEqual(self.lines(b""), [])

    def test_one_line_in_gives_one_line_out(self):
        self.assertEqual(self.lines(self.question + b"\n"), [self.answer])

    def test_the_last_line_needs_no_newline(self):
        self.assertEqual(self.lines(self.question), [self.answer])
        self.assertEqual(self.lines(self.question + b"\n" + self.question), [self.answer] * 2)

    def test_windows_line_ends_are_taken(self):
        self.assertEqual(self.lines((self.question + b"\r\n") * 2), [self.answer] * 2)

    def test_space_around_an_object_is_taken(self):
        self.assertEqual(self.lines(b" \t" + self.question + b"  \n"), [self.answer])

    def test_a_blank_line_has_its_answer_too(self):
        for blank in (b"", b"   ", b"\r", b"\t"):
            self.assert_refused(blank)

    def test_answers_come_before_the_next_question(self):
        with binary.Talk(self.command) as talk:
            for line, want in [(self.question, self.answer), (b"nonsense", None), (self.question, self.answer)] * 3:
                talk.say(line + b"\n")
                got = talk.answer()
                self.assertEqual(got, want) if want else self.assertIn("error", got)
            self.assertEqual(talk.end(), (0, b""))

    def test_a_line_is_answered_while_the_next_is_half_written(self):
        half = len(self.question) // 2
        with binary.Talk(self.command) as talk:
            talk.say(self.question + b"\n" + self.question[:half])
            self.assertEqual(talk.answer(), self.answer)
            talk.say(self.question[half:] + b"\n" + self.question)
            self.assertEqual(talk.answer(), self.answer)
            status, rest = talk.end()
            self.assertEqual((status, json.loads(rest)), (0, self.answer))

    def test_a_line_may_come_byte_by_byte(self):
        with binary.Talk(self.command) as talk:
            for byte in self.question + b"\n":
                talk.say(bytes([byte]))
            self.assertEqual(talk.answer(), self.answer)

    def test_what_is_not_an_object_is_refused(self):
        for line in (b"[]", b"null", b"5", b'"0 9 * * *"', b"true", b"nonsense", b"{", b"}", b"{}"):
            self.assert_refused(line)
        self.assert_refused(b"[" + self.question)
        self.assert_refused(b"[" + self.question + b"]")

    def test_what_follows_an_object_is_refused(self):
        self.assert_refused(self.question + b" x")
        self.assert_refused(self.question + self.question)

    def test_broken_utf_8_is_refused(self):
        key = self.required[0].encode()
        for broken in (b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"):
            self.assert_refused(b'{"%s":"%s"}' % (key, broken))
            self.assert_refused(broken)

    def test_zero_bytes_are_refused(self):
        key = self.required[0].encode()
        for line in (b"\0", b'{"%s":"UTC\0"}' % key, b'{"%s":"UTC\\u0000"}' % key, self.question + b"\0"):
            self.assert_refused(line)

    def test_a_mistake_in_the_json_is_said_with_its_byte_where_that_is_known(self):
        here, somewhere = self.lines(b'{"a":1,"a":2}\n{"a":99999999999999999999,"a":1}\n')
        self.assertRegex(here["error"], r"^byte \d+ of the line: .*twice")
        self.assertRegex(somewhere["error"], r"^the key .*twice")
        self.assertNotIn("position", here)

    def test_a_line_of_a_megabyte_is_refused(self):
        key = self.required[0].encode()
        for line in (
            b"x" * MEGABYTE,
            b" " * MEGABYTE,
            self.question + b" " * MEGABYTE,
            b'{"%s":"%s"}' % (key, b"0" * MEGABYTE),
        ):
            self.assert_refused(line, "more than 65535 bytes")

    def test_a_megabyte_without_a_newline_at_the_end_is_refused(self):
        answers = self.lines(self.question + b"\n" + b"x" * MEGABYTE)
        self.assertEqual((len(answers), answers[0]), (2, self.answer))
        self.assertIn("error", answers[1])

    def test_deep_nesting_is_refused(self):
        key = self.required[0].encode()
        for line in (b"[" * 20000, b"[" * 20000 + b"]" * 20000, b'{"%s":' % key * 5000, b'{"x":%s}' % (b"[" * 20000)):
            self.assert_refused(line, "nested")

    def test_a_key_that_comes_twice_is_refused(self):
        for key in self.required:
            self.assert_refused(self.question[:-1] + b',"%s":"UTC"}' % key.encode(), key, "twice")

    def test_an_unknown_key_is_refused_by_name(self):
        for key in ("timezone", "GAP", "Zone", "", "x" * 1000):
            self.assert_refused(self.question[:-1] + b',"%s":null}' % key.encode(), key[:50])

    def test_a_missing_or_null_field_is_refused_by_name(self):
        for key in self.required:
            question = json.loads(self.question)
            del question[key]
            self.assert_refused(json.dumps(question).encode(), key)
            self.assert_refused(json.dumps({**question, key: None}).encode(), key)

    def test_a_wrong_type_is_refused_by_name(self):
        for key, value in json.loads(self.question).items():
            for wrong in (True, 1.5, [], {}, [value], {"a": value}):
                self.assert_refused(json.dumps({**json.loads(self.question), key: wrong}).encode(), key)

    def test_a_hundred_thousand_lines_are_answered_in_order(self):
        asked = [self.numbered(number) for number in range(100000)]
        answers = self.lines("".join(line + "\n" for line, _ in asked).encode())
        self.assertEqual(len(answers), len(asked))
        wrong = [(line, got) for (line, want), got in zip(asked, answers) if got != want]
        self.assertEqual(wrong[:3], [])


class Next(Batch, unittest.TestCase):
    command = "next"
    required = ("expr",)
    question = (
        b'{"expr":"30 2 * * *","tz":"Europe/Berlin","from":"2026-03-29T00:00:00Z","count":2,'
        b'"gap":"shift","fold":"first","seed":"x"}'
    )
    answer = {"next": ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"]}

    def numbered(self, number):
        """A line that only its own answer fits, since every fire is another minute; some are wrong."""
        if number % 1000 == 999:
            return '{"expr":"0 9 * * 8"}', self.wrong_weekday
        fire = YEAR_START + datetime.timedelta(minutes=number)
        start = (fire - SECOND).isoformat()
        line = f'{{"expr":"{fire.minute} {fire.hour} * * *","from":"{start}Z","count":1}}'
        return line, {"next": [fire.isoformat() + "Z"]}

    def setUp(self):
        self.wrong_weekday = self.ask(expr="0 9 * * 8")
        self.assertEqual(self.wrong_weekday.get("position"), 9)

    def ask(self, **question):
        return binary.ask("next", [question])[0]

    def test_null_is_as_good_as_left_out(self):
        null = dict.fromkeys(("tz", "from", "count", "gap", "fold", "seed"))
        self.assertEqual(len(self.ask(expr="0 9 * * *", **null)["next"]), 10)
        start = {"expr": "H H * * *", "from": "2026-01-01T00:00:00Z"}
        self.assertEqual(self.ask(**{**null, **start}), self.ask(**start))

    def test_text_is_no_number_and_a_number_no_text(self):
        for key, wrong in [("expr", 5), ("tz", 5), ("from", 5), ("gap", 5), ("fold", 5), ("seed", 5), ("count", "5")]:
            answer = self.ask(**{"expr": "0 9 * * *", key: wrong})
            self.assertIn(key, answer.get("error", ""))

    def test_the_count_has_bounds(self):
        start = {"expr": "* * * * *", "from": "2026-01-01T00:00:00Z"}
        self.assertEqual(len(self.ask(**start, count=10000)["next"]), 10000)
        for count in (0, -1, 10001, 1 << 70):
            self.assertIn("count", self.ask(**start, count=count)["error"])

    def test_every_policy_is_taken(self):
        spring = {"expr": "30 2 * * *", "tz": "Europe/Berlin", "from": "2026-03-29T00:00:00Z", "count": 1}
        autumn = {**spring, "from": "2026-10-25T00:00:00Z"}
        for policy, question, fire in [
            ({"gap": "after"}, spring, "2026-03-29T01:00:00Z"),
            ({"gap": "shift"}, spring, "2026-03-29T01:30:00Z"),
            ({"gap": "skip"}, spring, "2026-03-30T00:30:00Z"),
            ({"fold": "first"}, autumn, "2026-10-25T00:30:00Z"),
            ({"fold": "second"}, autumn, "2026-10-25T01:30:00Z"),
            ({"fold": "both"}, autumn, "2026-10-25T00:30:00Z"),
        ]:
            self.assertEqual(self.ask(**question, **policy), {"next": [fire]}, policy)

    def test_an_unknown_policy_is_refused(self):
        for policy in ({"gap": "AFTER"}, {"gap": ""}, {"fold": "third"}, {"fold": "after"}):
            self.assertIn("policy", self.ask(expr="0 9 * * *", **policy).get("error", ""), policy)

    def test_an_error_in_the_expression_has_a_position(self):
        self.assertEqual(self.ask(expr="0 9 * * 8")["position"], 9)
        self.assertIn("day of week", self.ask(expr="0 9 * * 8")["error"])

    def test_any_offset_is_taken(self):
        for start in ("2026-01-01T10:00:00+01:00", "2026-01-01T04:00:00.000-05:00", "2026-01-01T09:00:00Z"):
            answer = self.ask(**{"expr": "0 9 * * *", "from": start, "count": 1})
            self.assertEqual(answer, {"next": ["2026-01-02T09:00:00Z"]}, start)

    def test_times_outside_the_calendar_are_refused(self):
        for start in ("2026-02-30T00:00:00Z", "1969-12-31T23:59:59Z", "2201-01-01T00:00:00Z", "2026-01-01", "now", ""):
            self.assertIn("error", self.ask(**{"expr": "0 9 * * *", "from": start}), start)

    def test_milliseconds_are_printed_only_where_there_are_some(self):
        answer = self.ask(**{"expr": "@every 1500ms", "from": "2026-01-01T00:00:00Z", "count": 2})
        self.assertEqual(answer, {"next": ["2026-01-01T00:00:01.500Z", "2026-01-01T00:00:03Z"]})

    def test_a_schedule_that_is_over_has_no_more_fires(self):
        answer = self.ask(**{"expr": "0 0 0 1 1 ? 2027", "from": "2026-01-01T00:00:00Z", "count": 3})
        self.assertEqual(answer, {"next": ["2027-01-01T00:00:00Z"]})
        self.assertEqual(self.ask(**{"expr": "0 0 0 1 1 ? 2020", "from": "2026-01-01T00:00:00Z"}), {"next": []})


class Zone(Batch, unittest.TestCase):
    command = "zone"
    required = ("zone", "utc")
    question = b'{"zone":"Australia/Lord_Howe","utc":"2026-04-04T15:00:00Z"}'
    answer = {"offset": 37800, "abbr": "+1030", "local": "2026-04-05T01:30:00"}

    def numbered(self, number):
        """A line that only its own answer fits, since every instant is another one; some are wrong."""
        if number % 1000 == 999:
            return '{"zone":"UTC"}', {"error": "utc: is missing"}
        utc, hours = YEAR_START + number * SECOND * 61, number % 12
        local = utc + datetime.timedelta(hours=hours)
        line = f'{{"zone":"Etc/GMT-{hours}","utc":"{utc.isoformat()}Z"}}'
        return line, {"offset": hours * 3600, "abbr": f"+{hours:02}" if hours else "GMT", "local": local.isoformat()}

    def ask(self, zone, utc):
        return binary.ask("zone", [{"zone": zone, "utc": utc}])[0]

    def test_an_unknown_zone_gets_the_likely_one(self):
        self.assertIn("Europe/Berlin", self.ask("Europe/Berln", "2026-01-01T00:00:00Z")["error"])

    def test_a_zone_is_not_a_path(self):
        for zone in ("../../etc/passwd", "/etc/localtime", "Europe/../UTC", "Europe", "tzdata.zi", "", "."):
            self.assertIn("error", self.ask(zone, "2026-01-01T00:00:00Z"), zone)

    def test_an_instant_is_rfc_3339_as_everywhere_and_not_a_number(self):
        self.assertIn("utc: must be a string", self.ask("Australia/Lord_Howe", 1775314800)["error"])

    def test_the_years_end_at_2200(self):
        self.assertEqual(self.ask("UTC", "1970-01-01T00:00:00Z")["local"], "1970-01-01T00:00:00")
        self.assertEqual(self.ask("UTC", "2200-12-31T23:59:59Z")["local"], "2200-12-31T23:59:59")
        for utc in ("1969-12-31T23:59:59Z", "2201-01-01T00:00:00Z"):
            self.assertIn("error", self.ask("UTC", utc))


if __name__ == "__main__":
    tap.main()
