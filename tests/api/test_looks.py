"""What only looks: jobs, the ledger, attempts, reasons, figures, as the contract says."""

import json
import re

import server  # noqa: F401 (finds tap)
import tap
from server import ApiCase

INSTANT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


def pages(case, path):
    """All items of a list, page by page, by Link and by next, which must agree."""
    items, answer = [], case.expect(200, "GET", path)
    while True:
        items += answer["items"]
        link = answer.headers.get("Link")
        case.assertEqual(link is None, answer["next"] is None)
        if link is None:
            return items
        target = re.fullmatch(r'<([^>]+)>; rel="next"', link)[1]
        case.assertIn("after=" + answer["next"], target)
        answer = case.expect(200, "GET", target)


class Jobs(ApiCase):
    def test_a_job_is_shown_by_id_and_by_name_with_its_etag(self):
        job = self.create(name=self.name, every="1h", labels={"team": "a"})
        by_id = self.expect(200, "GET", f"/v1/jobs/{job['id']}")
        by_name = self.expect(200, "GET", f"/v1/jobs/{self.name}")
        self.assertEqual(by_id.json, by_name.json)
        self.assertEqual(by_id.headers["ETag"], '"1"')
        self.assertEqual(by_id["counts"]["fired"], 0)
        self.expect_problem(404, "not_found", "GET", f"/v1/jobs/{self.name}?tenant=other")
        self.expect_problem(404, "not_found", "GET", f"/v1/jobs/{job['id']}?tenant=other")
        self.expect_problem(400, "unknown_field", "GET", f"/v1/jobs/{self.name}?colour=red")

    def test_counts_and_the_last_result_follow_the_triggers(self):
        job = self.create(name=self.name, every="1h", pool=self.name)
        self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
        self.finish(self.take(), result={"sent": 1})
        self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
        attempt = self.take()
        shown = self.expect(200, "GET", f"/v1/jobs/{job['id']}").json
        self.assertEqual(shown["counts"], {"fired": 0, "waiting": 0, "pending": 0, "running": 1, "succeeded": 1, "dead": 0,
                                           "cancelled": 0})
        self.assertEqual(shown["last_result"]["status"], "succeeded")
        self.assertEqual(shown["last_result"]["result"], {"sent": 1})
        self.finish(attempt, "failed", error={"code": "x", "message": "y"}, retryable=False)
        summary = [item for item in pages(self, f"/v1/jobs?pool={self.name}") if item["id"] == job["id"]][0]
        self.assertEqual(summary["last_result"]["status"], "dead")
        self.assertEqual(summary["last_result"]["error"], {"code": "x", "message": "y"})
        self.assertRegex(summary["last_fired_at"], INSTANT)

    def test_lists_are_filtered_and_come_in_pages(self):
        ids = [self.create(pool=self.name, type=f"t{i % 2}", labels={"n": str(i)}, delay="1h",
                           name=f"{self.name}-{i}")["id"] for i in range(7)]
        self.assertEqual([job["id"] for job in pages(self, f"/v1/jobs?pool={self.name}&limit=3")], ids)
        self.assertEqual([job["id"] for job in pages(self, f"/v1/jobs?pool={self.name}&type=t1&limit=2")], ids[1::2])
        self.assertEqual([job["id"] for job in pages(self, f"/v1/jobs?pool={self.name}&label=n=3")], [ids[3]])
        self.assertEqual(len(pages(self, f"/v1/jobs?label=n&q={self.name}-")), 7)
        self.assertEqual(pages(self, f"/v1/jobs?pool={self.name}&status=paused"), [])
        self.expect_problem(400, "invalid", "GET", "/v1/jobs?after=nonsense")
        self.expect_problem(400, "invalid", "GET", "/v1/jobs?limit=0")
        self.expect_problem(400, "invalid", "GET", "/v1/jobs?status=asleep")

    def test_names_are_searched_in_every_tenant_by_their_beginning(self):
        start = f"{self.name}-find"
        names = [(tenant, f"{start}-{i}") for tenant in ("t-a", "t-b") for i in range(3)]
        for tenant, name in reversed(names):
            self.create(tenant=tenant, name=name, delay="1h", labels={"n": name[-1]}, type=f"t{name[-1]}")
        self.create(tenant="t-a", name=f"{self.name}-other", delay="1h")
        found = lambda query: [(job["tenant"], job["name"]) for job in pages(self, f"/v1/jobs?q={start}&{query}")]
        self.assertEqual(found("limit=100"), names)
        self.assertEqual(found("limit=1"), names)
        self.assertEqual(found("limit=2"), names)
        self.assertEqual(found("tenant=t-b&limit=2"), names[3:])
        self.assertEqual(found("limit=1&label=n=1"), [names[1], names[4]])
        self.assertEqual(found("type=t2&status=active"), [names[2], names[5]])
        self.assertEqual(found("status=paused"), [])
        mark = self.expect(200, "GET", f"/v1/jobs?q={start}&limit=1")["next"]
        self.expect_problem(400, "invalid", "GET", f"/v1/jobs?q={start}&tenant=t-b&after={mark}")
        self.expect_problem(400, "invalid", "GET", f"/v1/jobs?after={mark}")

    def test_coming_fires_begin_at_the_cursor(self):
        job = self.create(name=self.name, cron="0 9 * * MON-FRI", timezone="America/New_York")
        answer = self.expect(200, "GET", f"/v1/jobs/{self.name}/next?count=3").json
        self.assertEqual(answer["fires"][0]["utc"], job["next_fire_at"])
        self.assertEqual(len(answer["fires"]), 3)
        self.assertEqual(answer["timezone"], "America/New_York")
        self.assertTrue(all(fire["local"].endswith("T09:00:00") for fire in answer["fires"]))
        self.expect_problem(400, "invalid", "GET", f"/v1/jobs/{self.name}/next?count=1001")

    def test_versions_come_upwards_the_current_one_last(self):
        self.create(name=self.name, every="1h", payload={"n": 0})
        for n in range(1, 4):
            self.expect(200, "PATCH", f"/v1/jobs/{self.name}", {"payload": {"n": n}})
        for limit in (1, 2, 4, 50):
            found = pages(self, f"/v1/jobs/{self.name}/versions?limit={limit}")
            self.assertEqual([one["version"] for one in found], [1, 2, 3, 4])
            self.assertEqual([one["definition"]["payload"]["n"] for one in found], [0, 1, 2, 3])
            self.assertEqual(found[0]["definition"]["every"], "1h")
            self.assertEqual(found[0]["definition"]["overlap"], "skip")

    def test_max_fires_ends_the_coming_fires(self):
        self.create(name=self.name, every="1h", max_fires=2)
        self.assertEqual(len(self.expect(200, "GET", f"/v1/jobs/{self.name}/next")["fires"]), 2)


