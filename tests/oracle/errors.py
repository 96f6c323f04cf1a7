"""errors: what the --batch commands refuse, how they say so, and that they go on afterwards.

expressions.py holds the expressions, right and wrong, bad_lines.py everything else that can be wrong with a line.

Usage: errors.py BELFRY
"""

import json
import re
import sys

import bad_lines
import batch
import expressions
import tap

GOOD = {"expr": "0 9 * * *", "from": "2026-01-01T00:00:00Z", "count": 1}
GOOD_ANSWER = ["2026-01-01T09:00:00Z"]
GOOD_ZONE = '{"zone":"Europe/Paris","utc":"2026-03-29T01:00:00Z"}'
GOOD_ZONE_ANSWER = {"offset": 7200, "abbr": "CEST", "local": "2026-03-29T03:00:00"}


def names_field(error, field):
    """Does the text name the field? `month` alone must not be part of `day of month`."""
    pattern = rf"(?<!day of ){field}\b" if field == "month" else rf"\b{field}\b"
    return re.search(pattern, error, re.IGNORECASE) is not None


def check_invalid(out, belfry):
    wrong = list(expressions.invalid())
    lines = [json.dumps({**GOOD, "expr": expr}) for expr, _, _, _ in wrong]
    for (expr, field, first, last), line, answer in zip(wrong, lines, batch.ask_lines(belfry, "next", lines)):
        error, position = answer.get("error"), answer.get("position")
        shown = [f"replay: {line}", f"belfry: {json.dumps(answer)}"]
        refused = isinstance(error, str) and error and "next" not in answer
        if not out.ok(refused, f"[{expr}] is refused", shown):
            continue
        in_place = isinstance(position, int) and first <= position <= last
        out.ok(in_place, f"[{expr}] is wrong at a character of {first} to {last}", shown)
        if field:
            out.ok(names_field(error, field), f"[{expr}]: the error names the {field}", shown)


def check_valid(out, belfry):
    lines = [json.dumps({**GOOD, "expr": expr, "seed": "s"}) for expr in expressions.valid()]
    for line, answer in zip(lines, batch.ask_lines(belfry, "next", lines)):
        shown = [f"replay: {line}", f"belfry: {json.dumps(answer)}"]
        out.ok(len(answer.get("next", [])) == 1, f"[{json.loads(line)['expr']}] is accepted", shown)


def check_options(out, belfry):
    """Each wrong line stands between right ones, which must not notice."""
    wrong = [{**GOOD, **options} for options in bad_lines.BAD_OPTIONS]
    wrong = [json.dumps({name: value for name, value in asked.items() if value is not None}) for asked in wrong]
    answers = batch.ask_lines(belfry, "next", [line for bad in wrong for line in (bad, json.dumps(GOOD))])
    for options, line, answer in zip(bad_lines.BAD_OPTIONS, wrong, answers[::2]):
        refused = isinstance(answer.get("error"), str) and "next" not in answer
        shown = [f"replay: {line[:300]}", f"belfry: {json.dumps(answer)[:300]}"]
        out.ok(refused, f"{json.dumps(options)[:80]} is refused", shown)
    out.ok(all(answer.get("next") == GOOD_ANSWER for answer in answers[1::2]), "the right lines between are answered")


def check_lines(out, belfry):
    """Lines that are no questions: one answer each, an error, and the process goes on."""
    good = json.dumps(GOOD).encode()
    data = b"".join(line + b"\n" + good + b"\n" for _, line in bad_lines.BAD_LINES)
    answers = batch.run_raw(belfry, "next", data).stdout.decode().splitlines()
    asked = 2 * len(bad_lines.BAD_LINES)
    if not out.ok(len(answers) == asked, f"{asked} lines have as many answers", [f"{len(answers)}"]):
        return
    for (name, _), answer, after in zip(bad_lines.BAD_LINES, answers[::2], answers[1::2]):
        refused = "error" in json.loads(answer) and len(answer) < 2000
        out.ok(refused, f"{name} is refused, in a few words", [answer[:300]])
        out.ok(json.loads(after).get("next") == GOOD_ANSWER, f"{name} does not disturb the next line", [after[:300]])


def check_line_ends(out, belfry):
    good = json.dumps(GOOD).encode()
    for name, data, count in (("no line end", good, 1), ("CR and LF", good + b"\r\n" + good + b"\r\n", 2)):
        answers = batch.run_raw(belfry, "next", data).stdout.decode().splitlines()
        right = [json.loads(answer).get("next") for answer in answers] == [GOOD_ANSWER] * count
        out.ok(right, f"{name}: answered all the same", answers)
    for command in ("next", "zone"):
        done = batch.run_raw(belfry, command, b"")
        out.ok(done.stdout == b"" and done.returncode == 0, f"{command}: nothing asked, nothing answered")


def check_zone_lines(out, belfry):
    lines = [line for bad in bad_lines.BAD_ZONE_LINES for line in (bad, GOOD_ZONE)]
    answers = batch.ask_lines(belfry, "zone", lines)
    for line, answer in zip(bad_lines.BAD_ZONE_LINES, answers[::2]):
        out.ok(isinstance(answer.get("error"), str), f"zone: [{line}] is refused", [json.dumps(answer)])
    out.ok(all(answer == GOOD_ZONE_ANSWER for answer in answers[1::2]), "zone: the right lines between are answered")


def main(belfry):
    out = tap.Tap()
    check_invalid(out, belfry)
    check_valid(out, belfry)
    check_options(out, belfry)
    check_lines(out, belfry)
    check_line_ends(out, belfry)
    check_zone_lines(out, belfry)
    return out.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
