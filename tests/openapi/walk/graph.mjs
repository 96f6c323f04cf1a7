/* Jobs that depend on each other, and what holds them back. */

export default async function graph(walk) {
    const at = "2026-04-08T09:00:00Z";
    const body = { name: "publish", depends_on: ["build", { job: "check", on: "done" }] };

    await walk.get("create_job", 202, "upstream", { body: { name: "build", delay: "1h" } });
    await walk.get("create_job", 202, "upstream, too", { body: { name: "check", delay: "1h" } });
    await walk.get("create_job", 202, "downstream", { body });
    await walk.call("job_graph", 200, "of its latest fire", { path: { id: "publish" } });
    await walk.call("job_graph", 200, "of a fire", { path: { id: "build" }, query: { at } });
    await walk.call("job_graph", 400, "of no time", { path: { id: "publish" }, query: { at: "noon" } });
    await walk.call("why_job", 200, "of one that waits for others", { path: { id: "publish" } });
    await walk.call("why_job", 200, "of one that is not due", { path: { id: "build" } });
    await walk.call("why_job", 200, "of a fire", { path: { id: "build" }, query: { at: "2199-01-01T00:00:00Z" } });
    await walk.call("why_job", 400, "of no time", { path: { id: "build" }, query: { at: "noon" } });
    await walk.call("delete_job", 409, "that others depend on", { path: { id: "build" } });
    await walk.call("change_job", 422, "so that it depends on itself", {
        path: { id: "publish" },
        body: { depends_on: ["publish"] },
    });
}
