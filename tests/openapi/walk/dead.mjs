/* Dead letters: listed, replayed, discarded. */

import { Hands } from "./hands.mjs";

async function list(walk) {
    const filters = { tenant: "default", type: "mail", error_code: "boom", since: "2026-04-08T09:00:00Z" };
    const page = await walk.get("list_dead", 200, "the newest", { query: { limit: 1 } });

    await walk.call("list_dead", 200, "what died before", { query: { limit: 1, after: page.next } });
    await walk.call("list_dead", 200, "by every filter", { query: filters });
    await walk.call("list_dead", 400, "since no time", { query: { since: "noon" } });
    await walk.call("group_dead", 200, "by every filter", { query: filters });
    await walk.call("group_dead", 400, "since no time", { query: { since: "noon" } });
    const { items } = await walk.get("group_dead", 200, "of all");
    await walk.call("list_dead", 200, "of a group", { query: { group: items[0].group } });
    await walk.call("list_dead", 400, "of no group", { query: { group: "all" } });
    return page.next;
}

export default async function dead(walk) {
    const hands = new Hands(walk, "dead");
    const first = await hands.kill({ type: "mail" });
    const second = await hands.kill({ type: "mail" });
    const keyed = { body: { triggers: [first] }, headers: { "Idempotency-Key": "walk-replay" } };

    const next = await list(walk);
    await walk.call("get_trigger", 200, "that is dead", { path: { id: first } });
    await walk.call("replay_dead", 202, "by name", keyed);
    await walk.call("replay_dead", 202, "once more under its key", keyed);
    await walk.call("replay_dead", 422, "under a key that had another body", { ...keyed, body: { type: "mail" } });
    await walk.call("retry_trigger", 202, "that is dead", { path: { id: second } });
    await walk.call("discard_dead", 202, "by what they failed with", { body: { error_code: "boom", rate: "100/s" } });
    await walk.call("replay_dead", 202, "of a group that is empty", { body: { group: "00000000000000ff" } });
    await walk.call("replay_dead", 202, "behind a mark", { body: { type: "none", after: next } });
    await walk.call("discard_dead", 202, "behind a mark", { body: { type: "none", after: next } });
    await walk.call("discard_dead", 400, "behind no mark", { body: { type: "none", after: "x" } });
    await walk.call("discard_dead", 400, "of no group", { body: { group: "all" } });
    await walk.call("replay_dead", 400, "all, by saying nothing", { body: {} });
    await walk.call("discard_dead", 400, "all, by saying nothing", { body: {} });
}
