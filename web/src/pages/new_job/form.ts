/* form: what the form of a new job holds, and the request it stands for. Pure.
 *
 * Rules: (1) what is left as it is at first does not stand in the request: the server's defaults hold.
 *        (2) errors are by the name of the field of the API, which the form's fields have, too.
 */
import type { JobRequest, Target } from "../../../generated/schema";

export type When = "now" | "at" | "delay" | "cron" | "every" | "upstream";
export type TargetKind = "pull" | "http" | "exec";

export interface Form {
    name: string;
    tenant: string;
    type: string;
    pool: string;
    priority: string;
    when: When;
    run_at: string;
    delay: string;
    cron: string;
    every: string;
    afterFinish: boolean;
    timezone: string;
    gap: string;
    fold: string;
    jitter: string;
    starts_at: string;
    ends_at: string;
    max_fires: string;
    overlap: string;
    misfire: string;
    depends_on: string;
    target: TargetKind;
    url: string;
    method: string;
    headers: string;
    argv: string;
    max_attempts: string;
    delays: string;
    timeout: string;
    payload: string;
    labels: string;
}

export const EMPTY: Form = {
    name: "",
    tenant: "",
    type: "",
    pool: "",
    priority: "3",
    when: "cron",
    run_at: "",
    delay: "5m",
    cron: "0 9 * * MON-FRI",
    every: "15m",
    afterFinish: false,
    timezone: "UTC",
    gap: "after",
    fold: "first",
    jitter: "",
    starts_at: "",
    ends_at: "",
    max_fires: "",
    overlap: "skip",
    misfire: "fire_latest",
    depends_on: "",
    target: "pull",
    url: "",
    method: "POST",
    headers: "",
    argv: "",
    max_attempts: "",
    delays: "",
    timeout: "",
    payload: "",
    labels: "",
};

export type Errors = Partial<Record<string, string>>;

export interface Made {
    request: JobRequest;
    /** The payload as it was written: JavaScript's numbers would change large ones. */
    payload: string;
    errors: Errors;
}

/** The lines of a text that say something. */
function linesOf(text: string): string[] {
    return text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
}

/* "name: value" or "name=value", line by line. */
function pairsOf(text: string, separator: string, field: string, errors: Errors): Record<string, string> | undefined {
    const pairs: Record<string, string> = {};
    for (const line of linesOf(text)) {
        const at = line.indexOf(separator);
        if (at <= 0) {
            errors[field] = `Each line is a name, ${separator} and a value.`;
            return undefined;
        }
        pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
    }
    return Object.keys(pairs).length > 0 ? pairs : undefined;
}

function targetOf(form: Form, errors: Errors): Target | undefined {
    if (form.target === "http") {
        if (form.url.trim() === "") {
            errors.url = "An address is needed.";
        }
        const headers = pairsOf(form.headers, ":", "headers", errors);
        const method = form.method as "POST";
        return { http: { url: form.url.trim(), ...(form.method === "POST" ? {} : { method }), ...(headers && { headers }) } };
    }
    if (form.target === "exec") {
        const argv = linesOf(form.argv);
        if (argv.length === 0) {
            errors.argv = "A command is needed.";
        }
        return { exec: { argv } };
    }
    return undefined;
}

/* A day and time of the browser's field is in the reader's zone. */
function instantOf(text: string): string | undefined {
    const date = new Date(text);
    return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function numberOf(text: string, field: string, errors: Errors): number | undefined {
    const value = Number(text);
    if (text.trim() === "") {
        return undefined;
    }
    if (!Number.isInteger(value)) {
        errors[field] = "This must be a whole number.";
    }
    return value;
}

function whenOf(form: Form, errors: Errors): Partial<JobRequest> {
    const text = (value: string, field: string) => {
        if (value.trim() === "") {
            errors[field] = "This is needed.";
        }
        return value.trim();
    };
    const zone = form.timezone.trim() !== "" && form.timezone !== "UTC" ? { timezone: form.timezone.trim() } : {};
    const dst = form.gap !== "after" || form.fold !== "first" ? { dst: { gap: form.gap as "after", fold: form.fold as "first" } } : {};
    switch (form.when) {
        case "at": {
            const at = instantOf(form.run_at);
            if (!at) {
                errors.run_at = "A day and a time are needed.";
            }
            return { run_at: at };
        }
        case "delay":
            return { delay: text(form.delay, "delay") };
        case "cron":
            return { cron: text(form.cron, "cron"), ...zone, ...dst };
        case "every": {
            const interval = text(form.every, "every");
            return { every: form.afterFinish ? { interval, after: "finish" } : interval };
        }
        case "upstream": {
            const upstream = linesOf(form.depends_on);
            if (upstream.length === 0) {
                errors.depends_on = "At least one job is needed.";
            }
            return { depends_on: upstream.map(upstreamOf) };
        }
        default:
            return {};
    }
}

/* "name", or "name=failure". */
function upstreamOf(line: string) {
    const [job = "", on = ""] = line.split("=").map((one) => one.trim());
    return on === "failure" || on === "done" ? { job, on: on as "failure" | "done" } : job;
}

function checkPayload(form: Form, errors: Errors) {
    if (form.payload.trim() === "") {
        return;
    }
    try {
        JSON.parse(form.payload);
    } catch {
        errors.payload = "This is not JSON.";
    }
}

export function isRepeated(form: Form): boolean {
    return form.when === "cron" || form.when === "every";
}

function repeatsOf(form: Form, errors: Errors): Partial<JobRequest> {
    if (!isRepeated(form)) {
        return {};
    }
    return {
        jitter: form.jitter.trim() || undefined,
        starts_at: instantOf(form.starts_at),
        ends_at: instantOf(form.ends_at),
        max_fires: numberOf(form.max_fires, "max_fires", errors),
        overlap: form.overlap === "skip" ? undefined : (form.overlap as "queue"),
        misfire: form.misfire === "fire_latest" ? undefined : (form.misfire as "skip"),
    };
}

function retryOf(form: Form, errors: Errors) {
    const max = numberOf(form.max_attempts, "retry", errors);
    const delays = form.delays
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean);
    if (max === undefined && delays.length === 0) {
        return undefined;
    }
    return { ...(max !== undefined && { max_attempts: max }), ...(delays.length > 0 && { delays }) };
}

export function make(form: Form): Made {
    const errors: Errors = {};
    checkPayload(form, errors);
    const request: JobRequest = {
        tenant: form.tenant.trim() || undefined,
        name: form.name.trim() || undefined,
        type: form.type.trim() || undefined,
        pool: form.pool.trim() || undefined,
        priority: form.priority === "3" ? undefined : Number(form.priority),
        ...whenOf(form, errors),
        ...repeatsOf(form, errors),
        retry: retryOf(form, errors),
        timeout: form.timeout.trim() || undefined,
        target: targetOf(form, errors),
        labels: pairsOf(form.labels, "=", "labels", errors),
    };
    const said = Object.entries(request).filter(([, value]) => value !== undefined);
    return { request: Object.fromEntries(said) as JobRequest, payload: form.payload.trim(), errors };
}

/** The request as it goes to the server. */
export function bodyOf(made: Made): string {
    const text = JSON.stringify(made.request);
    if (made.payload === "") {
        return text;
    }
    return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"payload":${made.payload}}`;
}
