#!/usr/bin/env python3
"""Holds the map: who may include whom in src/, and what stands behind one file or folder alone.

    check_layers.py [FOLDER]      FOLDER is the one with the layers in it, src/ of the project by default

Prints one line for each offence, path:line: sentence, and ends with 1 if there was any.
"""

import pathlib
import re
import sys

# The arrows of docs/ARCHITECTURE.md. A layer may include itself, base, what its arrows point to and what those reach.
ARROWS = {
    "base": [],
    "calendar": ["base"],
    "model": ["calendar"],
    "forecast": ["model"],
    "wire": ["model"],
    "net": ["base"],
    "engine": ["model", "calendar"],
    "store": ["model"],
    "server": ["engine", "store"],
    "api": ["server", "forecast", "wire", "client"],
    "client": ["wire", "net"],
    "worker": ["client"],
    "cli": ["api", "worker"],
}

# Foreign headers that one file, or one folder (with a / at the end), or a few of them alone may see, so that the library
# can be replaced there.
HEADER_OWNER = {
    "jansson.h": "base/json.c",
    "sqlite3.h": "store/sqlite/",
    "libpq-fe.h": "store/postgres/",
    "curl/curl.h": ("client/", "worker/"),
    "microhttpd.h": "net/",
}

# Functions that one file alone may call (None: nobody), and why.
CALL_OWNER = {
    ("clock_gettime", "gettimeofday", "time", "timespec_get"): ("base/chrono.c", "it alone reads the OS clock"),
    ("localtime", "localtime_r", "mktime", "tzset"): (None, "libc has one time zone per process"),
}

COMMENT_OR_LITERAL = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
INCLUDE = re.compile(r"""^\s*#\s*include\s*([<"])([^>"]+)[>"]""")
CALL = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(name for names in CALL_OWNER for name in names))


def reach(layer):
    """All that layer may include."""
    found, todo = {"base"}, [layer]
    while todo:
        one = todo.pop()
        todo += [other for other in ARROWS[one] if other not in found]
        found.add(one)
    return found


def blank(text, literals_too):
    """Text without comments (and literals), every line where it was."""

    def blanked(match):
        if match[0][0] in "\"'" and not literals_too:
            return match[0]
        return "\n" * match[0].count("\n") or " "

    return COMMENT_OR_LITERAL.sub(blanked, text)


def owners(owner):
    """All owners that a row of HEADER_OWNER names."""
    return (owner,) if isinstance(owner, str) else owner


def is_owner(owner, path):
    """Whether path is an owner, or stands in a folder that is."""
    return any(path.startswith(one) if one.endswith("/") else path == one for one in owners(owner))


def offence_of_include(root, path, quote, target):
    """What is wrong with path including target, or None."""
    layer, other = path.split("/")[0], target.split("/")[0]
    if quote == "<" and not (root / target).exists():
        owner = HEADER_OWNER.get(target)
        return f"only {' and '.join(owners(owner))} may include {target}" if owner and not is_owner(owner, path) else None
    if other not in ARROWS or "/" not in target:
        return f'"{target}" does not begin with a layer (write the path from src/)'
    if layer not in ARROWS:
        return f"{layer} is not a layer (the table in tools/check_layers.py names them)"
    if other not in reach(layer):
        return f"{layer} may not include {other} ({layer} may include {', '.join(sorted(reach(layer)))})"
    return None


def offence_of_call(path, name):
    """What is wrong with path calling name, or None."""
    owner, reason = next(rule for names, rule in CALL_OWNER.items() if name in names)
    if path == owner:
        return None
    return f"{f'only {owner}' if owner else 'nobody'} may call {name} ({reason})"


def offences(root):
    """Yields (path relative to root, line, sentence) for all C files below root."""
    for file in sorted(root.rglob("*.[ch]")):
        path, text = file.relative_to(root).as_posix(), file.read_text()
        for number, line in enumerate(blank(text, literals_too=False).split("\n"), 1):
            include = INCLUDE.match(line)
            sentence = include and offence_of_include(root, path, include[1], include[2])
            if sentence:
                yield path, number, sentence
        for number, line in enumerate(blank(text, literals_too=True).split("\n"), 1):
            for call in CALL.finditer(line):
                sentence = offence_of_call(path, call[1])
                if sentence:
                    yield path, number, sentence


def main(argv):
    root = pathlib.Path(argv[1] if len(argv) > 1 else "src")
    count = 0
    for path, number, sentence in offences(root):
        print(f"{(root / path).as_posix()}:{number}: {sentence}")
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
