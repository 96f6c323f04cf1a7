/* Jobs: made, listed, read, changed, paused, cancelled, deleted. */

const NDJSON = "application/x-ndjson";
const WHOLE = {
    tenant: "acme",
    name: "whole",
    type: "report",
    pool: "nightly",
    priority: 2,
    cron: "0 9 * * MON-FRI",
    timezone: "America/New_York",
    dst: { gap: "skip", fold: "both" },
    starts_at: "2026-01-01T00:00:00Z",
    ends_at: "2199-01-01T00:00:00Z",
    max_fires: 1000,
    jitter: "30s",
    overlap: "queue",
    misfire: "backfill",
    misfire_after: "2m",
    retry: { max_attempts: 3, base: "1s", factor: 2, max: "5m", jitter: 0.1 },
    timeout: "1h",
    lease: "10s",
    expires_after: "2h",
    dead_policy: { replay_after: "1h", max_replays: 3 },
    payload: { day: 7 },
    target: { exec: { argv: ["true"], env: { LANG: "C.UTF-8" }, cwd: "/" } },
    concurrency: { key: "reports", max: 2 },
    labels: { team: "billing" },
    created_by: "ada",
};

async function create(walk) {
    const again = { body: { name: "again", delay: "1h" } };
    const keyed = { body: { delay: "1h" }, headers: { "Idempotency-Key": "walk-create" } };

    await walk.call("create_job", 202, "with all of its fields", { body: WHOLE });
    await walk.call("create_job", 202, "with none of them", { body: { pool: "nobodys" } });
    await walk.call("create_job", 202, "that fires at an interval", { body: { name: "often", every: "5m" } });
    const after = { interval: "5m", after: "finish" };
    await walk.call("create_job", 202, "that fires after a run's end", { body: { name: "rest", every: after } });
    await walk.call("create_job", 202, "for the first time", again);
    await walk.call("create_job", 200, "that is there already", again);
    await walk.call("create_job", 202, "under a key", keyed);
    await walk.call("create_job", 200, "under the same key", keyed);
    await walk.call("create_job", 422, "under a key that had another body", { ...keyed, body: { delay: "2h" } });
    await walk.call("create_job", 409, "of a name that means another", { body: { name: "again", delay: "2h" } });
    await walk.call("create_job", 400, "with a cron that is none", { body: { cron: "61 * * * *" } });
    await walk.call("create_job", 422, "that never fires", { body: { cron: "0 0 30 2 *" } });
    await walk.call("create_job", 422, "in a zone that is none", { body: { cron: "@daily", timezone: "Mars" } });
    await walk.call("create_job", 422, "behind one that is not there", { body: { depends_on: ["nobody"] } });
    await walk.call("create_job", 413, "with a payload that is too large", { body: { payload: "x".repeat(262144) } });
}

async function createMany(walk) {
    const two = { body: { jobs: [{ name: "one", delay: "1h" }, { name: "two", delay: "1h" }] } };
    const keyed = { headers: { "Idempotency-Key": "walk-batch" } };
    const lines = '{"name":"three","delay":"1h"}\n\n{"name":"four","delay":"1h"}\n';

    await walk.call("create_jobs", 202, "as an object", two);
    await walk.call("create_jobs", 200, "that are there already", two);
    await walk.call("create_jobs", 202, "as lines", { body: lines, type: NDJSON, query: { atomic: "true" } });
    await walk.call("create_jobs", 202, "under a key", { ...keyed, body: { jobs: [{ delay: "1h" }] } });
    await walk.call("create_jobs", 422, "under a key that had others", { ...keyed, body: { jobs: [{ delay: "2h" }] } });
    await walk.call("create_jobs", 400, "one of which is wrong", { body: { jobs: [{}, { priority: 9 }] } });
    await walk.call("create_jobs", 409, "one of which is another", { body: { jobs: [{ name: "one", delay: "2h" }] } });
}

