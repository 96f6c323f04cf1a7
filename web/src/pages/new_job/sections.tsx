/* sections: the parts of the form of a new job. */
import { AreaField, CheckField, SelectField, TextField } from "../../parts/fields";
import { Panel, Tabs } from "../../parts/panel";
import { isRepeated, type Errors, type Form, type TargetKind, type When } from "./form";

export interface SectionProps {
    form: Form;
    errors: Errors;
    change: (part: Partial<Form>) => void;
}

const WHENS: [When, string][] = [
    ["now", "Now"],
    ["at", "Once"],
    ["delay", "Delay"],
    ["cron", "Cron"],
    ["every", "Every"],
    ["upstream", "After jobs"],
];

const ZONES: string[] = typeof Intl.supportedValuesOf === "function" ? ["UTC", ...Intl.supportedValuesOf("timeZone")] : ["UTC"];

export function NameSection({ form, errors, change }: SectionProps) {
    return (
        <Panel title="Job">
            <div class="form-row">
                <TextField label="Name" value={form.name} error={errors.name} onInput={(name) => change({ name })} placeholder="morning-report" autoFocus />
                <TextField label="Tenant" value={form.tenant} error={errors.tenant} onInput={(tenant) => change({ tenant })} placeholder="default" />
                <TextField label="Type" value={form.type} error={errors.type} onInput={(type) => change({ type })} placeholder="default" />
                <TextField label="Pool" value={form.pool} error={errors.pool} onInput={(pool) => change({ pool })} placeholder="default" />
            </div>
        </Panel>
    );
}

function When({ form, errors, change }: SectionProps) {
    switch (form.when) {
        case "at":
            return (
                <TextField label="At" type="datetime-local" value={form.run_at} error={errors.run_at} onInput={(run_at) => change({ run_at })} hint="Your own time zone." />
            );
        case "delay":
            return <TextField label="After" value={form.delay} error={errors.delay} onInput={(delay) => change({ delay })} hint="Such as 90s, 5m or 1h30m." isMono />;
        case "every":
            return (
                <>
                    <TextField label="Every" value={form.every} error={errors.every} onInput={(every) => change({ every })} hint="Such as 30s, 15m or 6h." isMono />
                    <CheckField label="Counted from the end of each run" isChecked={form.afterFinish} onChange={(afterFinish) => change({ afterFinish })} />
                </>
            );
        case "upstream":
            return (
                <AreaField
                    label="Jobs it waits for"
                    value={form.depends_on}
                    error={errors.depends_on}
                    onInput={(depends_on) => change({ depends_on })}
                    hint="One name a line; extract=failure or extract=done for another end than success."
                    isMono
                    rows={3}
                />
            );
        case "cron":
            return <CronFields form={form} errors={errors} change={change} />;
        default:
            return null;
    }
}

function CronFields({ form, errors, change }: SectionProps) {
    return (
        <>
            <div class="form-row">
                <TextField
                    label="Cron expression"
                    value={form.cron}
                    error={errors.cron}
                    onInput={(cron) => change({ cron })}
                    hint="Five fields as Unix, six or seven as Quartz, @daily, or H for a spread."
                    isMono
                />
                <TextField label="Time zone" value={form.timezone} error={errors.timezone} onInput={(timezone) => change({ timezone })} list={ZONES} />
            </div>
            <div class="form-row">
                <SelectField
                    label="A time that the clock jumps over"
                    value={form.gap}
                    onInput={(gap) => change({ gap })}
                    options={[
                        ["after", "fires right after the jump"],
                        ["shift", "fires later by the jump"],
                        ["skip", "does not fire"],
                    ]}
                />
                <SelectField
                    label="A time that comes twice"
                    value={form.fold}
                    onInput={(fold) => change({ fold })}
                    options={[
                        ["first", "fires the first time"],
                        ["second", "fires the second time"],
                        ["both", "fires both times"],
                    ]}
                />
            </div>
        </>
    );
}