class Ledger(ApiCase):
    def test_what_is_due_stands_first_then_runs_then_ended_ones(self):
        job = self.create(name=self.name, pool=self.name)
        due = self.expect(200, "GET", f"/v1/jobs/{self.name}/triggers")["items"]
        self.assertEqual([(entry["record"], entry["count"]) for entry in due], [("due", 1)])
        attempt = self.take()
        running = self.expect(200, "GET", f"/v1/jobs/{self.name}/triggers")["items"]
        self.assertEqual([(entry["id"], entry["status"]) for entry in running], [(attempt["trigger"], "running")])
        self.finish(attempt)
        ended = self.expect(200, "GET", f"/v1/jobs/{job['id']}/triggers")["items"]
        self.assertEqual([(entry["id"], entry["status"]) for entry in ended], [(attempt["trigger"], "succeeded")])

    def test_pages_show_every_trigger_once_newest_first(self):
        self.create(name=self.name, every="1h", overlap="allow", pool=self.name)
        made = [self.expect(202, "POST", f"/v1/jobs/{self.name}/run")["id"] for _ in range(7)]
        running = {attempt["trigger"] for attempt in self.take(2)}
        for limit in (1, 3, 50):
            entries = pages(self, f"/v1/jobs/{self.name}/triggers?limit={limit}&record=trigger")
            self.assertEqual([entry["id"] for entry in entries], made[::-1])
            self.assertEqual({entry["id"] for entry in entries if entry["status"] == "running"}, running)

    def test_skips_are_among_them(self):
        self.create(name=self.name, every="50ms", pool=self.name)
        attempt = self.take()
        skips = self.wait_for(lambda: self.call("GET", f"/v1/jobs/{self.name}/triggers?record=skip")["items"])
        self.assertEqual(skips[0]["reason"], "overlap")
        self.assertEqual(skips[0]["blocked_by"], attempt["trigger"])
        records = {entry["record"] for entry in pages(self, f"/v1/jobs/{self.name}/triggers")}
        self.assertLessEqual({"trigger", "skip"}, records)
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}/status", {"status": "cancelled"})

    def test_attempts_come_by_trigger_and_number_downwards(self):
        self.create(name=self.name, every="1h", pool=self.name, retry={"max_attempts": 3, "delays": ["0s"], "jitter": 0})
        for _ in range(2):
            self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
            for _ in range(3):
                self.finish(self.take(), "failed", error={"code": "x", "message": "y"})
        self.expect(202, "POST", f"/v1/jobs/{self.name}/run")
        running = self.take()
        whole = pages(self, f"/v1/jobs/{self.name}/executions")
        self.assertEqual([item["number"] for item in whole], [1, 3, 2, 1, 3, 2, 1])
        self.assertEqual(whole[0]["id"], running["id"])
        self.assertEqual(whole[0]["status"], "started")
        self.assertTrue(all(item["error"] == {"code": "x", "message": "y"} for item in whole[1:]))
        for limit in (1, 2, 4):
            self.assertEqual(pages(self, f"/v1/jobs/{self.name}/executions?limit={limit}"), whole)
        only = pages(self, f"/v1/jobs/{self.name}/executions?trigger={whole[1]['trigger']}&limit=2")
        self.assertEqual(only, whole[1:4])
        detail = self.expect(200, "GET", f"/v1/triggers/{whole[1]['trigger']}").json
        self.assertEqual(detail["executions"], whole[3:0:-1])
        self.assertEqual(detail["status"], "dead")
        self.finish(running)

    def test_a_trigger_that_is_not_there_is_not_found(self):
        self.expect_problem(404, "not_found", "GET", "/v1/triggers/trg_0000000000001")
        self.expect_problem(404, "not_found", "GET", "/v1/triggers/what")


