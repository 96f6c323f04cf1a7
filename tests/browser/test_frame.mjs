/* The frame of the dashboard: signing in, navigation, keys, theme, what it costs and what it never asks for.
 *
 *     node --test-reporter=tap test_frame.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fill } from "./fill.mjs";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());
await fill(stage);

function clean() {
    assert.deepEqual(stage.complaints(), []);
}

test("somebody without a token is asked for one, and a bad one is refused with a sentence", async () => {
    const page = await stage.page("/jobs", { isSignedIn: false });
    assert.deepEqual(await stage.barriers(page), []);
    await stage.shoot(page, "sign-in");
    await page.getByLabel("Token", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This token is not good").waitFor();
    assert.match(stage.complaints().join(), /401/); // the browser's own word for it
    await page.getByLabel("Token", { exact: true }).fill(stage.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await page.close();
    clean();
});

test("a token is kept for long where that is asked for", async () => {
    const page = await stage.page("/", { isSignedIn: false });
    await page.getByLabel("Token", { exact: true }).fill(stage.token);
    await page.getByLabel("Stay signed in").check();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const other = await stage.page("/jobs", { isSignedIn: false });
    await other.getByRole("heading", { name: "Jobs" }).waitFor();
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.close();
    await other.close();
    stage.complaints(); // the first page heard 401 when its question came
});

test("keys lead to pages, to the search and to the list of keys", async () => {
    const page = await stage.page("/");
    await page.keyboard.press("g");
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.hasAttribute("data-search")), true);
    await page.keyboard.type("gj?"); // typing is typing
    assert.equal(await page.locator("[data-search]").inputValue(), "gj?");
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.close();
    clean();
});

test("the first Tab offers to skip the navigation", async () => {
    const page = await stage.page("/jobs");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.close();
    clean();
});

test("the theme can be chosen, and stays", async () => {
    const page = await stage.page("/");
    const colour = () => page.evaluate(() => getComputedStyle(document.body.parentElement).backgroundColor);
    const light = await colour();
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    assert.notEqual(await colour(), light);
    await page.reload();
    await page.locator("h1").waitFor();
    assert.notEqual(await colour(), light);
    await page.keyboard.press("t");
    await page.close();
    clean();
});

test("an address that is no page says so", async () => {
    const page = await stage.page("/nowhere/at/all");
    await page.getByText("There is nothing at this address").waitFor();
    await page.close();
    clean();
});

test("a key that may only look is offered nothing else", async () => {
    const page = await stage.page("/", { isSignedIn: false });
    await page.route("**/v1/whoami", (route) => route.fulfill({ json: { role: "viewer", tenant: null, may: ["read"] } }));
    await page.getByLabel("Token", { exact: true }).fill(stage.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("j");
    await page.getByRole("link", { name: "morning-report" }).waitFor();
    assert.equal(await page.getByRole("checkbox").count(), 0);
    await page.getByRole("link", { name: "morning-report" }).click();
    await page.getByText("Next fires").waitFor();
    for (const name of ["Run now", "Edit", "Backfill", "Pause", "Cancel"]) {
        assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
    }
    await page.close();
    stage.complaints(); // 401 before it signed in
});

test("a server that goes away is waited for, and what happened meanwhile is shown", async () => {
    const page = await stage.page("/jobs?q=back-");
    await page.getByText("No job fits.").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await stage.stopServer();
    await page.getByText("Reconnecting").waitFor();
    await stage.startServerAgain();
    await stage.call("POST", "/v1/jobs", { name: "back-again", every: "1h" });
    await page.getByRole("link", { name: "back-again" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.close();
    stage.complaints(); // of a server that was not there
});
