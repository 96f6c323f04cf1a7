/* drawing: the graph as a picture whose nodes are links. */
import { useMemo } from "preact/hooks";
import type { Graph, GraphEdge } from "../../../generated/schema";
import { jobPath } from "../../parts/links";
import { Shape, toneOf, wordOf } from "../../parts/status";
import { NODE_HEIGHT, NODE_WIDTH, layOut, type Drawn, type Placed } from "./layout";

const NAME_MAX = 22; // characters that a box has room for

const EDGE_TONES: Record<GraphEdge["state"], string> = { open: "off", met: "ok", impossible: "bad" };

function cut(name: string): string {
    const letters = [...name];
    return letters.length > NAME_MAX ? `${letters.slice(0, NAME_MAX - 1).join("")}…` : name;
}

function Node({ placed, isHere }: { placed: Placed; isHere: boolean }) {
    const { node, x, y } = placed;
    const words = `${wordOf(node.state)}${node.status === "active" ? "" : `, ${node.status}`}`;
    return (
        <a href={jobPath(node.job)}>
            <g transform={`translate(${x},${y})`} class={`node tone-${toneOf(node.state)} ${isHere ? "node-here" : ""}`}>
                {cut(node.name) !== node.name && <title>{node.name}</title>}
                <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
                <svg x="10" y="9" width="12" height="12">
                    <Shape status={node.state} />
                </svg>
                <text class="node-name" x="30" y="20">
                    {cut(node.name)}
                </text>
                <text class="node-state" x="30" y="37">
                    {words}
                </text>
            </g>
        </a>
    );
}

function Edge({ drawn }: { drawn: Drawn }) {
    const { edge } = drawn;
    return (
        <g class={`edge tone-${EDGE_TONES[edge.state]} ${edge.state === "open" ? "edge-open" : ""}`}>
            <path d={drawn.path} marker-end={`url(#arrow-${EDGE_TONES[edge.state]})`} />
            {edge.on !== "success" && (
                <text x={drawn.labelX} y={drawn.labelY - 5} text-anchor="middle">
                    {edge.on}
                </text>
            )}
        </g>
    );
}

function Arrow({ tone }: { tone: string }) {
    return (
        <marker id={`arrow-${tone}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path class={`tone-${tone}`} d="M0,0 L8,4 L0,8z" fill="currentColor" />
        </marker>
    );
}

export function Drawing({ graph }: { graph: Graph }) {
    const shape = JSON.stringify([graph.nodes.map((one) => one.job), graph.edges.map((one) => [one.upstream, one.downstream])]);
    const still = useMemo(() => layOut(graph), [shape]); // states change often, places seldom
    const nodes = new Map(graph.nodes.map((one) => [one.job, one]));
    const edges = new Map(graph.edges.map((one) => [`${one.upstream} ${one.downstream}`, one]));
    return (
        <div class="graph-frame" role="region" aria-label="Graph" tabIndex={0}>
            <svg class="graph" width={still.width} height={still.height} role="group" aria-label={`${graph.nodes.length} jobs and what they wait for`}>
                <defs>
                    {Object.values(EDGE_TONES).map((tone) => (
                        <Arrow key={tone} tone={tone} />
                    ))}
                </defs>
                {still.edges.map((one) => {
                    const key = `${one.edge.upstream} ${one.edge.downstream}`;
                    return <Edge key={key} drawn={{ ...one, edge: edges.get(key) ?? one.edge }} />;
                })}
                {still.nodes.map((one) => (
                    <Node key={one.node.job} placed={{ ...one, node: nodes.get(one.node.job) ?? one.node }} isHere={one.node.job === graph.job} />
                ))}
            </svg>
        </div>
    );
}
