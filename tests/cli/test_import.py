"""belfry import: crontab files become jobs that do what cron would do."""

import json
import os
import subprocess
import tempfile

import api_case
import tap
from api_case import DONE, REFUSED, USAGE

TABLE = b"""\
# a crontab
MAILTO=ada@example.org
SHELL = "/bin/bash"
GREETING='good morning'

17 * * * *  cd / && run-parts --report /etc/cron.hourly
@daily\t/usr/local/bin/backup --all
0 9 * * 1-5 /usr/local/bin/backup --fast
0 9 * * * mail -s "100\\%" bob%Hello%World
"""

SYSTEM = b"25 6 * * * root test -x /usr/sbin/anacron || run-parts /etc/cron.daily\n0 1 * * * www-data /bin/true\n"


class Import(api_case.ApiCase):
    def jobs(self, *args, table=TABLE):
        got = self.run_belfry("import", "-", "--tz", "Europe/Paris", *args, stdin=table)
        self.assertEqual(got.code, DONE, got.err)
        self.assertEqual(self.api.last().headers["content-type"], "application/x-ndjson")
        return [json.loads(line) for line in self.api.last().body.decode().splitlines()]

    def test_every_entry_becomes_a_job(self):
        jobs = self.jobs()
        self.assertEqual([job["name"] for job in jobs], ["cron:run-parts", "cron:backup", "cron:backup-2", "cron:mail"])
        self.assertEqual([job["cron"] for job in jobs], ["17 * * * *", "@daily", "0 9 * * 1-5", "0 9 * * *"])
        self.assertEqual({job["timezone"] for job in jobs}, {"Europe/Paris"})

    def test_jobs_behave_as_under_cron_unless_told_otherwise(self):
        job = self.jobs()[0]
        self.assertEqual((job["overlap"], job["misfire"], job["timeout"], job["retry"]),
                         ("allow", "skip", "1d", {"max_attempts": 1}))
        job = self.jobs("--overlap", "skip", "--misfire", "fire_latest", "--timeout", "1h", "--pool", "cron",
                        "--tenant", "acme", "--prefix", "old-")[0]
        self.assertEqual((job["overlap"], job["misfire"], job["timeout"]), ("skip", "fire_latest", "1h"))
        self.assertEqual((job["pool"], job["tenant"], job["name"]), ("cron", "acme", "old-run-parts"))

    def test_variables_and_the_shell_are_kept(self):
        target = self.jobs()[1]["target"]["exec"]
        self.assertEqual(target["argv"][:2], ["/bin/bash", "-c"])
        self.assertEqual(target["env"], {"GREETING": "good morning"})

    def test_the_commands_do_what_they_say(self):
        table = b"A=1\n* * * * * cat; echo $A 50\\%\n* * * * * cat; echo end%one%two\n"
        for job, wanted in zip(self.jobs(table=table), ["1 50%\n", "one\ntwo\nend\n"]):
            target = job["target"]["exec"]
            done = subprocess.run(target["argv"], input=b"{}", stdout=subprocess.PIPE, timeout=60,
                                  env={**os.environ, **target["env"]}, check=True)
            self.assertEqual(done.stdout.decode(), wanted)

    def test_a_system_file_names_users(self):
        jobs = self.jobs("--users", table=SYSTEM)
        self.assertEqual(jobs[0]["target"]["exec"]["argv"][0], "/bin/sh")
        self.assertEqual(jobs[1]["target"]["exec"]["argv"][:4], ["runuser", "-u", "www-data", "--"])

    def test_the_zone_of_the_file_goes_first(self):
        self.assertEqual(self.jobs(table=b"CRON_TZ=Asia/Tokyo\n0 9 * * * /bin/true\n")[0]["timezone"], "Asia/Tokyo")

    def test_a_line_that_cannot_be_imported_stops_it_and_says_why(self):
        table = b"@reboot /bin/start\n61 * * * * /bin/true\n0 9 * *\n0 9 * * * /bin/true\n"
        got = self.run_belfry("import", "-", stdin=table)
        self.assertEqual((got.code, got.out, self.api.asked), (REFUSED, "", []))
        lines = got.err.splitlines()
        self.assertTrue(lines[0].startswith("-:1: @reboot"), lines[0])
        self.assertIn("0 to 59", lines[1])
        self.assertTrue(lines[2].startswith("-:3:"), lines[2])
        self.assertIn("--skip", lines[3])

    def test_such_lines_may_be_left_out(self):
        self.assertEqual(len(self.jobs("--skip", table=b"@reboot /bin/start\n0 9 * * * /bin/true\n")), 1)

    def test_a_dry_run_shows_and_changes_nothing(self):
        got = self.run_belfry("import", "-", "--dry-run", stdin=TABLE)
        self.assertEqual(got.code, DONE)
        self.assertEqual(len(got.out.splitlines()), 5)
        self.assertIn("MAILTO", got.err)
        got = self.run_belfry("import", "-", "--dry-run", "--json", stdin=TABLE)
        self.assertEqual([json.loads(line)["name"] for line in got.out.splitlines()][0], "cron:run-parts")
        self.assertEqual(self.api.asked, [])

    def test_files_are_read_and_missed(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"0 9 * * * /bin/true\n")
            file.flush()
            self.assertIn("imported", self.done("import", file.name))
        self.assertIn("/nonexistent", self.refused(REFUSED, "import", "/nonexistent"))
        self.refused(USAGE, "import")


if __name__ == "__main__":
    tap.main()
