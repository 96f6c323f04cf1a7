/* new_scope: settings for a name that somebody types. It may have settings already, which are replaced whole: so the name
 * is asked for first, and the form begins with what is set.
 */
import { useState } from "preact/hooks";
import { Problem, get, messageOf } from "../../api";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { TextField } from "../../parts/fields";
import { SettingsForm, type SettingField, type Settings } from "./settings_form";

interface Props {
    title: string;
    label: string;
    fields: SettingField[];
    pathOf: (name: string) => string; // where its settings are read: /v1/tenants/acme
    save: (name: string, settings: Settings) => Promise<unknown>;
    onClose: () => void;
}

interface Found {
    name: string;
    settings: Settings;
}

function NameDialog({ title, label, pathOf, onFound, onClose }: Omit<Props, "fields" | "save"> & { onFound: (found: Found) => void }) {
    const [name, setName] = useState("");
    const [error, setError] = useState("");
    const go = async () => {
        const wanted = name.trim();
        if (wanted === "") {
            setError(`${label} is missing.`);
            return;
        }
        try {
            const { settings } = await get<{ settings: Settings }>(pathOf(wanted));
            onFound({ name: wanted, settings });
        } catch (problem) {
            if (!(problem instanceof Problem) || problem.status !== 400) {
                throw problem;
            }
            setError(messageOf(problem));
        }
    };
    return (
        <Dialog
            title={title}
            onClose={onClose}
            actions={
                <>
                    <Button onClick={onClose}>Back</Button>
                    <Button kind="main" onClick={go}>
                        Go on
                    </Button>
                </>
            }
        >
            <TextField label={label} value={name} onInput={setName} error={error} hint="Letters, digits and . _ : -" isMono autoFocus />
        </Dialog>
    );
}

export function NewScope({ title, label, fields, pathOf, save, onClose }: Props) {
    const [found, setFound] = useState<Found | null>(null);
    if (!found) {
        return <NameDialog title={title} label={label} pathOf={pathOf} onFound={setFound} onClose={onClose} />;
    }
    return (
        <SettingsForm
            title={`Settings of ${label.toLowerCase()} ${found.name}`}
            fields={fields}
            settings={found.settings}
            save={(settings) => save(found.name, settings)}
            onClose={onClose}
        />
    );
}
