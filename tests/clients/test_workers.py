#!/usr/bin/env python3
"""Every worker that Belfry comes with keeps the contract: test_workers.py COMMAND..."""

import os
import sys

import stage
import tap

COMMAND = sys.argv[1:]


class Worker(stage.Stage):
    COMMAND = COMMAND

    def begun(self):
        """The attempts whose beginning was printed."""
        return [line for line in self.printed().splitlines() if "begins" in line]

    def test_a_job_is_run_and_its_success_reported(self):
        self.start()
        job = self.add({"seconds": 0})
        self.wait_for_statuses(job, "succeeded")

    def test_a_payload_may_look_like_an_answer(self):
        self.start()
        tricky = {"id": "att_0000000000009_1", "cancel": ["x"], "text": 'a "quoted" }] {[ \\', "attempts": [{"id": 1}]}
        job = self.add({**tricky, "seconds": 0, "nested": {"payload": {"drain": True}}})
        self.wait_for_statuses(job, "succeeded")

    def test_a_failure_is_reported_and_tried_again(self):
        self.start()
        job = self.add({"fail": "as told"}, retry={"max_attempts": 2, "delays": ["1s"]})
        self.wait_for_statuses(job, "failed", "failed")
        self.assertTrue(self.executions(job)[0]["error"]["code"])

    def test_more_jobs_than_it_has_room_for_are_all_run(self):
        jobs = [self.add({"seconds": 0}) for _ in range(10)]
        self.start()
        for job in jobs:
            self.wait_for_statuses(job, "succeeded")

    def test_a_lease_is_renewed_while_the_work_goes_on(self):
        self.start()
        job = self.add({"seconds": 600}, lease="2s")
        self.wait_for_renewals(job, 6)
        self.assertEqual(["started"], self.statuses(job))

    def test_cancelled_work_is_dropped_and_other_work_done(self):
        self.start()
        job = self.add({"seconds": 600}, lease="5s")
        attempt = self.wait_for_renewals(job, 1)
        self.cancel(job)
        self.wait_until(lambda: attempt not in self.witness.last["holding"], f"{attempt} is dropped")
        self.wait_for_statuses(self.add({"seconds": 0}), "succeeded")
        self.assertEqual(["cancelled"], self.statuses(job))

    def test_lost_requests_and_answers_change_nothing(self):
        self.witness.lose = lambda number: {0: "answer", 2: "request"}.get(number % 4)
        self.start()
        jobs = [self.add({"seconds": 0}) for _ in range(6)]
        for job in jobs:
            self.wait_for_statuses(job, "succeeded")
        self.assertEqual(len(jobs), len(self.begun()), self.printed())

    def test_an_attempt_that_is_sent_again_runs_once(self):
        self.witness.is_repeating = True
        self.start()
        for _ in range(3):
            self.wait_for_statuses(self.add({"seconds": 0}), "succeeded")
        self.assertEqual(3, len(self.begun()), self.printed())

    def test_a_stopped_worker_gives_its_work_back(self):
        worker = self.start()
        job = self.add({"seconds": 600})
        self.wait_for_renewals(job, 1)
        self.assertEqual(0, self.stop(worker), self.printed())
        self.assertEqual(["released"], self.statuses(job))
        self.assertEqual(0, self.witness.last["want"])

    def test_a_stopped_worker_repeats_its_last_report_until_it_is_heard(self):
        worker = self.start()
        job = self.add({"seconds": 600})
        self.wait_for_renewals(job, 1)
        count = self.witness.exchanges
        self.witness.lose = lambda number: "answer" if number < count + 4 else None
        self.assertEqual(0, self.stop(worker), self.printed())
        self.assertEqual(["released"], self.statuses(job))

    def test_an_idle_worker_stops(self):
        worker = self.start()
        self.wait_for_statuses(self.add({"seconds": 0}), "succeeded")
        self.assertEqual(0, self.stop(worker), self.printed())

    if "BELFRY_TEST_SERVER" not in os.environ:  # the real one drains only when it ends

        def test_a_draining_server_still_hears_reports_and_is_asked_again(self):
            self.start()
            job = self.add({"seconds": 1})
            self.wait_for_renewals(job, 1)
            self.server.drain(True)
            self.wait_for_statuses(job, "succeeded")
            later = self.add({"seconds": 0})
            count = self.witness.exchanges
            self.wait_until(lambda: self.witness.exchanges > count + 2, "the worker asks again")
            self.assertEqual([], self.statuses(later))
            self.server.drain(False)
            self.wait_for_statuses(later, "succeeded")


if __name__ == "__main__":
    tap.main()
