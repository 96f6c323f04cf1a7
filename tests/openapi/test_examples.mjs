/* Every example and default of the description fits its schema, and the schemas refuse what they should. */

import { Tap } from "../oracle/tap.mjs";
import * as api from "./description.mjs";
import { refused, taken } from "./samples.mjs";

const EXAMPLES_MIN = 400; // far fewer mean that the walk lost its way

const tap = new Tap();

/** The examples of a media type, a parameter or a header: what stands beside a schema. */
function* besideSchemas() {
    for (const { node, pointer } of api.nodes()) {
        if (node.schema === undefined || pointer.startsWith("#/components/schemas")) {
            continue;
        }
        const schema = api.under(pointer, "schema");
        if (node.example !== undefined) {
            yield { place: pointer, schema, value: node.example };
        }
        for (const [name, example] of Object.entries(node.examples ?? {})) {
            yield { place: api.under(pointer, "examples", name), schema, value: example.value };
        }
    }
}

/** The examples and defaults that stand in schemas. */
function* insideSchemas() {
    for (const { schema, pointer } of api.schemas()) {
        for (const [index, value] of (schema.examples ?? []).entries()) {
            yield { place: api.under(pointer, "examples", index), schema: pointer, value };
        }
        if (schema.default !== undefined) {
            yield { place: api.under(pointer, "default"), schema: pointer, value: schema.default };
        }
    }
}

function check(examples) {
    const wrong = [];
    let count = 0;
    for (const { place, schema, value } of examples) {
        count += 1;
        wrong.push(...api.complaints(schema, value).map((line) => `${place}: ${line}`));
    }
    return { wrong, count };
}

function checkSchemas() {
    const wrong = [];
    for (const { pointer } of api.schemas()) {
        try {
            api.complaints(pointer, null);
        } catch (error) {
            wrong.push(`${pointer}: ${error.message}`);
        }
    }
    return wrong;
}

/** Lines of NDJSON and data of server-sent events: texts whose parts have a schema. */
function checkTexts() {
    const wrong = [];
    for (const { node, pointer } of api.nodes()) {
        if (node.schema?.contentSchema === undefined) {
            continue;
        }
        const lines = node.example.split("\n").map((line) => line.replace(/^data: /, ""));
        const objects = lines.filter((line) => line.startsWith("{"));
        for (const line of objects) {
            wrong.push(...api.complaints(api.under(pointer, "schema", "contentSchema"), JSON.parse(line)));
        }
        wrong.push(...(objects.length === 0 ? [`${pointer} has no line with an object`] : []));
    }
    return wrong;
}

const unsound = checkSchemas();
tap.ok(unsound.length === 0, "every schema is one", unsound);

const beside = check(besideSchemas());
const inside = check(insideSchemas());
const texts = checkTexts();
tap.ok(beside.wrong.length === 0, `${beside.count} examples of requests, answers and parameters fit`, beside.wrong);
tap.ok(inside.wrong.length === 0, `${inside.count} examples and defaults of schemas fit`, inside.wrong);
tap.ok(texts.length === 0, "the lines of streams fit", texts);
tap.ok(beside.count + inside.count >= EXAMPLES_MIN, `there are at least ${EXAMPLES_MIN} examples`);

for (const { name, schema, value } of taken) {
    const wrong = api.complaints(api.under("#/components/schemas", schema), value);
    tap.ok(wrong.length === 0, `${schema} takes ${name}`, wrong);
}
for (const { name, schema, value } of refused) {
    const wrong = api.complaints(api.under("#/components/schemas", schema), value);
    tap.ok(wrong.length > 0, `${schema} refuses ${name}`, [JSON.stringify(value)]);
}
tap.done();
