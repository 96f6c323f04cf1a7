/* new_job: a form for a job, with what its schedule means and the same job as a command beside it. */
import { useState } from "preact/hooks";
import type { Job } from "../../../generated/schema";
import { Problem, messageOf, post } from "../../api";
import { Button } from "../../parts/button";
import { jobPath } from "../../parts/links";
import { Code, PageHead, Panel, Tabs } from "../../parts/panel";
import { toast } from "../../parts/toast";
import { navigate } from "../../router";
import { may } from "../../session";
import { commandOf, curlOf } from "./command";
import { EMPTY, bodyOf, make, type Errors, type Form, type Made } from "./form";
import { PreviewPanel, usePreview } from "./preview";
import { NameSection, RunSection, TargetSection, WhenSection } from "./sections";

/* The field of the form that a field of the API is shown at. */
const PLACES: Record<string, string> = {
    "target.http.url": "url",
    "target.http.headers": "headers",
    "target.exec.argv": "argv",
};

const SHOWN_AT_FIELDS = new Set([
    ...["name", "tenant", "type", "pool", "run_at", "delay", "cron", "every", "timezone", "depends_on", "overlap", "misfire"],
    ...["jitter", "max_fires", "starts_at", "ends_at", "url", "headers", "argv", "payload", "labels", "retry", "timeout"],
]);

function placeOf(field: string): string {
    const place = Object.keys(PLACES).find((one) => field === one || field.startsWith(`${one}[`) || field.startsWith(`${one}.`));
    return place ? (PLACES[place] ?? place) : (field.split(/[.[]/)[0] ?? field);
}

function Equivalent({ made }: { made: Made }) {
    const [kind, setKind] = useState("command");
    const text = kind === "command" ? commandOf(made) : curlOf(made, location.origin);
    return (
        <Panel
            title="The same by hand"
            actions={
                <Tabs
                    label="Form"
                    tabs={[
                        ["command", "belfry add"],
                        ["curl", "curl"],
                    ]}
                    chosen={kind}
                    onChoose={setKind}
                />
            }
        >
            <Code text={text} label={kind === "command" ? "The command" : "The call"} />
        </Panel>
    );
}

export default function NewJob() {
    const [form, setForm] = useState<Form>(EMPTY);
    const [refused, setRefused] = useState<Errors>({});
    const [isTried, setTried] = useState(false);
    const previewed = usePreview(form);
    const made = make(form);
    const errors: Errors = { ...previewed.errors, ...(isTried ? made.errors : {}), ...refused };
    const change = (part: Partial<Form>) => {
        setForm((old) => ({ ...old, ...part }));
        setRefused({});
    };
    const create = async () => {
        setTried(true);
        if (Object.keys(made.errors).length > 0) {
            toast("Something is missing or not right: see the fields.", "bad");
            return;
        }
        try {
            const job = await post<Job>("/v1/jobs", bodyOf(made));
            toast(`Created ${job.name}.`);
            navigate(jobPath(job.id));
        } catch (error) {
            const place = error instanceof Problem && error.field ? placeOf(error.field) : "";
            if (!SHOWN_AT_FIELDS.has(place)) {
                throw error;
            }
            setRefused({ [place]: messageOf(error) });
        }
    };
    const props = { form, errors, change };
    return (
        <>
            <PageHead title="New job" above={<a href="/jobs">Jobs</a>} />
            <div class="beside">
                <form class="stack" onSubmit={(event) => event.preventDefault()}>
                    <NameSection {...props} />
                    <WhenSection {...props} />
                    <TargetSection {...props} />
                    <RunSection {...props} />
                    <div class="actions">
                        <Button kind="main" onClick={create} isDisabled={!may("operate")}>
                            Create job
                        </Button>
                        <a class="button button-quiet" href="/jobs">
                            Back
                        </a>
                    </div>
                </form>
                <div class="stack beside-panel">
                    <PreviewPanel form={form} previewed={previewed} />
                    <Equivalent made={made} />
                </div>
            </div>
        </>
    );
}
