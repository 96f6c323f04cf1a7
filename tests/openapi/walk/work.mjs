/* The exchange of workers, and what a real worker leaves behind. */

import { Hands } from "./hands.mjs";

async function exchange(walk) {
    const hands = new Hands(walk, "work");
    const job = { path: { id: "work" } };
    const body = { worker: "w-work", seq: 1, pools: ["work"] };

    await walk.get("create_job", 202, "for a worker", { body: { name: "work", pool: "work", payload: [1, null] } });
    const attempt = await hands.take();
    const progress = [{ attempt: attempt.id, percent: 40, note: "page 4 of 10" }];
    await hands.exchange("that renews", { holding: [attempt.id], progress, targets: ["none"], name: "mailer-3" });
    await walk.call("list_executions", 200, "while one runs", job);
    await walk.call("list_workers", 200, "that hold something", { query: { pool: "work" } });
    await walk.call("pool_stats", 200, "of a pool that works", { path: { pool: "work" } });
    await walk.call("change_job_status", 409, "of one that has fired", { ...job, body: { status: "cancelled" } });
    await hands.finish(attempt, "succeeded", { result: { sent: 1 }, output: "sent 1 mail\n" });
    await hands.finish(attempt, "failed"); // refused: it was reported as something else
    await hands.finish({ id: "att_06c4q0wm8g001_1" }, "succeeded"); // refused: it never was
    await walk.call("exchange_work", 409, "of two that share a name", { body });
    await walk.call("exchange_work", 400, "of nobody", { body: { want: 1 } });
    await walk.call("get_job", 200, "with a result", job);
}

/** belfry worker runs a program. */
async function execute(walk) {
    const target = { exec: { argv: ["sh", "-c", "echo done"] } };

    walk.server.startWorker("shell");
    await walk.get("create_job", 202, "for belfry worker", { body: { name: "shell", pool: "shell", target } });
    await walk.until("get_job", "until it has run", { path: { id: "shell" } }, (job) => job.counts.succeeded === 1);
    const { items } = await walk.get("list_executions", 200, "of a program", { path: { id: "shell" } });
    walk.tap.ok(items[0].output === "done\n", "the tail of its output is kept", [JSON.stringify(items)]);
}

export default async function work(walk) {
    await exchange(walk);
    await execute(walk);
}
