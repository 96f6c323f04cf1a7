/* routes: every page, one line each. The first whose path fits wins; :name takes one piece of the path.
 *
 * nav: the word in the navigation and its group (0 work, 1 who does it, 2 how it goes); key: g and this letter go there.
 */
import type { ComponentType } from "preact";

export interface PageProps {
    params: Record<string, string>;
}

export interface Route {
    path: string;
    title: string;
    load: () => Promise<{ default: ComponentType<PageProps> }>;
    /** Which entry of the navigation it belongs to, where that is not its own. */
    under?: string;
    nav?: { group: 0 | 1 | 2; key: string };
}

export const routes: Route[] = [
    { path: "/", title: "Overview", nav: { group: 0, key: "o" }, load: () => import("./pages/overview/index") },
    { path: "/jobs", title: "Jobs", nav: { group: 0, key: "j" }, load: () => import("./pages/jobs") },
    { path: "/jobs/:id", title: "Job", load: () => import("./pages/job/index") },
    { path: "/jobs/:id/graph", title: "Graph", under: "/jobs", load: () => import("./pages/graph") },
    { path: "/triggers/:id", title: "Trigger", under: "/jobs", load: () => import("./pages/trigger") },
    { path: "/new", title: "New job", under: "/jobs", load: () => import("./pages/new_job") },
    { path: "/dead", title: "Dead letters", nav: { group: 0, key: "d" }, load: () => import("./pages/dead") },
    { path: "/workers", title: "Workers", nav: { group: 1, key: "w" }, load: () => import("./pages/workers") },
    { path: "/pools", title: "Pools", nav: { group: 1, key: "p" }, load: () => import("./pages/pools") },
    { path: "/tenants", title: "Tenants", nav: { group: 1, key: "t" }, load: () => import("./pages/tenants") },
    { path: "/types", title: "Types", nav: { group: 1, key: "y" }, load: () => import("./pages/types") },
    { path: "/forecast", title: "Forecast", nav: { group: 2, key: "f" }, load: () => import("./pages/forecast") },
    { path: "/servers", title: "Servers", nav: { group: 2, key: "s" }, load: () => import("./pages/servers") },
    { path: "/doctor", title: "Doctor", nav: { group: 2, key: "c" }, load: () => import("./pages/doctor") },
];
