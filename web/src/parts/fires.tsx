/* fires: fire times in their own time zone, each with what is unusual about it. */
import type { Fire } from "../../generated/schema";
import { sentence } from "../api";
import { Status } from "./status";
import { Ago } from "./time";

function FireRow({ fire }: { fire: Fire }) {
    return (
        <li>
            <span>
                {fire.weekday.slice(0, 3)} {fire.local.replace("T", " ")} <span class="muted">{fire.abbr}</span>
            </span>
            <span class="muted">
                <Ago at={fire.utc} />
            </span>
            {fire.note && (
                <span class="fire-note">
                    <Status status="warning" word={sentence(fire.note)} />
                </span>
            )}
        </li>
    );
}

export function Fires({ fires }: { fires: Fire[] }) {
    return (
        <ol class="fires">
            {fires.map((fire) => (
                <FireRow key={fire.utc} fire={fire} />
            ))}
        </ol>
    );
}