function Repeats({ form, errors, change }: SectionProps) {
    return (
        <div class="form-row">
            <SelectField
                label="Due while a run goes on"
                value={form.overlap}
                error={errors.overlap}
                onInput={(overlap) => change({ overlap })}
                options={[
                    ["skip", "skip it"],
                    ["queue", "queue it"],
                    ["collapse", "keep the latest"],
                    ["allow", "run beside it"],
                ]}
            />
            <SelectField
                label="Missed fires"
                value={form.misfire}
                error={errors.misfire}
                onInput={(misfire) => change({ misfire })}
                options={[
                    ["fire_latest", "run the latest"],
                    ["fire_now", "run once, now"],
                    ["skip", "skip them"],
                    ["backfill", "run them all"],
                ]}
            />
            <TextField label="Jitter" value={form.jitter} error={errors.jitter} onInput={(jitter) => change({ jitter })} placeholder="none" hint="Later by up to this." isMono />
            <TextField label="Fires at most" value={form.max_fires} error={errors.max_fires} onInput={(max_fires) => change({ max_fires })} placeholder="no limit" />
            <TextField label="Not before" type="datetime-local" value={form.starts_at} error={errors.starts_at} onInput={(starts_at) => change({ starts_at })} />
            <TextField label="Not from" type="datetime-local" value={form.ends_at} error={errors.ends_at} onInput={(ends_at) => change({ ends_at })} />
        </div>
    );
}

export function WhenSection(props: SectionProps) {
    const { form, change } = props;
    return (
        <Panel title="Schedule">
            <div class="form">
                <Tabs label="Schedule" tabs={WHENS} chosen={form.when} onChoose={(when) => change({ when: when as When })} />
                <When {...props} />
                {isRepeated(form) && <Repeats {...props} />}
            </div>
        </Panel>
    );
}

const TARGETS: [TargetKind, string][] = [
    ["pull", "Your own workers"],
    ["http", "Call a URL"],
    ["exec", "Run a command"],
];

function Target({ form, errors, change }: SectionProps) {
    if (form.target === "http") {
        return (
            <>
                <div class="form-row">
                    <TextField label="URL" value={form.url} error={errors.url} onInput={(url) => change({ url })} placeholder="https://example.org/hook" isMono />
                    <SelectField
                        label="Method"
                        value={form.method}
                        onInput={(method) => change({ method })}
                        options={["POST", "GET", "PUT", "PATCH", "DELETE", "HEAD"].map((one) => [one, one])}
                    />
                </div>
                <AreaField label="Headers" value={form.headers} error={errors.headers} onInput={(headers) => change({ headers })} hint="One a line: Name: value." isMono rows={2} />
            </>
        );
    }
    if (form.target === "exec") {
        return (
            <AreaField
                label="Command"
                value={form.argv}
                error={errors.argv}
                onInput={(argv) => change({ argv })}
                hint="The program, then one argument a line. There is no shell."
                isMono
                rows={3}
            />
        );
    }
    return <p class="muted">Workers that serve the pool pull it; nothing is called.</p>;
}

export function TargetSection(props: SectionProps) {
    const { form, errors, change } = props;
    return (
        <Panel title="What it does">
            <div class="form">
                <Tabs label="Target" tabs={TARGETS} chosen={form.target} onChoose={(target) => change({ target: target as TargetKind })} />
                <Target {...props} />
                <AreaField label="Payload" value={form.payload} error={errors.payload} onInput={(payload) => change({ payload })} placeholder="{}" hint="JSON." isMono rows={3} />
            </div>
        </Panel>
    );
}

export function RunSection({ form, errors, change }: SectionProps) {
    return (
        <Panel title="How it runs">
            <div class="form-row">
                <TextField label="Attempts at most" value={form.max_attempts} error={errors.retry} onInput={(max_attempts) => change({ max_attempts })} placeholder="5" />
                <TextField label="Waits between attempts" value={form.delays} onInput={(delays) => change({ delays })} placeholder="30s, 2m, 10m, 30m, 2h" isMono />
                <TextField label="Time-out" value={form.timeout} error={errors.timeout} onInput={(timeout) => change({ timeout })} placeholder="300s" isMono />
                <SelectField
                    label="Priority"
                    value={form.priority}
                    onInput={(priority) => change({ priority })}
                    options={[
                        ["1", "1, first"],
                        ["2", "2"],
                        ["3", "3, as usual"],
                        ["4", "4"],
                        ["5", "5, last"],
                    ]}
                />
            </div>
            <div class="form-gap">
                <AreaField label="Labels" value={form.labels} error={errors.labels} onInput={(labels) => change({ labels })} hint="One a line: team=billing." isMono rows={2} />
            </div>
        </Panel>
    );
}
