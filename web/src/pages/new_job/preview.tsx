/* preview: what the schedule means while it is being typed: next fires, plain English, warnings. */
import { useEffect, useState } from "preact/hooks";
import type { Fire, Preview as Answer } from "../../../generated/schema";
import { Problem, messageOf, post, sentence } from "../../api";
import { Panel } from "../../parts/panel";
import { Ago } from "../../parts/time";
import type { Form } from "./form";

const SETTLE_MS = 300;
const SHOWN = 8;

export interface Previewed {
    answer: Answer | null;
    /** By field of the API. */
    errors: Record<string, string>;
}

/* What is asked for; null where there is nothing to ask. */
function questionOf(form: Form) {
    const seed = form.name.trim() || undefined;
    if (form.when === "cron" && form.cron.trim() !== "") {
        const timezone = form.timezone.trim() || "UTC";
        return { cron: form.cron.trim(), timezone, dst: { gap: form.gap, fold: form.fold }, count: SHOWN, seed };
    }
    if (form.when === "every" && form.every.trim() !== "") {
        return { cron: `@every ${form.every.trim()}`, count: SHOWN, seed };
    }
    return null;
}

function errorsOf(error: unknown, form: Form): Record<string, string> {
    const field = error instanceof Problem ? (error.field ?? "cron") : "cron";
    const own = form.when === "every" && field === "cron" ? "every" : (field.split(".")[0] ?? field);
    return { [own]: messageOf(error) };
}

/** The preview of the form as it stands, a moment after the last key. */
export function usePreview(form: Form): Previewed {
    const [shown, setShown] = useState<Previewed>({ answer: null, errors: {} });
    const question = questionOf(form);
    useEffect(() => {
        if (!question) {
            setShown({ answer: null, errors: {} });
            return;
        }
        const own = new AbortController();
        const ask = () =>
            post<Answer>("/v1/schedules/preview", question, { signal: own.signal }).then(
                (answer) => setShown({ answer, errors: {} }),
                (error: unknown) => own.signal.aborted || setShown({ answer: null, errors: errorsOf(error, form) }),
            );
        const timer = setTimeout(() => void ask(), SETTLE_MS);
        return () => {
            clearTimeout(timer);
            own.abort();
        };
    }, [JSON.stringify(question)]);
    return shown;
}

function FireLine({ fire }: { fire: Fire }) {
    return (
        <li class="next-fire">
            <span class="muted">{fire.weekday.slice(0, 3)}</span>
            <span class="mono">
                {fire.local.replace("T", " ")} <span class="muted">{fire.abbr}</span>
            </span>
            <span class="muted">
                <Ago at={fire.utc} />
            </span>
            {fire.note && <span class="next-fire-note">{fire.note}</span>}
        </li>
    );
}

const WITHOUT: Partial<Record<Form["when"], string>> = {
    now: "It runs once, as soon as it is created.",
    delay: "It runs once, so long after it is created.",
    at: "It runs once, at that time.",
    upstream: "It runs each time the jobs that it waits for have ended.",
};

export function PreviewPanel({ form, previewed }: { form: Form; previewed: Previewed }) {
    const answer = previewed.answer;
    return (
        <Panel title="When it fires" class="when-fires">
            <div aria-live="polite">
                {answer ? (
                    <>
                        <p>{sentence(answer.description)}</p>
                        <ol class="next-fires" aria-label="Next fires">
                            {answer.fires.map((fire) => (
                                <FireLine key={fire.utc} fire={fire} />
                            ))}
                        </ol>
                        {answer.warnings.map((one) => (
                            <p key={one.code} class="notice notice-warn">
                                {sentence(one.detail)}
                            </p>
                        ))}
                    </>
                ) : (
                    <p class="muted">{WITHOUT[form.when] ?? "Nothing yet."}</p>
                )}
            </div>
        </Panel>
    );
}
