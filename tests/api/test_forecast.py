"""The coming days, played through, as the contract says; and as the command line shows it."""

import json
import subprocess
import threading

import server
import tap
from server import ApiCase, Server


class Forecast(ApiCase):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.stop)

    def forecast(self, days=7):
        return self.expect(200, "GET", f"/v1/forecast?days={days}").json

    def test_without_jobs_there_is_nothing_to_say_but_that(self):
        answer = self.forecast()
        self.assertEqual(answer["sentences"], ["No herds: no minute has more than 50 fires."])
        self.assertTrue(answer["complete"])
        self.assertEqual((answer["jobs"], answer["fires"], answer["herds"], answer["overlaps"]), (0, 0, [], []))

    def test_a_herd_is_found_with_advice(self):
        jobs = [{"name": f"j{i}", "cron": "0 2 * * *", "type": "bill"} for i in range(60)]
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        answer = self.forecast(days=2)
        self.assertEqual(len(answer["herds"]), 2)
        herd = answer["herds"][0]
        self.assertRegex(herd["at"], r"T02:00:00\.000Z$")
        self.assertEqual((herd["count"], herd["types"]), (60, [{"type": "bill", "count": 60}]))
        self.assertEqual((herd["flatten"]["movable"], herd["flatten"]["peak"]), (60, 2))
        self.assertEqual(len(herd["flatten"]["moves"]), 20)
        self.assertEqual(answer["durations"], {"measured": 0, "by_type": 0, "unknown": 60})

    def test_runs_are_measured_and_overlaps_expected(self):
        self.create(name="slow", every="6m", pool=self.name)
        self.expect(202, "POST", "/v1/jobs/slow/run")
        self.finish(self.take())
        answer = self.forecast(days=1)
        self.assertEqual(answer["durations"]["measured"], 1)
        self.assertEqual(answer["overlaps"], [])  # it was quick
        self.assertIn(answer["fires"], (239, 240))  # a day has 240 times six minutes

    def test_the_command_line_shows_sentences_first_and_json(self):
        jobs = [{"name": f"j{i}", "cron": "0 2 * * *"} for i in range(60)]
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        command = [server.BELFRY, "forecast", "--days", "2", "--data", self.server.data]
        out = subprocess.run(command, capture_output=True, text=True, timeout=server.SECONDS_MAX, check=True).stdout
        self.assertTrue(out.startswith("2 minutes have more than 50 fires; the largest is on "), out)
        self.assertIn("\nHerds\n", out)
        told = subprocess.run(command + ["--json"], capture_output=True, text=True, timeout=server.SECONDS_MAX, check=True)
        self.assertEqual(json.loads(told.stdout)["herds_found"], 2)

    def test_it_is_made_one_at_a_time_and_kept(self):
        self.create(name="a", cron="0 2 * * *")
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.call("GET", "/v1/forecast?days=3")))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual({answer.status for answer in answers}, {200, 503})
        self.assertIn(200, {answer.status for answer in answers})
        self.assertEqual(len({answer.body for answer in answers if answer.status == 200}), 1)
        for answer in answers:
            if answer.status == 503:
                self.assertEqual(answer["code"], "overloaded")
                self.assertTrue(answer.headers["Retry-After"])

    def test_what_makes_no_sense_is_refused(self):
        self.expect_problem(400, "invalid", "GET", "/v1/forecast?days=0")
        self.expect_problem(400, "invalid", "GET", "/v1/forecast?days=91")
        self.expect_problem(400, "unknown_field", "GET", "/v1/forecast?weeks=2")


if __name__ == "__main__":
    tap.main()
