/* layout: where the nodes of a graph stand and how its edges go, by dagre. Pure. */
import dagre from "@dagrejs/dagre";
import type { Graph, GraphEdge, GraphNode } from "../../../generated/schema";

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 46;

export interface Placed {
    node: GraphNode;
    x: number; // of its left upper corner
    y: number;
}

export interface Drawn {
    edge: GraphEdge;
    path: string;
    labelX: number;
    labelY: number;
}

export interface Layout {
    width: number;
    height: number;
    nodes: Placed[];
    edges: Drawn[];
}

type Point = { x: number; y: number };

/* A line through the points with round corners. */
function pathOf(points: Point[]): string {
    const [first, ...rest] = points;
    if (!first) {
        return "";
    }
    const last = rest.pop() ?? first;
    const bends = rest.map((point, i) => {
        const next = rest[i + 1] ?? last;
        return `Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}`;
    });
    return `M${first.x},${first.y} ${bends.join(" ")} L${last.x},${last.y}`;
}

export function layOut(graph: Graph): Layout {
    const sheet = new dagre.graphlib.Graph();
    sheet.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 60, marginx: 8, marginy: 8 });
    sheet.setDefaultEdgeLabel(() => ({}));
    for (const node of graph.nodes) {
        sheet.setNode(node.job, { width: NODE_WIDTH, height: NODE_HEIGHT });
    }
    for (const edge of graph.edges) {
        sheet.setEdge(edge.upstream, edge.downstream);
    }
    dagre.layout(sheet);
    const size = sheet.graph();
    return {
        width: size.width ?? 0,
        height: size.height ?? 0,
        nodes: graph.nodes.map((node) => {
            const { x, y } = sheet.node(node.job);
            return { node, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
        }),
        edges: graph.edges.map((edge) => {
            const points = sheet.edge(edge.upstream, edge.downstream).points as Point[];
            const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
            return { edge, path: pathOf(points), labelX: middle.x, labelY: middle.y };
        }),
    };
}
