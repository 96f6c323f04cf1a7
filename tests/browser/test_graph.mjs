/* The graph of dependencies: drawn, linked, and live.
 *
 *     node --test-reporter=tap test_graph.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fill } from "./fill.mjs";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());
const jobs = await fill(stage);

test("a diamond is drawn, and its states change as its jobs run", async () => {
    const page = await stage.page(`/jobs/${jobs.extract.id}/graph`);
    const graph = page.getByRole("group", { name: "4 jobs and what they wait for" });
    await graph.getByRole("link", { name: /^publish/ }).waitFor();
    assert.equal(await graph.locator(".edge").count(), 4);
    await graph.getByText("done", { exact: true }).waitFor(); // the edge that does not ask for success
    await stage.call("POST", `/v1/jobs/${jobs.extract.id}/run`, {});
    await graph.getByRole("link", { name: /^extract\s*pending/ }).waitFor();
    await stage.work("default", 1, () => ({ status: "succeeded" }));
    await graph.getByRole("link", { name: /^extract\s*succeeded/ }).waitFor();
    await graph.getByRole("link", { name: /^clean\s*pending/ }).waitFor();
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, "graph");
    await graph.getByRole("link", { name: /^clean/ }).click();
    await page.getByRole("heading", { name: "clean" }).waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("it listens to the tenant of its jobs alone", async () => {
    const page = await stage.page("/");
    const listens = page.waitForRequest((request) => {
        const url = new URL(request.url());
        return url.pathname === "/v1/events" && url.searchParams.get("event")?.includes("trigger.finished");
    });
    await page.goto(`${stage.url}/jobs/${jobs["sync-crm"].id}/graph`);
    assert.equal(new URL((await listens).url()).searchParams.get("tenant"), "acme");
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("an earlier fire can be looked at", async () => {
    const page = await stage.page(`/jobs/${jobs.extract.id}/graph`);
    const choice = page.getByLabel("Fire", { exact: true });
    await choice.locator("option").nth(1).waitFor({ state: "attached" });
    await choice.selectOption({ index: 1 });
    await page.waitForURL(/at=/);
    await page.getByText("As of the fire of").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a job without dependencies says so", async () => {
    const page = await stage.page(`/jobs/${jobs["sync-crm"].id}/graph`);
    await page.getByText("waits for nobody").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});
