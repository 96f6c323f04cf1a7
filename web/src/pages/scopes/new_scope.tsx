/* new_scope: settings for a name that is not in the list yet. */
import { useState } from "preact/hooks";
import { SettingsForm, type SettingField, type Settings } from "./settings_form";

interface Props {
    title: string;
    label: string;
    fields: SettingField[];
    save: (name: string, settings: Settings) => Promise<unknown>;
    onClose: () => void;
}

export function NewScope({ title, label, fields, save, onClose }: Props) {
    const [all] = useState<SettingField[]>(() => [{ name: "name", label, kind: "text", hint: "Letters, digits and . _ : -" }, ...fields]);
    const saveBoth = ({ name, ...settings }: Settings) => {
        if (typeof name !== "string") {
            throw new Error(`${label} is missing.`);
        }
        return save(name, settings);
    };
    return <SettingsForm title={title} fields={all} settings={{}} save={async (made) => saveBoth(made)} onClose={onClose} />;
}
