/* controls: what can be done with a tenant, a pool or a type: pause, resume (with a ramp), settings. */
import { useState } from "preact/hooks";
import type { Ramp } from "../../../generated/schema";
import { post, put, type Query } from "../../api";
import { Button } from "../../parts/button";
import { Dialog, ask } from "../../parts/dialog";
import { TextField } from "../../parts/fields";
import { Status } from "../../parts/status";
import { At } from "../../parts/time";
import { toast } from "../../parts/toast";
import { may } from "../../session";
import { SettingsForm, type SettingField, type Settings } from "./settings_form";

interface Scope {
    settings: Settings;
    paused: boolean;
    ramp: Ramp | null;
}

interface Props {
    what: string; // "pool mail", for people
    path: string; // /v1/pools/mail
    query?: Query;
    scope: Scope;
    fields: SettingField[];
    onDone: () => void;
}

function ResumeDialog({ what, path, query, onDone, onClose }: { what: string; path: string; query?: Query; onDone: () => void; onClose: () => void }) {
    const [ramp, setRamp] = useState("");
    const resume = async () => {
        await post(`${path}/resume`, ramp.trim() === "" ? {} : { ramp: ramp.trim() }, { query });
        toast(`Resumed ${what}.`);
        onClose();
        onDone();
    };
    return (
        <Dialog
            title={`Resume ${what}`}
            onClose={onClose}
            actions={
                <>
                    <Button onClick={onClose}>Back</Button>
                    <Button kind="main" onClick={resume}>
                        Resume
                    </Button>
                </>
            }
        >
            <TextField
                label="Ramp"
                value={ramp}
                onInput={setRamp}
                placeholder="5m"
                hint="How long it takes until everything runs again; all at once where it is empty."
                autoFocus
            />
        </Dialog>
    );
}

/** Whether it is paused, or on its way back. */
export function ScopeStatus({ scope }: { scope: Scope }) {
    if (scope.paused) {
        return <Status status="paused" />;
    }
    return scope.ramp ? (
        <span class="nowrap">
            <Status status="half_open" word="ramping up" /> since <At at={scope.ramp.from} />
        </span>
    ) : (
        <Status status="active" />
    );
}

export function ScopeControls({ what, path, query, scope, fields, onDone }: Props) {
    const [open, setOpen] = useState<"" | "resume" | "settings">("");
    const close = () => setOpen("");
    const pause = async () => {
        if (await ask({ title: `Pause ${what}?`, detail: "What runs goes on; nothing new of it starts.", action: "Pause" })) {
            await post(`${path}/pause`, {}, { query });
            toast(`Paused ${what}.`);
            onDone();
        }
    };
    const save = async (settings: Settings) => {
        await put(path, settings, { query });
        onDone();
    };
    return (
        <div class="actions">
            {may("operate") &&
                (scope.paused ? (
                    <Button onClick={() => setOpen("resume")} label={`Resume ${what}`}>
                        Resume
                    </Button>
                ) : (
                    <Button onClick={pause} label={`Pause ${what}`}>
                        Pause
                    </Button>
                ))}
            {may("configure") && (
                <Button kind="quiet" onClick={() => setOpen("settings")} label={`Settings of ${what}`}>
                    Settings
                </Button>
            )}
            {open === "resume" && <ResumeDialog what={what} path={path} query={query} onDone={onDone} onClose={close} />}
            {open === "settings" && (
                <SettingsForm title={`Settings of ${what}`} fields={fields} settings={scope.settings} save={save} onClose={close} />
            )}
        </div>
    );
}
