/* contract: docs/openapi.yaml for the tests of the command line, which are not written in JavaScript.
 *
 *     node contract.mjs describe     the description as JSON
 *     node contract.mjs check        requests from standard input, one JSON object a line: {"method","path","body"}, where
 *                                    path is a key of the description's paths; says what is wrong with them, a line each
 */

import { readFileSync } from "node:fs";
import * as api from "../openapi/description.mjs";

function complaints({ method, path, body }) {
    const operation = api.description.paths[path][method.toLowerCase()];
    if (body === null) {
        return operation.requestBody?.required ? [`${method} ${path}: it has no body`] : [];
    }
    const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
    if (operation.requestBody?.content?.[type] === undefined) {
        return [`${method} ${path}: no body of ${type} is known`];
    }
    const pointer = api.under("#/paths", path, method.toLowerCase(), "requestBody", "content", type, "schema");
    return api.complaints(pointer, body).map((line) => `${method} ${path}: ${line}`);
}

if (process.argv[2] === "describe") {
    process.stdout.write(JSON.stringify(api.description));
} else {
    const lines = readFileSync(0, "utf8").split("\n").filter((line) => line !== "");
    for (const line of lines) {
        complaints(JSON.parse(line)).forEach((complaint) => console.log(complaint));
    }
}
