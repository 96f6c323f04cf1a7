/* router: the address bar as a signal, and pages by path.
 *
 * Rules: (1) plain links (<a href="/jobs">) are enough: clicks on them are taken here.
 *        (2) filters live in the query, so that a view can be sent to somebody.
 */
import { computed, signal } from "@preact/signals";
import { routes, type Route } from "./routes";

export interface Match {
    route: Route | null;
    params: Record<string, string>;
}

export const address = signal(new URL(location.href));
export const path = computed(() => address.value.pathname);

function follow() {
    address.value = new URL(location.href);
}

/** Goes to a path of the dashboard; replace leaves no trace in the history. */
export function navigate(to: string, how: { replace?: boolean } = {}) {
    if (how.replace) {
        history.replaceState(null, "", to);
    } else {
        history.pushState(null, "", to);
        scrollTo(0, 0);
    }
    follow();
}

/** The query's value of a name, "" where it has none. */
export function queryOf(name: string): string {
    return address.value.searchParams.get(name) ?? "";
}

/** Sets values of the query in place; "" takes one away. */
export function setQuery(values: Record<string, string>) {
    const url = new URL(address.value);
    for (const [name, value] of Object.entries(values)) {
        if (value === "") {
            url.searchParams.delete(name);
        } else {
            url.searchParams.set(name, value);
        }
    }
    navigate(url.pathname + url.search, { replace: true });
}

function fit(pattern: string, pieces: string[]): Record<string, string> | null {
    const wanted = pattern.split("/");
    const params: Record<string, string> = {};
    if (wanted.length !== pieces.length) {
        return null;
    }
    for (const [i, piece] of wanted.entries()) {
        const there = pieces[i] ?? "";
        if (piece.startsWith(":") && there !== "") {
            params[piece.slice(1)] = there;
        } else if (piece !== there) {
            return null;
        }
    }
    return params;
}

function decoded(piece: string): string {
    try {
        return decodeURIComponent(piece);
    } catch {
        return piece; // a lone percent sign: it will not be found, which is said
    }
}

export const match = computed<Match>(() => {
    const pieces = path.value.split("/").map(decoded);
    for (const route of routes) {
        const params = fit(route.path, pieces);
        if (params) {
            return { route, params };
        }
    }
    return { route: null, params: {} };
});

function onClick(event: MouseEvent) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) {
        return;
    }
    const to = new URL(link.href);
    if (to.origin === location.origin && !to.pathname.startsWith("/v1/") && !to.hash) {
        event.preventDefault();
        navigate(to.pathname + to.search);
    }
}

export function startRouter() {
    addEventListener("popstate", follow);
    document.addEventListener("click", onClick);
}

/** Whether there is a page at the path: links to pages that this build does not have are not offered. */
export function hasPage(to: string): boolean {
    const pieces = (to.split("?")[0] ?? "").split("/");
    return routes.some((route) => fit(route.path, pieces) !== null);
}