class Reasons(ApiCase):
    def gates(self, path):
        return {gate["gate"]: gate for gate in self.expect(200, "GET", path)["gates"]}

    def test_a_job_says_what_holds_it(self):
        self.create(name=self.name, delay="1h", pool=self.name)
        gates = self.gates(f"/v1/jobs/{self.name}/why")
        self.assertRegex(gates["not_due"]["clears_at"], INSTANT)
        self.assertEqual(gates["no_worker"]["name"], self.name)
        self.expect(200, "PATCH", f"/v1/jobs/{self.name}/status", {"status": "paused"})
        self.assertIn("job_paused", self.gates(f"/v1/jobs/{self.name}/why"))

    def test_a_trigger_says_that_it_runs_and_that_it_has_ended(self):
        self.create(name=self.name, pool=self.name)
        attempt = self.take()
        self.assertIn("running", self.gates(f"/v1/triggers/{attempt['trigger']}/why"))
        self.finish(attempt)
        self.assertIn("ended", self.gates(f"/v1/triggers/{attempt['trigger']}/why"))

    def test_a_graph_shows_how_each_job_stands(self):
        self.create(name=self.name, pool=self.name)
        child = self.create(name=self.name + "-b", depends_on=[self.name], pool=self.name)
        before = self.expect(200, "GET", f"/v1/jobs/{child['id']}/graph").json
        self.assertEqual([node["name"] for node in before["nodes"]], [self.name, self.name + "-b"])
        self.assertEqual(before["edges"][0]["state"], "open")
        self.finish(self.take())
        after = self.expect(200, "GET", f"/v1/jobs/{self.name}/graph").json
        self.assertEqual(after["nodes"][0]["state"], "succeeded")
        self.assertEqual(after["edges"][0]["state"], "met")
        self.finish(self.take())


