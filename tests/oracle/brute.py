"""brute: `belfry next --batch` against a matcher that tries every minute (plan.py and walk.py).

Random expressions of both dialects under every DST policy, most of them asked within a day or two of a change of
offset: first in zones known for odd ones, then in all zones, then far ahead to 2200. corners.py and
corners_clock.py add cases worked out by hand.

Usage: brute.py BELFRY
"""

import json
import math
import random
import sys
from datetime import datetime, timedelta

import batch
import generate
import plan
import tap
import walk
import zonetable
from corners import LANGUAGE
from corners_clock import CLOCK

HOUR, DAY = 3600, 86400
WINDOW = 60 * HOUR  # how far after a change answers are compared
LAST = 7289654400 - 1  # the last second of 2200
END = LAST - 3 * DAY  # the last days of 2200 are left to UTC: elsewhere the year's end is not one instant
PER_ODD_ZONE, ANYWHERE, FAR = 400, 4000, 500  # questions per dialect

# zone: the years whose changes are worth asking about
ODD_ZONES = {
    "Australia/Lord_Howe": (1981, 2200),  # half an hour
    "Antarctica/Troll": (2005, 2200),  # two hours
    "America/Havana": (1970, 2200),  # gap from 00:00 to 01:00
    "America/Santiago": (1970, 2200),  # fold and gap at midnight
    "Asia/Beirut": (1970, 2200),  # at midnight
    "Africa/Cairo": (1970, 2200),  # at midnight, with pauses
    "Pacific/Apia": (2009, 2022),  # 30 December 2011 does not exist
    "Africa/Casablanca": (2008, 2087),  # Ramadan
    "Europe/Dublin": (1970, 2200),  # negative DST
    "America/New_York": (1970, 2200),
    "Europe/Berlin": (1980, 2200),
    "Asia/Kathmandu": (1985, 1987),  # 15 minutes, once
    "America/Caracas": (2007, 2016),  # half an hour back and forth, without DST
    "Asia/Pyongyang": (2015, 2018),
    "Africa/Monrovia": (1970, 1973),  # an offset of -0:44:30
    "Pacific/Kwajalein": (1993, 1993),  # 21 August 1993 does not exist
    "America/St_Johns": (1986, 2012),  # changes at 00:01
    "America/Nuuk": (1980, 2200),  # a rule that counts from the evening before
    "Asia/Gaza": (2005, 2086),
    "America/Scoresbysund": (1981, 2200),  # an offset change and a DST change in one night
}


def seconds_at(year):
    return int((datetime(year, 1, 1) - batch.EPOCH).total_seconds())


class Case:
    """One question, and what the matcher says to it."""

    def __init__(self, expr, zone, after, until, count, gap, fold):
        self.expr, self.zone = expr, zone
        self.after, self.until, self.count = after, until, count
        self.gap, self.fold = gap, fold
        self.line = batch.question(expr, zone.name, after, count, gap=gap, fold=fold)

    def expected(self, until):
        return walk.fires(plan.reading(self.expr), self.zone, self.after, until, self.count, self.gap, self.fold)

    def complaint(self, answer):
        """None, or why the answer is wrong."""
        got = batch.fires_of(answer)
        if got is None:
            never = not walk.ever_fires(plan.reading(self.expr))
            return None if never else f"refused: {json.dumps(answer)}"
        # A short answer claims that nothing more comes before the end, so it is checked that far.
        until = self.until if len(got) == self.count else END
        expected = self.expected(until)
        if [instant for instant in got if instant <= until] == expected and sorted(set(got)) == got:
            return None
        return f"expected {[batch.iso(instant) for instant in expected]}, got {answer['next']}"


def random_case(rng, dialect, zone, change):
    """A question near `change`, an instant of the zone."""
    aim = datetime(1970, 1, 1) + timedelta(seconds=change + zone.offset_at(change - rng.choice((0, 1))))
    near = rng.random()
    if near < 0.25:
        after = change + rng.choice((-2, -1, 0, 1, -60, 60))
    elif near < 0.7:
        after = change - rng.randrange(3 * HOUR)
    else:
        after = change - rng.randrange(40 * HOUR)
    expr = (generate.unix if dialect == "unix" else generate.quartz)(rng, aim)
    gap, fold = rng.choice(("after", "shift", "skip")), rng.choice(("first", "second", "both"))
    return Case(expr, zone, max(0, after), change + WINDOW, rng.randint(1, 60), gap, fold)


