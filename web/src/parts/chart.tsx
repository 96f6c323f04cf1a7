/* chart: figures over time, drawn by uPlot in the theme's colours.
 *
 *     <Chart label="Attempts by outcome" times={at} unit={count} series={[{ name: "succeeded", tone: "--ok", values }]} />
 *
 * Rules: (1) who cannot see it gets a sentence (label and the last values) and the same figures as a table, on request.
 *        (2) a gap in the figures is null, and drawn as one.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { instant } from "../format";
import { colourOf, themeChanges } from "../theme";

export interface Series {
    name: string;
    /** A custom property: --ok. */
    colour: string;
    values: (number | null)[];
    /** Filled down to the line below. */
    isFilled?: boolean;
    isDashed?: boolean;
}

interface Props {
    label: string;
    /** Milliseconds since 1970. */
    times: number[];
    series: Series[];
    unit: (value: number | null) => string;
    heightPx?: number;
    /** Series stand on each other's shoulders. */
    isStacked?: boolean;
    /** Columns instead of lines. */
    isBars?: boolean;
    /** Points without lines, for single events. */
    isPoints?: boolean;
    /** Figures are whole numbers: no half ones at the axis. */
    isWhole?: boolean;
}

const ROWS_MAX = 200;

function stacked(series: Series[]): (number | null)[][] {
    const sums: (number | null)[][] = [];
    series.forEach((one, i) => {
        sums.push(one.values.map((value, at) => (value === null ? null : value + (sums[i - 1]?.[at] ?? 0))));
    });
    return sums;
}

const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8];
const DAY_S = 86_400;
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const second = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/* 14:05, and the date where a day begins. */
function timeTicks(_: uPlot, ticks: number[], __: number, ___: number, stepS: number): string[] {
    return ticks.map((tick) => {
        const date = new Date(tick * 1000);
        const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
        return stepS >= DAY_S || isMidnight ? day.format(date) : (stepS < 60 ? second : hour).format(date);
    });
}

/* Figures whose neighbours are missing: no line shows them. */
function alone(plot: uPlot, series: number): number[] {
    const values = plot.data[series] ?? [];
    const isMissing = (i: number) => values[i] === null || values[i] === undefined;
    return [...values.keys()].filter((i) => !isMissing(i) && isMissing(i - 1) && isMissing(i + 1));
}

function axes({ unit, isWhole }: Props): uPlot.Axis[] {
    const common = {
        stroke: colourOf("--muted"),
        grid: { stroke: colourOf("--line"), width: 1 },
        ticks: { stroke: colourOf("--line"), width: 1, size: 4 },
        font: "11px system-ui, sans-serif",
    };
    return [
        { ...common, size: 30, space: 60, values: timeTicks },
        {
            ...common,
            size: 58,
            space: 32,
            values: (_, ticks) => ticks.map((one) => unit(one)),
            ...(isWhole ? { incrs: WHOLE_STEPS } : {}),
        },
    ];
}

function faded(colour: string, alpha: number): string {
    return colour.replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/, `rgba($1,$2,$3,${alpha})`);
}

function lineOf(one: Series, props: Props): uPlot.Series {
    const stroke = colourOf(one.colour);
    const line: uPlot.Series = { label: one.name, stroke, width: 1.5, spanGaps: false };
    line.points = props.isBars ? { show: false } : { show: true, size: 5, fill: stroke, filter: alone };
    if (props.isPoints) {
        line.points = { show: true, size: 6, fill: stroke };
        line.paths = () => null;
    }
    if (props.isBars || one.isFilled) {
        line.fill = props.isBars ? stroke : faded(stroke, 0.14);
    }
    if (one.isDashed) {
        line.dash = [4, 3];
    }
    if (props.isBars && uPlot.paths.bars) {
        line.paths = uPlot.paths.bars({ size: [0.8, 40], gap: 1 });
        line.width = 0;
    }
    return line;
}

