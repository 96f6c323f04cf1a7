"""The description of the API is read as YAML means it, and put into the program as JSON."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import embed_openapi  # noqa: E402
import tap  # noqa: E402


def read(text):
    return embed_openapi.Reader(text).document()


class Yaml(unittest.TestCase):
    def test_scalars(self):
        self.assertEqual(
            read("a: 1\nb: -0.5\nc: true\nd: null\ne: plain text # a comment\nf: '7 o''clock'\ng: \"x\\ny\"\nh: 1.0.0\n"),
            {"a": 1, "b": -0.5, "c": True, "d": None, "e": "plain text", "f": "7 o'clock", "g": "x\ny", "h": "1.0.0"})

    def test_collections_in_blocks(self):
        self.assertEqual(read("a:\n  - b: 1\n    c: 2\n  - d\n# between\ne:\n- f\n'200':\n  x: y\n"),
                         {"a": [{"b": 1, "c": 2}, "d"], "e": ["f"], "200": {"x": "y"}})

    def test_collections_in_a_line_and_over_lines(self):
        self.assertEqual(read("a: { b: [1, 'x, y'], c: { d: 'e' } }\nf: [g,\n  h]\n"),
                         {"a": {"b": [1, "x, y"], "c": {"d": "e"}}, "f": ["g", "h"]})

    def test_literal_blocks_keep_their_lines(self):
        self.assertEqual(read("a: |\n  one\n    two\n\n  three\nb: |+\n  x\n\nc: |-\n  y\n"),
                         {"a": "one\n  two\n\nthree\n", "b": "x\n\n", "c": "y"})

    def test_plain_text_goes_on_over_lines(self):
        self.assertEqual(read("a: one\n  two\nb: 3\n"), {"a": "one two", "b": 3})

    def test_aliases_are_what_their_anchors_are(self):
        self.assertEqual(read("a:\n  - &x\n    b: 1\nc: [*x]\nd: *x\n"), {"a": [{"b": 1}], "c": [{"b": 1}], "d": {"b": 1}})

    def test_what_is_not_known_is_refused(self):
        for text in ("a: *nobody\n", "a: 1\na: 2\n", "a: {b: 1\n", "a: 1\n   b: 2\n  - c\n"):
            with self.assertRaises(SystemExit, msg=text):
                read(text)


class TheDescription(unittest.TestCase):
    def test_every_reference_leads_somewhere(self):
        text = subprocess.run([TOOLS / "embed_openapi.py", "--json", TOOLS.parent / "docs/openapi.yaml"], check=True,
                              capture_output=True, text=True).stdout
        whole = json.loads(text)

        def walk(value):
            if isinstance(value, dict):
                if isinstance(value.get("$ref"), str):
                    node = whole
                    for part in value["$ref"][2:].split("/"):
                        node = node[part]
                value = list(value.values())
            if isinstance(value, list):
                for one in value:
                    walk(one)

        walk(whole)
        self.assertEqual(whole["openapi"][:3], "3.1")

    def test_the_array_has_the_bytes_of_the_json(self):
        with tempfile.TemporaryDirectory() as folder:
            source, output = pathlib.Path(folder, "a.yaml"), pathlib.Path(folder, "a.c")
            source.write_text("a: é\n")
            subprocess.run([TOOLS / "embed_openapi.py", source, output], check=True)
            self.assertIn(", ".join(str(byte) for byte in b'{"a":"\\u00e9"}'), output.read_text())


if __name__ == "__main__":
    tap.main()
