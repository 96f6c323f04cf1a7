"""belfry audit: a ledger that is right is proven, and every kind of wrong one is found."""

import datetime
import json

import api_case
import tap
from api_case import DONE, REFUSED

UTC = datetime.timezone.utc
START = datetime.datetime(2026, 4, 8, 9, 0, tzinfo=UTC)


def instant(when):
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03}Z"


def minute(number):
    """So many minutes after the start."""
    return instant(START + datetime.timedelta(minutes=number))


def trigger(number, version=1, **more):
    return {"record": "trigger", "kind": "schedule", "scheduled_for": minute(number), "version": version,
            "finished_at": minute(number), **more}


def skip(first, last, count, version=1):
    return {"record": "skip", "from": minute(first), "to": minute(last), "count": count, "version": version}


class Audit(api_case.ApiCase):
    def stage(self, ledger, versions=None, **job):
        """A job that was made at the start and fires every five minutes; its cursor stands at minute 30."""
        whole = self.api.description.example({"$ref": "#/components/schemas/Job"})
        whole.update(cron="*/5 * * * *", timezone="UTC", version=1, created_at=minute(0), updated_at=minute(0),
                     next_fire_at=minute(30))
        whole.update(job)
        definition = {"cron": whole["cron"], "timezone": "UTC"}
        versions = versions or [{"version": 1, "anchor_at": minute(0), "definition": definition}]
        self.api.answer("GET", "/v1/jobs/{id}", whole)
        self.api.answer("GET", "/v1/jobs/{id}/versions", {"items": versions, "next": None})
        self.api.answer("GET", "/v1/jobs/{id}/triggers", {"items": ledger[:3], "next": "p2"})
        self.api.answer("GET", "/v1/jobs/{id}/triggers", {"items": ledger[3:], "next": None})

    def findings(self, *args):
        got = self.run_belfry("audit", "acme/morning-report", "--json", *args)
        self.assertEqual(got.err, "")
        answer = json.loads(got.out)
        self.assertEqual(got.code, DONE if not answer["findings"] else REFUSED)
        return [(found["finding"], found["at"], found["count"]) for found in answer["findings"]], answer

    def test_triggers_and_skips_that_cover_every_fire_once_are_right(self):
        self.stage([trigger(25), skip(10, 20, 3), trigger(5)])
        found, answer = self.findings()
        self.assertEqual((found, answer["fires"], answer["jobs"]), ([], 5, 1))

    def test_the_newest_come_first_and_other_kinds_do_not_count(self):
        manual = {**trigger(7), "kind": "manual"}
        due = {"record": "due", "from": minute(30), "to": minute(30), "count": 1}
        self.stage([due, trigger(25), trigger(20), trigger(15), manual, trigger(10), trigger(5)])
        self.assertEqual(self.findings()[0], [])

    def test_a_fire_without_a_decision_was_missed(self):
        self.stage([trigger(25), trigger(20), trigger(5)])
        self.assertEqual(self.findings()[0], [("missed", minute(10), 2)])

    def test_a_fire_may_be_missed_at_the_beginning_and_at_the_end(self):
        self.stage([trigger(20), trigger(15), trigger(10)])
        self.assertEqual(self.findings()[0], [("missed", minute(5), 1), ("missed", minute(25), 1)])

    def test_a_fire_with_two_decisions_is_found(self):
        self.stage([trigger(25), trigger(20), trigger(15), trigger(15), trigger(10), trigger(5)])
        self.assertEqual(self.findings()[0], [("twice", minute(15), 1)])

    def test_a_skip_over_what_fired_is_twice(self):
        self.stage([skip(15, 25, 3), trigger(20), trigger(10), trigger(5)])
        self.assertEqual(self.findings()[0], [("twice", minute(20), 1)])

    def test_a_time_that_is_no_fire_is_found(self):
        self.stage([trigger(25), trigger(20), trigger(15), trigger(12), trigger(10), trigger(5)])
        self.assertEqual(self.findings()[0], [("foreign", minute(12), 1)])

    def test_a_skip_that_counts_wrongly_is_found(self):
        self.stage([skip(5, 25, 4)])
        self.assertEqual(self.findings()[0], [("miscounted", minute(5), 5)])

    def test_what_was_decided_after_the_job_was_read_is_left_out(self):
        self.stage([trigger(30), trigger(25), trigger(20), trigger(15), trigger(10), trigger(5)])
        self.assertEqual(self.findings()[0], [])

    def test_each_schedule_is_held_to_its_own_time(self):
        versions = [
            {"version": 1, "anchor_at": minute(0), "definition": {"cron": "*/5 * * * *", "timezone": "UTC"}},
            {"version": 2, "anchor_at": minute(0), "definition": {"cron": "*/5 * * * *", "priority": 1}},
            {"version": 3, "anchor_at": minute(12), "definition": {"cron": "*/10 * * * *", "timezone": "UTC"}},
        ]
        ledger = [trigger(20, 3), trigger(10, 2), trigger(5, 1)]
        self.stage(ledger, versions, version=3, cron="*/10 * * * *")
        self.assertEqual(self.findings()[0], [])
        self.api.replies.clear()
        self.stage([trigger(20, 3), trigger(5, 1)], versions, version=3, cron="*/10 * * * *")
        self.assertEqual(self.findings()[0], [("missed", minute(10), 1)])

    def test_a_server_without_versions_can_be_audited_where_there_is_one(self):
        self.stage([trigger(25), trigger(20), trigger(5)])
        self.api.replies.pop(("GET", "/v1/jobs/{id}/versions"))
        self.api.problem("GET", "/v1/jobs/{id}/versions", 404, "not_found", "there is no such path")
        self.assertEqual(self.findings()[0], [("missed", minute(10), 2)])

    def test_without_versions_a_changed_job_is_audited_in_part_and_that_is_said(self):
        self.stage([trigger(25, 2), trigger(20, 2), trigger(5, 1)], version=2)
        self.api.replies.pop(("GET", "/v1/jobs/{id}/versions"))
        self.api.problem("GET", "/v1/jobs/{id}/versions", 404, "not_found", "there is no such path")
        found, answer = self.findings()
        self.assertEqual((found, answer["partial"]), ([], 1))
        self.assertIn("only the last version", self.done("audit", "acme/morning-report"))

    def test_since_leaves_out_what_was_before(self):
        self.stage([trigger(25), trigger(20)])
        self.assertEqual(self.findings("--since", minute(15))[0], [])

    def test_one_time_jobs_have_one_decision(self):
        once = {"cron": None, "run_at": minute(5), "next_fire_at": None, "status": "completed"}
        version = [{"version": 1, "anchor_at": minute(0), "definition": {"run_at": minute(5)}}]
        for ledger, wanted in [
            ([trigger(5)], []),
            ([trigger(5), trigger(5)], [("twice", minute(5), 1)]),
            ([], [("missed", minute(5), 1)]),
        ]:
            self.api.replies.clear()
            self.stage(ledger, version, **once)
            self.assertEqual(self.findings()[0], wanted)

    def test_all_jobs_are_audited_where_none_is_named(self):
        self.stage([trigger(25), skip(5, 20, 4)])
        out = self.done("audit", "--tenant", "acme")
        self.assertEqual(self.api.asked[0].query["tenant"], "acme")
        self.assertIn("1 job, 5 fires decided: each fire time has exactly one decision", out)

    def test_people_are_told_too(self):
        self.stage([trigger(25), trigger(20), trigger(5)])
        got = self.run_belfry("audit", "acme/morning-report")
        self.assertEqual(got.code, REFUSED)
        self.assertIn("2026-04-08 09:10:00Z  missed      acme/morning-report  2 fires", got.out)
        self.assertIn("1 fault\n", got.out)


if __name__ == "__main__":
    tap.main()
