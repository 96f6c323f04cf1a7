"""The checker itself: a history that is right passes, and each thing that can be wrong is found."""

import copy
import unittest

import checker
import cluster  # noqa: F401  the test's own path
import tap
from history import FAIL, INFO, OK, Create, Grant, History, Report
from tables import Tables


def job(number, label, **more):
    return {"id": number, "name": None, "status": "completed", "pool": "work", "label": label, "is_recurring": False,
            **more}


def trigger(number, job_number, **more):
    return {"id": number, "job": job_number, "kind": "schedule", "state": "succeeded", "scheduled_ms": 1000,
            "attempts": 1, "failures": 0, "lost_run": 0, "last_number": 1, "last_state": "succeeded",
            "last_worker": "w1", "label": None, **more}


def grant(number, attempt=1, worker="w1", begin=1.0, end=2.0, **payload):
    name = checker.spell(number)
    return Grant(f"att_{name}_{attempt}", f"trg_{name}", f"job_{name}", attempt, worker, payload, begin, end)


def report(number, attempt=1, worker="w1", status="succeeded", accepted=True, **more):
    return Report(f"att_{checker.spell(number)}_{attempt}", worker, status, accepted, **more)


class Checker(unittest.TestCase):
    def setUp(self):
        self.history = History()
        self.history.creates = [Create("a", True, "keyed", [INFO, OK], {f"job_{checker.spell(1)}"}),
                                Create("b", False, "plain", [INFO]), Create("c", False, "plain", [FAIL])]
        self.history.runs = [Create("r", True, "run_now", [OK], {f"trg_{checker.spell(9)}"})]
        self.history.grants = [grant(1, limited="k"), grant(9, worker="w2", begin=2.0, end=3.0, limited="k")]
        lie = report(1, worker="liar", accepted=False, is_own=False)
        self.history.reports = [report(1), report(9, worker="w2"), lie]
        batches = [{"number": number, "epoch": epoch, "nonce_0": epoch, "nonce_1": 0}
                   for number, epoch in [(1, 1), (2, 1), (3, 3)]]
        self.tables = Tables(
            [job(1, "a"), job(8, None, name="manual", status="active")],
            [trigger(1, 1), trigger(9, 8, kind="manual", label="r", last_worker="w2")],
            [], batches, {"epoch": 3, "last_batch": 3}, 0,
        )

    def found(self):
        """The names of the checks that found something."""
        return [one.__name__ for one in checker.CHECKS if list(one(self.history, self.tables))]

    def test_what_is_right_passes(self):
        self.assertEqual(self.found(), [])
        self.tables.jobs.append(job(2, "b"))  # what nobody knows may have been done
        self.assertEqual(self.found(), [])

    def test_too_little_to_compare_is_wrong(self):
        self.assertTrue(all("too few" in text for text in checker.check(self.history, self.tables)))
        self.assertTrue(checker.check(self.history, self.tables))

    def wrong(self, check, change):
        """A change of the history or the tables that this check has to find."""
        history, tables = self.history, self.tables
        self.history, self.tables = copy.copy(history), copy.deepcopy(tables)
        self.history.creates, self.history.grants = copy.deepcopy(history.creates), copy.deepcopy(history.grants)
        self.history.reports = copy.deepcopy(history.reports)
        change(self.history, self.tables)
        self.assertIn(check, self.found())
        self.history, self.tables = history, tables

    def test_jobs_that_are_lost_doubled_or_not_refused_are_found(self):
        name = "nothing_acknowledged_is_lost"
        self.wrong(name, lambda history, tables: tables.jobs.pop(0))
        self.wrong(name, lambda history, tables: tables.jobs.append(job(5, "a")))
        self.wrong(name, lambda history, tables: tables.jobs.append(job(5, "c")))
        self.wrong(name, lambda history, tables: tables.jobs.extend([job(5, "b"), job(6, "b")]))
        self.wrong(name, lambda history, tables: history.creates[0].ids.add("job_0000000000005"))
        self.wrong(name, lambda history, tables: setattr(history.creates[0], "is_cancelled", True))

    def test_runs_that_are_lost_or_doubled_are_found(self):
        self.wrong("runs_are_there_once", lambda history, tables: tables.triggers.pop())
        self.wrong("runs_are_there_once",
                   lambda history, tables: tables.triggers.append({**tables.triggers[1], "id": 10}))

    def test_fires_that_come_twice_are_found(self):
        self.wrong("no_fire_twice", lambda history, tables: tables.triggers.append(trigger(7, 1)))
        self.wrong("no_fire_twice", lambda history, tables: tables.triggers.append(trigger(7, 1, scheduled_ms=2000)))

    def test_attempts_of_two_workers_are_found(self):
        self.wrong("each_attempt_is_one_worker_s",
                   lambda history, tables: history.grants.append(grant(1, worker="w2", begin=9.0, end=9.5)))

    def test_reports_that_should_have_been_refused_or_heard_are_found(self):
        name = "only_the_newest_attempt_is_heard"
        self.wrong(name, lambda history, tables: setattr(history.reports[2], "is_accepted", True))
        self.wrong(name, lambda history, tables: setattr(history.reports[0], "is_accepted", False))
        self.wrong(name, lambda history, tables: tables.triggers[0].update(last_worker="w3"))
        self.wrong(name, lambda history, tables: history.reports.append(report(1, attempt=2)))

    def test_attempts_without_a_cause_are_found(self):
        self.wrong("nothing_runs_twice", lambda history, tables: tables.triggers[0].update(attempts=2))
        self.wrong("nothing_runs_twice", lambda history, tables: tables.attempts.append(
            {"trigger": 1, "number": 1, "state": "lost", "worker": "w1"}))

    def test_limits_that_were_exceeded_are_found(self):
        self.wrong("limits_hold", lambda history, tables: setattr(history.grants[1], "begin", 1.5))

    def test_what_is_stuck_is_found(self):
        name = "nothing_is_stuck"
        self.wrong(name, lambda history, tables: tables.triggers[0].update(state="pending"))
        self.wrong(name, lambda history, tables: tables.jobs[0].update(status="active"))
        self.wrong(name, lambda history, tables: setattr(tables, "claims", 1))

    def test_batches_of_an_old_owner_are_found(self):
        name = "one_owner_at_a_time"
        self.wrong(name, lambda history, tables: tables.batches[2].update(epoch=0))
        self.wrong(name, lambda history, tables: tables.batches[1].update(nonce_0=7))
        self.wrong(name, lambda history, tables: tables.batches.pop(1))
        self.wrong(name, lambda history, tables: tables.shard.update(last_batch=4))


if __name__ == "__main__":
    tap.main()
