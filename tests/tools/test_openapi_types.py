"""Schemas of the API's description are the types that the dashboard is checked by."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import openapi_types  # noqa: E402
import tap  # noqa: E402


class Types(unittest.TestCase):
    def expect(self, schema, text):
        self.assertEqual(openapi_types.of_schema(schema), text)

    def test_words_and_what_may_be_null(self):
        self.expect({"type": "integer"}, "number")
        self.expect({"type": ["string", "null"]}, "string | null")
        self.expect({"type": "string", "enum": ["a", "b"]}, '"a" | "b"')
        self.expect({"const": "finish"}, '"finish"')
        self.expect({"description": "any JSON"}, "unknown")

    def test_objects_know_what_may_be_missing(self):
        self.expect({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "x-y": {"type": "number"}}},
                    '{ a: string; "x-y"?: number }')
        self.expect({"type": "object", "additionalProperties": {"type": "string"}}, "{ [key: string]: string }")
        self.expect({"type": "object"}, "Record<string, unknown>")

    def test_lists_references_and_combinations(self):
        self.expect({"type": "array", "items": {"$ref": "#/components/schemas/Fire"}}, "(Fire)[]")
        self.expect({"anyOf": [{"$ref": "#/components/schemas/Fire"}, {"type": "null"}]}, "(Fire | null)")
        self.expect({"allOf": [{"$ref": "#/components/schemas/A"}, {"type": "object", "properties": {"b": {"type": "number"}}}]},
                    "A & { b?: number }")
        self.expect({"type": "object", "properties": {"a": {"type": "string"}}, "oneOf": [{"required": ["a"]}]},
                    "{ a?: string }")


if __name__ == "__main__":
    tap.main()
