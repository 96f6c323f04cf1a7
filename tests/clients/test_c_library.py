#!/usr/bin/env python3
"""What libbelfry promises beyond what every worker does: test_c_library.py PROBE LIBRARY"""

import os
import pathlib
import subprocess
import sys
import tempfile

import stage
import tap
import web

PROBE, ARCHIVE = (os.path.abspath(path) for path in sys.argv[1:3])


class Library(stage.Stage):
    COMMAND = [PROBE]

    def run_probe(self, *arguments, **more):
        """Runs the probe to its end. A variable that is None is not set."""
        env = {**os.environ, "BELFRY_URL": self.witness.url, "BELFRY_TOKEN": self.server.token, "no_proxy": "*", **more}
        env = {name: value for name, value in env.items() if value is not None}
        return subprocess.run(
            [PROBE, *arguments], env=env, capture_output=True, text=True, timeout=web.SECONDS_MAX, check=False
        )

    # ---- jobs ----

    def test_a_job_is_added_and_its_payload_comes_through(self):
        self.start("work", "1", "0")
        payload = {"text": 'ü "q" \\ \u2028', "list": [1, 2.5, None, True], "big": 12345678901234567890123}
        done = self.run_probe("add", stage.web.json.dumps(payload))
        self.assertEqual(0, done.returncode, done.stdout)
        job = done.stdout.strip()
        self.wait_for_statuses(job, "succeeded")
        self.assertEqual(payload, self.executions(job)[0]["result"])

    def test_an_added_job_is_one_job_however_often_its_answer_gets_lost(self):
        lost = []
        forward = self.witness.forward

        def lose_first(*call):
            answer = forward(*call)
            lost.append(answer)
            if len(lost) < 3:
                raise web.Hangup
            return answer

        self.witness.forward = lose_first
        done = self.run_probe("add", "{}")
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertEqual({done.stdout.strip()}, {job["id"] for _, job in lost})

    def test_a_payload_that_is_no_json_is_refused_before_it_is_sent(self):
        for payload in ("{", "[1,]", '{"a":01}', "nul", '"\t"', "1 2", '{"a" 1}', "", '"\\x"', "[" * 100 + "]" * 100):
            done = self.run_probe("add", payload)
            self.assertEqual((1, True), (done.returncode, "not JSON" in done.stdout), payload)

    def test_a_wrong_token_is_said_to_be_wrong(self):
        done = self.run_probe("add", "{}", BELFRY_TOKEN="bf_wrong")
        self.assertIn("http 401 code unauthorized", done.stdout)
        self.assertEqual(1, done.returncode)

    def test_a_worker_with_a_wrong_token_ends(self):
        done = self.run_probe("work", "1", "0", BELFRY_TOKEN="bf_wrong")
        self.assertIn("http 401 code unauthorized", done.stdout)
        self.assertEqual(1, done.returncode)

    def test_the_token_is_found_in_the_local_data_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "belfry"
            path.mkdir()
            (path / "token").write_text(self.server.token + "\n")
            for place in ({"BELFRY_DATA": str(path)}, {"BELFRY_DATA": None, "XDG_DATA_HOME": folder}):
                done = self.run_probe("add", "{}", BELFRY_TOKEN=None, **place)
                self.assertEqual(0, done.returncode, done.stdout)

    def test_an_address_that_is_none_is_refused(self):
        for url in ("ftp://127.0.0.1", "127.0.0.1:7600"):
            done = self.run_probe("add", "{}", BELFRY_URL=url)
            self.assertEqual((1, True), (done.returncode, "no address" in done.stdout), url)

    # ---- handlers ----

    def test_a_failure_for_good_is_not_tried_again(self):
        self.start("work", "2", "0")
        job = self.add({}, type="fail_for_good")
        self.wait_for_statuses(job, "failed")
        error = self.executions(job)[0]["error"]
        self.assertEqual({"code": "bad_address", "message": '\ufffd is no UTF-8, and "this" is quoted\n'}, error)

    def test_a_failure_may_say_when_to_try_again(self):
        self.start("work", "2", "0")
        job = self.add({}, type="fail_until", retry={"max_attempts": 1, "delays": ["1s"]})
        self.wait_for_statuses(job, "failed")
        talk = next(iter(self.witness.talks.values()))
        self.assertEqual(["1500ms"], [report["retry_after"] for report in talk.reports.values()])

    def test_a_result_that_is_no_json_is_not_sent(self):
        self.start("work", "1", "0")
        self.wait_for_statuses(self.add({}, type="no_json"), "succeeded")

    def test_a_type_without_a_handler_fails(self):
        self.start("work", "1", "0")
        job = self.add({}, type="stranger", retry={"max_attempts": 1, "delays": ["1s"]})
        self.wait_for_statuses(job, "failed")
        self.assertEqual("no_handler", self.executions(job)[0]["error"]["code"])

    def test_another_pool_is_served(self):
        self.start("work", "1", "0")
        self.wait_for_statuses(self.add({}, type="echo", pool="other"), "succeeded")

    def test_progress_is_told(self):
        self.start("work", "1", "0")
        job = self.add({}, type="wait")
        self.wait_for_renewals(job, 1)
        self.wait_until(lambda: self.executions(job)[0].get("progress"), "the note arrives")
        note = self.executions(job)[0]["progress"]
        self.assertEqual((40, "page 4 of 10"), (note["percent"], note["note"]))

    def test_a_handler_hears_that_it_is_cancelled(self):
        self.start("work", "1", "0")
        job = self.add({}, type="wait")
        self.wait_for_renewals(job, 1)
        self.cancel(job)
        self.wait_until(lambda: "stopped by cancelled" in self.printed(), "the handler hears it")

    def test_a_handler_hears_that_its_lease_is_lost(self):
        self.start("work", "1", "0")
        job = self.add({}, type="wait", lease="1s")
        self.wait_for_renewals(job, 1)
        self.witness.lose = lambda number: "request"
        self.wait_until(lambda: "stopped by lease lost" in self.printed(), "the handler hears it")
        self.witness.lose = lambda number: None

    def test_what_has_not_started_is_given_back_when_the_worker_stops(self):
        jobs = [self.add({}, type="wait") for _ in range(4)]
        worker = self.start("work", "1", "3")
        for job in jobs:
            self.wait_for_renewals(job, 1)
        self.assertEqual(0, self.stop(worker), self.printed())
        for job in jobs:
            self.assertEqual(["released"], self.statuses(job))
        self.assertEqual(1, self.printed().count("begins"))
        self.assertEqual(1, self.printed().count("stopped by stopping"))

    def test_many_threads_work_through_many_jobs_once_each(self):
        self.witness.lose = lambda number: {3: "answer", 6: "request"}.get(number % 7)
        jobs = [self.add({"number": number}, type="echo") for number in range(60)]
        worker = self.start("work", "8", "8")
        for job in jobs:
            self.wait_for_statuses(job, "succeeded")
        self.witness.lose = lambda number: None
        self.assertEqual(0, self.stop(worker), self.printed())

    # ---- the library itself ----

    def test_its_names_do_not_get_in_the_way_of_others(self):
        listed = subprocess.run(["nm", "-g", "--defined-only", ARCHIVE], capture_output=True, text=True, check=True)
        names = [line.split()[2] for line in listed.stdout.splitlines() if len(line.split()) == 3]
        self.assertIn("belfry_worker_run", names)
        ours = ("belfry_", "bf_", "_", ".")  # compilers and sanitizers add names with _ and .
        self.assertEqual([], [name for name in names if not name.startswith(ours)])


if __name__ == "__main__":
    tap.main()
