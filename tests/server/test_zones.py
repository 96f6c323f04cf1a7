"""tzdata changes under a server: jobs move with the clock of their zone, nothing fires twice, and audits stay true."""

import datetime
import json
import pathlib
import shutil
import subprocess

import process
import tap

SYSTEM = pathlib.Path("/usr/share/zoneinfo")


def hour_in_utc(instant):
    return datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")).hour


class Zones(process.ProcessCase):
    def setUp(self):
        super().setUp()
        self.zones = pathlib.Path(self.folder, "zones")
        self.zones.mkdir()
        self.put_zone("Etc/GMT-2", "2026a")

    def put_zone(self, like, version):
        """The zone Place, like another one, in a tzdata of this version."""
        shutil.copy(SYSTEM / like, self.zones / "new")
        (self.zones / "new").rename(self.zones / "Place")
        (self.zones / "tzdata.zi").write_text(f"# version {version}\n")

    def start(self):
        return self.server("--zones", str(self.zones))

    def add(self, server, name, **more):
        body = {"name": name, "cron": "0 12 * * *", "timezone": "Place", **more}
        status, _, job = server.call("POST", "/v1/jobs", body)
        self.assertEqual(status, 202, job)
        return job

    def job(self, server, name):
        return server.call("GET", f"/v1/jobs/{name}")[2]

    @staticmethod
    def metrics(server):
        connection = server.open("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def metric(self, server, name):
        for line in self.metrics(server).splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return None

    def audit(self, server):
        done = subprocess.run(
            [process.BELFRY, "audit", "--json", "--url", f"http://127.0.0.1:{server.port}", "--data", server.data],
            capture_output=True, timeout=60, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_while_it_runs_cursors_follow_the_new_rules(self):
        server = self.start()
        self.assertEqual(hour_in_utc(self.add(server, "noon")["next_fire_at"]), 10)
        self.assertEqual(hour_in_utc(self.add(server, "utc", timezone="UTC")["next_fire_at"]), 12)
        ticking = self.add(server, "ticking", cron="* * * * * *")
        self.assertEqual(server.call("GET", "/version")[2]["tzdata"], "2026a")
        self.put_zone("Etc/GMT-5", "2026b")
        self.wait_for(lambda: hour_in_utc(self.job(server, "noon")["next_fire_at"]) == 7)
        self.assertEqual(self.job(server, "noon")["version"], 2)
        self.assertEqual(self.job(server, "utc")["version"], 1)
        self.wait_for(lambda: self.job(server, "ticking")["version"] == 2)
        self.assertEqual(server.call("GET", "/version")[2]["tzdata"], "2026b")
        self.assertEqual(self.metric(server, "belfry_zone_changes_total"), 1)
        self.assertEqual(self.metric(server, "belfry_zone_moved_jobs_total"), 2)
        self.assertIn('belfry_tzdata_info{version="2026b"} 1', self.metrics(server))
        self.assertIn("zones.moved", server.logged())
        checks = server.call("GET", "/v1/doctor")[2]["checks"]
        zones = next(check for check in checks if check["check"] == "zones")
        self.assertIn("2 jobs follow the new rules of Place", zones["findings"][0]["detail"])
        versions = server.call("GET", f"/v1/jobs/{ticking['id']}/versions")[2]["items"]
        self.assertEqual(len({version["rules"] for version in versions}), 2)
        for version in versions:
            status, _, rules = server.call("GET", f"/v1/rules/{version['rules']}")
            self.assertEqual((status, rules["timezone"]), (200, "Place"))
        self.assertEqual(server.call("GET", "/v1/rules/0123456789abcdef")[0], 404)
        self.assertEqual(server.call("GET", "/v1/rules/x")[0], 404)
        self.assertEqual(self.audit(server)["faults"], 0)
        self.assertEqual(server.stop(), 0)

    def test_what_changed_while_it_was_down_is_found_at_the_start(self):
        server = self.start()
        self.add(server, "noon")
        self.add(server, "paused")
        self.assertEqual(server.call("PATCH", "/v1/jobs/paused/status", {"status": "paused"})[0], 200)
        self.assertEqual(server.stop(), 0)
        self.put_zone("Etc/GMT-5", "2026b")
        server = self.start()
        for name in ("noon", "paused"):
            self.wait_for(lambda name=name: self.job(server, name)["version"] == 2)
        self.assertEqual(hour_in_utc(self.job(server, "noon")["next_fire_at"]), 7)
        self.assertEqual(self.audit(server)["faults"], 0)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    tap.main()
