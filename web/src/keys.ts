/* keys: shortcuts. A key alone, or g and then a letter; never while somebody types. */
import { signal } from "@preact/signals";
import { navigate } from "./router";
import { routes } from "./routes";
import { nextTheme } from "./theme";

export const isHelpOpen = signal(false);

let isGoing = false;

/** What is there, for the help. */
export function shortcuts(): [string, string][] {
    const pages = routes.flatMap((route): [string, string][] => (route.nav ? [[`g ${route.nav.key}`, route.title]] : []));
    return [["/", "Search"], ...pages, ["t", "Light, dark or as the system"], ["?", "This list"]];
}

function isTyping(target: EventTarget | null): boolean {
    return target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable);
}

function focusSearch() {
    const field = document.querySelector<HTMLInputElement>("[data-search]");
    if (field) {
        field.focus();
        field.select();
    } else {
        navigate("/jobs?focus=1");
    }
}

function onKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) {
        return;
    }
    const page = isGoing ? routes.find((route) => route.nav?.key === event.key) : undefined;
    isGoing = false;
    if (page) {
        navigate(page.path);
    } else if (event.key === "g") {
        isGoing = true;
    } else if (event.key === "/") {
        focusSearch();
    } else if (event.key === "?") {
        isHelpOpen.value = true;
    } else if (event.key === "t") {
        nextTheme();
    } else {
        return;
    }
    event.preventDefault();
}

export function startKeys() {
    document.addEventListener("keydown", onKey);
}
