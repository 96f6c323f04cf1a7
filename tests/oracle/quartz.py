"""quartz: Belfry's six and seven fields against the real org.quartz.CronExpression.

Random expressions in UTC, in zones, and at changes of offset: the two must agree fire by fire, or differ in a way that
quartz_classes.py knows by name. About what is an expression at all they differ in these ways:

  rubbish   Quartz ignores what follows a valid beginning, or accepts what never fires; Belfry refuses it.
  star      Quartz wants ? where Belfry tolerates *.

Left out: L-28W to L-30W, with which the real Quartz searches for ever in months that are too short.

Usage: quartz.py BELFRY
"""

import json
import random
import sys
from datetime import timedelta

import batch
import generate
import tap
import zonetable
from quartz_classes import DAY, HORIZON, HOUR, classify, is_never
from quartz_oracle import Case, ask_quartz

FIRST, LAST = batch.seconds_of("1995-01-01T00:00:00Z"), batch.seconds_of("2035-01-01T00:00:00Z")
IN_UTC, SHORT_MONTHS, IN_ZONES, AT_CHANGES = 8500, 500, 3000, 4000
ZONES_AT_CHANGES = """America/New_York Europe/Berlin Australia/Lord_Howe Antarctica/Troll Europe/Dublin America/Havana
    America/Santiago Asia/Beirut Australia/Sydney Africa/Casablanca""".split()

# Quartz accepts these and ignores a part of them, or never comes to fire.
RUBBISH = """
5x * * * * ? | *5 * * * * ? | ** * * * * ? | *-5 * * * * ? | 1-2-3 * * * * ? | 1-5/2/3 * * * * ? | */0 * * * * ?
0 0-59/0 * * * ? | 0 0 0 1/0 * ? | 0 0 0 1,,2 * ? | 0 0 0 1, * ? | 0 0 0 ,1 * ? | 0 0 0 5C * ? | 0 0 0 1-5W * ?
0 0 0 1,15W * ? | 0 0 0 15W,1 * ? | 0 0 0 5 * ?x | 0 0 0 ?,1 * MON | 0 0 0 1 JANUARY ? | 0 0 0 1 JAN/3 ?
0 0 0 ? * MON/2 | 0 0 0 ? * MON-FRI/2 | 0 0 0 ? * MON,WED#2 | 0 0 0 ? * 2-6#2 | 0 0 0 ? * 2L3 | 0 0 0 ? * L-3
0 0 0 1 * ? 1969 | 0 0 0 1 * ? 2026 x | 0 0 0 30 2 ? | 0 0 0 31 4,6,9,11 ? | 0 0 0 L-30 2 ? | 0 0 0 29 2 ? 2027
"""

# Odd, but both accept these and mean the same. A long step is a mistake after a star or a number, not after a range.
ALIKE = """
0 /15 * * * ? | 0 0 0 L-0 * ? | 007 * * * * ? | 0 0 0 01W * ? | 0 0 12 *,5 * ? | 0 0 12 5,* * ? | 0 0 12 ? * *,MON
0 0 0 lw * ? | 0 0 0 15w * ? | 0 0 0 ? * 6l | 0 0 0 ? * FRI-MON,WED | 0 0 0 ? 2,4/2 1 | 59-0 * * * * ? | 0 0 0 */31 * ?
0 0 0 1 */12 ? | 0 0 0 ? * */7 | 0 0 0 1 * ? */2 | 0 0 0 1 * ? 2026/300 | 0 0 0 1 * ? 2026-2030/50 | 0 1-5/99 * * * ?
0 0 1-5/24 * * ? | 0 0 0 1-5/32 * ? | 0 0 0 1 1-5/13 ? | 0 0 0 ? * 1-5/30 | 1-5/60 * * * * ? | 0 0 0 ? * 5-5
0 0 0 L-3W * ? | 0 0 0 ? * SUN#1 | 0 0 22-2/3 * * ? | 0 0 0 1 11-2/2 ? | 0 0 0 29-3/2 * ? | 0	0  9 	1 1 ?
"""

# Both refuse these.
REFUSED = """
60 * * * * ? | 0 60 * * * ? | 0 0 24 * * ? | 0 0 0 0 * ? | 0 0 0 32 * ? | 0 0 0 1 0 ? | 0 0 0 1 13 ? | 0 0 0 ? * 0
0 0 0 ? * 8 | 0 0 0 1 * MON | 0 0 0 ? * ? | */60 * * * * ? | 0 */60 * * * ? | 0 0 */24 * * ? | 0 0 0 */32 * ?
0 0 0 1 */13 ? | 0 0 0 ? * */8 | 0 0 0 L,1 * ? | 0 0 0 L-31 * ? | 0 0 0 32W * ? | 0 0 0 L3 * ? | 0 0 0 L- * ?
0 0 0 LW-3 * ? | 0 0 0 WL * ? | 0 0 0 ? * 6#6 | 0 0 0 ? * 6#0 | 0 0 0 ? * 6# | 0 0 0 ? * 2#1,3#2 | 0 0 0 ? * L,2
0 0 0 ? * FRIL,MON | 0 0 0 ? * 0L | 0 0 0 ? * MON-5 | 0 0 0 ? * 2-FRI | 0 0 0 ? * XYZ | 0 0 0 1 XYZ ?
-5 * * * * ? | +5 * * * * ? | 0 5-x * * * ? | 0 0 0 1 * ? 2030-2026 | 0 0 0 1 * ? x | 0 0 0 ?/2 * MON | 0 ? 0 1 * ?
"""

