/* Every shape that src/wire writes fits its schema, and has no field that the schema does not know.
 *
 *     test_wire.mjs PROGRAM      PROGRAM writes the shapes: wire_samples.c
 */

import { execFileSync } from "node:child_process";
import { Tap } from "../oracle/tap.mjs";
import * as api from "./description.mjs";

const SHAPES_MIN = 150; // far fewer mean that the program lost its way

const tap = new Tap();
const schemas = api.description.components.schemas;
const lines = execFileSync(process.argv[2], { encoding: "utf8" }).trimEnd().split("\n");
const bySchema = new Map();

for (const line of lines) {
    const [schema, json] = line.split("\t");
    bySchema.set(schema, [...(bySchema.get(schema) ?? []), JSON.parse(json)]);
}

function unknownFields(schema, value) {
    const known = api.propertyNames(schemas[schema]);
    return known.length === 0 ? [] : Object.keys(value).filter((key) => !known.includes(key));
}

for (const [schema, values] of bySchema) {
    const wrong = values.flatMap((value) => [
        ...api.complaints(`#/components/schemas/${schema}`, value),
        ...unknownFields(schema, value).map((key) => `${schema} has no field ${key}`),
    ]);
    tap.ok(wrong.length === 0, `${values.length} of ${schema}`, wrong);
}
tap.ok(lines.length >= SHAPES_MIN, "all shapes were written", [`${lines.length} lines`]);

const gates = schemas.GateKind.enum;
const written = (bySchema.get("Why") ?? []).map((why) => why.gates[0].gate);
tap.ok(gates.every((gate) => written.includes(gate)), "every gate of the description is written");
const fates = (bySchema.get("FireFate") ?? []).map((fate) => fate.outcome);
tap.ok(schemas.FireFate.properties.outcome.enum.every((word) => fates.includes(word)), "every fate is written");
tap.done();
