"""A backup of a server that works, and putting it back."""

import os
import pathlib
import stat
import subprocess
import unittest

import process
import tap


class Backup(process.ProcessCase):
    def setUp(self):
        super().setUp()
        self.backup = pathlib.Path(self.folder, "backup.db")
        self.new = os.path.join(self.folder, "a", "new", "folder")
        server = self.server()
        self.assertEqual(server.call("POST", "/v1/jobs", {"name": "kept", "delay": "1h"})[0], 202)
        self.run_belfry("backup", str(self.backup), "--data", self.data)
        server.stop()

    def restore(self, backup, data):
        done = subprocess.run(
            [process.BELFRY, "restore", str(backup), "--data", data],
            capture_output=True, text=True, env=process.clean_environment(), timeout=process.SECONDS_MAX, check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def test_it_is_put_into_a_folder_that_was_not_there(self):
        code, out, err = self.restore(self.backup, self.new)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"belfry up --data {self.new}", out)
        self.assertEqual(stat.S_IMODE(os.stat(self.new).st_mode), 0o700)
        self.begin("server", "--listen", "127.0.0.1:0", "--data", self.new).ready()
        self.assertIn("kept", self.run_belfry("list", "--data", self.new))

    def test_one_that_is_damaged_is_named_and_leaves_nothing(self):
        whole = self.backup.read_bytes()
        torn = whole[:8192] + os.urandom(4096) + whole[12288:]
        for name, content, words in [
            ("cut", whole[: len(whole) // 2], "cut is damaged"),
            ("torn", torn, "torn is damaged"),
            ("other", b"not a store at all", "not a Belfry store"),
            ("empty", b"", "empty is empty"),
        ]:
            with self.subTest(name):
                wrong = pathlib.Path(self.folder, name)
                wrong.write_bytes(content)
                code, out, err = self.restore(wrong, self.new)
                self.assertEqual((code, out), (1, ""))
                self.assertIn(words, err)
                self.assertFalse(os.path.exists(os.path.join(self.folder, "a")))

    def test_one_that_is_not_there_makes_no_folder(self):
        code, _, err = self.restore("/nonexistent/backup.db", self.new)
        self.assertEqual(code, 1)
        self.assertIn("/nonexistent/backup.db", err)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "a")))

    def test_what_was_in_a_folder_before_stays_as_it_was(self):
        os.mkdir(self.new.rsplit("/", 2)[0])
        keep = pathlib.Path(self.folder, "a", "keep")
        keep.write_text("mine")
        wrong = pathlib.Path(self.folder, "wrong")
        wrong.write_text("nothing")
        self.restore(wrong, self.new)
        self.assertEqual(os.listdir(os.path.join(self.folder, "a")), ["keep"])

    def test_a_server_that_runs_keeps_its_store(self):
        server = self.server()
        code, _, err = self.restore(self.backup, self.data)
        self.assertEqual(code, 1)
        self.assertIn(str(server.pid), err)
        self.assertEqual(server.call("GET", "/v1/jobs/kept")[0], 200)


if __name__ == "__main__":
    tap.main()