# Quartz refuses the first and accepts the second; Belfry reads the first as the second.
STARS = [
    ("0 0 9 * * MON", "0 0 9 ? * MON"),
    ("0 0 9 15 * *", "0 0 9 15 * ?"),
    ("0 0 9 * * *", "0 0 9 * * ?"),
    ("0 0 9 * * 6#3", "0 0 9 ? * 6#3"),
    ("0 0 9 LW * *", "0 0 9 LW * ?"),
    ("0 0 9 * * L 2030", "0 0 9 ? * L 2030"),
]


def table(text):
    return [entry.strip() for line in text.strip().splitlines() for entry in line.split("|")]


def expression_without_hang(rng, aim):
    expr = generate.quartz(rng, aim)
    hangs = expr.split()[3] in ("L-28W", "L-29W", "L-30W")
    return expression_without_hang(rng, aim) if hangs else expr


def random_cases(rng, zones, count):
    cases = []
    for _ in range(count):
        zone, after = zonetable.load(rng.choice(zones)), rng.randrange(FIRST, LAST)
        aim = batch.EPOCH + timedelta(seconds=after)
        cases.append(Case(expression_without_hang(rng, aim), zone, after, rng.randint(1, 12)))
    return cases


def short_month_cases(rng, count):
    """29W to 31W, which random expressions seldom have."""
    cases = []
    for case in random_cases(rng, ["UTC"], count):
        second, minute, hour, _, month, _, *year = case.expr.split()
        expr = " ".join([second, minute, hour, f"{rng.randint(29, 31)}W", month, "?", *year])
        cases.append(Case(expr, case.zone, case.after, case.count))
    return cases


def change_cases(rng, zones, count):
    cases = []
    for _ in range(count):
        zone = zonetable.load(rng.choice(zones))
        change = rng.choice(zone.gaps_and_folds(FIRST, LAST))[0]
        aim = batch.EPOCH + timedelta(seconds=change + zone.offset_at(change - rng.choice((0, 1))))
        after = change - rng.randrange(12 * HOUR)
        cases.append(Case(expression_without_hang(rng, aim), zone, after, rng.randint(10, 50)))
    return cases


def zones_java_knows_alike(out, names):
    """Those whose offsets in Java's own tzdata are the system's; the test is not about tzdata."""
    points = {}
    for name in names:
        changes = [change[0] for change in zonetable.load(name).gaps_and_folds(FIRST - DAY, HORIZON)]
        points[name] = [FIRST, HORIZON] + [instant for change in changes for instant in (change - 1, change)]
    lines = [f"offset\t{name}\t{instant}" for name in names for instant in points[name]]
    answers = iter(ask_quartz(lines))
    alike = []
    for name in names:
        theirs = [next(answers) for _ in points[name]]
        if theirs == [("ok", str(zonetable.load(name).offset_at(instant))) for instant in points[name]]:
            alike.append(name)
    out.note(f"Java's tzdata differs in {sorted(set(names) - set(alike)) or 'no zone'}, left out")
    out.ok(2 * len(alike) > len(names), "Java and the system know most zones alike")
    return alike


def verdict(case, status, rest, answer):
    """(class, None), or (None, what is wrong)."""
    if status != "ok":
        return None, f"Quartz refuses: {rest}"
    theirs, ours = [int(word) for word in rest.split()], batch.fires_of(answer)
    if ours is None:
        return ("never", None) if is_never(case, theirs) else (None, "Belfry refuses")
    kind, why = classify(case, theirs, ours)
    return kind, why and f"{why}; quartz: {[batch.iso(instant) for instant in theirs]}"


def check_cases(out, belfry, name, cases, expected):
    """expected: the classes that so many cases cannot but show, so that an agreement which must not be is seen too."""
    theirs = ask_quartz([case.asked for case in cases])
    ours = batch.ask_lines(belfry, "next", [case.line for case in cases])
    counts, wrong = {}, []
    for case, (status, rest), answer in zip(cases, theirs, ours):
        kind, why = verdict(case, status, rest, answer)
        counts[kind] = counts.get(kind, 0) + 1
        if kind is None:
            wrong += [f"replay: {case.line}", why, f"belfry: {json.dumps(answer)}"]
    out.note(", ".join(f"{kind or 'UNEXPLAINED'}: {count}" for kind, count in sorted(counts.items(), key=str)))
    out.ok(not wrong, f"{name}: {len(cases)} random expressions agree, or differ as their class says", wrong)
    out.ok(all(kind in counts for kind in expected), f"{name}: among them are {' and '.join(expected)}")


