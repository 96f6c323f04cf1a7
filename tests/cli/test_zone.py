"""What `belfry zone` tells of a zone, beside what Python's zoneinfo thinks of it."""

import datetime
import json
import re
import unittest
import zoneinfo

import binary
import tap
from binary import run, run_json

# zone, instant, offset in seconds, abbreviation, local time: both sides of the odd changes
ODD = [
    ("Australia/Lord_Howe", "2026-04-04T14:59:59Z", 39600, "+11", "2026-04-05T01:59:59"),
    ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 37800, "+1030", "2026-04-05T01:30:00"),
    ("Antarctica/Troll", "2026-03-29T00:59:59Z", 0, "+00", "2026-03-29T00:59:59"),
    ("Antarctica/Troll", "2026-03-29T01:00:00Z", 7200, "+02", "2026-03-29T03:00:00"),
    ("America/Havana", "2026-03-08T05:00:00Z", -14400, "CDT", "2026-03-08T01:00:00"),
    ("Pacific/Apia", "2011-12-30T09:59:59Z", -36000, "-10", "2011-12-29T23:59:59"),
    ("Pacific/Apia", "2011-12-30T10:00:00Z", 50400, "+14", "2011-12-31T00:00:00"),
    ("Africa/Casablanca", "2026-02-15T02:00:00Z", 0, "+00", "2026-02-15T02:00:00"),
    ("Europe/Dublin", "2026-07-01T00:00:00Z", 3600, "IST", "2026-07-01T01:00:00"),
    ("Africa/Monrovia", "1970-07-01T00:00:00Z", -2670, "MMT", "1970-06-30T23:15:30"),
    ("Asia/Kathmandu", "2026-01-01T00:00:00Z", 20700, "+0545", "2026-01-01T05:45:00"),
    ("Etc/GMT+5", "2026-01-01T00:00:00Z", -18000, "-05", "2025-12-31T19:00:00"),
    ("Europe/Berlin", "2199-07-01T00:00:00Z", 7200, "CEST", "2199-07-01T02:00:00"),
]
CHANGING = ["Australia/Lord_Howe", "Antarctica/Troll", "America/Havana", "America/Santiago", "Asia/Beirut"]
CHANGING += ["Africa/Cairo", "Africa/Casablanca", "Europe/Dublin", "America/New_York", "Pacific/Chatham"]

CHANGE = re.compile(
    r"    (?P<utc>\S+Z)  \w{3} (?P<before>\d{4}-\d\d-\d\d \d\d:\d\d) -> (?P<after>(?:\w{3} \d{4}-\d\d-\d\d )?\d\d:\d\d)"
    r"  (?P<offset>[+-]\d\d:\d\d) (?P<abbr>\S+)  \((?P<moves>(?:forward|back) .+)\)"
)
SECOND = datetime.timedelta(seconds=1)