def odd_zone_cases(rng, dialect, name):
    zone = zonetable.load(name)
    first, last = ODD_ZONES[name]
    changes = [change[0] for change in zone.gaps_and_folds(seconds_at(first), seconds_at(last + 1) - 1)]
    return [random_case(rng, dialect, zone, rng.choice(changes)) for _ in range(PER_ODD_ZONE)]


def anywhere_cases(rng, dialect, count):
    """Any zone: at one of its changes if it has any, else at a random moment."""
    cases, names = [], zonetable.names()
    for name in rng.sample(names, 150):
        zone = zonetable.load(name)
        changes = [change[0] for change in zone.gaps_and_folds(0, END - 5 * DAY)] or [rng.randrange(END - 5 * DAY)]
        cases += [random_case(rng, dialect, zone, rng.choice(changes)) for _ in range(count // 150)]
    return cases


def far_cases(rng, dialect, count):
    """Few fires, looked for over many years."""
    cases, names = [], rng.sample(zonetable.names(), 20) + ["UTC"] * 5
    for _ in range(count):
        zone, after = zonetable.load(rng.choice(names)), rng.randrange(seconds_at(2180))
        aim = datetime(1970, 1, 1) + timedelta(seconds=after)
        expr = (generate.unix if dialect == "unix" else generate.quartz)(rng, aim)
        gap, fold = rng.choice(("after", "shift", "skip")), rng.choice(("first", "second", "both"))
        cases.append(Case(expr, zone, after, END, rng.randint(1, 6), gap, fold))
    return cases


def check(out, belfry, name, cases):
    answers = batch.ask_lines(belfry, "next", [case.line for case in cases])
    wrong, near = [], 0
    for case, answer in zip(cases, answers):
        complaint = case.complaint(answer)
        near += any(text <= batch.iso(case.until) for text in answer.get("next", []))
        if complaint:
            wrong += [f"replay: {case.line}", complaint]
    out.ok(not wrong, f"{name}: {len(cases)} random cases, {near} with fires in their stretch of time", wrong)


def check_corner(out, belfry, corner):
    """Both Belfry and the matcher must give the answer that was worked out by hand."""
    name, ask, expected = corner
    ask = {"count": len(expected) or 3, **ask}
    line = json.dumps(ask)
    answer = batch.ask_lines(belfry, "next", [line])[0]
    out.ok(answer.get("next") == expected, name, [f"replay: {line}", f"by hand: {expected}", json.dumps(answer)])
    if not ask["expr"].startswith(("@every", "TZID=")):
        mine = matcher_on(ask)
        out.ok(mine == expected, f"{name} (the matcher says so too)", [f"matcher: {mine}", f"by hand: {expected}"])


def matcher_on(ask):
    """What the matcher makes of a corner's question."""
    after = math.floor(datetime.fromisoformat(ask["from"].replace("Z", "+00:00")).timestamp())
    policies = ask.get("gap", "after"), ask.get("fold", "first")
    found = walk.fires(plan.reading(ask["expr"]), zonetable.load(ask["tz"]), after, LAST, ask["count"], *policies)
    return [batch.iso(instant) for instant in found]


def main(belfry):
    out = tap.Tap()
    seed = tap.seed_from_environment()
    out.note(f"seed {seed}")
    for corner in LANGUAGE + CLOCK:
        check_corner(out, belfry, corner)
    rng = random.Random(seed)
    for dialect in ("unix", "quartz"):
        for name in ODD_ZONES:
            check(out, belfry, f"{dialect}, {name}", odd_zone_cases(rng, dialect, name))
        check(out, belfry, f"{dialect}, changes in 150 zones", anywhere_cases(rng, dialect, ANYWHERE))
        check(out, belfry, f"{dialect}, years ahead", far_cases(rng, dialect, FAR))
    return out.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
