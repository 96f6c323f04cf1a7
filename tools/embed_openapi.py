#!/usr/bin/env python3
"""Puts docs/openapi.yaml into a C file as JSON (api/openapi.h), so that the server can serve its own description.

    embed_openapi.py INPUT OUTPUT       openapi_json[] and openapi_json_len, written to OUTPUT
    embed_openapi.py --json INPUT       the JSON alone, on standard output

Reads the part of YAML that the description is written in: block and flow collections, plain and quoted scalars, literal
blocks, anchors and aliases. What it does not know is an error with its line, never a guess.
"""

import json
import pathlib
import re
import sys

KEY = re.compile(r"""('(?:[^']|'')*'|"(?:\\.|[^"\\])*"|[^\s#'"\[\]{}&*!|>%@`,-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+|$)""")
ANCHOR = re.compile(r"&(\w+)\s*")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?\Z")
FLOW_WORD = re.compile(r"[^,\[\]{}]+")
FLOW_KEY = re.compile(r"[^,\[\]{}:]+(?=:(\s|$))")


class Flow:
    """A flow collection or a quoted scalar, read from a text that goes on over lines."""

    def __init__(self, text, reader):
        self.text, self.at, self.reader = text, 0, reader

    def fail(self, what):
        self.reader.fail(f"{what} in {self.text[:60]!r}")

    def blank(self):
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self):
        self.blank()
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, wanted):
        if self.peek() != wanted:
            self.fail(f"no {wanted}")
        self.at += 1

    def quoted(self):
        quote, begin = self.text[self.at], self.at
        pattern = r"'(?:[^']|'')*'" if quote == "'" else r'"(?:\\.|[^"\\])*"'
        match = re.compile(pattern, re.DOTALL).match(self.text, begin)
        if not match:
            self.fail("a quote that does not end")
        self.at = match.end()
        return match[0][1:-1].replace("''", "'") if quote == "'" else json.loads(match[0])

    def value(self):
        first = self.peek()
        if first == "{":
            return self.mapping()
        if first == "[":
            return self.sequence()
        if first in "'\"" and first:
            return self.quoted()
        anchor = ANCHOR.match(self.text, self.at)
        if anchor:
            self.at = anchor.end()
            return self.reader.keep(anchor[1], self.value())
        match = FLOW_WORD.match(self.text, self.at)
        if not match:
            self.fail("no value")
        self.at = match.end()
        return self.reader.scalar(match[0].strip())

    def sequence(self):
        self.take("[")
        items = []
        while self.peek() != "]":
            items.append(self.value())
            if self.peek() != "]":
                self.take(",")
        self.take("]")
        return items

    def key(self):
        if self.peek() in "'\"":
            return self.quoted()
        match = FLOW_KEY.match(self.text, self.at)
        if not match:
            self.fail("no key")
        self.at = match.end()
        return match[0].strip()

    def mapping(self):
        self.take("{")
        items = {}
        while self.peek() != "}":
            name = self.key()
            self.take(":")
            items[name] = self.value()
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        return items


