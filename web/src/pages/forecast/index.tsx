/* forecast: what is to come: the coming days played through, or the next hours step by step. */
import { PageHead, Tabs } from "../../parts/panel";
import { queryOf, setQuery } from "../../router";
import { Days } from "./days";
import { Hours } from "./hours";

const VIEWS: [key: string, title: string][] = [
    ["", "Coming days"],
    ["hours", "Next hours"],
];

export default function Forecast() {
    const view = queryOf("view") === "hours" ? "hours" : "";
    return (
        <>
            <PageHead title="Forecast">
                <Tabs label="View" tabs={VIEWS} chosen={view} onChoose={(key) => setQuery({ view: key })} />
            </PageHead>
            {view === "hours" ? <Hours /> : <Days />}
        </>
    );
}
