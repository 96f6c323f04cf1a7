/* button: a button that does something; where that takes a while it is busy and cannot be pressed again. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../api";
import { toast } from "./toast";

interface Props {
    children: ComponentChildren;
    onClick: () => unknown;
    kind?: "plain" | "main" | "danger" | "quiet";
    isDisabled?: boolean;
    title?: string;
    label?: string;
    isPressed?: boolean;
}

export function Button({ children, onClick, kind = "plain", isDisabled, title, label, isPressed }: Props) {
    const [isBusy, setBusy] = useState(false);
    const press = async () => {
        setBusy(true);
        try {
            await onClick();
        } catch (error) {
            toast(messageOf(error), "bad");
        } finally {
            setBusy(false);
        }
    };
    return (
        <button
            type="button"
            class={`button button-${kind}`}
            disabled={isDisabled || isBusy}
            aria-busy={isBusy}
            aria-label={label}
            aria-pressed={isPressed}
            title={title}
            onClick={() => void press()}
        >
            {children}
        </button>
    );
}

/** Copies a text. */
export function Copy({ text, what = "Copy" }: { text: string; what?: string }) {
    const copy = async () => {
        if (!window.isSecureContext) {
            throw new Error("Browsers copy only over HTTPS or on this machine; select the text instead.");
        }
        await navigator.clipboard.writeText(text);
        toast("Copied.");
    };
    return (
        <Button kind="quiet" onClick={copy}>
            {what}
        </Button>
    );
}
