/* What operations refuse alike: no key, another method, parameters and bodies that they do not know or that are too
 * large, things that are not there. Each is called as the file describes it, but for one mistake. */

const METHODS = ["put", "delete", "post", "patch", "get"];
const MIB = 1024 * 1024;
// How large a body may be; of all others 1 MiB.
const BODY_BYTES_MAX = { create_jobs: 32 * MIB, exchange_work: 8 * MIB };
// Well-formed, and not there.
const NOBODY = { id: "nobody", tenant: "nobody", pool: "nobody", type: "nobody", rules: "0000000000000001" };
const MANY_HEADERS = Object.fromEntries(Array.from({ length: 70 }, (_, number) => [`X-${number}`, "1"]));
const NO_TRIGGER = { id: "trg_0000000000000" };
// Sound bodies, so that nothing but what is not there can be refused.
const BODIES = {
    change_job: { priority: 1 },
    change_job_status: { status: "paused" },
    backfill_job: { from: "2026-04-08T09:00:00Z", to: "2026-04-08T10:00:00Z" },
};

async function refuseStrangers(walk, id, place) {
    await walk.call(id, 401, "without a key", { ...place, token: null });
    await walk.call(id, 401, "with a wrong key", { ...place, token: "bf_wrong" });
}

/** It says how much would have been taken, and who sends it all reads that. */
async function refuseLarge(walk, id, place) {
    const max = BODY_BYTES_MAX[id] ?? MIB;
    const given = { ...place, body: " ".repeat(max + 1) };
    const { json } = await walk.call(id, 413, "with a body that is a byte too large", given);
    const detail = `the body has ${max + 1} bytes; at most ${max} are allowed`;
    walk.tap.ok(json?.detail === detail, `${id} says how much it takes`, [json?.detail]);
}

async function refuseBodies(walk, id, place) {
    await walk.call(id, 415, "with a body of another kind", { ...place, body: "a=1", type: "text/plain" });
    await walk.call(id, 400, "with a body that is no JSON", { ...place, body: "{" });
    if (id !== "exchange_work") {
        await walk.call(id, 400, "with a field that it does not have", { ...place, body: { colour: "green" } });
    }
    await refuseLarge(walk, id, place);
}

async function refuse(walk, { path, operation }, otherMethod) {
    const { operationId: id, responses, requestBody } = operation;
    const nowhere = { path: path.startsWith("/v1/triggers/") ? NO_TRIGGER : NOBODY };
    const place = path.startsWith("/v1/jobs/") ? { path: { id: "there" } } : nowhere;

    await walk.call(id, 405, "by another method", { ...place, method: otherMethod });
    if (responses["4XX"] !== undefined) {
        await walk.call(id, 431, "with too many headers", { headers: MANY_HEADERS });
    }
    if (responses["401"] !== undefined) {
        await refuseStrangers(walk, id, place);
    }
    if (responses["400"] !== undefined) {
        await walk.call(id, 400, "with a parameter that it does not have", { ...place, query: { colour: "green" } });
    }
    if (responses["404"] !== undefined && path.includes("{")) {
        await walk.call(id, 404, "of what is not there", { ...nowhere, body: BODIES[id] });
    }
    if (requestBody !== undefined) {
        await refuseBodies(walk, id, place);
    }
}

export default async function refusals(walk) {
    const all = [...walk.byId.values()];

    await walk.get("create_job", 202, "for those who need one", { body: { name: "there", delay: "1h" } });
    for (const one of all) {
        const taken = all.filter(({ path }) => path === one.path).map(({ method }) => method);
        await refuse(walk, one, METHODS.find((method) => !taken.includes(method)));
    }
}
