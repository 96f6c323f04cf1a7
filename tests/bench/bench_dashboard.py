#!/usr/bin/env python3
"""What a dashboard asks, at a server with many jobs and much history: how long each answer takes, beside its goal.

    ./dev bench dashboard [JOBS [HISTORY]]        200,000 and 400,000 where they are left out

The store is SQLite's and is filled by SQL: as many jobs as wanted would take hours over the API. Times are the
client's, on the same machine: the server's and those of a local connection.
"""

import http.client
import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BELFRY = Path(__file__).resolve().parents[2] / "belfry"
TENANTS = 100
TYPES = 10
DEAD_SHARE = 100  # of so much history one is a dead letter
RUNS = 7
ID_EPOCH_MS = 1704067200000
DAY_MS = 86400000
LIST_MS, METRICS_MS, OVERVIEW_MS = 100, 20, 1000


class Server:
    def __init__(self, data):
        command = [BELFRY, "server", "--log-level", "warn", "--listen", "127.0.0.1:0", "--data", data]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.address = line.split("http://")[1].split()[0].strip("/,.") if "http://" in line else None
        self.token = (data / "token").read_text().strip()
        self.connection = http.client.HTTPConnection(self.address, timeout=60)

    def call(self, method, path, body=None):
        """The answer, and how long it took, in milliseconds."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        start = time.perf_counter()
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = self.connection.getresponse()
        text = response.read()
        took_ms = (time.perf_counter() - start) * 1000
        if response.status >= 400:
            raise SystemExit(f"{method} {path}: {response.status} {text[:300]}")
        return text, took_ms

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def begin(data):
    """A store with one job of each place, whose rows are the patterns of all others."""
    server = Server(data)
    jobs = [{"name": f"pattern-{tenant}-{kind}", "tenant": f"tenant-{tenant:03}", "type": f"type-{kind}",
             "pool": f"pool-{kind % 3}", "cron": "0 9 1 1 *"} for tenant in range(TENANTS) for kind in range(TYPES)]
    server.call("POST", "/v1/jobs/batch", {"jobs": jobs})
    server.stop()


NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)"


def fill_jobs(db, count, first_id, now_ms):
    db.execute("CREATE TEMP TABLE pattern AS SELECT row_number() OVER (ORDER BY id) - 1 AS i, * FROM jobs")
    db.execute("CREATE UNIQUE INDEX temp.pattern_i ON pattern (i)")
    places = db.execute("SELECT count(*) FROM pattern").fetchone()[0]
    db.execute(f"""{NUMBERS}
        INSERT INTO jobs (id, place, status, version, cursor_ms, wake_ms, fired, anchor_ms, created_ms, updated_ms,
                          tenant, name, def, rules)
        SELECT ? + ((n.i / 1000) << 22) + n.i % 1000, p.place, 0, 1, ? + n.i % 2592000 * 1000, ? + n.i % 2592000 * 1000,
               2, ?, ?, ?, p.tenant, printf('job-%08d', n.i), p.def, p.rules
        FROM n CROSS JOIN pattern p ON p.i = n.i % ?""",
               (count, first_id, now_ms + DAY_MS, now_ms + DAY_MS, now_ms, now_ms, now_ms, places))
    db.execute("UPDATE tenants SET jobs = jobs + ?", (count // TENANTS,))


def fill_history(db, count, jobs, first_job, first_id, now_ms):
    db.execute(f"""{NUMBERS}
        INSERT INTO triggers (id, job, place, kind, state, version, scheduled_ms, due_ms, attempts, failures, lost_run,
                              released_run, replays, replay_of, root, created_ms, ended_ms, reason, last_number,
                              last_state, last_started_ms, last_ended_ms, last_worker, last_error_code,
                              last_error_message, target, replayed_by)
        SELECT ? + ((n.i / 1000) << 22) + n.i % 1000, ? + ((n.i % ? / 1000) << 22) + n.i % ? % 1000,
               1 + n.i % ?, 0, CASE WHEN n.i % ? = 0 THEN 4 ELSE 3 END, 1, ? + n.i, ? + n.i, 1,
               n.i % ? = 0, 0, 0, 0, 0, 0, ? + n.i, ? + n.i + 900,
               CASE WHEN n.i % ? = 0 THEN 'permanent' END, 1, CASE WHEN n.i % ? = 0 THEN 2 ELSE 1 END, ? + n.i,
               ? + n.i + 900, 'worker-1', CASE WHEN n.i % ? = 0 THEN 'smtp_421' END,
               CASE WHEN n.i % ? = 0 THEN printf('connect to 10.0.%d.7:25: timed out after %d ms', n.i % 250, n.i) END,
               0, 0
        FROM n""",
               (count, first_id, first_job, jobs, jobs, TENANTS * TYPES, DEAD_SHARE, *[now_ms - 5 * DAY_MS] * 2,
                DEAD_SHARE, *[now_ms - 5 * DAY_MS] * 2, DEAD_SHARE, DEAD_SHARE, *[now_ms - 5 * DAY_MS] * 2, DEAD_SHARE,
                DEAD_SHARE))


def fill(data, jobs, history):
    """Rows without their indexes, then the indexes."""
    path = next(one for one in data.iterdir() if one.suffix in (".db", ".sqlite"))
    db = sqlite3.connect(path, isolation_level=None)
    now_ms = int(time.time() * 1000)
    first_job = (now_ms - 30 * DAY_MS - ID_EPOCH_MS) << 22
    first_trigger = (now_ms - 5 * DAY_MS - ID_EPOCH_MS) << 22
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA cache_size = -400000")
    indexes = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
                         "AND tbl_name IN ('jobs', 'triggers')").fetchall()
    for name, _ in indexes:
        db.execute(f"DROP INDEX {name}")
    db.execute("BEGIN")
    fill_jobs(db, jobs, first_job, now_ms)
    fill_history(db, history, jobs, first_job, first_trigger, now_ms)
    db.execute("COMMIT")
    for _, sql in indexes:
        db.execute(sql)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return path.stat().st_size


def calls():
    """(what it is, method, path, body, goal in milliseconds); the first ones are the Overview's."""
    get = lambda what, path, goal=LIST_MS: (what, "GET", path, None, goal)
    day_ago = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86400))
    return [
        get("overview: figures", "/v1/stats"),
        get("overview: an hour", "/v1/stats/history"),
        get("overview: a day", f"/v1/stats/history?from={day_ago}&step=10m"),
        get("overview: a day by minutes", f"/v1/stats/history?from={day_ago}"),
        get("jobs: the first page", "/v1/jobs"),
        get("jobs: of a tenant", "/v1/jobs?tenant=tenant-042"),
        get("jobs: of a type and pool", "/v1/jobs?type=type-7&pool=pool-1"),
        get("jobs: paused, of which there is none", "/v1/jobs?status=paused"),
        get("jobs: with a label that none has", "/v1/jobs?label=team=billing"),
        get("jobs: name begins with job-00001", "/v1/jobs?q=job-00001"),
        get("jobs: name that one has", "/v1/jobs?q=job-00012345"),
        get("jobs: name that none has", "/v1/jobs?q=nobody"),
        get("jobs: name in a tenant", "/v1/jobs?q=job-&tenant=tenant-042"),
        get("job", "/v1/jobs/job-00000000?tenant=tenant-000"),
        get("job: its triggers", "/v1/jobs/job-00000000/triggers?tenant=tenant-000"),
        get("job: its executions", "/v1/jobs/job-00000000/executions?tenant=tenant-000"),
        get("job: its coming fires", "/v1/jobs/job-00000000/next?tenant=tenant-000"),
        get("job: why", "/v1/jobs/job-00000000/why?tenant=tenant-000"),
        get("dead letters", "/v1/dead"),
        get("dead letters: of a tenant", "/v1/dead?tenant=tenant-001"),
        get("dead letters: by error", "/v1/dead/groups"),
        get("tenants", "/v1/tenants"),
        get("pools", "/v1/pools"),
        get("types", "/v1/types"),
        get("workers", "/v1/workers"),
        get("servers", "/v1/servers"),
        get("doctor", "/v1/doctor"),
        get("upcoming", "/v1/upcoming"),
        ("preview of a schedule", "POST", "/v1/schedules/preview", {"cron": "0 9 * * *"}, LIST_MS),
        get("metrics", "/metrics", METRICS_MS),
    ]


