/* fields: which settings tenants, pools and types have (docs/openapi.yaml: TenantSettings, PoolSettings, TypeSettings). */
import type { SettingField } from "./settings_form";

const IN_FLIGHT: SettingField = { name: "max_in_flight", label: "Running at most", kind: "number", hint: "Attempts at the same time." };
const RATE: SettingField = { name: "rate", label: "Rate", kind: "text", hint: "Starts, such as 100/s or 20/m." };
const BURST: SettingField = { name: "burst", label: "Burst", kind: "number", hint: "Starts at once before the rate holds." };
const RETRY: SettingField = {
    name: "retry",
    label: "Retries",
    kind: "json",
    hint: 'For jobs that say nothing: {"max_attempts":5,"base":"1s","factor":2,"max":"1h"}.',
};
const TIMEOUT: SettingField = { name: "timeout", label: "Time-out", kind: "text", hint: "For jobs that say nothing: 300s." };

export const POOL_FIELDS: SettingField[] = [IN_FLIGHT, RATE, BURST];

export const TENANT_FIELDS: SettingField[] = [
    { name: "max_jobs", label: "Jobs at most", kind: "number", hint: "Definitions." },
    IN_FLIGHT,
    RATE,
    BURST,
    { name: "weight", label: "Weight", kind: "number", hint: "Its share where many want the same workers." },
    { name: "max_payload_bytes", label: "Payload at most", kind: "number", hint: "Bytes." },
    { name: "spread", label: "Spread", kind: "choice", hint: "Whether fires of the same instant are spread over a while." },
    TIMEOUT,
    RETRY,
];

export const TYPE_FIELDS: SettingField[] = [
    IN_FLIGHT,
    RATE,
    BURST,
    TIMEOUT,
    RETRY,
    {
        name: "breaker",
        label: "Breaker",
        kind: "json",
        hint: '{"failure_rate":0.5,"min_attempts":20,"window":"1m","open":"30s"}, or false for none.',
    },
    { name: "dead_policy", label: "Dead letters", kind: "json", hint: 'Replayed by themselves: {"replay_after":"1h","max_replays":3}.' },
];

/** The settings in a few words, for a table. */
export function inWords(fields: SettingField[], settings: Record<string, unknown>): string {
    const set = fields.filter((one) => settings[one.name] !== undefined);
    return set.map((one) => `${one.label.toLowerCase()} ${worded(settings[one.name])}`).join(", ");
}

function worded(value: unknown): string {
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