def check_tables(out, belfry):
    rubbish, refused = table(RUBBISH), table(REFUSED)
    start = batch.seconds_of("2026-01-01T00:00:00Z")
    exprs = rubbish + refused
    theirs = ask_quartz([f"next\t{expr}\tUTC\t{start}\t3" for expr in exprs])
    lines = [batch.question(expr, "UTC", start, 3) for expr in exprs]
    for expr, line, (status, rest), answer in zip(exprs, lines, theirs, batch.ask_lines(belfry, "next", lines)):
        shown = [f"replay: {line}", f"quartz: {status} {rest}", f"belfry: {json.dumps(answer)}"]
        if expr in rubbish:
            out.ok(status == "ok" and "error" in answer, f"rubbish: Quartz accepts [{expr}], Belfry refuses it", shown)
        else:
            out.ok(status == "error" and "error" in answer, f"both refuse [{expr}]", shown)


def check_alike(out, belfry):
    start, exprs = batch.seconds_of("2026-01-01T00:00:00Z"), table(ALIKE)
    theirs = ask_quartz([f"next\t{expr.replace(chr(9), ' ')}\tUTC\t{start}\t9" for expr in exprs])
    lines = [batch.question(expr, "UTC", start, 9) for expr in exprs]
    for expr, line, (_, rest), answer in zip(exprs, lines, theirs, batch.ask_lines(belfry, "next", lines)):
        want = [int(word) for word in rest.split()]
        shown = [f"replay: {line}", f"quartz: {[batch.iso(instant) for instant in want]}", json.dumps(answer)]
        out.ok(want and batch.fires_of(answer) == want, f"both accept [{expr}], and mean the same", shown)


def check_stars(out, belfry):
    start = batch.seconds_of("2026-01-01T00:00:00Z")
    theirs = iter(ask_quartz([f"next\t{expr}\tUTC\t{start}\t5" for pair in STARS for expr in pair]))
    ours = batch.ask_lines(belfry, "next", [batch.question(star, "UTC", start, 5) for star, _ in STARS])
    for (star, proper), answer in zip(STARS, ours):
        (refused, _), (_, rest) = next(theirs), next(theirs)
        want = [int(word) for word in rest.split()]
        good = refused == "error" and want and batch.fires_of(answer) == want
        out.ok(good, f"star: Belfry reads [{star}] as Quartz reads [{proper}]", [rest, json.dumps(answer)])


def check_lost_hour(out, belfry):
    """What the contract's rule is for: Berlin, 25 October 2026, every 15 minutes."""
    start, count = batch.seconds_of("2026-10-24T22:59:59Z"), 17
    case = Case("0 */15 * * * ?", zonetable.load("Europe/Berlin"), start, count)
    theirs = [int(word) for word in ask_quartz([case.asked])[0][1].split()]
    ours = batch.fires_of(batch.ask_lines(belfry, "next", [case.line])[0]) or []
    steps = [[later - fire for fire, later in zip(fires, fires[1:])] for fires in (theirs, ours)]
    lost = sorted(set(range(theirs[0], theirs[-1], 900)) - set(theirs))
    out.note(f"Quartz does not fire at {[batch.iso(instant) for instant in lost]}")
    out.ok(len(lost) == 4 and max(steps[0]) == 75 * 60, "Quartz loses a whole hour of [0 */15 * * * ?] in autumn")
    even = steps[1] == [900] * (count - 1)
    out.ok(even, "Belfry fires every 15 minutes: no hole, no double", [f"replay: {case.line}"])


def main(belfry):
    out = tap.Tap()
    seed = tap.seed_from_environment()
    out.note(f"seed {seed}")
    rng = random.Random(seed)
    check_lost_hour(out, belfry)
    check_stars(out, belfry)
    check_alike(out, belfry)
    check_tables(out, belfry)
    alike = zones_java_knows_alike(out, rng.sample(zonetable.names(), 30) + ZONES_AT_CHANGES)
    at_changes = [name for name in ZONES_AT_CHANGES if name in alike]
    check_cases(out, belfry, "in UTC", random_cases(rng, ["UTC"], IN_UTC), ["same"])
    check_cases(out, belfry, "29W to 31W", short_month_cases(rng, SHORT_MONTHS), ["same", "short month"])
    check_cases(out, belfry, "in zones", random_cases(rng, alike, IN_ZONES), ["same"])
    check_cases(out, belfry, "at changes of offset", change_cases(rng, at_changes, AT_CHANGES), ["same", "change"])
    return out.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