def offset_at(zone, when):
    """Python's offset, in seconds; when is an aware datetime."""
    return when.astimezone(zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds()


class Json(unittest.TestCase):
    def test_odd_zones_have_their_offset_abbreviation_and_local_time(self):
        for zone, utc, offset, abbr, local in ODD:
            got = run_json("zone", zone, "--at", utc)
            want = {"zone": zone, "utc": utc, "offset": offset, "abbr": abbr, "local": local}
            self.assertEqual({name: got[name] for name in want}, want)

    def test_json_and_batch_agree(self):
        answers = binary.ask("zone", [{"zone": zone, "utc": utc} for zone, utc, *_ in ODD])
        for (zone, utc, *_), answer in zip(ODD, answers):
            got = run_json("zone", zone, "--at", utc)
            self.assertEqual({name: got[name] for name in ("offset", "abbr", "local")}, answer)

    def test_the_object_is_one_line(self):
        got = run("zone", "Europe/Berlin", "--json")
        self.assertEqual((got.code, got.err, got.out.count("\n")), (0, "", 1))

    def test_each_change_is_one_and_none_is_left_out(self):
        for zone in CHANGING:
            start = datetime.datetime(2026, 1, 1, tzinfo=binary.UTC)
            changes = run_json("zone", zone, "--at", "2026-01-01T00:00:00Z")["changes"]
            self.assertGreaterEqual(len(changes), 2, zone)
            for change in changes:
                when = binary.instant(change["utc"])
                self.assertEqual(offset_at(zone, when), change["offset"], (zone, change))
                self.assertNotEqual(offset_at(zone, when - SECOND), change["offset"], (zone, change))
                self.assertEqual(when.astimezone(zoneinfo.ZoneInfo(zone)).tzname(), change["abbr"])
                days = (when - SECOND - start).days
                seen = {offset_at(zone, start + datetime.timedelta(days=day)) for day in range(days + 1)}
                self.assertEqual(seen, {offset_at(zone, start)}, (zone, change))
                start = when

    def test_a_change_at_this_very_instant_has_happened(self):
        before = run_json("zone", "Europe/Berlin", "--at", "2026-03-29T00:59:59Z")
        after = run_json("zone", "Europe/Berlin", "--at", "2026-03-29T01:00:00Z")
        self.assertEqual((before["offset"], before["changes"][0]["utc"]), (3600, "2026-03-29T01:00:00Z"))
        self.assertEqual((after["offset"], after["changes"][0]["utc"]), (7200, "2026-10-25T01:00:00Z"))

    def test_a_zone_that_never_changes_again_has_no_changes(self):
        for zone in ("UTC", "Asia/Kolkata", "Etc/GMT+5", "America/Sao_Paulo"):
            self.assertEqual(run_json("zone", zone, "--at", "2026-01-01T00:00:00Z")["changes"], [], zone)

    def test_an_error_is_the_object_that_batch_gives(self):
        got = run("zone", "Europe/Berln", "--json")
        want = binary.ask("zone", [{"zone": "Europe/Berln", "utc": "2026-01-01T00:00:00Z"}])[0]
        self.assertEqual((got.code, got.err, json.loads(got.out)), (1, "", want))


class Text(unittest.TestCase):
    def test_it_names_zone_instant_local_time_and_offset(self):
        got = run("zone", "Australia/Lord_Howe", "--at", "2026-04-04T15:00:00Z")
        lines = got.out.splitlines()
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertEqual(lines[0], "Australia/Lord_Howe at 2026-04-04T15:00:00Z")
        self.assertEqual(lines[1].split(), ["local", "time", "Sun", "2026-04-05", "01:30:00"])
        self.assertEqual(lines[2].split(), ["offset", "+10:30", "+1030"])
        self.assertEqual(lines[3].split(), ["changes"])

    def test_a_negative_offset_has_its_sign(self):
        for zone, want in [("America/St_Johns", "-03:30 NST"), ("Pacific/Marquesas", "-09:30 -0930")]:
            self.assertIn(f"offset      {want}\n", run("zone", zone, "--at", "2026-01-01T00:00:00Z").out)

    def test_the_changes_are_those_of_json(self):
        for zone in CHANGING:
            args = ("zone", zone, "--at", "2026-01-01T00:00:00Z")
            found = [CHANGE.fullmatch(line) for line in run(*args).out.splitlines()[4:]]
            self.assertNotIn(None, found, zone)
            changes = run_json(*args)["changes"]
            self.assertEqual([row["utc"] for row in found], [change["utc"] for change in changes])
            self.assertEqual([row["abbr"] for row in found], [change["abbr"] for change in changes])

    def test_a_change_shows_the_clock_before_and_after(self):
        for zone, want in [
            ("Europe/Berlin", "Sun 2026-03-29 02:00 -> 03:00  +02:00 CEST  (forward 1 h)"),
            ("Australia/Lord_Howe", "Sun 2026-04-05 02:00 -> 01:30  +10:30 +1030  (back 30 min)"),
            ("Antarctica/Troll", "Sun 2026-03-29 01:00 -> 03:00  +02:00 +02  (forward 2 h)"),
            ("Africa/Casablanca", "Sun 2026-02-15 03:00 -> 02:00  +00:00 +00  (back 1 h)"),
        ]:
            first = run("zone", zone, "--at", "2026-01-01T00:00:00Z").out.splitlines()[4]
            self.assertTrue(first.endswith("Z  " + want), first)

    def test_a_change_into_another_day_shows_that_day(self):
        apia = run("zone", "Pacific/Apia", "--at", "2011-12-30T09:59:59Z").out
        self.assertIn("Fri 2011-12-30 00:00 -> Sat 2011-12-31 00:00  +14:00 +14  (forward 1 d)", apia)
        santiago = run("zone", "America/Santiago", "--at", "2026-01-01T00:00:00Z").out
        self.assertIn("Sun 2026-04-05 00:00 -> Sat 2026-04-04 23:00  -04:00 -04  (back 1 h)", santiago)

    def test_no_changes_to_come_is_said(self):
        self.assertIn("none to come", run("zone", "UTC").out)


class At(unittest.TestCase):
    def test_any_offset_is_taken(self):
        want = run("zone", "Europe/Berlin", "--at", "2026-04-04T15:00:00Z").out
        for at in ("2026-04-05T01:30:00+10:30", "2026-04-04T10:00:00.000-05:00"):
            self.assertEqual(run("zone", "Europe/Berlin", "--at", at).out, want)

    def test_without_it_the_instant_is_now(self):
        before = datetime.datetime.now(binary.UTC).replace(microsecond=0)
        told = binary.instant(run_json("zone", "UTC")["utc"])
        after = datetime.datetime.now(binary.UTC)
        self.assertTrue(before <= told <= after, (before, told, after))

    def test_what_is_no_time_is_refused(self):
        for at in ("yesterday", "2026-04-04", "2026-02-30T00:00:00Z", "2201-01-01T00:00:00Z", ""):
            got = run("zone", "UTC", "--at", at)
            self.assertNotEqual(got.code, 0, at)
            self.assertEqual(got.out, "", at)


class Unknown(unittest.TestCase):
    def test_the_likely_zone_is_suggested(self):
        for wrong, right in [
            ("Europe/Berln", "Europe/Berlin"),
            ("europe/berlin", "Europe/Berlin"),
            ("Berlin", "Europe/Berlin"),
            ("America/NewYork", "America/New_York"),
            ("Australia/Lord Howe", "Australia/Lord_Howe"),
        ]:
            got = run("zone", wrong)
            self.assertEqual((got.code, got.out), (1, ""))
            self.assertIn(f'unknown time zone "{wrong}"; did you mean "{right}"?', got.err)

    def test_a_name_unlike_any_gets_an_example(self):
        got = run("zone", "Middle_Earth/Bag_End")
        self.assertEqual((got.code, got.out), (1, ""))
        self.assertNotIn("did you mean", got.err)
        self.assertIn("IANA name such as", got.err)

    def test_a_zone_is_not_a_path(self):
        for zone in ("../../etc/passwd", "/etc/localtime", "Europe/../UTC", "Europe", "Europe/", "tzdata.zi", "."):
            got = run("zone", zone)
            self.assertEqual((got.code, got.out), (1, ""), zone)


if __name__ == "__main__":
    tap.main()
