"""Belfry and what is around it: a terminal, a full disk, a reader that leaves, a machine without zones."""

import os
import subprocess
import tempfile
import unicodedata
import unittest

import binary
import tap
from binary import run

DONE, REFUSED = 0, 1

ESC, BELL, DELETE, CSI = b"\x1b[31m", b"\x07", b"\x7f", "\u009b31m".encode()


def has_control(text):
    """Whether a terminal would obey something in the text instead of showing it; broken UTF-8 counts."""
    return any(unicodedata.category(letter) in ("Cc", "Cs") and letter != "\n" for letter in text)


class Terminal(unittest.TestCase):
    def assert_clean(self, forms, evils, lines):
        """No form of a command line prints an evil byte as it is, nor more lines than it should."""
        complaints = []
        for form in forms:
            for evil in evils:
                args = [arg.replace(b"@@", evil) for arg in form]
                got = run(*args)
                if got.code == DONE or has_control(got.out + got.err) or (got.out + got.err).count("\n") not in lines:
                    complaints.append(f"{args}: exit {got.code}, {got.out + got.err!r}")
        if complaints:
            self.fail("\n".join([f"{len(complaints)} of them", *complaints[:8]]))

    def test_control_characters_of_an_expression_do_not_reach_it(self):
        forms = [b"@@", b"0 9 * * @@", b"0 9 * JAN@@ *", b"TZID=@@:0 9 * * *", b"@every @@", b"@x@@"]
        evils = [ESC, BELL, DELETE, CSI, b"\rx", b"\nx", b"\xff", b"\xc3"]
        self.assert_clean([(b"next", form) for form in forms], evils, lines=[3])
        self.assert_clean([(b"next", form, b"--json") for form in forms], evils, lines=[1])

    def test_control_characters_of_other_arguments_do_not_reach_it(self):
        forms = [(b"@@",), (b"zone", b"@@"), (b"zone", b"UTC", b"--at", b"@@"), (b"next", b"0 9 * * *", b"--@@")]
        options = [b"--tz", b"--from", b"--count", b"--dst-gap", b"--dst-fold"]
        forms += [(b"next", b"0 9 * * *", option, b"@@") for option in options]
        self.assert_clean(forms, [ESC, BELL, CSI, b"\nx", b"\xff"], lines=[1, 2])

    def test_an_endless_expression_is_not_repeated_in_full(self):
        got = run("next", "0," * 5000 + "0 9 * * *")
        self.assertEqual((got.code, got.out), (REFUSED, ""))
        self.assertLess(len(got.err), 4000)


class LostOutput(unittest.TestCase):
    def test_a_full_disk_is_a_failure(self):
        for args in [
            ("next", "0 9 * * *"),
            ("next", "0 9 * * *", "--json"),
            ("next", "0 9 * * *", "--count", "10000"),
            ("next", "-h"),
            ("zone", "Europe/Berlin"),
            ("zone", "Europe/Berlin", "--json"),
            ("version",),
            ("-h",),
        ]:
            with open("/dev/full", "wb") as full:
                got = run(*args, stdout=full)
            self.assertEqual(got.code, REFUSED, args)
            self.assertIn("cannot write", got.err, args)

    def test_a_full_disk_ends_a_batch(self):
        for command in ("next", "zone"):
            with open("/dev/full", "wb") as full:
                got = run(command, "--batch", stdin=b"{}\n" * 10000, stdout=full)
            self.assertEqual(got.code, REFUSED)
            self.assertIn("cannot write", got.err)

    def test_a_closed_output_is_a_failure(self):
        done = subprocess.run(
            ["sh", "-c", 'exec "$0" next "0 9 * * *" >&-', binary.BELFRY],
            stderr=subprocess.PIPE,
            timeout=binary.SECONDS_MAX,
            check=False,
        )
        self.assertEqual(done.returncode, REFUSED)
        self.assertIn(b"cannot write", done.stderr)

    def test_a_reader_that_goes_away_ends_the_program(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            self.assertNotEqual(run("next", "* * * * *", "--count", "10000", stdout=pipe).code, DONE)


class NoZones(unittest.TestCase):
    """A machine without tzdata."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.env = {"TZDIR": self.folder.name}

    def test_utc_works(self):
        got = run("next", "0 9 * * *", "--from", "2026-01-01T00:00:00Z", "--count", "1", env=self.env)
        self.assertEqual((got.code, got.err), (DONE, ""))
        self.assertIn("2026-01-01T09:00:00Z", got.out)
        self.assertEqual(run("zone", "UTC", env=self.env).code, DONE)

    def test_another_zone_is_refused_and_an_empty_folder_is_the_reason(self):
        self.assert_reason(self.folder.name)

    def test_another_zone_is_refused_and_a_missing_folder_is_the_reason(self):
        self.assert_reason(self.folder.name + "/nowhere")

    def assert_reason(self, folder):
        for args in [("next", "0 9 * * *", "--tz", "Europe/Berlin"), ("zone", "Europe/Berlin")]:
            got = run(*args, env={"TZDIR": folder})
            self.assertEqual((got.code, got.out), (REFUSED, ""))
            self.assertIn("Europe/Berlin", got.err)
            self.assertIn("tzdata", got.err)  # the name is right: what is missing is the data
            self.assertIn(folder, got.err)


if __name__ == "__main__":
    tap.main()
