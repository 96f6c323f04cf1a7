/* How the dashboard is bundled; `npx vite` here serves it while it is worked on, beside a server on its usual port. */
import { defineConfig } from "vite";

const SERVER = process.env.BELFRY_URL ?? "http://127.0.0.1:7600";

export default defineConfig({
    build: {
        outDir: "dist/site",
        emptyOutDir: true,
        target: "es2020",
        assetsInlineLimit: 0, // data: addresses are not allowed by the policy
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
    },
    esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
    server: { proxy: { "/v1": SERVER, "/version": SERVER } },
});
