"""spread: what is promised of H: stays in its range, same for the same seed, other for other seeds and other fields.

Usage: spread.py BELFRY
"""

import json
import re
import sys

import batch
import tap

SEEDS = [f"job-{number}" for number in range(300)]
MONTH, DAY, HOUR, MINUTE, SECOND = range(5)

# (expression, which part of its first fire H decides, the range of it)
RANGES = [
    ("H * * * *", MINUTE, 0, 59),
    ("H H H H *", MINUTE, 0, 59),
    ("0 H * * *", HOUR, 0, 23),
    ("0 0 H * *", DAY, 1, 31),
    ("0 0 1 H *", MONTH, 1, 12),
    ("H(0-29) * * * *", MINUTE, 0, 29),
    ("H(30-59) * * * *", MINUTE, 30, 59),
    ("H(7-7) * * * *", MINUTE, 7, 7),
    ("0 H(9-17) * * *", HOUR, 9, 17),
    ("0 0 H(10-20) * *", DAY, 10, 20),
    ("H * * * * ?", SECOND, 0, 59),
    ("0 H * * * ?", MINUTE, 0, 59),
    ("0 0 H(2-4) * * ?", HOUR, 2, 4),
]


def first_fires(belfry, expr):
    """The first fire of 2026 for each seed, as [month, day, hour, minute, second]."""
    ask = {"expr": expr, "from": "2025-12-31T23:59:59Z", "count": 1}
    answers = batch.ask_lines(belfry, "next", [json.dumps({**ask, "seed": seed}) for seed in SEEDS])
    return [[int(word) for word in re.split("[-T:Z]", answer["next"][0])[1:6]] for answer in answers]


def check_ranges(out, belfry):
    for expr, part, low, high in RANGES:
        values = [fire[part] for fire in first_fires(belfry, expr)]
        again = [fire[part] for fire in first_fires(belfry, expr)]
        shown = [f"{expr}: {sorted(set(values))}"]
        out.ok(all(low <= value <= high for value in values), f"[{expr}] stays in {low} to {high}", shown)
        out.ok(values == again, f"[{expr}] is the same for the same seed")
        # 300 seeds leave hardly a value out; two thirds of the range is far below what chance can do.
        out.ok(len(set(values)) * 3 > (high - low + 1) * 2, f"[{expr}] spreads over seeds", shown)


def check_fields(out, belfry):
    weekdays = {fire[DAY] for fire in first_fires(belfry, "0 0 * * H")}
    out.ok(weekdays == set(range(1, 8)), "[0 0 * * H] reaches every day of the week", [str(weekdays)])
    weekdays = {fire[DAY] for fire in first_fires(belfry, "0 0 0 ? * H")}
    out.ok(weekdays == set(range(1, 8)), "[0 0 0 ? * H] reaches every day of the week", [str(weekdays)])
    pairs = [(fire[MINUTE], fire[HOUR]) for fire in first_fires(belfry, "H(0-19) H(0-19) * * *")]
    same = sum(1 for minute, hour in pairs if minute == hour)  # by chance one in twenty
    out.ok(same < len(SEEDS) // 5, "H differs between fields", [f"{same} of {len(SEEDS)} are equal"])
    out.ok(len(set(pairs)) > len(SEEDS) // 2, "the fields do not move together", [f"{len(set(pairs))} pairs"])


def main(belfry):
    out = tap.Tap()
    check_ranges(out, belfry)
    check_fields(out, belfry)
    return out.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
