/* filters: a row of fields that narrow a list. They stand in the query (router.ts), a moment after the last key. */
import { useEffect, useRef, useState } from "preact/hooks";
import { queryOf, setQuery } from "../router";

const SETTLE_MS = 250;

export interface Filter {
    name: string;
    label: string;
    /** A choice among words; without it, free text. */
    options?: [value: string, label: string][];
    placeholder?: string;
    /** The one that / goes to. */
    isSearch?: boolean;
}

function TextFilter({ filter }: { filter: Filter }) {
    const there = queryOf(filter.name);
    const [text, setText] = useState(there);
    const timer = useRef(0);
    const input = useRef<HTMLInputElement>(null);
    useEffect(() => setText(there), [there]);
    useEffect(() => () => clearTimeout(timer.current), []);
    useEffect(() => {
        if (filter.isSearch && queryOf("focus")) {
            setQuery({ focus: "" });
            input.current?.focus();
        }
    }, []);
    const type = (value: string) => {
        setText(value);
        clearTimeout(timer.current);
        timer.current = window.setTimeout(() => setQuery({ [filter.name]: value.trim() }), SETTLE_MS);
    };
    return (
        <input
            ref={input}
            type="search"
            value={text}
            aria-label={filter.label}
            placeholder={filter.placeholder ?? filter.label}
            data-search={filter.isSearch ? "" : undefined}
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => type(event.currentTarget.value)}
        />
    );
}

function ChoiceFilter({ filter }: { filter: Filter }) {
    return (
        <select
            value={queryOf(filter.name)}
            aria-label={filter.label}
            onChange={(event) => setQuery({ [filter.name]: event.currentTarget.value })}
        >
            <option value="">{filter.label}: any</option>
            {filter.options?.map(([value, label]) => (
                <option key={value} value={value}>
                    {label}
                </option>
            ))}
        </select>
    );
}

/** The values of the filters as they stand, for a call. */
export function filterValues(filters: Filter[]): Record<string, string> {
    return Object.fromEntries(filters.map((one) => [one.name, queryOf(one.name)]).filter(([, value]) => value !== ""));
}

export function Filters({ filters }: { filters: Filter[] }) {
    const isSet = filters.some((one) => queryOf(one.name) !== "");
    return (
        <div class="filters" role="search">
            {filters.map((one) =>
                one.options ? <ChoiceFilter key={one.name} filter={one} /> : <TextFilter key={one.name} filter={one} />,
            )}
            {isSet && (
                <button
                    type="button"
                    class="button button-quiet"
                    onClick={() => setQuery(Object.fromEntries(filters.map((one) => [one.name, ""])))}
                >
                    Clear
                </button>
            )}
        </div>
    );
}
