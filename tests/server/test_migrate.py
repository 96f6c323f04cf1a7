"""An installation with one file becomes one with a database: nothing is lost, nothing happens twice."""

import itertools
import json
import os
import signal
import subprocess

from process import BELFRY, SECONDS_MAX, ProcessCase, clean_environment

import tap

URL = os.environ["BELFRY_TEST_POSTGRES"]
numbers = itertools.count(1)


def psql(url, sql):
    done = subprocess.run(["psql", url, "-XAtq", "-c", sql], capture_output=True, text=True, timeout=SECONDS_MAX, check=True)
    return done.stdout.strip()


class MigrateCase(ProcessCase):
    def setUp(self):
        super().setUp()
        name = f"migrate_{next(numbers)}"
        psql(URL, f"CREATE DATABASE {name}")
        self.url = URL.replace("/postgres?", f"/{name}?")
        self.file = os.path.join(self.data, "belfry.db")

    def migrate(self, *words, code=0, url=None):
        done = subprocess.run(
            [BELFRY, "migrate", f"sqlite:{self.file}", url or self.url, *words],
            capture_output=True, text=True, timeout=SECONDS_MAX, env=clean_environment(), check=False,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def make(self, server, **job):
        status, _, made = server.call("POST", "/v1/jobs", job)
        self.assertIn(status, (200, 202), made)
        return made

    def get(self, server, path):
        status, _, body = server.call("GET", path)
        self.assertEqual(status, 200, body)
        return body

    def some_jobs(self):
        """A server that has two jobs, and was stopped."""
        server = self.server()
        self.make(server, name="nightly", cron="0 3 * * *", timezone="Europe/Paris")
        self.make(server, name="once", run_at="2099-01-01T00:00:00Z")
        server.stop()

    def rows_in(self, table):
        return int(psql(self.url, f"SELECT count(*) FROM belfry.{table}"))


class Worker:
    """One that speaks the exchange by hand."""

    def __init__(self, case, name, pool):
        self.case, self.name, self.pool, self.seq = case, name, pool, 0

    def ask(self, server, **more):
        self.seq += 1
        body = {"worker": self.name, "seq": self.seq, "pools": [self.pool], "capacity": 10, **more}
        status, _, answer = server.call("POST", "/v1/work", body)
        self.case.assertEqual(status, 200, answer)
        return answer

    def take(self, server, holding=()):
        found = self.ask(server, want=1, wait="30s", holding=list(holding))["attempts"]
        self.case.assertEqual(len(found), 1)
        return found[0]

    def finish(self, server, attempt, status, holding=(), **more):
        report = {"attempt": attempt["id"], "status": status, **more}
        answer = self.ask(server, want=0, holding=list(holding), finished=[report])
        self.case.assertEqual(answer["refused"], [])


class AllOfIt(MigrateCase):
    maxDiff = 4000

    def live(self, server):
        """Something of every kind."""
        worker = Worker(self, "w-1", "hands")
        self.make(server, name="nightly", cron="0 3 * * *", timezone="Europe/Paris", labels={"team": "a"})
        self.make(server, name="hourly", every="1h", tenant="acme", payload={"n": 12345678901234567890})
        self.make(server, name="once", run_at="2099-01-01T00:00:00Z")
        self.make(server, name="gone", run_at="2099-01-01T00:00:00Z")
        self.assertEqual(server.call("DELETE", "/v1/jobs/gone")[0] // 100, 2)
        self.assertEqual(server.call("PATCH", "/v1/jobs/nightly", {"cron": "30 3 * * *"})[0], 200)
        self.assertEqual(server.call("PUT", "/v1/tenants/acme", {"max_in_flight": 7, "rate": "5/s"})[0], 200)
        self.make(server, name="upstream", cron="0 4 * * *")
        self.make(server, name="downstream", depends_on=["upstream"])
        self.make(server, name="fails", pool="hands", retry={"max_attempts": 1})
        worker.finish(server, worker.take(server), "failed", error={"code": "no", "message": "never"})
        self.make(server, name="again", pool="hands", retry={"max_attempts": 3, "delays": ["2h"]})
        worker.finish(server, worker.take(server), "failed", error={"code": "later", "message": "once more"})
        self.make(server, name="well", pool="hands")
        worker.finish(server, worker.take(server), "succeeded", result={"sent": 1})
        self.make(server, name="often", every="1s", pool="hands", lease="60s", timeout="600s")
        held = worker.take(server)
        self.wait_for(lambda: self.skips(server, "often"))
        self.assertEqual(server.call("PATCH", "/v1/jobs/often", {"every": "10h"})[0], 200)
        return worker, held

    def skips(self, server, name):
        return [item for item in self.get(server, f"/v1/jobs/{name}/triggers")["items"] if item["record"] == "skip"]

    def all_that_is_told(self, server):
        told = {}
        for tenant in ("default", "acme"):
            jobs = self.get(server, f"/v1/jobs?tenant={tenant}&limit=100")["items"]
            for job in jobs:
                at = f"/v1/jobs/{job['id']}"
                told[job["id"]] = [job] + [self.get(server, at + part) for part in ("/triggers", "/executions", "/next?count=5", "/versions")]
        told["dead"] = self.get(server, "/v1/dead")
        told["tenants"] = self.get(server, "/v1/tenants/acme")
        return told

    def test_a_server_on_the_database_goes_on_where_the_file_s_stopped(self):
        before = self.server()
        worker, held = self.live(before)
        told = self.all_that_is_told(before)
        ids = set(told)
        token = before.token()
        self.assertEqual(before.stop(), 0)

        self.run_belfry("init", "--store", self.url)
        counted = json.loads(self.migrate("--dry-run", "--json"))
        self.assertEqual(self.rows_in("jobs"), 0)
        moved = json.loads(self.migrate("--json"))
        self.assertEqual(moved, {**counted, "migrated": True})
        for table, count in moved["tables"].items():
            self.assertEqual(self.rows_in(table), count, table)
        for table in ("jobs", "versions", "triggers", "attempts", "claims", "skips", "edges", "settings", "tenants", "rules"):
            self.assertGreater(moved["tables"][table], 0, table)

        self.data = os.path.join(self.folder, "other")
        after = self.server("--store", self.url, env={"BELFRY_TOKEN": token})
        after.token = lambda: token
        self.assertEqual(self.all_that_is_told(after), told)

        # The attempt that ran all the while is still its worker's.
        self.assertEqual(worker.ask(after, want=0, holding=[held["id"]])["cancel"], [])
        worker.finish(after, held, "succeeded", result={"done": True})
        ended = self.get(after, f"/v1/triggers/{held['trigger']}")
        self.assertEqual(ended["status"], "succeeded")

        fresh = self.make(after, name="fresh", run_at="2099-01-01T00:00:00Z")
        self.assertNotIn(fresh["id"], ids)
        self.assertGreater(fresh["id"], max(one for one in ids if one.startswith("job_")))
        place = {"BELFRY_URL": f"http://127.0.0.1:{after.port}", "BELFRY_TOKEN": token}
        self.run_belfry("audit", env=place)
        self.assertEqual(after.stop(), 0)


class Refusals(MigrateCase):
    def test_a_file_whose_server_runs_is_refused(self):
        self.server()
        self.run_belfry("init", "--store", self.url)
        self.assertIn("stop the server", self.migrate(code=1))
        self.assertEqual(self.rows_in("jobs"), 0)

    def test_a_file_that_is_not_there_is_not_made(self):
        self.assertIn("there is no store at", self.migrate(code=1))
        self.assertFalse(os.path.exists(self.file))

    def test_a_database_that_was_not_made_ready_is_refused(self):
        self.some_jobs()
        self.assertIn("belfry init", self.migrate(code=1))

    def test_a_database_that_has_something_is_refused(self):
        self.some_jobs()
        self.run_belfry("init", "--store", self.url)
        self.migrate()
        for words in ((), ("--dry-run",)):
            self.assertIn("the target is not empty", self.migrate(*words, code=1))
        self.assertEqual(self.rows_in("jobs"), 2)

    def test_arguments_are_from_and_to(self):
        for words in ((), (f"sqlite:{self.file}",), (self.url, f"sqlite:{self.file}"), (f"sqlite:{self.file}", "mysql://x")):
            self.refused("migrate", *words, code=2)

    def test_a_password_is_not_shown(self):
        self.some_jobs()
        self.run_belfry("init", "--store", self.url)
        said = self.migrate(url=self.url.replace("belfry@", "belfry:sesame@"))
        self.assertNotIn("sesame", said)


class CutOff(MigrateCase):
    def test_a_migration_that_was_killed_is_seen_and_made_again(self):
        self.some_jobs()
        self.run_belfry("init", "--store", self.url)
        with open(self.file, "rb") as file:
            before = file.read()
        psql(
            self.url,
            "CREATE FUNCTION public.stand() RETURNS trigger LANGUAGE plpgsql AS "
            "$$BEGIN PERFORM pg_sleep(60); RETURN NULL; END$$; "
            "CREATE TRIGGER stand AFTER INSERT ON belfry.jobs FOR EACH STATEMENT EXECUTE FUNCTION public.stand()",
        )
        half = self.begin("migrate", f"sqlite:{self.file}", self.url)
        self.wait_for(lambda: psql(self.url, "SELECT is_filling FROM belfry.shards") == "t")
        half.signal(signal.SIGKILL)
        self.assertEqual(half.wait(), -signal.SIGKILL)
        psql(self.url, "DROP TRIGGER stand ON belfry.jobs")

        self.data = os.path.join(self.folder, "other")
        said = self.wait_for(lambda: self.start_in_vain())
        self.assertIn("belfry migrate was begun and did not end", said)
        self.migrate()
        self.assertEqual(self.rows_in("jobs"), 2)
        with open(self.file, "rb") as file:
            self.assertEqual(file.read(), before)
        self.server("--store", self.url).stop()

    def start_in_vain(self):
        return self.refused("server", "--listen", "127.0.0.1:0", "--data", self.data, "--store", self.url)


if __name__ == "__main__":
    tap.main()
