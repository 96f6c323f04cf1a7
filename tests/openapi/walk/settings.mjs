/* Settings of tenants, pools and types: listed, read, set, paused, resumed. */

const RETRY = { max_attempts: 2, delays: ["1s"], jitter: 0 };
const SCOPES = [
    {
        word: "tenant",
        settings: {
            ...{ max_jobs: 1000, max_in_flight: 10, rate: "100/s", burst: 5, weight: 2, max_payload_bytes: 65536 },
            ...{ spread: false, retry: RETRY, timeout: "1m" },
        },
        refused: { weight: 0 },
    },
    { word: "pool", settings: { max_in_flight: 64, rate: "100/s", burst: 5 }, refused: { weight: 2 } },
    {
        word: "type",
        settings: {
            ...{ max_in_flight: 8, rate: "10/s", burst: 5, breaker: { failure_rate: 0.5 } },
            ...{ retry: RETRY, timeout: "1m", dead_policy: { replay_after: "1h", max_replays: 3 } },
        },
        refused: { breaker: true },
    },
];

async function scope(walk, { word, settings, refused }) {
    const one = { path: { [word]: "walked" } };
    const none = { path: { [word]: "?" } };

    await walk.call(`get_${word}`, 200, "that nobody has set anything for", one);
    await walk.call(`set_${word}`, 200, "all that can be set", { ...one, body: settings });
    await walk.call(`set_${word}`, 400, "what cannot be", { ...one, body: refused });
    await walk.call(`pause_${word}`, 200, "at once", one);
    await walk.call(`get_${word}`, 200, "that is paused", one);
    await walk.call(`resume_${word}`, 200, "slowly", { ...one, body: { ramp: "5m" } });
    await walk.call(`get_${word}`, 200, "with a ramp", one);
    await walk.call(`resume_${word}`, 200, "at once", one);
    await walk.call(`resume_${word}`, 400, "by no length", { ...one, body: { ramp: "soon" } });
    await walk.call(`set_${word}`, 200, "nothing", { ...one, body: {} });
    await walk.call(`set_${word}`, 200, "something, so that it is listed", { ...one, body: { max_in_flight: 5 } });
    for (const verb of ["get", "pause"]) {
        await walk.call(`${verb}_${word}`, 400, "with a name that is none", none);
    }
    const { next } = await walk.get(`list_${word}s`, 200, "the first of them", { query: { limit: 1 } });
    await walk.call(`list_${word}s`, 200, "the others", { query: next === null ? {} : { after: next } });
    await walk.call(`list_${word}s`, 400, "too many", { query: { limit: 5000 } });
}

/** A type within one tenant. */
async function narrowed(walk) {
    const one = { path: { type: "walked" }, query: { tenant: "acme" } };

    await walk.call("set_type", 200, "within a tenant", { ...one, body: { rate: "1/s", breaker: false } });
    await walk.call("pause_type", 200, "within a tenant", one);
    await walk.call("get_type", 200, "within a tenant", one);
    await walk.call("resume_type", 200, "within a tenant", one);
    await walk.call("list_types", 200, "within a tenant", { query: { tenant: "acme" } });
    await walk.call("set_type", 400, "retries within a tenant", { ...one, body: { retry: RETRY } });
}

export default async function settings(walk) {
    for (const one of SCOPES) {
        await scope(walk, one);
    }
    await narrowed(walk);
}
