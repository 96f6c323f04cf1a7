/* The description and the code use the same words: codes, states, reasons, fields. */

import { Tap } from "../oracle/tap.mjs";
import * as api from "./description.mjs";

const tap = new Tap();
const schemas = api.description.components.schemas;

/** The rows of an X-macro table, each as the list of its arguments. */
function table(path, name) {
    const lines = api.source(path).split("\n");
    const start = lines.findIndex((line) => line.startsWith(`#define ${name}(X)`));
    const rows = [];
    for (let i = start + 1; start >= 0 && /^\s+X\(/.test(lines[i]); i += 1) {
        rows.push(/X\(([^)]*)\)/.exec(lines[i])[1].split(",").map((part) => part.trim().replaceAll('"', "")));
    }
    return rows;
}

/** The words between quotes of an array in a source file; where several open alike, the first behind a text. */
function quoted(path, opening, behind = "") {
    const text = api.source(path);
    const start = text.indexOf(opening, text.indexOf(behind));
    const body = start < 0 ? "" : text.slice(start + opening.length, text.indexOf("};", start));
    return [...body.matchAll(/"([^"]*)"/g)].map((match) => match[1]);
}

function same(name, ours, theirs) {
    const lacking = theirs.filter((word) => !ours.includes(word)).map((word) => `the description lacks ${word}`);
    const foreign = ours.filter((word) => !theirs.includes(word)).map((word) => `the code does not know ${word}`);
    tap.ok(theirs.length > 0 && lacking.length + foreign.length === 0, name, [...lacking, ...foreign]);
}

function words(path, name) {
    return table(path, name).map((row) => row[1]);
}

same("a job's statuses", schemas.JobStatus.enum, words("src/model/state.h", "JOB_STATUS_TABLE"));
same("a trigger's states", schemas.TriggerStatus.enum, words("src/model/state.h", "TRIGGER_STATE_TABLE"));
same("an attempt's states", schemas.AttemptStatus.enum, words("src/model/state.h", "ATTEMPT_STATE_TABLE"));
same("reasons of skips", schemas.SkipRecord.properties.reason.enum, words("src/model/record.h", "SKIP_REASON_TABLE"));
same("kinds of triggers", schemas.TriggerKind.enum, quoted("src/model/state.c", "texts[] = {", "*trigger_kind_text("));
same("reasons of refusals", schemas.WorkRefusal.properties.reason.enum, quoted("src/engine/answer.c", "texts[] = {"));
same(
    "the fields of a definition",
    api.propertyNames(schemas.JobRequest),
    quoted("src/model/job_def_read.c", "known_fields[] = {"),
);

const served = table("src/api/routes.c", "ROUTES").map(([method, path]) => `${method} ${path}`);
const described = [...api.operations()].map(({ method, path }) => `${method.toUpperCase()} ${path}`);
same("the calls", described, served);

/* Codes may be the server's alone; those of the code must be here, each under its status. */
function checkCodes() {
    const sections = schemas.ProblemCode.description.split("·");
    const wrong = [];
    for (const [, status, code] of table("src/base/err.h", "ERR_TABLE").slice(1)) {
        const section = sections.find((part) => part.includes(`\`${code}\``)) ?? "";
        if (!schemas.ProblemCode.enum.includes(code)) {
            wrong.push(`${code} is missing`);
        } else if (!new RegExp(`(^|\\s)${status}\\s`).test(section)) {
            wrong.push(`${code} does not stand under ${status}`);
        }
    }
    for (const code of schemas.ProblemCode.enum) {
        wrong.push(...(sections.some((part) => part.includes(`\`${code}\``)) ? [] : [`${code} has no status`]));
    }
    return wrong;
}

const codes = checkCodes();
tap.ok(codes.length === 0, "every error code stands under its status", codes);

/* Who may set what: the rows {"max_jobs", TENANT, "tenants"} of the settings' reader. */
const SCOPES = { TENANT: ["Tenant"], TYPE: ["Type"], TYPES: ["Type"], ALL: ["Tenant", "Pool", "Type"] };
const rows = [...api.source("src/model/settings_read.c").matchAll(/^ {4}\{"(\w+)", ([A-Z| ]+), /gm)];
for (const scope of ["Tenant", "Pool", "Type"]) {
    const fields = rows.filter(([, , scopes]) => scopes.split("|").some((word) => SCOPES[word.trim()].includes(scope)));
    const ours = api.propertyNames(schemas[`${scope}Settings`]);
    same(`the settings of a ${scope.toLowerCase()}`, ours, fields.map((row) => row[1]));
}
tap.done();
