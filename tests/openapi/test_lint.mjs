/* The description is OpenAPI, whole, and written for people: Redocly's rules, those that fit, and the house's own. */

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { parse } from "yaml";
import { Tap } from "../oracle/tap.mjs";
import * as api from "./description.mjs";

const COLUMNS_MAX = 120;

const tap = new Tap();

async function lint() {
    const config = await createConfig({
        extends: ["recommended-strict"],
        rules: {
            "no-invalid-media-type-examples": "error",
            "no-invalid-schema-examples": "error",
            "no-invalid-parameter-examples": "error",
            "no-unused-components": "error",
            "no-http-verbs-in-paths": { severity: "error", splitIntoWords: true },
            "operation-tag-defined": "error",
            "tag-description": "error",
            "operation-description": "error",
            "operation-operationId": "error",
            "parameter-description": "error",
            "path-http-verbs-order": "error",
            "path-excludes-patterns": { severity: "error", patterns: ["//", "/$"] },
        },
    });
    const problems = await lintFromString({
        source: api.text,
        absoluteRef: new URL(api.FILE).pathname,
        config,
    });
    return problems.map((problem) => {
        const place = problem.location[0]?.pointer ?? "";
        return `${problem.severity} ${problem.ruleId} ${place}: ${problem.message}`;
    });
}

function longLines() {
    return api.text
        .split("\n")
        .map((line, index) => ({ line, number: index + 1 }))
        .filter(({ line }) => [...line].length > COLUMNS_MAX)
        .map(({ number }) => `line ${number}`);
}

/** The schemas of request bodies, and all they refer to. */
function requestSchemas() {
    const found = new Map();
    const visit = (schema, pointer) => {
        for (const inner of api.schemasIn(schema, pointer)) {
            found.set(inner.pointer, inner.schema);
            const ref = inner.schema.$ref;
            if (ref !== undefined && !found.has(ref)) {
                visit(api.named(ref), ref);
            }
        }
    };
    for (const { operation, pointer } of api.operations()) {
        for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
            visit(media.schema, api.under(pointer, "requestBody", "content", type, "schema"));
        }
    }
    return found;
}

/** Whether the schema is a part of another, which closes the whole. */
function isPart(pointer, schema) {
    return pointer.includes("/allOf/") || schema === api.description.components.schemas.JobFields;
}

function openBodies() {
    const open = [];
    for (const [pointer, schema] of requestSchemas()) {
        const isObject = schema.properties !== undefined || schema.allOf !== undefined;
        const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
        const isWork = /^#\/components\/schemas\/Work/.test(pointer);
        if (isObject && !isClosed && !isPart(pointer, schema) && !isWork) {
            open.push(`${pointer} takes fields that it does not know`);
        }
        if (isWork && isClosed) {
            open.push(`${pointer} refuses fields of newer workers`);
        }
    }
    return open;
}

function isExplained(schema, key) {
    return schema[key] !== undefined || (schema.$ref !== undefined && isExplained(api.named(schema.$ref), key));
}

function unexplained() {
    const lacking = [];
    for (const { schema, pointer } of api.schemas()) {
        for (const [name, property] of Object.entries(schema.properties ?? {})) {
            const place = api.under(pointer, "properties", name);
            const whole = api.resolved(property);
            const isObject = whole.properties !== undefined || whole.allOf !== undefined || whole.oneOf !== undefined;

            if (!isExplained(property, "description")) {
                lacking.push(`${place} has no description`);
            }
            if (!isObject && !isExplained(property, "examples")) {
                lacking.push(`${place} has no example`);
            }
        }
    }
    return lacking;
}

/** Which operations do not say what they answer to which mistake. */
function silent() {
    const lacking = [];
    for (const { method, path, operation } of api.operations()) {
        const statuses = Object.keys(operation.responses);
        const needs = [["default", true]];

        needs.push(["401", operation.security === undefined]);
        needs.push(["400", path.includes("{") || operation.requestBody !== undefined]);
        needs.push(["413", operation.requestBody !== undefined]);
        needs.push(["415", operation.requestBody !== undefined]);
        for (const [status] of needs.filter(([name, isNeeded]) => isNeeded && !statuses.includes(name))) {
            lacking.push(`${method} ${path} does not say what ${status} is`);
        }
    }
    return lacking;
}

const problems = await lint();
tap.ok(problems.length === 0, "the linter finds nothing to say", problems);
tap.ok(longLines().length === 0, `no line is longer than ${COLUMNS_MAX} characters`, longLines());
tap.ok(
    JSON.stringify(parse(api.text, { version: "1.1" })) === JSON.stringify(api.description),
    "readers of YAML 1.1 and of YAML 1.2 see the same",
);
tap.ok(openBodies().length === 0, "requests refuse unknown fields, and the work exchange does not", openBodies());
tap.ok(unexplained().length === 0, "every field has a description and an example", unexplained());
tap.ok(silent().length === 0, "every operation says how it fails", silent());
tap.done();
