/* description: docs/openapi.yaml, read and walked. What the tests of this folder share.
 *
 * A place in it is named by its JSON pointer, which is what people look for and what $ref says.
 */

import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

export const ROOT = new URL("../../", import.meta.url);
export const FILE = new URL("docs/openapi.yaml", ROOT);
export const text = readFileSync(FILE, "utf8");
export const description = parse(text);

const METHODS = ["get", "put", "post", "patch", "delete"];
// Words that hold schemas in a schema: one, a list, or by name.
const ONE = ["items", "additionalProperties", "unevaluatedProperties", "propertyNames", "contentSchema", "not"];
const LISTS = ["allOf", "anyOf", "oneOf"];

export function source(path) {
    return readFileSync(new URL(path, ROOT), "utf8");
}

function escaped(key) {
    return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function under(pointer, ...keys) {
    return [pointer, ...keys.map((key) => escaped(String(key)))].join("/");
}

/** What a $ref of this file names. */
export function named(ref) {
    return ref
        .slice("#/".length)
        .split("/")
        .reduce((node, key) => node[key.replaceAll("~1", "/").replaceAll("~0", "~")], description);
}

/** The node itself, or what its $ref names. */
export function resolved(node) {
    return node?.$ref === undefined ? node : resolved(named(node.$ref));
}

/** Every operation: its method, path, pointer and node. */
export function* operations() {
    for (const [path, item] of Object.entries(description.paths)) {
        for (const method of METHODS.filter((name) => item[name] !== undefined)) {
            yield { method, path, pointer: under("#/paths", path, method), operation: item[method] };
        }
    }
}

/** Every node of the file that is an object, with its pointer; what examples and defaults hold is left out. */
export function* nodes(node = description, pointer = "#") {
    if (node === null || typeof node !== "object") {
        return;
    }
    yield { node, pointer };
    for (const [key, inner] of Object.entries(node)) {
        const isProperty = pointer.endsWith("/properties");
        if (isProperty || !["example", "examples", "default", "enum", "const"].includes(key)) {
            yield* nodes(inner, under(pointer, key));
        }
    }
}

/** A schema and every schema in it, each with its pointer; does not follow references. */
export function* schemasIn(schema, pointer) {
    if (schema === null || typeof schema !== "object") {
        return;
    }
    yield { schema, pointer };
    for (const key of ONE) {
        yield* schemasIn(schema[key], under(pointer, key));
    }
    for (const key of LISTS) {
        for (const [index, inner] of (schema[key] ?? []).entries()) {
            yield* schemasIn(inner, under(pointer, key, index));
        }
    }
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
        yield* schemasIn(inner, under(pointer, "properties", name));
    }
}

/** Every schema of the file, named ones and those that stand where they are used. */
export function* schemas() {
    for (const [name, schema] of Object.entries(description.components.schemas)) {
        yield* schemasIn(schema, under("#/components/schemas", name));
    }
    for (const { node, pointer } of nodes()) {
        if (node.schema !== undefined && !pointer.startsWith("#/components/schemas")) {
            yield* schemasIn(node.schema, under(pointer, "schema"));
        }
    }
}

/** The names of all properties of an object's schema, with those of its parts. */
export function propertyNames(schema) {
    const whole = resolved(schema);
    const inner = (whole.allOf ?? []).flatMap(propertyNames);
    return [...inner, ...Object.keys(whole.properties ?? {})];
}

const ajv = new Ajv2020({
    strict: true,
    strictRequired: false, // a form that is required by oneOf stands beside its properties
    strictTypes: false, // a reference may have a default beside it, and a part of allOf has its type elsewhere
    allowUnionTypes: true,
    allErrors: true,
});
addFormats(ajv);
ajv.addVocabulary(["discriminator", ...Object.keys(description)]);
ajv.addSchema(description, "belfry", undefined, false);
const compiled = new Map();

/** What is wrong with a value by the schema at a pointer, one line each; throws where the schema is no schema. */
export function complaints(pointer, value) {
    if (!compiled.has(pointer)) {
        compiled.set(pointer, ajv.compile({ $ref: `belfry${encodeURI(pointer)}` }));
    }
    const validate = compiled.get(pointer);
    if (validate(value)) {
        return [];
    }
    return validate.errors.map((error) => `${pointer}: ${error.instancePath} ${error.message}`);
}
