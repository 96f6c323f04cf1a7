/* stage: a real server with real jobs, and a real browser that is signed in to its dashboard.
 *
 *     const stage = await Stage.open(process.argv[2]);
 *     const page = await stage.page("/jobs");
 *     …
 *     await stage.close();
 *
 * Rules: (1) whatever the browser's console calls an error, a page that throws, a request to another host and a call
 *            that is answered 5xx fail the test: complaints() is empty at the end.
 *        (2) nothing waits for a fixed time; no wait is endless.
 *        (3) pictures are for people to look at: they land in the folder of --shots, by name, width and theme.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

export const SECONDS_MAX = 30;
const QUIET = ["--log-level", "warn"];
const WIDTHS = [375, 1024, 1600];
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The environment without anything that would tell belfry where to look. */
function cleanEnvironment() {
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(BELFRY_|XDG_|TZ$)/.test(name)));
}

async function firstLine(child) {
    for await (const line of createInterface({ input: child.stdout })) {
        return line;
    }
    return "";
}

export class Stage {
    children = [];
    said = [];
    workers = 0;

    /** belfry: the program; shots: the folder for pictures, none are taken without it. */
    static async open(belfry, shots) {
        const stage = new Stage();
        stage.belfry = belfry;
        stage.shots = shots;
        stage.folder = mkdtempSync(join(tmpdir(), "belfry-browser-"));
        stage.data = join(stage.folder, "data");
        await stage.startServer("127.0.0.1:0");
        stage.token = readFileSync(join(stage.data, "token"), "utf8").trim();
        stage.browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
        stage.context = await stage.browser.newContext({ reducedMotion: "reduce", timezoneId: "UTC", locale: "en-GB" });
        stage.context.setDefaultTimeout(SECONDS_MAX * 1000);
        return stage;
    }

    async startServer(address) {
        this.server = this.run("server", ...QUIET, "--listen", address, "--data", this.data);
        const line = await firstLine(this.server);
        this.url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        if (!this.url) {
            throw new Error(`the server did not start, it said "${line}"`);
        }
    }

    async stopServer() {
        this.server.kill("SIGTERM");
        await this.server.ended;
    }

    /** The same server again, after stopServer: same data, same address. */
    async startServerAgain() {
        await this.startServer(new URL(this.url).host);
    }

    run(...words) {
        const child = spawn(this.belfry, words, { stdio: ["ignore", "pipe", "inherit"], env: cleanEnvironment() });
        child.ended = new Promise((resolve) => child.on("close", resolve));
        process.on("exit", () => child.kill("SIGKILL"));
        this.children.push(child);
        return child;
    }

    /** belfry worker, for jobs with a target. */
    startWorker(...pools) {
        const words = pools.flatMap((pool) => ["--worker-pools", pool]);
        this.run("worker", ...QUIET, "--url", this.url, "--data", this.data, ...words).stdout.resume();
    }

    /** A call of the API; what it answers, which has to be good. */
    async call(method, path, body) {
        const answer = await fetch(this.url + path, {
            method,
            headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
            body: body === undefined ? undefined : JSON.stringify(body),
        });
        const text = await answer.text();
        if (!answer.ok) {
            throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        }
        return text === "" ? null : JSON.parse(text);
    }

    /** A worker of our own: takes so many attempts of a pool and gives each to end(attempt), whose report it makes. */
    async work(pool, count, end, more = {}) {
        const worker = `browser-${process.pid}-${++this.workers}`;
        const ask = { worker, seq: 1, pools: [pool], capacity: count, want: count, wait: "20s", ...more };
        const { attempts } = await this.call("POST", "/v1/work", ask);
        const finished = attempts.map((attempt) => ({ attempt: attempt.id, ...end(attempt) }));
        await this.call("POST", "/v1/work", { worker, seq: 2, pools: [pool], capacity: count, finished, ...more });
        return attempts;
    }

    /** A new page at the path, watched (rule 1), signed in unless isSignedIn is false. */
    async page(path = "/", { isSignedIn = true } = {}) {
        const page = await this.context.newPage();
        if (isSignedIn) {
            await page.addInitScript((token) => sessionStorage.setItem("belfry.token", token), this.token);
        }
        page.on("console", (message) => message.type() === "error" && this.complain(page, message.text()));
        page.on("pageerror", (error) => this.complain(page, String(error)));
        page.on("response", (response) => response.status() >= 500 && this.complain(page, `${response.status()} ${response.url()}`));
        page.on("request", (request) => !request.url().startsWith(this.url) && this.complain(page, `asked ${request.url()}`));
        await page.goto(this.url + path);
        await page.locator("main h1").waitFor();
        return page;
    }

    complain(page, text) {
        this.said.push(`${page.url()}: ${text}`);
    }

    /** What the browser had to complain about since the last time. */
    complaints() {
        return this.said.splice(0);
    }

    /** Pictures of a page as it is, at three widths, in the light and in the dark. */
    async shoot(page, name) {
        if (!this.shots) {
            return;
        }
        mkdirSync(this.shots, { recursive: true });
        for (const theme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme: theme });
            for (const width of WIDTHS) {
                await page.setViewportSize({ width, height: width === 375 ? 812 : 900 });
                await page.screenshot({ path: join(this.shots, `${name}-${width}-${theme}.png`), fullPage: true });
            }
        }
        await page.emulateMedia({ colorScheme: "light" });
        await page.setViewportSize({ width: 1280, height: 800 });
    }

    /** What axe-core finds serious or critical on the page, a sentence each, in the light and in the dark. */
    async barriers(page) {
        const found = [];
        await page.evaluate(readFileSync(AXE, "utf8")); // not a <script>: the page's policy would forbid it, rightly
        for (const theme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme: theme });
            const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
            for (const one of violations.filter(({ impact }) => impact === "serious" || impact === "critical")) {
                found.push(`${theme}: ${one.id}: ${one.help}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).slice(0, 3).join(" | ")}`);
            }
        }
        await page.emulateMedia({ colorScheme: "light" });
        return found;
    }

    /** How much wider the page is than the screen at the width of a phone: 0. */
    async overflow(page) {
        await page.setViewportSize({ width: 375, height: 812 });
        const more = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        await page.setViewportSize({ width: 1280, height: 800 });
        return Math.max(0, more);
    }

    async close() {
        await this.browser?.close();
        this.children.forEach((child) => child.kill("SIGTERM"));
        await Promise.all(this.children.map((child) => child.ended));
        rmSync(this.folder, { recursive: true, force: true });
    }
}
