"""The engine decides and does nothing else: its objects import no system call, clock, random number or lock.

What they may import: each other, the layers below but for their parts that touch the world, and a few functions of the
compiler's and of string.h. Arguments: the archives, engine first, then base, calendar, model.
"""

import re
import subprocess
import sys
import unittest

import tap

# Parts of the layers below that are not pure: the engine may not call them.
WORLDLY = {"chrono", "log", "zone_cache", "tzif"}

# Of the compiler and libc: pure functions of their arguments, and the end of the program.
PLAIN = re.compile(
    r"__(assert_fail|stack_chk_fail|div(mod)?ti4|divti3|modti3|udivti3|muloti4|.*_chk|tls_get_addr)$"
    r"|mem(cmp|cpy|move|set|chr)$|str(cmp|len|ncmp|chr)$|qsort$|bsearch$"
    r"|__(asan|ubsan|tsan|sanitizer|sanitize|gcov|llvm|gcda|cyg)_.*|_GLOBAL_OFFSET_TABLE_$"
)

ARCHIVES = sys.argv[1:]


def symbols(archive, option):
    """Yields (object's name without endings, symbol)."""
    text = subprocess.run(["nm", "-A", option, archive], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        found = re.search(r"([\w]+)\.c\.o:\s*(?:[0-9a-f]+ )?\s*\w (\S+)$", line)
        if found:
            yield found[1], found[2]


def defined(archive):
    return {(part, symbol) for part, symbol in symbols(archive, "--defined-only")}


class EnginePure(unittest.TestCase):
    def setUp(self):
        self.imported = {symbol for _, symbol in symbols(ARCHIVES[0], "--undefined-only")}
        self.own = {symbol for _, symbol in defined(ARCHIVES[0])}
        self.below = set().union(*(defined(archive) for archive in ARCHIVES[1:]))

    def test_the_archives_are_what_they_seem(self):
        self.assertIn("engine_step", self.own)
        self.assertIn(("chrono", "chrono_wall_ms"), self.below)

    def test_engine_objects_import_nothing_that_touches_the_world(self):
        pure = {symbol for part, symbol in self.below if part not in WORLDLY}
        foreign = {symbol for symbol in self.imported - self.own - pure if not PLAIN.match(symbol)}
        self.assertEqual(sorted(foreign), [])


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    tap.main()
