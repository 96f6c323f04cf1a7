/* server: the real belfry server with a fresh data folder, real workers beside it, and requests as they go over the
 * wire.
 *
 * Rules: (1) no wait is endless (SECONDS_MAX), and none is for a fixed time.
 *        (2) what was started ends with stop(), and the folder goes with it.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const SECONDS_MAX = 60;
const QUIET = ["--log-level", "warn"];

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

/** A port of 127.0.0.1 that nobody has at the moment. */
export async function freePort() {
    const listener = net.createServer();
    await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address();
    await new Promise((resolve) => listener.close(resolve));
    return port;
}

export class Server {
    children = [];

    /** That runs. */
    static async start(belfry) {
        const server = Server.make(belfry);
        await server.begin();
        return server;
    }

    /** With nothing but a folder. */
    static make(belfry) {
        const server = new Server();
        server.belfry = belfry;
        server.folder = mkdtempSync(join(tmpdir(), "belfry-walk-"));
        server.data = join(server.folder, "data");
        server.port = 0; // any
        return server;
    }

    /** Starts it; done when it serves. */
    async begin(...words) {
        const place = ["--listen", `127.0.0.1:${this.port}`, "--data", this.data];
        const line = await firstLine(this.run("server", ...QUIET, ...place, ...words));
        this.port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
        if (!(this.port > 0)) {
            throw new Error(`the server did not start, it said "${line}"`);
        }
        this.token = readFileSync(join(this.data, "token"), "utf8").trim();
    }

    run(...words) {
        const stdio = ["ignore", "pipe", "inherit"];
        const child = spawn(this.belfry, words, { stdio, env: cleanEnvironment() });
        child.ended = new Promise((resolve) => child.on("close", resolve));
        process.on("exit", () => child.kill("SIGKILL")); // rule 2, where this ends before its time
        this.children.push(child);
        return child;
    }

    /** belfry worker, for jobs with a target. */
    startWorker(pool) {
        const url = `http://127.0.0.1:${this.port}`;
        this.run("worker", ...QUIET, "--url", url, "--data", this.data, "--worker-pools", pool).stdout.resume();
    }

    /** One request; body is text or bytes. The answer, its body as text. isEnough ends streams that have no end. */
    send({ method, target, headers = {}, body, isEnough = () => false }) {
        return new Promise((resolve, reject) => {
            const options = { host: "127.0.0.1", port: this.port, method, path: target, headers, agent: false };
            const request = http.request(options, (response) => {
                let text = "";
                const done = () => resolve({ status: response.statusCode, headers: response.headers, text });
                response.setEncoding("utf8");
                response.on("data", (part) => {
                    text += part;
                    if (isEnough(text)) {
                        done();
                        request.destroy();
                    }
                });
                response.on("end", done);
                response.on("error", reject);
            });
            request.setTimeout(SECONDS_MAX * 1000, () => request.destroy(new Error("no answer")));
            request.on("error", reject);
            request.end(body);
        });
    }

    async stop() {
        this.children.reverse().forEach((child) => child.kill("SIGTERM"));
        await Promise.all(this.children.map((child) => child.ended));
        rmSync(this.folder, { recursive: true, force: true });
    }
}
