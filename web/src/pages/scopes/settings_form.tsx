/* settings_form: the settings of a tenant, a pool or a type as a form. Settings are replaced whole: a field that is empty
 * is not set.
 */
import { useState } from "preact/hooks";
import { Problem, messageOf } from "../../api";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { AreaField, SelectField, TextField } from "../../parts/fields";
import { toast } from "../../parts/toast";

export type Settings = Record<string, unknown>;

export interface SettingField {
    name: string;
    label: string;
    kind: "number" | "text" | "choice" | "json";
    hint: string;
}

const YES_OR_NO: [string, string][] = [
    ["", "not set"],
    ["true", "yes"],
    ["false", "no"],
];

type Texts = Record<string, string>;
type Errors = Record<string, string>;

function textOf(value: unknown): string {
    if (value === undefined || value === null) {
        return "";
    }
    return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/* The value that a text stands for; throws a sentence where it stands for none. */
function valueOf(field: SettingField, text: string): unknown {
    if (field.kind === "number") {
        const value = Number(text);
        if (!Number.isFinite(value)) {
            throw new Error("This must be a number.");
        }
        return value;
    }
    if (field.kind === "json") {
        try {
            return JSON.parse(text) as unknown;
        } catch {
            throw new Error("This is not JSON.");
        }
    }
    return field.kind === "choice" ? text === "true" : text;
}

export function read(fields: SettingField[], texts: Texts): { settings: Settings; errors: Errors } {
    const settings: Settings = {};
    const errors: Errors = {};
    for (const field of fields) {
        const text = (texts[field.name] ?? "").trim();
        if (text !== "") {
            try {
                settings[field.name] = valueOf(field, text);
            } catch (error) {
                errors[field.name] = messageOf(error);
            }
        }
    }
    return { settings, errors };
}

function Field({ field, text, error, onInput }: { field: SettingField; text: string; error?: string; onInput: (text: string) => void }) {
    const common = { label: field.label, value: text, hint: field.hint, error, onInput };
    if (field.kind === "choice") {
        return <SelectField {...common} options={YES_OR_NO} />;
    }
    return field.kind === "json" ? <AreaField {...common} rows={2} isMono /> : <TextField {...common} isMono />;
}

interface Props {
    title: string;
    fields: SettingField[];
    settings: Settings;
    save: (settings: Settings) => Promise<unknown>;
    onClose: () => void;
}

export function SettingsForm({ title, fields, settings, save, onClose }: Props) {
    const [texts, setTexts] = useState<Texts>(() => Object.fromEntries(fields.map((one) => [one.name, textOf(settings[one.name])])));
    const [errors, setErrors] = useState<Errors>({});
    const submit = async () => {
        const made = read(fields, texts);
        setErrors(made.errors);
        if (Object.keys(made.errors).length > 0) {
            return;
        }
        try {
            await save(made.settings);
            toast("Saved.");
            onClose();
        } catch (error) {
            const name = error instanceof Problem ? error.field?.split(/[.[]/)[0] : undefined;
            if (!name || !fields.some((one) => one.name === name)) {
                throw error;
            }
            setErrors({ [name]: messageOf(error) });
        }
    };
    return (
        <Dialog
            title={title}
            onClose={onClose}
            isWide
            actions={
                <>
                    <Button onClick={onClose}>Back</Button>
                    <Button kind="main" onClick={submit}>
                        Save
                    </Button>
                </>
            }
        >
            <div class="form-row">
                {fields.map((one) => (
                    <Field
                        key={one.name}
                        field={one}
                        text={texts[one.name] ?? ""}
                        error={errors[one.name]}
                        onInput={(text) => setTexts({ ...texts, [one.name]: text })}
                    />
                ))}
            </div>
        </Dialog>
    );
}