/* Half a column more at both ends. */
function roomForBars(plot: uPlot, min: number, max: number): [number, number] {
    const half = (max - min) / Math.max(1, (plot.data[0]?.length ?? 0) - 1) / 2;
    return [min - half, max + half];
}

function optionsOf(props: Props, width: number, onCursor: (index: number | null) => void): uPlot.Options {
    return {
        width,
        height: props.heightPx ?? 180,
        series: [{}, ...props.series.map((one) => lineOf(one, props)).reverse()],
        axes: axes(props),
        scales: { x: { time: true, range: props.isBars ? roomForBars : undefined }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
        legend: { show: false },
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
        padding: [8, 18, 0, 0],
        hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
    };
}

/* The highest first, so that those below are drawn over it. */
function dataOf(props: Props): uPlot.AlignedData {
    const values = props.isStacked ? stacked(props.series) : props.series.map((one) => one.values);
    return [props.times.map((ms) => ms / 1000), ...values.reverse()];
}

function Legend({ props, at }: { props: Props; at: number | null }) {
    const index = at ?? props.times.length - 1;
    return (
        <div class="legend" aria-hidden="true">
            {props.series.map((one) => (
                <span key={one.name} class="legend-item">
                    <span class="legend-mark" style={{ background: `var(${one.colour})` }} />
                    {one.name} <b>{props.unit(one.values[index] ?? null)}</b>
                </span>
            ))}
        </div>
    );
}

function Figures({ props }: { props: Props }) {
    const first = Math.max(0, props.times.length - ROWS_MAX);
    return (
        <div class="chart-table" tabIndex={0} role="region" aria-label={`${props.label}, as a table`}>
            <table class="table table-small">
                <thead>
                    <tr>
                        <th scope="col">Time</th>
                        {props.series.map((one) => (
                            <th key={one.name} scope="col" class="num">
                                {one.name}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {props.times.slice(first).map((time, i) => (
                        <tr key={time}>
                            <td>{instant(time)}</td>
                            {props.series.map((one) => (
                                <td key={one.name} class="num">
                                    {props.unit(one.values[first + i] ?? null)}
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function sentenceOf(props: Props): string {
    const last = props.times.length - 1;
    const values = props.series.map((one) => `${one.name} ${props.unit(one.values[last] ?? null)}`);
    return `${props.label}. Last: ${values.join(", ")}.`;
}

export function Chart(props: Props) {
    const frame = useRef<HTMLDivElement>(null);
    const plot = useRef<uPlot | null>(null);
    const [cursor, setCursor] = useState<number | null>(null);
    const [isTable, setTable] = useState(false);
    const shape = JSON.stringify([props.series.map((one) => [one.name, one.colour]), props.heightPx, isTable]);
    const themed = themeChanges.value;

    useEffect(() => {
        const element = frame.current;
        if (!element) {
            return;
        }
        const made = new uPlot(optionsOf(props, element.clientWidth, setCursor), dataOf(props), element);
        plot.current = made;
        const watcher = new ResizeObserver(() => {
            made.setSize({ width: element.clientWidth, height: props.heightPx ?? 180 });
        });
        watcher.observe(element);
        return () => {
            watcher.disconnect();
            made.destroy();
            plot.current = null;
        };
    }, [shape, themed]);
    useEffect(() => plot.current?.setData(dataOf(props)), [props.times, props.series]);

    return (
        <figure class="chart">
            <div class="chart-head">
                <Legend props={props} at={cursor} />
                <span class="legend-time">{cursor === null ? "" : instant(props.times[cursor] ?? 0)}</span>
                <button type="button" class="chart-switch" onClick={() => setTable(!isTable)} aria-pressed={isTable}>
                    Table
                </button>
            </div>
            {isTable ? <Figures props={props} /> : <div ref={frame} role="img" aria-label={sentenceOf(props)} />}
        </figure>
    );
}