class Figures(ApiCase):
    def test_workers_and_pools_show_what_is_held(self):
        self.create(name=self.name, pool=self.name)
        self.create(pool=self.name)
        attempt = self.take(1, capacity=4)
        stats = self.expect(200, "GET", f"/v1/pools/{self.name}/stats").json
        self.assertEqual((stats["ready"], stats["running"], stats["backlog"], stats["capacity"]), (1, 1, 2, 4))
        self.assertRegex(stats["oldest_ready"], INSTANT)
        worker = self.expect(200, "GET", f"/v1/workers?pool={self.name}")["items"]
        self.assertEqual([one["worker"] for one in worker], [self.name])
        self.assertEqual([held["attempt"] for held in worker[0]["holding"]], [attempt["id"]])
        self.assertEqual(self.expect(200, "GET", "/v1/pools/nobody/stats")["backlog"], 0)

    def test_workers_come_in_pages_by_name(self):
        for i in (2, 0, 1):
            self.work(worker=f"{self.name}-w{i}", name=f"{self.name} {i}", want=1)
        found = pages(self, f"/v1/workers?pool={self.name}&limit=1")
        self.assertEqual([one["name"] for one in found], [f"{self.name} {i}" for i in range(3)])

    def test_the_last_day_counts_what_ended(self):
        self.create(pool=self.name, type=self.name)
        self.finish(self.take())
        self.kill(type=self.name)
        mine = [one for one in self.expect(200, "GET", "/v1/stats")["types"] if one["type"] == self.name][0]
        self.assertEqual((mine["executed"], mine["failed"], mine["dead"], mine["warning"]), (2, 1, 1, True))
        history = self.expect(200, "GET", f"/v1/stats/history?type={self.name}").json
        self.assertEqual(sum(point["executed"] or 0 for point in history["points"]), 2)
        self.assertEqual(sum(point["fired"] or 0 for point in history["points"]), 2)
        self.assertEqual(history["step"], "1m")
        longer = self.expect(200, "GET", "/v1/stats/history?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z")
        self.assertLessEqual(len(longer["points"]), 1500)
        self.expect_problem(400, "invalid", "GET", "/v1/stats/history?step=30s")

    def test_a_job_is_not_late_for_a_time_before_it_was_made(self):
        self.create(run_at="2020-01-01T00:00:00Z", pool=self.name, tenant=self.name)
        self.finish(self.take())
        figures = self.expect(200, "GET", f"/v1/stats?tenant={self.name}")
        self.assertLess(figures["last_24h"]["lag_ms"]["p99"], 3_600_000)

    def test_figures_of_minutes_that_nobody_counted_are_null(self):
        self.create(pool=self.name, type=self.name)
        now = self.expect(200, "GET", "/v1/stats")["at"]
        *_, last = self.expect(200, "GET", "/v1/stats/history")["points"]
        self.assertIsInstance(last["executed"], int)
        long_ago = self.expect(200, "GET", f"/v1/stats/history?from=2026-01-01T00:00:00Z&to={now}&step=1h")["points"]
        first = long_ago[0]
        none = {"avg": None, "p50": None, "p99": None}
        self.assertEqual({name: value for name, value in first.items() if value is not None},
                         {"at": first["at"], "duration_ms": none, "lag_ms": none})
        self.assertGreater(sum(point["created"] or 0 for point in long_ago), 0)

    def test_metrics_tell_what_housekeeping_did(self):
        text = self.expect(200, "GET", "/metrics").body.decode()
        for kind in ("trigger", "attempt", "skip", "version", "answer"):
            self.assertIn(f'belfry_retention_removed_total{{kind="{kind}"}} 0\n', text)
        for name in ("failures_total", "archive_bytes_total", "last_run_timestamp_seconds"):
            self.assertIn(f"belfry_retention_{name} 0\n", text)
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) belfry_\w+ .+|belfry_\w+(\{[^}]*\})? [-+0-9.eE]+)$')

    def test_what_needs_attention_comes_with_the_figures(self):
        self.create(pool=self.name, type=self.name)
        item = self.wait_for(lambda: [one for one in self.expect(200, "GET", "/v1/stats")["attention"]
                                      if one["subject"] == self.name])[0]
        self.assertEqual((item["kind"], item["severity"], item["count"]), ("pool_without_workers", "critical", 1))
        self.assertEqual(item["look"], f"/v1/pools/{self.name}")
        self.assertIn("no worker", item["detail"])
        self.expect(200, "POST", f"/v1/types/{self.name}/pause", {})
        kinds = [one["kind"] for one in self.expect(200, "GET", "/v1/stats")["attention"] if one["subject"] == self.name]
        self.assertEqual(sorted(kinds), ["pool_without_workers", "type_paused"])
        self.assertEqual(self.expect(200, "GET", "/v1/stats?tenant=nobody")["attention"], [])

    def test_a_key_is_told_what_it_may_do(self):
        answer = self.expect(200, "GET", "/v1/whoami")
        self.assertEqual((answer["role"], answer["may"]), ("admin", ["read", "operate", "configure"]))

    def test_the_doctor_names_a_pool_without_workers(self):
        self.create(pool=self.name)
        answer = self.expect(200, "GET", "/v1/doctor").json
        check = [one for one in answer["checks"] if one["check"] == "pools_without_workers"][0]
        self.assertEqual([found["pool"] for found in check["findings"] if found["pool"] == self.name], [self.name])
        self.assertEqual((check["severity"], answer["severity"]), ("critical", "critical"))
        self.finish(self.take())

    def test_an_expression_is_explained(self):
        answer = self.expect(200, "POST", "/v1/schedules/preview", {
            "cron": "30 2 * * *", "timezone": "Europe/Paris", "from": "2026-03-28T00:00:00Z", "count": 3}).json
        self.assertEqual(answer["fires"][0]["utc"], "2026-03-28T01:30:00.000Z")
        self.assertIn("dst_change", [warning["code"] for warning in answer["warnings"]])
        self.expect_problem(400, "invalid_cron", "POST", "/v1/schedules/preview", {"cron": "61 * * * *"})
        self.expect_problem(422, "unknown_timezone", "POST", "/v1/schedules/preview",
                            {"cron": "* * * * *", "timezone": "Mars/Phobos"})


