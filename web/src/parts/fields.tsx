/* fields: form fields with their label, hint and error, which a screen reader hears together. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Common {
    label: string;
    value: string;
    onInput: (value: string) => void;
    hint?: ComponentChildren;
    error?: string;
    isDisabled?: boolean;
}

interface FrameProps {
    id: string;
    label: string;
    hint?: ComponentChildren;
    error?: string;
    children: ComponentChildren;
}

function Frame({ id, label, hint, error, children }: FrameProps) {
    return (
        <div class="field">
            <label for={id}>{label}</label>
            {children}
            {error ? (
                <p class="field-error" id={`${id}-note`} role="alert">
                    {error}
                </p>
            ) : (
                hint && (
                    <p class="field-hint" id={`${id}-note`}>
                        {hint}
                    </p>
                )
            )}
        </div>
    );
}

function noteOf(id: string, props: Common) {
    return {
        "aria-describedby": props.error || props.hint ? `${id}-note` : undefined,
        "aria-invalid": props.error ? true : undefined,
    } as const;
}

interface TextProps extends Common {
    type?: "text" | "password" | "number" | "datetime-local" | "search";
    placeholder?: string;
    list?: string[];
    isMono?: boolean;
    autoFocus?: boolean;
}

export function TextField(props: TextProps) {
    const id = useId();
    return (
        <Frame id={id} label={props.label} hint={props.hint} error={props.error}>
            <input
                id={id}
                type={props.type ?? "text"}
                class={props.isMono ? "mono" : undefined}
                value={props.value}
                placeholder={props.placeholder}
                list={props.list ? `${id}-list` : undefined}
                disabled={props.isDisabled}
                autoFocus={props.autoFocus}
                autoComplete="off"
                autoCapitalize="off"
                spellcheck={false}
                onInput={(event) => props.onInput(event.currentTarget.value)}
                {...noteOf(id, props)}
            />
            {props.list && (
                <datalist id={`${id}-list`}>
                    {props.list.map((one) => (
                        <option key={one} value={one} />
                    ))}
                </datalist>
            )}
        </Frame>
    );
}

export function AreaField(props: Common & { rows?: number; isMono?: boolean; placeholder?: string }) {
    const id = useId();
    return (
        <Frame id={id} label={props.label} hint={props.hint} error={props.error}>
            <textarea
                id={id}
                rows={props.rows ?? 4}
                class={props.isMono ? "mono" : undefined}
                value={props.value}
                placeholder={props.placeholder}
                disabled={props.isDisabled}
                spellcheck={false}
                onInput={(event) => props.onInput(event.currentTarget.value)}
                {...noteOf(id, props)}
            />
        </Frame>
    );
}

export function SelectField(props: Common & { options: [value: string, label: string][] }) {
    const id = useId();
    return (
        <Frame id={id} label={props.label} hint={props.hint} error={props.error}>
            <select
                id={id}
                value={props.value}
                disabled={props.isDisabled}
                onChange={(event) => props.onInput(event.currentTarget.value)}
                {...noteOf(id, props)}
            >
                {props.options.map(([value, label]) => (
                    <option key={value} value={value}>
                        {label}
                    </option>
                ))}
            </select>
        </Frame>
    );
}

export function CheckField(props: { label: ComponentChildren; isChecked: boolean; onChange: (is: boolean) => void }) {
    return (
        <label class="check">
            <input
                type="checkbox"
                checked={props.isChecked}
                onChange={(event) => props.onChange(event.currentTarget.checked)}
            />
            <span>{props.label}</span>
        </label>
    );
}