class Reader:
    """A document as lines, read from the top."""

    def __init__(self, text):
        self.lines, self.at, self.anchors = text.split("\n"), 0, {}

    def fail(self, what):
        sys.exit(f"embed_openapi: line {self.at + 1}: {what}")

    def keep(self, name, value):
        self.anchors[name] = value
        return value

    def skip(self):
        """To the next line that says something; its indent, or -1 at the end."""
        while self.at < len(self.lines):
            stripped = self.lines[self.at].strip()
            if stripped and not stripped.startswith("#"):
                return len(self.lines[self.at]) - len(self.lines[self.at].lstrip())
            self.at += 1
        return -1

    def scalar(self, text):
        if text.startswith("*"):
            if text[1:] not in self.anchors:
                self.fail(f"no anchor {text[1:]}")
            return self.anchors[text[1:]]
        if text in ("", "null", "~"):
            return None
        if text in ("true", "false"):
            return text == "true"
        return json.loads(text) if NUMBER.match(text) else text

    def literal(self, head, indent):
        """A block of | or >, whose lines are indented more than indent."""
        lines = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            lines.append(line)
            self.at += 1
        depth = next(len(line) - len(line.lstrip()) for line in lines if line.strip())
        text = "\n".join(line[depth:] for line in lines) + "\n"
        body = text.rstrip("\n")
        if head[0] == ">":
            body = re.sub(r"(?<!\n)\n(?!\n)", " ", body)
        return body + ("" if head.endswith("-") else text[len(body) :] if head.endswith("+") else "\n")

    def rest(self, text, indent):
        """The value that begins with text, on the line at hand, of something at indent."""
        text = text.strip()
        anchor = ANCHOR.match(text)
        if anchor:
            return self.keep(anchor[1], self.rest(text[anchor.end() :], indent))
        if text.startswith("#") or not text:
            self.at += 1
            below = self.skip()
            is_list = below == indent and self.lines[self.at].lstrip().startswith("- ")
            return self.block(below) if below > indent or is_list else None
        if text[0] in "|>":
            self.at += 1
            return self.literal(text.split(" ")[0], indent)
        return self.flow_or_plain(text, indent)

    def flow_or_plain(self, text, indent):
        """A value that may go on over lines that are indented more than indent."""
        self.at += 1
        if text[0] not in "{['\"":
            text = text.split(" #")[0].rstrip()
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip() or len(line) - len(line.lstrip()) <= indent:
                break
            if text[0] not in "{['\"" and KEY.match(line.strip()):
                self.fail("a key that belongs to nothing")
            text += " " + line.strip()
            self.at += 1
        if text[0] not in "{['\"":
            return self.scalar(text)
        flow = Flow(text, self)
        value = flow.value()
        if flow.peek() not in ("", "#"):
            flow.fail("something behind the value")
        return value

    def mapping(self, indent):
        items = {}
        while self.skip() == indent:
            line = self.lines[self.at][indent:]
            match = KEY.match(line)
            if not match or line.startswith("- "):
                break
            name = match[1]
            name = json.loads(name) if name[0] == '"' else name[1:-1].replace("''", "'") if name[0] == "'" else name
            if name in items:
                self.fail(f"{name} stands twice")
            items[name] = self.rest(line[match.end() :], indent)
        return items

    def sequence(self, indent):
        items = []
        while self.skip() == indent and re.match(r"-(\s|$)", self.lines[self.at][indent:]):
            line = self.lines[self.at]
            inner = line[indent + 1 :]
            deeper = indent + 1 + len(inner) - len(inner.lstrip())
            text = inner.strip()
            anchor = ANCHOR.match(text)
            name = anchor[1] if anchor else None
            text = text[anchor.end() :] if anchor else text
            if anchor and not text:
                value = self.rest("", indent)
            elif text and text[0] not in "{[|>*#" and KEY.match(text) and not anchor:
                self.lines[self.at] = " " * deeper + text
                value = self.mapping(deeper)
            else:
                value = self.rest(text, indent)
            items.append(self.keep(name, value) if name else value)
        return items

    def block(self, indent):
        line = self.lines[self.at][indent:]
        if re.match(r"-(\s|$)", line):
            return self.sequence(indent)
        if KEY.match(line):
            return self.mapping(indent)
        return self.flow_or_plain(line, indent - 1)

    def document(self):
        value = self.block(self.skip())
        if self.skip() != -1:
            self.fail("this cannot be read")
        return value


def array(text):
    """Text as the rows of a C array: compilers need not take literals of that length."""
    numbers = [str(byte) for byte in text]
    return ",\n    ".join(", ".join(numbers[i : i + 24]) for i in range(0, len(numbers), 24))


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    is_text = argv[1] == "--json"
    value = Reader(pathlib.Path(argv[2] if is_text else argv[1]).read_text()).document()
    if is_text:
        print(json.dumps(value, ensure_ascii=False, indent=1))
        return
    text = json.dumps(value, separators=(",", ":")).encode()
    pathlib.Path(argv[2]).write_text(
        "/* Written by tools/embed_openapi.py. */\n"
        '#include "api/openapi.h"\n\n'
        f"const char openapi_json[] = {{\n    {array(text)},\n}};\n"
        "const size_t openapi_json_len = sizeof openapi_json;\n"
    )


if __name__ == "__main__":
    main(sys.argv)
