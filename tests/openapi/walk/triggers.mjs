/* Triggers: made by hand and for past times, looked at, hurried, stopped; and the ledger of a job. */

import { Hands } from "./hands.mjs";

const LIVING_MAX = 100000; // triggers of one job that have not ended
const LONG_AGO = "2025-01-01T00:00:00Z";

async function run(walk, hands) {
    const keyed = { path: { id: "daily" }, body: { payload: { day: 7 }, key: "walk-run" } };
    const body = { name: "daily", pool: "triggers", cron: "@daily", overlap: "queue", retry: { base: "1h" } };

    await walk.get("create_job", 202, "to be run by hand", { body });
    const trigger = await walk.get("run_job", 202, "with nothing said", { path: { id: "daily" } });
    await walk.call("run_job", 202, "with a payload and a key", keyed);
    await walk.call("run_job", 422, "under a key that had another body", { ...keyed, body: { key: "walk-run" } });
    await walk.call("run_job", 413, "with a payload that is too large", {
        path: { id: "daily" },
        body: { payload: "x".repeat(262144) },
    });
    const attempt = await hands.take();
    await walk.call("get_trigger", 200, "that runs", { path: { id: trigger.id } });
    await walk.call("retry_trigger", 409, "that runs", { path: { id: trigger.id } });
    await hands.finish(attempt, "failed", { error: { code: "boom" } });
    await walk.call("get_trigger", 200, "that waits for its next attempt", { path: { id: trigger.id } });
    await walk.call("why_trigger", 200, "that waits for its next attempt", { path: { id: trigger.id } });
    await walk.call("retry_trigger", 202, "that waits for its next attempt", { path: { id: trigger.id } });
    await walk.call("cancel_trigger", 200, "that has not ended", { path: { id: trigger.id } });
    await walk.call("cancel_trigger", 409, "that has ended", { path: { id: trigger.id } });
}

async function backfill(walk) {
    const past = { from: "2026-04-01T00:00:00Z", to: "2026-04-04T00:00:00Z" };
    const daily = { path: { id: "daily" } };
    const keyed = { ...daily, body: past, headers: { "Idempotency-Key": "walk-backfill" } };

    await walk.call("backfill_job", 202, "three days", keyed);
    await walk.call("backfill_job", 202, "the same once more", keyed);
    await walk.call("backfill_job", 422, "nothing at all", { ...daily, body: { ...past, to: past.from } });
    await walk.call("backfill_job", 422, "backwards", { ...daily, body: { from: past.to, to: past.from } });
    await walk.call("backfill_job", 400, "from no time", { ...daily, body: { ...past, from: "noon" } });
    await walk.call("backfill_job", 422, "what fires once", { path: { id: "there" }, body: past });
}

async function read(walk) {
    const daily = { path: { id: "daily" } };
    const two = { limit: 2, record: "trigger" };
    const page = await walk.get("list_ledger", 200, "the newest", { ...daily, query: two });

    await walk.call("list_ledger", 200, "what comes before", { ...daily, query: { ...two, after: page.next } });
    await walk.call("list_ledger", 400, "of a record that there is not", { ...daily, query: { record: "wish" } });
    const trigger = page.items[0].id;
    await walk.call("list_executions", 200, "of a trigger", { ...daily, query: { trigger, limit: 1 } });
    await walk.call("list_executions", 400, "of a trigger that is none", { ...daily, query: { trigger: "x" } });
}

/** A job that does not take a trigger more, or none any more. */
async function refuse(walk) {
    const busy = { path: { id: "busy" } };
    const now = Date.now();
    const body = { from: new Date(now - LIVING_MAX * 1000).toISOString(), to: new Date(now).toISOString() };

    await walk.get("create_job", 202, "with a fire in each second", { body: { name: "busy", cron: "* * * * * ?" } });
    await walk.call("backfill_job", 422, "too much at once", { ...busy, body: { ...body, from: LONG_AGO } });
    await walk.get("backfill_job", 202, "as much as there can be", { ...busy, body });
    await walk.call("run_job", 429, "that has too many triggers", busy);
    await walk.call("backfill_job", 429, "that has too many triggers", { ...busy, body });
    await walk.get("change_job_status", 200, "cancelled", { ...busy, body: { status: "cancelled" } });
    await walk.call("run_job", 409, "that is cancelled", busy);
    await walk.call("backfill_job", 409, "that is cancelled", { ...busy, body });
}

/** Fires that became due and were not run, and those that wait to be decided. */
async function ledger(walk) {
    const body = { name: "late", cron: "* * * * * ?", pool: "late" };
    const late = { path: { id: "late" } };

    await walk.get("create_job", 202, "that nobody works for", { body });
    await walk.until("list_ledger", "until a fire is due", late, ({ items }) => items.length > 0);
    await walk.get("change_job", 200, "so that it is skipped", { ...late, body: { cron: "@yearly" } });
    await walk.call("list_ledger", 200, "with a skip", { ...late, query: { record: "skip" } });
}

export default async function triggers(walk) {
    const hands = new Hands(walk, "triggers");

    await run(walk, hands);
    await backfill(walk);
    await read(walk);
    await refuse(walk);
    await ledger(walk);
}
