/* walk: makes calls, judges their answers by docs/openapi.yaml, and remembers which answers it has seen.
 *
 * Rules: (1) a call says which status it expects; another one, or one that the operation does not list, is a failure.
 *        (2) an answer's content type, headers and body are judged by what the file says of exactly that status; a
 *            header or a field that is not written down is a failure, too.
 *        (3) a call that goes well is one that the file allows: its body fits, its parameters are known.
 */

import * as api from "../description.mjs";
import { complaints } from "./strict.mjs";

// What every answer over HTTP may have.
const SECONDS_MAX = 60; // a guard, far beyond what any wait takes
const PLAIN_HEADERS = ["connection", "content-length", "content-type", "date", "transfer-encoding"];
const CODINGS = { "application/json": JSON.stringify, "application/x-ndjson": String, "text/plain": String };

/** Which of an operation's answers is meant by a status: its own, that of its hundred, or none. */
function listed(operation, status) {
    return [String(status), `${String(status)[0]}XX`].find((key) => operation.responses[key] !== undefined);
}

function judgeBody(response, answer) {
    const type = answer.headers["content-type"]?.split(";")[0];
    if (response.content === undefined) {
        return answer.text === "" ? [] : ["there should be no body"];
    }
    const media = response.content[type];
    if (media === undefined) {
        return [`the content type is ${type}`];
    }
    if (type === "text/event-stream") {
        return answer.events.flatMap((event) => complaints(media.schema.contentSchema, event));
    }
    const problems = complaints(media.schema, answer.json ?? answer.text);
    if (type === "application/problem+json" && answer.json.status !== answer.status) {
        problems.push(`the body says status ${answer.json.status}`);
    }
    return problems;
}

function judgeHeaders(response, answer) {
    const known = Object.entries(response.headers ?? {});
    const names = [...PLAIN_HEADERS, ...known.map(([name]) => name.toLowerCase())];
    const wrong = Object.keys(answer.headers)
        .filter((name) => !names.includes(name))
        .map((name) => `the header ${name} is not described`);
    for (const [name, reference] of known) {
        const header = api.resolved(reference);
        const text = answer.headers[name.toLowerCase()];
        const value = header.schema.type === "integer" ? Number(text) : text;
        if (text === undefined) {
            wrong.push(...(header.required ? [`there is no header ${name}`] : []));
        } else {
            wrong.push(...complaints(header.schema, value).map((line) => `${name}: ${line}`));
        }
    }
    return wrong;
}

/** The lines of a stream of events that hold JSON. */
function eventsIn(text) {
    const whole = text.slice(0, text.lastIndexOf("\n\n") + 1); // the last frame may be a part
    return [...whole.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]));
}

export class Walk {
    byId = new Map();

    /** seen: "create_job 202"; given, another walk's is continued at this server. */
    constructor(server, tap, seen = new Set()) {
        this.server = server;
        this.tap = tap;
        this.seen = seen;
        for (const one of api.operations()) {
            const shared = api.description.paths[one.path].parameters ?? [];
            const parameters = [...shared, ...(one.operation.parameters ?? [])].map(api.resolved);
            this.byId.set(one.operation.operationId, { ...one, parameters });
        }
    }

    operation(id) {
        if (!this.byId.has(id)) {
            throw new Error(`docs/openapi.yaml has no operation ${id}`);
        }
        return this.byId.get(id);
    }

    /** The answer of an operation. title: what is special about the call. given: path, query, headers, body; type of
     * the body; token, or null for none; method, to take another than the operation's (its default answers that). */
    async call(id, status, title, given = {}) {
        const one = this.operation(id);
        const answer = await this.server.send(this.request(one, given));
        const isJson = /\bjson\b/.test(answer.headers["content-type"] ?? "") && answer.text !== "";
        answer.json = isJson ? JSON.parse(answer.text) : undefined;
        answer.events = answer.headers["content-type"] === "text/event-stream" ? eventsIn(answer.text) : undefined;
        const wrong = [...this.judge(one, status, answer, given), ...this.judgeRequest(one, status, given)];
        if (wrong.length > 0) {
            wrong.push(answer.text.slice(0, 1000));
        }
        this.tap.ok(wrong.length === 0, `${id} ${status}, ${title}`, wrong);
        return answer;
    }

    /** The JSON of an answer that the rest of a scenario cannot do without. */
    async get(id, status, title, given) {
        const answer = await this.call(id, status, title, given);
        if (answer.status !== status) {
            throw new Error(`${id} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
        }
        return answer.json;
    }

    /** Asks again until the answer is as it should be; only the last one is judged. */
    async until(id, title, given, isSo) {
        const one = this.operation(id);
        for (const end = Date.now() + SECONDS_MAX * 1000; Date.now() < end; ) {
            const { status, text } = await this.server.send(this.request(one, given));
            if (status === 200 && isSo(JSON.parse(text))) {
                return this.get(id, 200, title, given);
            }
        }
        throw new Error(`${id} never came ${title}`);
    }

    request(one, { path = {}, query = {}, headers = {}, body, type = "application/json", token, method, isEnough }) {
        const words = one.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]));
        const search = new URLSearchParams(query).toString();
        const sent = { ...headers };
        if (token !== null) {
            sent.Authorization = `Bearer ${token ?? this.server.token}`;
        }
        if (body !== undefined) {
            sent["Content-Type"] = type;
        }
        return {
            method: (method ?? one.method).toUpperCase(),
            target: search === "" ? words : `${words}?${search}`,
            headers: sent,
            body: typeof body === "string" || body === undefined ? body : CODINGS[type](body),
            isEnough,
        };
    }

    judge(one, status, answer, { method }) {
        const key = method === undefined ? listed(one.operation, answer.status) : "default";
        if (key === undefined) {
            return [`${answer.status} is not described`];
        }
        if (answer.status !== status) {
            return [`the answer is ${answer.status}`];
        }
        this.seen.add(`${one.operation.operationId} ${key}`);
        const response = api.resolved(one.operation.responses[key]);
        return [...judgeHeaders(response, answer), ...judgeBody(response, answer)];
    }

    judgeRequest(one, status, { query = {}, headers = {}, body, type = "application/json" }) {
        if (status >= 400) {
            return [];
        }
        const known = one.parameters.map(({ name }) => name.toLowerCase());
        const wrong = [...Object.keys(query), ...Object.keys(headers)]
            .filter((name) => !known.includes(name.toLowerCase()))
            .map((name) => `the parameter ${name} is not described`);
        const { required, content } = one.operation.requestBody ?? {};
        if (body === undefined) {
            return [...wrong, ...(required ? ["there is no body"] : [])];
        }
        const problems = content?.[type] === undefined ? ["no such body"] : complaints(content[type].schema, body);
        return [...wrong, ...problems.map((line) => `the request: ${line}`)];
    }

    /** Every answer that the file lists, as "operation status". */
    all() {
        return [...this.byId].flatMap(([id, { operation }]) =>
            Object.keys(operation.responses).map((key) => `${id} ${key}`),
        );
    }
}
