/* page_frame: loads a page's code when it is first wanted, and shows it. */
import { type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./parts/button";
import { PageHead } from "./parts/panel";
import { Empty, Loading } from "./parts/states";
import { match } from "./router";
import type { PageProps, Route } from "./routes";

interface Code {
    route: Route;
    component: ComponentType<PageProps> | null; // null: it could not be loaded
}

let isFirst = true; // the browser has its own place to begin

/* After a link was followed, a screen reader goes on at the new page's heading. */
function focusHeading() {
    if (!isFirst) {
        document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    }
    isFirst = false;
}

function NoSuchPage() {
    return (
        <>
            <PageHead title="No such page" />
            <Empty title="There is nothing at this address.">
                <a href="/">To the overview</a>
            </Empty>
        </>
    );
}

/* A new version of the server has other files than the page that is open. */
function NotLoaded() {
    return (
        <Empty title="This page could not be loaded.">
            <p>The server may be away, or was upgraded meanwhile.</p>
            <Button kind="main" onClick={() => location.reload()}>
                Load again
            </Button>
        </Empty>
    );
}

export function PageFrame() {
    const { route, params } = match.value;
    const [code, setCode] = useState<Code | null>(null);
    useEffect(() => {
        let isWanted = true;
        route?.load().then(
            (module) => isWanted && setCode({ route, component: module.default }),
            () => isWanted && setCode({ route, component: null }),
        );
        document.title = `${route?.title ?? "No such page"} · Belfry`;
        return () => {
            isWanted = false;
        };
    }, [route]);
    const key = JSON.stringify([route?.path, params]);
    const isThere = code !== null && code.route === route;
    useEffect(() => {
        if (isThere) {
            focusHeading();
        }
    }, [key, isThere]);

    if (!route) {
        return <NoSuchPage />;
    }
    if (!isThere) {
        return <Loading />;
    }
    const Component = code.component;
    return Component ? <Component key={key} params={params} /> : <NotLoaded />;
}
