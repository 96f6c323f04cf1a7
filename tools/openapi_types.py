"""The schemas of docs/openapi.yaml as TypeScript types, so that the dashboard is checked against the contract.

    export interface Preview { description: string; fires: Fire[]; … }

What a schema says beyond types (patterns, limits) is left out. Fields that are not required may be missing.
"""

import json
import re

WORDS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
PLAIN_KEY = re.compile(r"[A-Za-z_]\w*\Z")


def union(types):
    """A | B, each once, functions of no type left out."""
    return " | ".join(dict.fromkeys(types)) or "unknown"


def of_object(schema):
    required = set(schema.get("required", []))
    fields = []
    for name, inner in schema.get("properties", {}).items():
        key = name if PLAIN_KEY.match(name) else json.dumps(name)
        fields.append(f"{key}{'' if name in required else '?'}: {of_schema(inner)}")
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        fields.append(f"[key: string]: {of_schema(more)}")
    return "{ " + "; ".join(fields) + " }" if fields else "Record<string, unknown>"


def of_word(word, schema):
    if word == "object":
        return of_object(schema)
    if word == "array":
        return f"({of_schema(schema.get('items', {}))})[]"
    return WORDS[word]


def of_schema(schema):
    """The type's text."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return union(json.dumps(one) for one in schema["enum"])
    parts = []
    if "allOf" in schema:
        parts += [of_schema(one) for one in schema["allOf"]]
    for key in ("oneOf", "anyOf"):
        choices = [one for one in schema.get(key, []) if set(one) != {"required"}]
        if choices:
            parts.append("(" + union(of_schema(one) for one in choices) + ")")
    words = schema.get("type", [])
    words = [words] if isinstance(words, str) else words
    if words:
        parts.append(union(of_word(word, schema) for word in words))
    return " & ".join(parts) if parts else "unknown"


def typescript(document):
    """All schemas of a description that was read (embed_openapi)."""
    lines = ["// Written by tools/openapi_types.py from docs/openapi.yaml."]
    for name, schema in document["components"]["schemas"].items():
        lines.append(f"export type {name} = {of_schema(schema)};")
    return "\n".join(lines) + "\n"
