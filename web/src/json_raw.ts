/* json_raw: a field of a JSON object as it was written. JavaScript's numbers would change 12345678901234567890. Pure. */

/** Where the string that begins at the quote ends: behind its closing quote. */
function stringEnd(text: string, at: number): number {
    let i = at + 1;
    while (i < text.length && text[i] !== '"') {
        i += text[i] === "\\" ? 2 : 1;
    }
    return i + 1;
}

/** Where the value that begins here ends. */
function valueEnd(text: string, at: number): number {
    let depth = 0;
    let i = at;
    while (i < text.length) {
        const c = text[i] ?? "";
        if (c === '"') {
            i = stringEnd(text, i);
        } else if (depth === 0 && (c === "," || c === "}" || c === "]")) {
            return i;
        } else {
            depth += c === "{" || c === "[" ? 1 : c === "}" || c === "]" ? -1 : 0;
            i += 1;
        }
    }
    return i;
}

/** The text of the object's own field; undefined where it has none. object is well-formed JSON. */
export function rawField(object: string, name: string): string | undefined {
    let i = object.indexOf("{") + 1;
    while (i < object.length) {
        const quote = object.indexOf('"', i);
        if (quote < 0) {
            return undefined;
        }
        const end = stringEnd(object, quote);
        const colon = object.indexOf(":", end);
        const valueAt = colon + 1;
        const behind = valueEnd(object, valueAt);
        if (JSON.parse(object.slice(quote, end)) === name) {
            return object.slice(valueAt, behind).trim();
        }
        i = behind + 1;
    }
    return undefined;
}

/** The same JSON over lines, numbers as they were written. */
export function indented(text: string): string {
    let out = "";
    let depth = 0;
    let i = 0;
    const line = () => `\n${"  ".repeat(depth)}`;
    while (i < text.length) {
        const c = text[i] ?? "";
        if (c === '"') {
            const end = stringEnd(text, i);
            out += text.slice(i, end);
            i = end;
            continue;
        }
        if (c === "{" || c === "[") {
            const next = text.slice(i + 1).search(/\S/) + i + 1;
            if (text[next] === "}" || text[next] === "]") {
                out += c + (text[next] ?? "");
                i = next + 1;
                continue;
            }
            depth += 1;
            out += c + line();
        } else if (c === "}" || c === "]") {
            depth -= 1;
            out += line() + c;
        } else if (c === ",") {
            out += `,${line()}`;
        } else if (c === ":") {
            out += ": ";
        } else if (!/\s/.test(c)) {
            out += c;
        }
        i += 1;
    }
    return out;
}
