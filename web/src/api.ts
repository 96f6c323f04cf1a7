/* api: calls of the contract (docs/openapi.yaml). Only this file and live.ts talk to the server.
 *
 * Rules: (1) what goes wrong is a Problem with a sentence for a person.
 *        (2) an answer of 401 ends the session.
 */
import type { Problem as ProblemBody, Whoami } from "../generated/schema";
import { session, signOut, token, who } from "./session";

export type Query = Record<string, string | number | boolean | undefined>;

export class Problem extends Error {
    constructor(
        readonly status: number,
        readonly code: string,
        detail: string,
        readonly field?: string,
        readonly position?: number,
    ) {
        super(detail);
    }
}

export interface Page<T> {
    items: T[];
    next: string | null;
}

interface Options {
    query?: Query;
    body?: unknown;
    signal?: AbortSignal;
    headers?: Record<string, string>;
}

export function urlOf(path: string, query: Query = {}): string {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value !== undefined && value !== "") {
            params.set(name, String(value));
        }
    }
    const text = params.toString();
    return text === "" ? path : `${path}?${text}`;
}

/** One piece of a path, whatever characters it has. */
export function piece(text: string): string {
    return encodeURIComponent(text);
}

export function authorization(): Record<string, string> {
    return token.value === "" ? {} : { Authorization: `Bearer ${token.value}` };
}

export async function problemOf(response: Response): Promise<Problem> {
    const text = await response.text().catch(() => "");
    let body: Partial<ProblemBody> = {};
    try {
        body = JSON.parse(text) as Partial<ProblemBody>;
    } catch {
        body = { detail: text.slice(0, 300) };
    }
    const detail = body.detail || `The server answered ${response.status} ${response.statusText}.`;
    return new Problem(response.status, body.code ?? "", sentence(detail), body.field, body.position);
}

/** Begins with a capital and ends with a stop. */
export function sentence(text: string): string {
    const trimmed = text.trim();
    const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
    return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

async function send(method: string, path: string, options: Options): Promise<Response> {
    const headers: Record<string, string> = { Accept: "application/json", ...authorization(), ...options.headers };
    const init: RequestInit = { method, headers, cache: "no-store", credentials: "omit", signal: options.signal };
    if (options.body !== undefined) {
        headers["Content-Type"] = "application/json";
        init.body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
    }
    try {
        return await fetch(urlOf(path, options.query), init);
    } catch (error) {
        if (options.signal?.aborted) {
            throw error;
        }
        throw new Problem(0, "unreachable", "The server cannot be reached.");
    }
}

async function asked(method: string, path: string, options: Options): Promise<Response> {
    const response = await send(method, path, options);
    if (response.ok) {
        return response;
    }
    const problem = await problemOf(response);
    if (response.status === 401) {
        signOut(token.value === "" ? "" : "This token is not good, or not any more.");
    }
    throw problem;
}

async function call<T>(method: string, path: string, options: Options = {}): Promise<T> {
    const response = await asked(method, path, options);
    return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

export function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
    return call<T>("GET", path, { query, signal });
}

/** The answer as it was written: JSON whose numbers may be larger than JavaScript's. */
export async function getText(path: string, query?: Query, signal?: AbortSignal): Promise<string> {
    return (await asked("GET", path, { query, signal })).text();
}

export function post<T>(path: string, body?: unknown, options: Options = {}): Promise<T> {
    return call<T>("POST", path, { ...options, body });
}

export function put<T>(path: string, body: unknown, options: Options = {}): Promise<T> {
    return call<T>("PUT", path, { ...options, body });
}

export function patch<T>(path: string, body: unknown, options: Options = {}): Promise<T> {
    return call<T>("PATCH", path, { ...options, body });
}

export function remove(path: string, options: Options = {}): Promise<void> {
    return call<void>("DELETE", path, options);
}

/** Asks who the token is; the session begins with the answer. */
export async function learnWho() {
    who.value = await get<Whoami>("/v1/whoami");
    session.value = "in";
}

/** What went wrong, for a person. */
export function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
