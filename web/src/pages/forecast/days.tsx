/* days: the coming days, played through: in sentences first, then in tables. */
import { useState } from "preact/hooks";
import type { Forecast } from "../../../generated/schema";
import { count, plural } from "../../format";
import { useEvery, useLoad } from "../../load";
import { Facts, Panel, Tabs } from "../../parts/panel";
import { Show } from "../../parts/states";
import { At } from "../../parts/time";
import { queryOf, setQuery } from "../../router";
import { Clocks } from "./clocks";
import { Herds } from "./herds";
import { Overlaps } from "./overlaps";
import { Pools } from "./pools";
import { readForecast } from "./read";

/* The server keeps one for as long. */
const REFRESH_MS = 60_000;

const DAYS: [key: string, title: string][] = [
    ["1", "1 day"],
    ["7", "7 days"],
    ["", "30 days"],
    ["90", "90 days"],
];

const BUSY = "The server is busy, perhaps with another forecast: asking again by itself";

function durationsOf({ durations }: Forecast): string {
    const parts: [number, string][] = [
        [durations.measured, "by their own runs"],
        [durations.by_type, "by their type's"],
        [durations.unknown, "not known yet"],
    ];
    const said = parts.filter(([jobs]) => jobs > 0).map(([jobs, how]) => `${count(jobs)} ${how}`);
    return said.join(", ");
}

function steadyOf({ steady }: Forecast): string {
    return steady.jobs > 0 ? `${plural(steady.jobs, "job")}, ${count(steady.fires_per_minute)} fires a minute` : "";
}

function Summary({ forecast }: { forecast: Forecast }) {
    return (
        <Panel title="In short" note={<>as of <At at={forecast.at} /></>}>
            <ul class="forecast-sentences">
                {forecast.sentences.map((text, i) => (
                    <li key={i}>{text}</li>
                ))}
            </ul>
            <Facts
                facts={[
                    ["Played", `${plural(forecast.fires, "fire")} of ${plural(forecast.jobs, "job")}`],
                    ["Up to", <At key="until" at={forecast.until} />],
                    ["How long jobs run", durationsOf(forecast)],
                    ["Steady stream beside these", steadyOf(forecast)],
                ]}
            />
        </Panel>
    );
}

function Sample({ forecast }: { forecast: Forecast }) {
    return forecast.complete ? null : (
        <p class="notice notice-warn">
            This is a sample: there is more to come than was played through. Nothing is missing up to <At at={forecast.complete_until} />.
        </p>
    );
}

export function Days() {
    const asked = queryOf("days");
    const key = DAYS.some(([one]) => one === asked) ? asked : "";
    const [isBusy, setBusy] = useState(false);
    const forecast = useLoad((signal) => readForecast(Number(key || 30), signal, setBusy), [key]);
    useEvery(REFRESH_MS, forecast.reload);
    return (
        <div class="stack">
            <div>
                <Tabs label="How many days ahead" tabs={DAYS} chosen={key} onChoose={(days) => setQuery({ days })} />
            </div>
            <Show from={forecast} what={isBusy ? BUSY : "Playing the coming days through"}>
                {(data) => (
                    <>
                        <Sample forecast={data} />
                        <Summary forecast={data} />
                        <Herds forecast={data} />
                        <Overlaps forecast={data} />
                        <Clocks forecast={data} />
                        <Pools forecast={data} />
                    </>
                )}
            </Show>
        </div>
    );
}
