/* strict: the schemas of docs/openapi.yaml with every object closed, so that a field that nobody has written down is
 * found.
 *
 * Readers ignore fields that they do not know, so the file itself leaves answers open. Here each place that holds a
 * value (a body, a property, an item) refuses what none of the parts of its schema knows. A schema that says nothing of
 * properties holds anybody's JSON and stays as it is.
 */

import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { description, resolved } from "../description.mjs";

const PARTS = ["allOf", "anyOf", "oneOf"];
const PLACES = ["items", "additionalProperties", "contentSchema"];

function hasProperties(schema) {
    const whole = resolved(schema);
    return whole.properties !== undefined || PARTS.some((word) => (whole[word] ?? []).some(hasProperties));
}

/** The schema of a place that holds a value. */
function closed(schema) {
    if (schema === null || typeof schema !== "object") {
        return schema;
    }
    return hasProperties(schema) ? { ...within(schema), unevaluatedProperties: false } : within(schema);
}

/** The schema as a part of others: only the places within it are closed. */
function within(schema) {
    const copy = { ...schema };
    for (const word of PARTS.filter((name) => schema[name] !== undefined)) {
        copy[word] = schema[word].map(within);
    }
    for (const word of PLACES.filter((name) => schema[name] !== undefined)) {
        copy[word] = closed(schema[word]);
    }
    if (schema.properties !== undefined) {
        copy.properties = mapped(schema.properties, closed);
    }
    return copy;
}

function mapped(object, change) {
    return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: "belfry", components: { schemas: mapped(description.components.schemas, within) } });
const compiled = new Map();

function refsTo(schema) {
    return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"belfry#/components/'));
}

/** What is wrong with a value by a schema of the file, one line each. */
export function complaints(schema, value) {
    if (!compiled.has(schema)) {
        compiled.set(schema, ajv.compile(refsTo(closed(schema))));
    }
    const validate = compiled.get(schema);
    if (validate(value)) {
        return [];
    }
    return validate.errors.map(({ instancePath, message, params }) => {
        const field = params.unevaluatedProperty ?? params.additionalProperty ?? "";
        return `${instancePath || "the body"} ${message} ${field}`.trimEnd();
    });
}
