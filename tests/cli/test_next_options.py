"""What each option of `belfry next` does, the zone before an expression, and @every."""

import datetime
import unittest

import binary
import tap
from binary import run, run_json

BERLIN = ("--tz", "Europe/Berlin")


def fires(expr, *options):
    """The fires of one table, as UTC."""
    return [row["utc"] for row in binary.rows(run("next", expr, *options).out)]


class Options(unittest.TestCase):
    def test_the_zone_is_utc_unless_given(self):
        start = ("--from", "2026-07-01T00:00:00Z", "--count", "1")
        self.assertEqual(fires("0 9 * * *", *start), ["2026-07-01T09:00:00Z"])
        self.assertEqual(fires("0 9 * * *", *start, *BERLIN), ["2026-07-01T07:00:00Z"])

    def test_from_is_not_a_fire_itself(self):
        self.assertEqual(fires("0 9 * * *", "--from", "2026-07-01T09:00:00Z", "--count", "1"), ["2026-07-02T09:00:00Z"])
        self.assertEqual(
            fires("0 9 * * *", "--from", "2026-07-01T08:59:59.999Z", "--count", "1"), ["2026-07-01T09:00:00Z"]
        )

    def test_from_may_have_an_offset(self):
        self.assertEqual(
            fires("0 9 * * *", "--from", "2026-07-01T14:30:00+05:30", "--count", "1"), ["2026-07-02T09:00:00Z"]
        )

    def test_ten_are_shown_unless_counted(self):
        self.assertEqual(len(fires("0 9 * * *")), 10)

    def test_ten_thousand_are_shown_in_full(self):
        found = fires("* * * * *", "--from", "2026-01-01T00:00:00Z", "--count", "10000")
        start = datetime.datetime(2026, 1, 1)
        want = [start + datetime.timedelta(minutes=minute) for minute in range(1, 10001)]
        self.assertEqual(found, [fire.strftime("%Y-%m-%dT%H:%M:%SZ") for fire in want])

    def test_fewer_are_shown_when_there_are_no_more(self):
        self.assertEqual(fires("0 9 * * *", "--from", "2200-12-30T00:00:00Z")[-1], "2200-12-31T09:00:00Z")
        self.assertEqual(len(fires("0 9 * * *", "--from", "2200-12-30T00:00:00Z")), 2)

    def test_each_gap_policy_does_what_it_says(self):
        for gap, want in [
            (None, "2026-03-29T01:00:00Z"),
            ("after", "2026-03-29T01:00:00Z"),
            ("shift", "2026-03-29T01:30:00Z"),
            ("skip", "2026-03-30T00:30:00Z"),
        ]:
            policy = ("--dst-gap", gap) if gap else ()
            found = fires("30 2 * * *", *BERLIN, "--from", "2026-03-29T00:00:00Z", "--count", "1", *policy)
            self.assertEqual(found, [want], gap)

    def test_each_fold_policy_does_what_it_says(self):
        first, second, day_after = "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"
        for fold, want in [
            (None, [first, day_after]),
            ("first", [first, day_after]),
            ("second", [second, day_after]),
            ("both", [first, second]),
        ]:
            policy = ("--dst-fold", fold) if fold else ()
            found = fires("30 2 * * *", *BERLIN, "--from", "2026-10-25T00:00:00Z", "--count", "2", *policy)
            self.assertEqual(found, want, fold)

    def test_every_half_hour_has_neither_hole_nor_double_in_either_night(self):
        for start in ("2026-03-28T22:00:00Z", "2026-10-24T22:00:00Z"):
            for policy in ((), ("--dst-gap", "skip", "--dst-fold", "second")):
                found = [binary.instant(fire) for fire in fires("*/30 * * * *", *BERLIN, "--from", start, *policy)]
                steps = {(b - a).total_seconds() for a, b in zip(found, found[1:])}
                self.assertEqual(steps, {1800.0}, (start, policy))

    def test_a_seed_spreads_h_and_stays_the_same(self):
        def fire(*seed):
            return fires("H H * * *", "--from", "2026-01-01T00:00:00Z", "--count", "1", *seed)[0]

        seeds = [f"job-{number}" for number in range(20)]
        found = [fire("--seed", seed) for seed in seeds]
        self.assertEqual(found, [fire("--seed", seed) for seed in seeds])
        self.assertGreater(len(set(found)), 15)

    def test_a_seed_changes_nothing_without_h(self):
        start = ("--from", "2026-01-01T00:00:00Z")
        self.assertEqual(fires("0 9 * * *", *start, "--seed", "a"), fires("0 9 * * *", *start))

    def test_options_may_stand_anywhere_and_be_joined(self):
        plain = run("next", "30 2 * * *", *BERLIN, "--from", "2026-03-28T12:00:00Z", "--count", "2", "--json")
        self.assertEqual(
            run("next", "--json", "--from=2026-03-28T12:00:00Z", "--tz=Europe/Berlin", "--count=2", "30 2 * * *").out,
            plain.out,
        )


class Prefix(unittest.TestCase):
    def test_tzid_gives_the_zone(self):
        answer = run_json("next", "TZID=Europe/Berlin:0 9 * * *", "--from", "2026-07-01T00:00:00Z", "--count", "1")
        self.assertEqual((answer["tz"], answer["next"]), ("Europe/Berlin", ["2026-07-01T07:00:00Z"]))
        self.assertEqual(answer["description"], "at 09:00, every day, Berlin time")

    def test_tzid_and_tz_may_say_the_same(self):
        self.assertEqual(run("next", "TZID=Europe/Berlin:0 9 * * *", *BERLIN).code, 0)

    def test_tzid_and_another_tz_are_refused_with_both_names(self):
        got = run("next", "TZID=America/New_York:0 9 * * *", *BERLIN)
        self.assertEqual((got.code, got.out), (1, ""))
        self.assertIn("America/New_York", got.err)
        self.assertIn("Europe/Berlin", got.err)


class Every(unittest.TestCase):
    def test_the_first_fire_is_one_interval_after_from(self):
        self.assertEqual(
            fires("@every 90s", "--from", "2026-01-01T00:00:00Z", "--count", "2"),
            ["2026-01-01T00:01:30Z", "2026-01-01T00:03:00Z"],
        )

    def test_a_day_is_24_hours_through_a_change_of_the_clock(self):
        self.assertEqual(
            fires("@every 24h", *BERLIN, "--from", "2026-10-24T10:00:00Z", "--count", "2"),
            ["2026-10-25T10:00:00Z", "2026-10-26T10:00:00Z"],
        )

    def test_milliseconds_are_shown_where_there_are_some(self):
        self.assertEqual(
            fires("@every 1500ms", "--from", "2026-01-01T00:00:00Z", "--count", "2"),
            ["2026-01-01T00:00:01.500Z", "2026-01-01T00:00:03Z"],
        )

    def test_units_add_up(self):
        self.assertEqual(
            fires("@every 1d2h3m4s", "--from", "2026-01-01T00:00:00Z", "--count", "1"), ["2026-01-02T02:03:04Z"]
        )


if __name__ == "__main__":
    tap.main()
