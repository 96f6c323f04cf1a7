/* doctor: the incident playbooks, asked and answered: what is wrong, and what to do. */
import type { Check, Doctor as Findings, Finding } from "../../generated/schema";
import { get, piece, sentence } from "../api";
import { plural } from "../format";
import { useEvery, useLoad } from "../load";
import { Button } from "../parts/button";
import { jobPath, triggerPath } from "../parts/links";
import { PageHead, Panel } from "../parts/panel";
import { Show } from "../parts/states";
import { Status } from "../parts/status";
import { At } from "../parts/time";

const PLAYBOOKS: [key: Check["playbook"], title: string][] = [
    ["not_running", "Jobs do not run"],
    ["running_twice", "Jobs run twice"],
    ["retries", "Retries explode"],
    ["system", "The system itself"],
];

/* Where to go on. */
function linkOf(finding: Finding): [string, string] | null {
    if (finding.trigger) {
        return [triggerPath(finding.trigger), finding.trigger];
    }
    if (finding.job) {
        return [jobPath(finding.job), finding.job];
    }
    if (finding.worker) {
        return ["/workers", "workers"];
    }
    if (finding.pool) {
        return [`/workers?pool=${piece(finding.pool)}`, `workers of ${finding.pool}`];
    }
    if (finding.type) {
        return [`/jobs?type=${piece(finding.type)}`, `jobs of type ${finding.type}`];
    }
    return finding.tenant ? [`/jobs?tenant=${piece(finding.tenant)}`, `jobs of ${finding.tenant}`] : null;
}

function FindingLine({ finding }: { finding: Finding }) {
    const link = linkOf(finding);
    return (
        <li>
            <p>{sentence(finding.detail)}</p>
            <p class="muted">
                {sentence(finding.advice)} {link && (
                    <a class="underlined" href={link[0]}>
                        See {link[1]}
                    </a>
                )}
            </p>
        </li>
    );
}

function CheckLine({ check }: { check: Check }) {
    return (
        <li class={`check-line check-${check.severity}`}>
            <div class="check-head">
                <span>{check.title}</span>
                <Status status={check.severity} />
            </div>
            {check.findings.length > 0 && (
                <ul class="findings">
                    {check.findings.map((one, i) => (
                        <FindingLine key={i} finding={one} />
                    ))}
                </ul>
            )}
        </li>
    );
}

function Playbook({ title, checks }: { title: string; checks: Check[] }) {
    const bad = checks.filter((one) => one.severity !== "ok").length;
    return (
        <Panel title={title} note={bad === 0 ? "nothing found" : plural(bad, "finding")}>
            <ul>
                {checks.map((one) => (
                    <CheckLine key={one.check} check={one} />
                ))}
            </ul>
        </Panel>
    );
}

export default function Doctor() {
    const doctor = useLoad((signal) => get<Findings>("/v1/doctor", {}, signal), []);
    useEvery(10_000, doctor.reload);
    return (
        <>
            <PageHead title="Doctor">
                <Button onClick={doctor.reload}>Ask again</Button>
            </PageHead>
            <Show from={doctor}>
                {(data) => (
                    <div class="stack">
                        <p>
                            <Status status={data.severity} /> <span class="muted">as of</span> <At at={data.at} />
                        </p>
                        <div class="columns">
                            {PLAYBOOKS.map(([key, title]) => (
                                <Playbook key={key} title={title} checks={data.checks.filter((one) => one.playbook === key)} />
                            ))}
                        </div>
                    </div>
                )}
            </Show>
        </>
    );
}
