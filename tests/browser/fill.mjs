/* fill: jobs of every kind, some of which ran, failed, died, or run now: what a dashboard has to show. */

const MINUTE_MS = 60_000;

export function inMinutes(minutes) {
    return new Date(Date.now() + minutes * MINUTE_MS).toISOString();
}

const DEFINITIONS = [
    { name: "morning-report", cron: "0 9 * * MON-FRI", timezone: "America/New_York", type: "report", labels: { team: "billing" } },
    { name: "nightly-backup", cron: "30 2 * * *", timezone: "Europe/Paris", type: "backup", pool: "heavy" },
    { name: "sync-crm", every: "5m", type: "sync", tenant: "acme", labels: { team: "sales", tier: "gold" } },
    { name: "poll-inbox", every: { interval: "30s", after: "finish" }, type: "poll", tenant: "acme", pool: "mail" },
    { name: "invoice-run", run_at: inMinutes(90), type: "invoice", tenant: "acme", priority: 1 },
    { name: "hourly-digest", cron: "0 * * * *", type: "digest", tenant: "globex" },
    { name: "hourly-metrics", cron: "0 * * * *", type: "metrics", tenant: "globex" },
    { name: "paused-job", cron: "*/10 * * * *", type: "poll" },
];

/* Extract, then two transforms, then a load: a diamond. */
const DIAMOND = [
    { name: "extract", cron: "15 * * * *", type: "etl" },
    { name: "clean", depends_on: ["extract"], type: "etl" },
    { name: "enrich", depends_on: ["extract"], type: "etl" },
    { name: "publish", depends_on: ["clean", { job: "enrich", on: "done" }], type: "etl" },
];

/** Runs of one job that ended as said: "ok", or the code of an error. */
async function runs(stage, job, pool, ends) {
    for (const end of ends) {
        await stage.call("POST", `/v1/jobs/${job.id}/run`, {});
        await stage.work(pool, 1, (attempt) =>
            end === "ok"
                ? { status: "succeeded", result: { rows: attempt.attempt * 12 }, output: "read 120 rows\nwrote 120 rows\n" }
                : { status: "failed", error: { code: end, message: `connect to 10.0.0.7:5432: ${end}` }, retryable: false },
        );
    }
}

/** Fills the stage; what was made, by name. */
export async function fill(stage) {
    const jobs = {};
    for (const definition of [...DEFINITIONS, ...DIAMOND]) {
        jobs[definition.name] = await stage.call("POST", "/v1/jobs", definition);
    }
    jobs.history = await stage.call("POST", "/v1/jobs", {
        name: "import-orders", cron: "*/15 * * * *", type: "import", pool: "imports", overlap: "allow",
        payload: { source: "https://orders.example.org/export", batch: 500 },
    });
    await runs(stage, jobs.history, "imports", ["ok", "ok", "ok", "timeout", "ok", "refused", "ok", "ok"]);
    await stage.call("PATCH", `/v1/jobs/${jobs["paused-job"].id}/status`, { status: "paused" });
    jobs.running = await stage.call("POST", "/v1/jobs", {
        name: "video-encode", type: "encode", pool: "encoders", lease: "10m",
    });
    await hold(stage, "encoders");
    return jobs;
}

/** Somebody takes one attempt of the pool, says how far it is, and keeps it. */
async function hold(stage, pool) {
    const worker = `encoder-${process.pid}-0123456789abcdef`;
    const common = { worker, name: "encoder-1", pools: [pool], capacity: 4 };
    const { attempts } = await stage.call("POST", "/v1/work", { ...common, seq: 1, want: 1, wait: "20s" });
    const held = attempts[0].id;
    const progress = [{ attempt: held, percent: 40, note: "frame 1200 of 3000" }];
    await stage.call("POST", "/v1/work", { ...common, seq: 2, holding: [held], progress });
}
