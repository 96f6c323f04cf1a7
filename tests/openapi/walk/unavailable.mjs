/* What a server answers that cannot serve: while it starts, and while its database is out of reach. */

import { Proxy } from "./proxy.mjs";
import { freePort, Server } from "./server.mjs";
import { Walk } from "./walk.mjs";

// Well-formed; nobody comes as far as to look whether they are there.
const PATHS = { id: "trg_0000000000000", tenant: "a", pool: "a", type: "a", rules: "0000000000000001" };
// They tell what is in memory, whatever the store does.
const FROM_MEMORY = ["list_servers", "whoami"];

/** Those that are described with such an answer; all at once, since some are held for seconds. */
async function callAll(walk, ids, title, codes) {
    const wanted = ids.map(async (id) => {
        const { json } = await walk.call(id, 503, title, { path: PATHS });
        walk.tap.ok(codes.includes(json?.code), `${id} says ${codes.join(" or ")}`, [JSON.stringify(json)]);
    });
    await Promise.all(wanted);
}

/** Until it says that it is not ready. */
async function isDown(server) {
    for (let status = 0; status !== 503; ) {
        status = await server.send({ method: "GET", target: "/readyz" }).then(
            (answer) => answer.status,
            () => 0, // it does not listen yet
        );
        if (server.children.at(-1).exitCode !== null) {
            throw new Error("the server has ended");
        }
    }
}

export default async function unavailable(walk) {
    const ids = [...walk.byId].filter(([, { operation }]) => operation.responses["503"]).map(([id]) => id);
    const proxy = await Proxy.start(Number(process.env.BELFRY_TEST_POSTGRES_PORT));
    const store = `postgresql://belfry@127.0.0.1:${proxy.port}/postgres`;
    const server = Server.make(walk.server.belfry);

    try {
        await server.run("init", "--store", store).ended;
        server.port = await freePort();
        proxy.hold(1); // the first looks at the store; then the server listens, and makes others
        const begun = server.begin("--store", store);
        begun.catch(() => {}); // is told below, unless there was another failure before
        const beside = new Walk(server, walk.tap, walk.seen);
        server.token = "bf_not-looked-at-yet";
        await isDown(server);
        await callAll(beside, ids, "while the server starts", ["not_ready"]);
        proxy.open();
        await begun;
        await beside.get("create_job", 202, "when it has started", { body: { delay: "1h" } });
        proxy.cut();
        await isDown(server);
        const stored = ids.filter((id) => !FROM_MEMORY.includes(id));
        const codes = ["no_owner", "store_down", "not_ready"];
        await callAll(beside, stored, "while its database is out of reach", codes);
    } finally {
        await server.stop();
        proxy.stop();
    }
}
