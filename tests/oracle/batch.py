"""batch: asks the real binary, many questions at a time.

Rules: (1) one answer line for each line asked, in the same order, and the process ends with 0 whatever the lines were;
           anything else (a crash, a sanitizer's finding) ends the test program.
"""

import json
import subprocess
from datetime import datetime, timedelta

EPOCH = datetime(1970, 1, 1)


def iso(seconds):
    """Seconds since 1970 as an instant, the way batch lines spell it."""
    return (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text):
    """The inverse of iso(). Raises ValueError for any other spelling, milliseconds included."""
    return int((datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ") - EPOCH).total_seconds())


def run_raw(belfry, command, data):
    """Pipes bytes into `belfry COMMAND --batch` and gives back the finished process, whose output is bytes."""
    return subprocess.run([belfry, command, "--batch"], input=data, capture_output=True, check=False)


def ask_lines(belfry, command, lines):
    """The answers to lines of text, as parsed JSON."""
    done = run_raw(belfry, command, "".join(line + "\n" for line in lines).encode())
    answers = done.stdout.decode().splitlines()
    if len(answers) != len(lines) or done.returncode != 0:  # rule 1
        tail = done.stderr.decode(errors="replace")[-2000:]
        raise SystemExit(f"{len(lines)} lines asked, {len(answers)} answered, exit {done.returncode}\n{tail}")
    return [json.loads(answer) for answer in answers]


def question(expr, tz, start, count, **more):
    """One line for `belfry next --batch`; start is in seconds since 1970."""
    return json.dumps({"expr": expr, "tz": tz, "from": iso(start), "count": count, **more})


def fires_of(answer):
    """The fires of an answer in seconds since 1970, or None if it is an error."""
    if "next" not in answer:
        return None
    return [seconds_of(text) for text in answer["next"]]
