/* command: the same job by the command line, and by curl. Pure. */
import type { JobRequest, UpstreamRequest } from "../../../generated/schema";
import { bodyOf, type Made } from "./form";

/** A word as a shell takes it. */
export function quoted(word: string): string {
    return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

function everyOf(every: JobRequest["every"]): string[] {
    if (!every) {
        return [];
    }
    return typeof every === "string" ? ["--every", every] : ["--every", every.interval, "--after-finish"];
}

function upstreamOf(upstream: UpstreamRequest): string[] {
    return ["--depends-on", typeof upstream === "string" ? upstream : `${upstream.job}=${upstream.on ?? "success"}`];
}

/* An option with its value, where there is one. */
function option(name: string, value: unknown): string[] {
    return value === undefined || value === null ? [] : [name, String(value)];
}

function whenOf(request: JobRequest): string[] {
    return [
        ...option("--cron", request.cron),
        ...option("--at", request.run_at),
        ...option("--in", request.delay),
        ...everyOf(request.every),
        ...(request.depends_on ?? []).flatMap(upstreamOf),
        ...option("--tz", request.timezone),
        ...option("--dst-gap", request.dst?.gap),
        ...option("--dst-fold", request.dst?.fold),
        ...option("--starts", request.starts_at),
        ...option("--ends", request.ends_at),
        ...option("--max-fires", request.max_fires),
        ...option("--jitter", request.jitter),
        ...option("--overlap", request.overlap),
        ...option("--misfire", request.misfire),
    ];
}

function httpOf(request: JobRequest): string[] {
    const http = request.target?.http;
    if (!http) {
        return [];
    }
    const headers = Object.entries(http.headers ?? {}).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
    return ["--http", http.url, ...option("--method", http.method), ...headers];
}

export function commandOf(made: Made): string {
    const request = made.request;
    const name = request.name ?? "NAME";
    const words = [
        request.tenant ? `${request.tenant}/${name}` : name,
        ...whenOf(request),
        ...option("--type", request.type),
        ...option("--pool", request.pool),
        ...option("--priority", request.priority),
        ...option("--max-attempts", request.retry?.max_attempts),
        ...option("--retry-delays", request.retry?.delays?.join(",")),
        ...option("--timeout", request.timeout),
        ...Object.entries(request.labels ?? {}).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
        ...option("--payload", made.payload || undefined),
        ...httpOf(request),
        ...(request.target?.exec ? ["--", ...request.target.exec.argv] : []),
    ];
    return ["belfry", "add", ...words.map(quoted)].join(" ");
}

export function curlOf(made: Made, origin: string): string {
    return [
        `curl ${quoted(`${origin}/v1/jobs`)} \\`,
        `  -H "Authorization: Bearer $BELFRY_TOKEN" \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${quoted(bodyOf(made))}`,
    ].join("\n");
}