class TheServer(ApiCase):
    def test_a_preview_warns_of_a_herd(self):
        at = {"cron": "30 4 29 2 *", "count": 1}
        herds = lambda: [one for one in self.expect(200, "POST", "/v1/schedules/preview", at)["warnings"]
                         if one["code"] == "herd"]
        self.assertEqual(herds(), [])
        jobs = [{"pool": self.name, "cron": "30 4 29 2 *"} for _ in range(60)]
        self.expect(202, "POST", "/v1/jobs/batch", {"jobs": jobs})
        self.assertIn("at least 60 other jobs", herds()[0]["detail"])

    def test_probes_and_versions_need_no_token(self):
        for path in ("/healthz", "/readyz", "/version", "/openapi.json"):
            self.expect(200, "GET", path, token="")
        version = self.expect(200, "GET", "/version").json
        self.assertEqual(version["schema"], 1)
        self.assertRegex(version["store"], r"^sqlite \d")
        self.expect_problem(401, "unauthorized", "GET", "/metrics", token="wrong")

    def test_the_description_has_every_path_that_is_served(self):
        paths = self.expect(200, "GET", "/openapi.json")["paths"]
        missing = []
        for path in paths:
            one = re.sub(r"\{\w+\}", "nobody", path)
            for method in paths[path]:
                if method in ("get", "post", "put", "patch", "delete") and path != "/v1/events":
                    answer = self.call(method.upper(), one, {} if method != "get" else None)
                    if answer.status == 405 or "there is no such path" in json.dumps(answer.json):
                        missing.append(f"{method} {path}: {answer}")
        self.assertEqual(missing, [])

    def test_a_server_lists_itself(self):
        items = self.expect(200, "GET", "/v1/servers")["items"]
        self.assertEqual([one["shards"] for one in items], [[0]])
        self.assertRegex(items[0]["started_at"], INSTANT)


if __name__ == "__main__":
    tap.main()
