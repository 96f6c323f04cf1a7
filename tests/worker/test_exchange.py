"""What the worker says to the server, and when: also when the server is slow, deaf, rude or away."""

import os
import pathlib
import tempfile
import time
import unittest

import server
import tap
from server import CUT, CUT_AFTER, attempt, program

FOREVER = ("sleep", "1000")


class Conversation(unittest.TestCase):
    def setUp(self):
        self.server = server.Server()
        self.addCleanup(self.server.stop)

    def start(self, **settings):
        worker = server.Worker(self.server, **settings)
        self.addCleanup(worker.close)
        return worker

    def named(self, one):
        """How many exchanges named it as held."""
        return sum(one in it.holding for it in self.server.exchanges)

    def told(self, one):
        """How many exchanges told its end."""
        return sum(report["attempt"] == one for it in self.server.exchanges for report in it.finished)

    def run_until_held(self, *argv, **fields):
        one = self.server.give(program(*argv, **fields))
        self.server.wait_for(lambda: self.named(one))
        return one

    # ---- what is said ----

    def test_the_first_exchange_introduces_the_worker(self):
        worker = self.start(slots=7, pool="email", token="bf_secret")
        self.server.wait_for(lambda: self.server.exchanges)
        first = self.server.exchanges[0]
        self.assertRegex(first.worker, r"^w-[0-9a-f]{32}$")
        self.assertEqual(first.worker, worker.figures()["worker"])
        self.assertEqual((first.name, first.pools, first.capacity, first.want), ("probe", ["email"], 7, 7))
        self.assertEqual((first.wait, first.targets), ("20s", ["http", "exec"]))
        self.assertEqual((first.holding, first.finished), ([], []))
        self.assertEqual(first.headers["Authorization"], "Bearer bf_secret")

    def test_a_worker_without_programs_asks_for_none(self):
        self.start(exec=0)
        self.server.wait_for(lambda: self.server.exchanges)
        self.assertEqual(self.server.exchanges[0].targets, ["http"])
        report = self.server.run(program("true"))
        self.assertEqual((report["error"]["code"], report["retryable"]), ("exec_not_allowed", False))

    def test_seq_grows_and_want_is_what_is_free(self):
        self.start(slots=3)
        one = self.run_until_held(*FOREVER)
        self.server.run(*[program("true") for _ in range(10)])
        seqs = [it.seq for it in self.server.exchanges]
        self.assertEqual(sorted(seqs), list(range(1, len(seqs) + 1)))
        for it in self.server.exchanges:
            self.assertEqual(it.want, 3 - len(it.holding))
        self.assertIn(one, self.server.holding())

    def test_a_finished_attempt_is_told_at_once_although_an_exchange_waits(self):
        self.server.holds_on = True  # the exchange that waits would wait for ever
        self.start()
        self.run_until_held(*FOREVER)
        self.assertEqual(self.server.run(program("true"))["status"], "succeeded")

    def test_what_it_cannot_execute_it_says_so(self):
        self.start()
        report = self.server.run(attempt(None))
        self.assertEqual((report["error"]["code"], report["retryable"]), ("no_target", False))
        self.assertIn("pool", report["error"]["message"])
        report = self.server.run(attempt({"exec": {"argv": []}}))
        self.assertEqual((report["error"]["code"], report["retryable"]), ("bad_target", False))
        report = self.server.run(attempt({"exec": {"argv": ["true"]}}, timeout="soon"))
        self.assertEqual((report["error"]["code"], report["retryable"]), ("bad_attempt", False))

    def test_an_attempt_that_is_sent_twice_is_executed_once(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record"
            self.start()
            one = program("sh", "-c", f"echo $BELFRY_ATTEMPT >> {record}")
            self.server.run(one)
            self.server.run(one, one, program("true"))
            self.assertEqual(record.read_text(), one["id"] + "\n")

    # ---- renewing and cancelling ----

    def test_what_is_held_is_renewed_although_the_server_lets_it_wait(self):
        self.server.holds_on = True
        self.start()
        one = self.run_until_held(*FOREVER, lease="600ms")
        self.server.wait_for(lambda: self.named(one) >= 6)
        times = [it.at for it in self.server.exchanges if one in it.holding]
        self.assertLess(len(times) / (times[-1] - times[0]), 20)  # and not without pause

    def test_a_cancelled_attempt_is_stopped_and_not_reported(self):
        worker = self.start()
        one = self.run_until_held(*FOREVER)
        self.server.cancel(one)
        self.server.wait_for(lambda: one not in self.server.holding())
        self.assertEqual(self.server.run(program("true"))["status"], "succeeded")
        self.assertEqual(self.told(one), 0)
        self.assertEqual(worker.figures()["cancelled"], 1)

    def test_one_that_takes_its_time_to_die_is_named_until_then_without_haste(self):
        worker = self.start()
        one = self.run_until_held("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")
        self.server.cancel(one)
        self.server.wait_for(lambda: one not in self.server.holding())  # after KILL
        self.assertLess(len(self.server.exchanges), 60)  # it was cancelled by every answer until then
        self.assertEqual(worker.figures()["cancelled"], 1)

    # ---- trouble ----

    def test_a_report_is_repeated_until_an_exchange_that_had_it_is_answered(self):
        self.start()
        self.server.wait_for(lambda: self.server.exchanges)
        for fault in (CUT, CUT_AFTER, (500, {}), (503, {"Retry-After": "0"})):
            one = self.run_until_held("sleep", "0.2")
            self.server.faults = [fault, fault]
            self.server.wait_for(lambda it=one: self.told(it) >= 3)
            self.assertEqual(self.server.report_of(one)["status"], "succeeded")

    def test_a_server_that_is_away_finds_everything_when_it_is_back(self):
        with tempfile.TemporaryDirectory() as folder:
            gate = os.path.join(folder, "gate")
            os.mkfifo(gate)
            worker = self.start()
            done = self.run_until_held("cat", gate, lease="1s")
            still = self.run_until_held(*FOREVER, lease="1s")
            self.server.stop()
            with open(gate, "w", encoding="ascii"):
                pass
            worker.figures_until(lambda it: it["reports_waiting"] == 1 and it["exchange_failures"] >= 3)
            self.server.start()
            self.assertEqual(self.server.report_of(done)["status"], "succeeded")
            self.assertIn(still, self.server.holding())
            worker.figures_until(lambda it: it["is_connected"])

    def test_no_more_is_asked_than_the_server_wants_to_hear(self):
        self.server.faults = [(503, {"Retry-After": "1"}), (429, {"Retry-After": "1"})]
        self.start()
        self.server.wait_for(lambda: len(self.server.exchanges) == 3)
        first, second, third = (it.at for it in self.server.exchanges)
        self.assertGreaterEqual(second - first, 1)
        self.assertGreaterEqual(third - second, 1)

    def test_a_conflict_is_answered_by_a_higher_seq(self):
        self.server.faults = [(409, {})]
        self.start()
        self.assertEqual(self.server.run(program("true"))["status"], "succeeded")

    def test_an_output_that_the_server_will_not_have_is_left_out(self):
        self.server.refuses = lambda body: 400 if any("output" in report for report in body["finished"]) else None
        self.start()
        report = self.server.run(program("sh", "-c", "echo poison; exit 3"))
        self.assertEqual(report["error"]["code"], "exit_3")
        self.assertNotIn("output", report)

    def test_large_outputs_are_told_in_portions(self):
        with tempfile.TemporaryDirectory() as folder:
            gate = os.path.join(folder, "gate")
            os.mkfifo(gate)
            self.start()
            many = [program("sh", "-c", f"head -c 200000 /dev/zero; cat {gate}") for _ in range(30)]
            self.server.give(*many)
            self.server.wait_for(lambda: len(self.server.holding()) == 30)
            until = time.monotonic() + server.SECONDS_MAX
            while len(self.server.reports) < 30 and time.monotonic() < until:
                with open(os.open(gate, os.O_RDWR), "w", encoding="ascii") as out:  # does not block
                    out.write("x")
            for one in many:
                self.assertEqual(self.server.report_of(one["id"])["status"], "succeeded")
        self.assertLess(max(len(str(it.finished)) for it in self.server.exchanges), 1_000_000)

    def test_a_draining_server_is_asked_with_pauses_and_told_what_ended(self):
        self.start()
        one = self.run_until_held("sh", "-c", "sleep 0.5")
        self.server.is_draining = True
        self.assertEqual(self.server.report_of(one)["status"], "succeeded")
        self.assertLess(len(self.server.exchanges), 30)

    # ---- the end ----

    def test_a_drain_waits_for_what_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            gate = os.path.join(folder, "gate")
            os.mkfifo(gate)
            worker = self.start()
            one = self.run_until_held("cat", gate)
            worker.say("drain")
            self.server.wait_for(lambda: self.server.exchanges[-1].want == 0)
            with open(gate, "w", encoding="ascii"):
                pass
            self.assertEqual(self.server.report_of(one)["status"], "succeeded")
            self.assertEqual(worker.end()["reports_waiting"], 0)
        self.assertEqual((self.server.exchanges[-1].want, self.server.exchanges[-1].holding), (0, []))

    def test_what_outlasts_the_grace_is_given_back(self):
        worker = self.start(grace_ms=200)
        one = self.run_until_held(*FOREVER)
        worker.say("drain")
        self.assertEqual(self.server.report_of(one), {"attempt": one, "status": "released"})
        self.assertEqual(worker.end()["released"], 1)

    def test_what_comes_during_a_drain_is_given_back_unseen(self):
        self.server.holds_on = True
        worker = self.start()
        one = self.run_until_held(*FOREVER)
        self.server.faults = [(503, {"Retry-After": "3"})]  # the drain's own exchange is lost on the server
        worker.say("drain")
        self.server.wait_for(lambda: not self.server.faults)
        late = self.server.give(program("true"))  # goes to the exchange that still waits
        worker.figures_until(lambda it: it["released"] == 1)
        worker.say("stop")
        worker.end()
        self.assertEqual({self.server.report_of(it)["status"] for it in (one, late)}, {"released"})

    def test_a_stop_kills_and_gives_back(self):
        worker = self.start()
        one = self.run_until_held("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")
        worker.say("stop")
        worker.end()
        self.assertEqual(self.server.report_of(one)["status"], "released")

    def test_a_stop_does_not_wait_for_a_server_that_is_away(self):
        worker = self.start()
        self.run_until_held(*FOREVER)
        self.server.stop()
        worker.say("stop")
        self.assertEqual(worker.end()["reports_waiting"], 1)
        self.assertIn("worker.unreported", worker.log())


if __name__ == "__main__":
    tap.main()
