/* hands: a worker's side of scenarios. Each takes from a pool of its own. */

export class Hands {
    seq = 0;

    constructor(walk, pool) {
        this.walk = walk;
        this.pool = pool;
    }

    async exchange(title, parts) {
        this.seq += 1;
        const body = { worker: `w-${this.pool}`, seq: this.seq, pools: [this.pool], capacity: 4, ...parts };
        return this.walk.get("exchange_work", 200, title, { body });
    }

    /** The next attempt; waits for it. */
    async take() {
        const { attempts } = await this.exchange("for an attempt", { want: 1, wait: "20s" });
        return attempts[0];
    }

    async finish(attempt, status, more = {}) {
        return this.exchange(`with one that ${status}`, { finished: [{ attempt: attempt.id, status, ...more }] });
    }

    /** Makes a job of this pool and lets its attempt fail for good: its trigger is a dead letter. */
    async kill(definition = {}) {
        await this.walk.get("create_job", 202, "that will die", { body: { pool: this.pool, ...definition } });
        const attempt = await this.take();
        await this.finish(attempt, "failed", { error: { code: "boom", message: "it went off" }, retryable: false });
        return attempt.trigger;
    }
}
