/* Who is there, what goes on, what went on; and the server itself. */

import { join } from "node:path";
import { Hands } from "./hands.mjs";

const RANGE = { from: "2026-04-08T08:00:00Z", to: "2026-04-08T09:00:00Z", step: "5m" };
const TURNS_MAX = 100; // a guard: the first is enough, if the listener came before it
const HEARD = [
    "trigger.pending",
    "attempt.started",
    "attempt.finished",
    "trigger.finished",
    "job.paused",
    "job.resumed",
];
const FILTER = { tenant: "default", type: "mail", pool: "dead" };

async function figures(walk) {
    for (const pool of ["one", "two"]) {
        await new Hands(walk, pool).exchange("that finds nothing", { want: 1 });
    }
    const page = await walk.get("list_workers", 200, "the first of them", { query: { limit: 1 } });
    await walk.call("list_workers", 200, "the next of them", { query: { limit: 1, after: page.next } });
    await walk.call("list_workers", 400, "too many", { query: { limit: 5000 } });
    await walk.call("list_servers", 200, "itself");
    await walk.call("pool_stats", 200, "of a pool that nobody uses", { path: { pool: "nobodys" } });
    await walk.call("pool_stats", 400, "of a name that is none", { path: { pool: "?" } });
    await walk.call("stats", 200, "of all");
    await walk.call("stats", 200, "of a tenant", { query: { tenant: "default" } });
    await walk.call("stats_history", 200, "of the last hour");
    await walk.call("stats_history", 200, "of a range, by every filter", { query: { ...RANGE, ...FILTER } });
    await walk.call("stats_history", 400, "backwards", { query: { from: RANGE.to, to: RANGE.from } });
    await walk.call("whoami", 200, "of a key that may do everything");
    await walk.call("forecast", 200, "of the coming month");
    await walk.call("forecast", 400, "of too many days", { query: { days: 91 } });
    await walk.call("upcoming", 200, "of the next hour");
    await walk.call("upcoming", 200, "of a day by quarters of an hour", { query: { minutes: 1440, bucket: "15m" } });
    await walk.call("upcoming", 400, "of too many buckets", { query: { minutes: 1440, bucket: "1s" } });
    await walk.call("doctor", 200, "of a server that works");
}

/** A job's life from its beginning to its end, again and again: so it is heard, whenever the listener came. */
async function live(walk, isHeard) {
    const hands = new Hands(walk, "heard");

    const path = { id: "heard" };

    for (let turns = 0; !isHeard(); turns += 1) {
        if (turns === TURNS_MAX) {
            throw new Error("not all kinds of events were told");
        }
        await walk.get("run_job", 202, "to be heard of", { path });
        await hands.finish(await hands.take(), "failed", { error: { code: "boom" }, retryable: false });
        await walk.get("change_job_status", 200, "paused", { path, body: { status: "paused" } });
        await walk.get("change_job_status", 200, "active", { path, body: { status: "active" } });
    }
}

/** The stream has no end: it is left when one of each kind was told. */
async function events(walk) {
    const isEnough = (text) => HEARD.every((kind) => text.includes(`event: ${kind}\n`)) && text.endsWith("\n\n");
    let isOver = false;

    await walk.get("create_job", 202, "to be heard of", { body: { name: "heard", pool: "heard", cron: "@yearly" } });
    const query = { job: "heard", tenant: "default", event: HEARD.join() };
    const heard = walk.call("events", 200, "of a job, by its name", { query, isEnough });
    const over = () => (isOver = true);
    heard.then(over, over);
    await live(walk, () => isOver);
    const answer = await heard;
    const nameless = answer.events.filter(({ name, tenant }) => name !== "heard" || tenant !== "default");
    walk.tap.ok(nameless.length === 0, "every event says whose it is", nameless.map((event) => JSON.stringify(event)));
    await walk.call("events", 404, "of a job that is not there", { query: { job: "nobody" } });
    await walk.call("events", 400, "of a kind that there is not", { query: { event: "job.admired" } });
    await walk.call("events", 400, "of a job whose name is none", { query: { job: "?" } });
}

async function server(walk) {
    const path = join(walk.server.folder, "copy.db");
    const nowhere = join(walk.server.folder, "nowhere", "copy.db");
    const cron = "0 9 * * 1-5";
    const days = { cron, timezone: "America/New_York", dst: { gap: "skip" }, from: RANGE.from, count: 3, seed: "a" };

    await walk.call("accept_clock", 200, "that is right");
    await walk.call("accept_held", 200, "and so is what is stored");
    await walk.call("make_backup", 200, "into a new file", { body: { path } });
    await walk.call("make_backup", 409, "into a file that is there", { body: { path } });
    await walk.call("make_backup", 422, "into a folder that is not there", { body: { path: nowhere } });
    await walk.call("make_backup", 400, "into a path that is not whole", { body: { path: "copy.db" } });
    await walk.call("preview_schedule", 200, "of working days", { body: days });
    await walk.call("preview_schedule", 400, "of no expression", { body: { cron: "sometimes" } });
    await walk.call("preview_schedule", 422, "in a zone that is none", { body: { cron: "@daily", timezone: "Mars" } });
    await walk.call("metrics", 200, "as text");
    await walk.call("healthz", 200, "without a key", { token: null });
    await walk.call("readyz", 200, "without a key", { token: null });
    await walk.call("version", 200, "without a key", { token: null });
    await walk.call("openapi", 200, "without a key", { token: null });
}

export default async function all(walk) {
    await figures(walk);
    await events(walk);
    await server(walk);
}
