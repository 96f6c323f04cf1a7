/* theme: light, dark, or as the system has it (auto). One attribute on <html>; style/base.css does the rest. */
import { signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";

const KEY = "belfry.theme";
const ORDER: Theme[] = ["auto", "light", "dark"];

function stored(): Theme {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "auto";
}

export const theme = signal<Theme>(stored());
/** Counts changes of the colours on show: what is drawn by hand is to be drawn again. */
export const themeChanges = signal(0);

function show() {
    document.documentElement.dataset.theme = theme.value;
    themeChanges.value += 1;
}

export function nextTheme() {
    theme.value = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length] ?? "auto";
    localStorage.setItem(KEY, theme.value);
    show();
}

export function startTheme() {
    show();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
}

/** The colour that a custom property means now: --ok. */
export function colourOf(name: string): string {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
}
