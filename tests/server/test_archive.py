"""What retention archives, read by others: Python's gzip and zcat.

    test_archive.py ARCHIVE_SAMPLES
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import tap

SAMPLES = os.path.abspath(sys.argv[1])
KINDS = ["trigger", "attempt", "skip", "version"]


class Archive(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="belfry-archive-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.archive = pathlib.Path(self.folder, "archive")
        self.file = self.archive / "history-2026-04-08.ndjson.gz"

    def write(self, first, count):
        subprocess.run([SAMPLES, str(self.archive), str(first), str(count)], check=True, timeout=60)

    def rows(self):
        with gzip.open(self.file, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def numbers(self):
        return [row["version"] for row in self.rows() if row["kind"] == "version"]

    def test_every_row_of_every_step_is_a_line_of_json(self):
        self.write(1, 3)
        rows = self.rows()
        self.assertEqual([row["kind"] for row in rows], KINDS * 3)
        self.assertEqual(rows[0]["tenant"], "acme")
        self.assertEqual(json.loads(rows[0]["payload"]), {"to": "é"})
        self.assertEqual(rows[1]["worker"], 'w-"1"')
        self.assertEqual(self.numbers(), [1, 2, 3])

    def test_zcat_reads_what_several_processes_wrote(self):
        self.write(1, 2)
        self.write(3, 2)
        text = subprocess.run(["zcat", self.file], check=True, capture_output=True, timeout=60).stdout
        self.assertEqual(text, gzip.decompress(self.file.read_bytes()))
        self.assertEqual(self.numbers(), [1, 2, 3, 4])

    def test_each_step_is_a_file_of_its_own(self):
        self.write(1, 1)
        length = self.file.stat().st_size
        self.write(2, 1)
        second = gzip.decompress(self.file.read_bytes()[length:])
        self.assertEqual([json.loads(line)["kind"] for line in second.splitlines()], KINDS)

    def test_after_a_crash_in_the_middle_all_of_it_can_be_read(self):
        self.write(1, 2)
        length = self.file.stat().st_size
        self.write(3, 1)
        whole = self.file.read_bytes()
        for cut in range(length, len(whole), 7):
            self.file.write_bytes(whole[:cut])
            self.write(3, 2)
            self.assertEqual(self.numbers(), [1, 2, 3, 4])


if __name__ == "__main__":
    tap.main()
