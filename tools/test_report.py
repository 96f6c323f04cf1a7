#!/usr/bin/env python3
"""Counts the cases of a Meson test run.

    test_report.py names BUILD [FILTER]     the tests whose suite or name contains FILTER, one a line
    test_report.py verdict BUILD [FILTER]   what failed and why, then "N passed, N failed" as the last line

Meson counts programs; people want to know about cases. Every program speaks TAP: a plan (1..N) and one "ok" or
"not ok" line for each case. A program that does less than it planned, or ends badly without a failed case, has failed
too: nothing that went wrong may be counted as nothing.
"""

import json
import pathlib
import re
import sys

CASE = re.compile(r"(ok|not ok)\b\s*(\d*)\s*(?:- )?(.*)")
PLAN = re.compile(r"1\.\.(\d+)\b\s*(?:#\s*skip\S*\s*(.*))?$", re.IGNORECASE)
SKIP = re.compile(r"#\s*skip\S*\s*(.*)$", re.IGNORECASE)
OUTPUT_LINES_MAX = 200  # of one failed program; the rest is in Meson's log


class Outcome:
    """What one program's run comes to."""

    def __init__(self, name):
        self.name = name
        self.passed = 0
        self.failed = []  # one sentence each
        self.lost = 0  # planned, but never run
        self.skipped = []  # one sentence each


def read_cases(outcome, stdout):
    """Takes the TAP lines of stdout into outcome; returns how many cases were planned (None: no plan) and seen."""
    planned, seen = None, 0
    for line in stdout.splitlines():
        plan, case = PLAN.match(line), CASE.match(line)
        if plan:
            planned = (planned or 0) + int(plan[1])
            if plan[2] is not None:
                outcome.skipped.append(plan[2])
        elif case:
            seen += 1
            if SKIP.search(case[3]):
                outcome.skipped.append(case[3])
            elif case[1] == "ok":
                outcome.passed += 1
            else:
                outcome.failed.append(case[3] or f"case {case[2]}")
    return planned, seen


def ending(record):
    return f"{record['result']}, exit status {record['returncode']}"


def judge(record):
    """The outcome of one record of Meson's testlog.json."""
    outcome = Outcome(record["name"])
    planned, seen = read_cases(outcome, record.get("stdout") or "")
    if planned is None:
        outcome.failed.append(f"no TAP plan ({ending(record)})")
    elif seen < planned:
        outcome.lost = planned - seen
    elif seen > planned:
        outcome.failed.append(f"{seen} cases, but {planned} planned")
    elif not outcome.failed and (record["returncode"] != 0 or record["result"] not in ("OK", "SKIP")):
        outcome.failed.append(f"no case failed, but the program did ({ending(record)})")
    return outcome


def words_of(test):
    """Its name and its suites, which Meson lists as project:suite."""
    return [test["name"]] + [suite.split(":")[-1] for suite in test["suite"]]


def selected(build, pattern):
    """The names of the configured tests, in order and with repetitions."""
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text())
    chosen = {t["name"] for t in tests if any(pattern in word for word in words_of(t))}
    return [t["name"] for t in tests if t["name"] in chosen]


def read_log(build):
    log = build / "meson-logs" / "testlog.json"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def show_failure(outcome, record):
    print(f"\n=== {outcome.name}")
    output = f"{record.get('stdout') or ''}{record.get('stderr') or ''}"
    lines = [line for line in output.splitlines() if not line.startswith("ok ")]
    if len(lines) > OUTPUT_LINES_MAX:
        print(f"[{len(lines) - OUTPUT_LINES_MAX} lines left out; meson-logs/testlog.txt has them]")
    print("\n".join(lines[-OUTPUT_LINES_MAX:]))
    for sentence in outcome.failed:
        print(f"failed: {outcome.name}: {sentence}")
    if outcome.lost:
        print(f"failed: {outcome.name}: {outcome.lost} planned cases did not run ({ending(record)})")


def verdict(expected, records):
    """Prints the report; returns the exit status."""
    passed = failed = 0
    for record in records:
        outcome = judge(record)
        passed += outcome.passed
        failed += len(outcome.failed) + outcome.lost
        for sentence in outcome.skipped:
            print(f"skipped: {outcome.name}: {sentence}")
        if outcome.failed or outcome.lost:
            show_failure(outcome, record)

    silent = len(expected) - len(records)
    if silent > 0:
        print(f"failed: {silent} of {len(expected)} test programs did not run")
        failed += silent
    if passed + failed == 0:
        print("no test ran")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed > 0 and failed == 0 else 1


def main(argv):
    action, build, pattern = argv[1], pathlib.Path(argv[2]), argv[3] if len(argv) > 3 else ""
    expected = selected(build, pattern)
    if action == "names":
        for name in dict.fromkeys(expected):
            print(name)
        return 0
    if not expected:
        print(f"no test has {pattern!r} in its suite or name; there are: {' '.join(selected(build, ''))}")
    return verdict(expected, read_log(build) if expected else [])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
