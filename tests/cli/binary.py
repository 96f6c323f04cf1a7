"""binary: runs the real belfry and reads what it says, as a shell and a person would.

The first argument of every test program is the path of the binary.

Rules: (1) nothing here knows what an answer should be; the tests do.
       (2) no wait is endless: a program that hangs fails its test.
"""

import datetime
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import zoneinfo

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))  # tap

BELFRY = os.path.abspath(sys.argv[1])
SECONDS_MAX = 60  # for one run; a guard, far beyond what any of them takes

UTC = datetime.timezone.utc
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

AMOUNT = r"\d+ (?:d|h|min|s)(?: \d+ (?:h|min|s))?"
ROW = re.compile(
    r"  (?P<weekday>\w{3}) (?P<local>\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?) (?P<abbr>\S+) +"
    rf"(?P<utc>\S+Z) +(?P<away>in {AMOUNT}|{AMOUNT} ago|now)(?: +<- (?P<mark>.+))?"
)


class Run:
    """What came of one run. Bytes that are not UTF-8 are kept as surrogates, so that a test can find them."""

    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")


def environment(more=None):
    """The environment without what says where zones are; more is added to it."""
    clean = {name: value for name, value in os.environ.items() if name not in ("TZ", "TZDIR")}
    return {**clean, **(more or {})}


def run(*args, stdin=b"", env=None, stdout=subprocess.PIPE):
    """Runs belfry with args (text or bytes). stdout may be a file for the tests of lost output."""
    done = subprocess.run(
        [BELFRY, *args],
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment(env),
        timeout=SECONDS_MAX,  # rule 2
        check=False,
    )
    done.stdout = done.stdout or b""
    return Run(done)


def run_json(*args, **more):
    """The object that `belfry ... --json` prints."""
    return json.loads(run(*args, "--json", **more).out)


def ask(command, questions):
    """The answers of `belfry COMMAND --batch` to a list of objects."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    return [json.loads(line) for line in run(command, "--batch", stdin=lines.encode()).out.splitlines()]


def rows(text):
    """The rows of a table that `belfry next` printed. A line of the table that is none is a failure."""
    lines = text.split("\n\n", 1)[1].splitlines()[1:]
    found = [ROW.fullmatch(line) for line in lines]
    for line, row in zip(lines, found):
        if row is None:
            raise AssertionError(f"not a row: {line!r}")
    return found


def instant(text):
    """An instant as Belfry prints it, "...Z", in Python's words."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def in_zone(utc, zone):
    """Python's own opinion on what the clocks of a zone show at an instant."""
    return instant(utc).astimezone(zoneinfo.ZoneInfo(zone))


class Talk:
    """A conversation with `belfry COMMAND --batch`, as with a program that waits for each answer."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [BELFRY, command, "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment()
        )
        self.heard = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def say(self, data):
        os.write(self.process.stdin.fileno(), data)

    def answer(self):
        """The next line, without waiting for one more byte than it has."""
        while b"\n" not in self.heard:
            if not select.select([self.process.stdout], [], [], SECONDS_MAX)[0]:  # rule 2
                raise AssertionError("no answer came")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise AssertionError("the program ended without an answer")
            self.heard += data
        line, self.heard = self.heard.split(b"\n", 1)
        return json.loads(line)

    def end(self):
        """Closes the question side; returns the exit status and whatever was left to read."""
        self.process.stdin.close()
        rest = self.heard + self.process.stdout.read()
        return self.process.wait(SECONDS_MAX), rest
