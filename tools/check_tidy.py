#!/usr/bin/env python3
"""Runs clang-tidy over what a build folder compiles, on all cores.

    check_tidy.py BUILD

A file that was clean and has not changed since, with all it includes, is not looked at again: clang-tidy takes a
second or two for each, the preprocessor a few milliseconds.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

# In tests the analyzer does not know that a failed assertion of cmocka's does not return, and recursion is welcome.
NOT_IN_TESTS = "-clang-analyzer-*,-misc-no-recursion"
MODEL = pathlib.Path("tools/tidy_model.h").absolute()


def fingerprint(entry, settings):
    """Of the settings, the command and everything the compiler sees. Comments count: they may be NOLINT."""
    words = shlex.split(entry["command"])
    before_output = words[: words.index("-MD")]
    text = subprocess.run(
        before_output + ["-E", "-C", entry["file"]], cwd=entry["directory"], stdout=subprocess.PIPE, check=True
    ).stdout
    return hashlib.sha256(settings + entry["command"].encode() + text).hexdigest()


def options_for(file):
    """What clang-tidy is told beyond .clang-tidy. err.c cannot have the model, which redefines what it defines, and the
    clients know nothing of src/."""
    if file.startswith("../clients/"):
        return []
    if file.startswith("../tests/"):
        return [f"--checks={NOT_IN_TESTS}"]
    return [] if file == "../src/base/err.c" else [f"--extra-arg=-include{MODEL}"]


def tidy(build, entry, settings):
    """What clang-tidy has against the file; nothing if it is clean."""
    clean = build / "tidy" / fingerprint(entry, settings)
    if clean.exists():
        return ""
    path = os.path.join(entry["directory"], entry["file"])
    run = subprocess.run(
        ["clang-tidy", "--quiet", "-p", str(build), *options_for(entry["file"]), path],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # "12 warnings generated", nearly all of them in system headers
        text=True,
    )
    if run.returncode == 0:
        clean.touch()
        return ""
    # Paths as seen from the project's folder.
    text = re.sub(rf"^(?:{re.escape(entry['directory'])}/)?\.\./", "", run.stdout, flags=re.MULTILINE)
    return text or f"{entry['file']}: clang-tidy ended with status {run.returncode}\n"


def main(argv):
    build = pathlib.Path(argv[1])
    (build / "tidy").mkdir(exist_ok=True)
    settings = b"".join(pathlib.Path(path).read_bytes() for path in (".clang-tidy", MODEL, __file__))
    settings += subprocess.check_output(["clang-tidy", "--version"])
    # Each file once, however often it is compiled; what the build has made itself is not ours to tidy.
    commands = json.loads((build / "compile_commands.json").read_text())
    entries = list({entry["file"]: entry for entry in reversed(commands) if entry["file"].startswith("../")}.values())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = list(pool.map(lambda entry: tidy(build, entry, settings), entries))
    print("".join(complaints), end="")
    return 1 if any(complaints) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