/** max_jobs of a tenant. */
async function createTooMany(walk) {
    await walk.get("set_tenant", 200, "that may have one job", { path: { tenant: "small" }, body: { max_jobs: 1 } });
    await walk.call("create_job", 202, "that its tenant may have", { body: { tenant: "small", delay: "1h" } });
    await walk.call("create_job", 429, "that is one too many", { body: { tenant: "small", delay: "1h" } });
    await walk.call("create_jobs", 429, "that are too many", { body: { jobs: [{ tenant: "small", delay: "1h" }] } });
}

async function list(walk) {
    const filters = { tenant: "acme", status: "active", type: "report", pool: "nightly", label: "team", q: "wh" };
    const { json } = await walk.call("list_jobs", 200, "a page with another behind it", { query: { limit: 2 } });

    await walk.call("list_jobs", 200, "the next page", { query: { limit: 2, after: json.next } });
    await walk.call("list_jobs", 200, "by every filter", { query: filters });
    await walk.call("list_jobs", 400, "of a status that there is not", { query: { status: "tired" } });
    await walk.call("list_jobs", 400, "with a limit that is too large", { query: { limit: 1001 } });
}

async function read(walk) {
    const whole = { path: { id: "whole" }, query: { tenant: "acme" } };
    const job = await walk.get("get_job", 200, "by its name", whole);

    await walk.call("get_job", 200, "by its id", { path: { id: job.id } });
    await walk.call("get_job", 404, "of another tenant", { path: { id: job.id }, query: { tenant: "other" } });
    await walk.call("get_job", 400, "of a tenant that cannot be", { path: { id: "whole" }, query: { tenant: "?" } });
    await walk.call("next_fires", 200, "of a job in a zone", { ...whole, query: { tenant: "acme", count: 3 } });
    await walk.call("next_fires", 200, "of a job that fires once", { path: { id: "again" } });
    await walk.call("next_fires", 400, "none at all", { ...whole, query: { tenant: "acme", count: 0 } });
}

async function change(walk) {
    const whole = { path: { id: "whole" }, query: { tenant: "acme" } };
    const first = { "If-Match": '"1"' };
    const page = { tenant: "acme", limit: 1 };

    await walk.call("change_job", 200, "its priority", { ...whole, body: { priority: 4 }, headers: first });
    await walk.call("change_job", 412, "an old version", { ...whole, body: { priority: 5 }, headers: first });
    await walk.call("change_job", 400, "a version that is none", { ...whole, body: {}, headers: { "If-Match": "1" } });
    await walk.call("change_job", 200, "back to defaults", { ...whole, body: { jitter: null, labels: null } });
    await walk.call("change_job", 422, "to a zone that is none", { ...whole, body: { timezone: "Mars" } });
    const versions = await walk.get("list_versions", 200, "the first of them", { ...whole, query: page });
    await walk.call("get_rules", 200, "of its zone", { path: { rules: versions.items[0].rules } });
    await walk.call("list_versions", 200, "the next of them", { ...whole, query: { ...page, after: versions.next } });
    await walk.call("list_versions", 400, "too many", { ...whole, query: { limit: 5000 } });
}

async function end(walk) {
    const status = (word) => ({ path: { id: "often" }, body: { status: word } });

    await walk.call("change_job_status", 200, "paused", status("paused"));
    await walk.call("change_job_status", 200, "active again", status("active"));
    await walk.call("change_job_status", 200, "cancelled", status("cancelled"));
    await walk.call("change_job_status", 409, "what is final", status("active"));
    await walk.call("change_job_status", 400, "what nobody can ask for", status("completed"));
    await walk.call("change_job", 409, "what is cancelled", { path: { id: "often" }, body: { priority: 1 } });
    await walk.call("delete_job", 204, "that nothing depends on", { path: { id: "often" } });
}

export default async function jobs(walk) {
    await create(walk);
    await createMany(walk);
    await createTooMany(walk);
    await list(walk);
    await read(walk);
    await change(walk);
    await end(walk);
}
