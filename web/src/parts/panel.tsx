/* panel: the pieces a page is made of: its head, panels with titles, tiles, facts, code, tabs. */
import type { ComponentChildren } from "preact";
import { Copy } from "./button";

export function PageHead({ title, above, children }: { title: ComponentChildren; above?: ComponentChildren; children?: ComponentChildren }) {
    return (
        <header class="page-head">
            <div>
                {above && <p class="page-above">{above}</p>}
                <h1 tabIndex={-1}>{title}</h1>
            </div>
            {children && <div class="page-actions">{children}</div>}
        </header>
    );
}

interface PanelProps {
    title: string;
    note?: ComponentChildren;
    actions?: ComponentChildren;
    children: ComponentChildren;
    class?: string;
}

export function Panel({ title, note, actions, children, class: name }: PanelProps) {
    return (
        <section class={`panel ${name ?? ""}`} aria-label={title}>
            <header class="panel-head">
                <h2>{title}</h2>
                {note && <span class="muted">{note}</span>}
                {actions && <div class="panel-actions">{actions}</div>}
            </header>
            {children}
        </section>
    );
}

interface TileProps {
    label: string;
    value: ComponentChildren;
    note?: ComponentChildren;
    tone?: "ok" | "warn" | "bad";
    href?: string;
}

/** One figure. With a tone it also says so in words (note). */
export function Tile({ label, value, note, tone, href }: TileProps) {
    const inside = (
        <>
            <span class="tile-label">{label}</span>
            <span class="tile-value">{value}</span>
            <span class="tile-note">{note ?? " "}</span>
        </>
    );
    const name = `tile ${tone ? `tile-${tone}` : ""}`;
    return href ? (
        <a class={name} href={href}>
            {inside}
        </a>
    ) : (
        <div class={name}>{inside}</div>
    );
}

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { facts: [name: string, value: ComponentChildren][] }) {
    return (
        <dl class="facts">
            {facts
                .filter(([, value]) => value !== undefined && value !== null && value !== "")
                .map(([name, value]) => (
                    <div key={name}>
                        <dt>{name}</dt>
                        <dd>{value}</dd>
                    </div>
                ))}
        </dl>
    );
}

export function Code({ text, label, hasCopy = true }: { text: string; label: string; hasCopy?: boolean }) {
    return (
        <div class="code">
            {hasCopy && <Copy text={text} />}
            <pre tabIndex={0} aria-label={label}>
                {text}
            </pre>
        </div>
    );
}

interface TabsProps {
    label: string;
    tabs: [key: string, title: string][];
    chosen: string;
    onChoose: (key: string) => void;
}

export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
    return (
        <div class="tabs" role="group" aria-label={label}>
            {tabs.map(([key, title]) => (
                <button key={key} type="button" class="tab" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
                    {title}
                </button>
            ))}
        </div>
    );
}

/** A share of something as a bar; the number stands beside it. */
export function Bar({ share, label, tone = "busy" }: { share: number; label: string; tone?: string }) {
    return (
        <span class="bar" role="img" aria-label={label}>
            <span class={`bar-fill tone-bg-${tone}`} style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }} />
        </span>
    );
}
