/* table: rows in columns; on a phone each row is a card with the columns' names beside the values. */
import type { ComponentChildren } from "preact";

export interface Column<Row> {
    title: string;
    cell: (row: Row) => ComponentChildren;
    /** Numbers stand right. */
    isNumber?: boolean;
    /** Takes what the others leave, and is cut off where that is too little. */
    isWide?: boolean;
    /** Left out below this width: m 1024 px, l 1440 px. */
    from?: "m" | "l";
}

export interface Selection {
    chosen: Set<string>;
    change: (chosen: Set<string>) => void;
}

interface Props<Row> {
    label: string;
    columns: Column<Row>[];
    rows: Row[];
    keyOf: (row: Row) => string;
    selection?: Selection;
    /** A word about the row for its checkbox. */
    nameOf?: (row: Row) => string;
    toneOf?: (row: Row) => string | undefined;
}

function classOf<Row>(column: Column<Row>): string {
    const names = [column.isNumber ? "num" : "", column.isWide ? "wide" : "", column.from ? `from-${column.from}` : ""];
    return names.filter(Boolean).join(" ");
}

function AllBox<Row>({ rows, keyOf, selection }: { rows: Row[]; keyOf: (row: Row) => string; selection: Selection }) {
    const isAll = rows.length > 0 && rows.every((row) => selection.chosen.has(keyOf(row)));
    const change = () => selection.change(isAll ? new Set() : new Set(rows.map(keyOf)));
    return <input type="checkbox" aria-label="Select all rows of this page" checked={isAll} onChange={change} />;
}

function toggled(selection: Selection, key: string): Set<string> {
    const chosen = new Set(selection.chosen);
    if (!chosen.delete(key)) {
        chosen.add(key);
    }
    return chosen;
}

export function Table<Row>({ label, columns, rows, keyOf, selection, nameOf, toneOf }: Props<Row>) {
    return (
        <div class="table-frame" role="region" aria-label={label} tabIndex={0}>
            <table class="table">
                <thead>
                    <tr>
                        {selection && (
                            <th class="box">
                                <AllBox rows={rows} keyOf={keyOf} selection={selection} />
                            </th>
                        )}
                        {columns.map((column) => (
                            <th key={column.title} scope="col" class={classOf(column)}>
                                {column.title}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row) => {
                        const key = keyOf(row);
                        return (
                            <tr key={key} class={toneOf?.(row)}>
                                {selection && (
                                    <td class="box">
                                        <input
                                            type="checkbox"
                                            aria-label={`Select ${nameOf?.(row) ?? key}`}
                                            checked={selection.chosen.has(key)}
                                            onChange={() => selection.change(toggled(selection, key))}
                                        />
                                    </td>
                                )}
                                {columns.map((column) => (
                                    <td key={column.title} class={classOf(column)} data-title={column.title}>
                                        {column.cell(row)}
                                    </td>
                                ))}
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}