def measure(server):
    overview_ms = 0
    late = 0
    print(f"{'call':<40}{'first':>9}{'p50':>9}{'max':>9}{'goal':>7}   ms")
    for what, method, path, body, goal_ms in calls():
        times = [server.call(method, path, body)[1] for _ in range(RUNS)]
        overview_ms += times[0] if what.startswith("overview") else 0
        is_late = max(times) > goal_ms
        late += is_late
        print(f"{what:<40}{times[0]:>9.1f}{statistics.median(times):>9.1f}{max(times):>9.1f}{goal_ms:>7}"
              f"{'   late' if is_late else ''}", flush=True)
    print(f"{'overview in all, the first time':<40}{overview_ms:>9.1f}{'':>18}{OVERVIEW_MS:>7}")
    print(f"{late} of {len(calls())} calls were later than their goal")


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    history = int(sys.argv[2]) if len(sys.argv) > 2 else 2 * jobs
    with tempfile.TemporaryDirectory(prefix="belfry-bench-", dir=os.environ.get("TMPDIR")) as folder:
        data = Path(folder) / "data"
        begin(data)
        start = time.monotonic()
        size = fill(data, jobs, history)
        print(f"{jobs:,} jobs and {history:,} rows of history: {size / 1e9:.2f} GB, filled in "
              f"{time.monotonic() - start:.0f} s", flush=True)
        start = time.monotonic()
        server = Server(data)
        server.call("GET", "/v1/whoami")
        print(f"the server was ready after {time.monotonic() - start:.1f} s", flush=True)
        try:
            measure(server)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
