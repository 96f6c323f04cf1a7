/* dialog: a question, or a form, in front of the page. The browser's own: it keeps the focus and closes with Escape.
 *
 *     if (await ask({ title: "Cancel this job?", action: "Cancel it", isDanger: true })) …
 */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button";

interface Props {
    title: string;
    onClose: () => void;
    children: ComponentChildren;
    actions?: ComponentChildren;
    isWide?: boolean;
}

export function Dialog({ title, onClose, children, actions, isWide }: Props) {
    const element = useRef<HTMLDialogElement>(null);
    const id = useId();
    useEffect(() => element.current?.showModal(), []);
    return (
        <dialog
            ref={element}
            class={isWide ? "dialog dialog-wide" : "dialog"}
            aria-labelledby={id}
            onClose={onClose}
            onCancel={onClose}
        >
            <header class="dialog-head">
                <h2 id={id}>{title}</h2>
                <button type="button" class="dialog-close" aria-label="Close" onClick={onClose}>
                    ×
                </button>
            </header>
            <div class="dialog-body">{children}</div>
            {actions && <footer class="dialog-foot">{actions}</footer>}
        </dialog>
    );
}

interface Question {
    title: string;
    detail?: ComponentChildren;
    action: string;
    isDanger?: boolean;
}

const asked = signal<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Whether they said yes. */
export function ask(question: Question): Promise<boolean> {
    return new Promise((resolve) => {
        asked.value = {
            ...question,
            answer: (yes) => {
                asked.value = null;
                resolve(yes);
            },
        };
    });
}

export function Questions() {
    const question = asked.value;
    if (!question) {
        return null;
    }
    return (
        <Dialog
            title={question.title}
            onClose={() => question.answer(false)}
            actions={
                <>
                    <Button onClick={() => question.answer(false)}>Back</Button>
                    <Button kind={question.isDanger ? "danger" : "main"} onClick={() => question.answer(true)}>
                        {question.action}
                    </Button>
                </>
            }
        >
            {question.detail ?? null}
        </Dialog>
    );
}
