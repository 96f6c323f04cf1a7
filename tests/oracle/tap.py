"""tap: says how a test went, in the lines that meson's TAP harness counts.

A disagreement is printed as the JSON line that shows it again when piped into the binary.
"""

import os
import sys

SEED_DEFAULT = 20260408
REPLAYS_MAX = 5  # lines shown per failed test: enough to start with, and the log stays readable


def seed_from_environment():
    """BELFRY_TEST_SEED, or the fixed default, so that two runs without it are the same run."""
    return int(os.environ.get("BELFRY_TEST_SEED", str(SEED_DEFAULT)), 0)


class Tap:
    """Counts the tests of one program. Use: ok() for each, then exit with done()."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def note(self, text):
        for line in str(text).splitlines():
            print(f"# {line}")

    def ok(self, good, name, complaints=()):
        """One test. complaints are lines for the reader of a failure; more than a few are only counted."""
        self.count += 1
        self.failed += 0 if good else 1
        print(f"{'ok' if good else 'not ok'} {self.count} - {name.replace('#', 'nth')}")
        if not good:
            for line in complaints[:REPLAYS_MAX]:
                self.note(line)
            if len(complaints) > REPLAYS_MAX:
                self.note(f"and {len(complaints) - REPLAYS_MAX} more")
        sys.stdout.flush()
        return good

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0
