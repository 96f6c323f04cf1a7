#!/usr/bin/env python3
"""Makes the dashboard's bundle from web/ and puts its files, packed, into a C file (api/site.h).

    embed_web.py WEB OPENAPI OUTPUT DEPFILE

The bundle is made in WEB/dist, and made again only where something it is made of has changed: all build folders share
it. Needs Node.js and WEB/node_modules, which ./dev sees to.
"""

import fcntl
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import embed_openapi
import openapi_types

# All files together, as they are sent. The dashboard is to open at once, also through a slow line.
PACKED_BYTES_MAX = 150 * 1024
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.js")


def sources_of(web):
    """Every file that the bundle is made of."""
    found = [web / name for name in SOURCES]
    for folder in ("src", "public"):
        found += sorted(path for path in (web / folder).rglob("*") if path.is_file())
    return found


def fingerprint(files):
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def need_node(web):
    """Ends with a sentence that helps where the tools are not there."""
    installed = web / "node_modules/.package-lock.json"
    if not shutil.which("node"):
        sys.exit("embed_web: the dashboard is made with Node.js 18 or later, which is not here; ./dev build installs it")
    if not installed.exists() or installed.stat().st_mtime < (web / "package-lock.json").stat().st_mtime:
        sys.exit("embed_web: the npm packages of web/ are missing or old; ./dev build installs them, or npm ci in web/")


def write_changed(path, text):
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def run(web, *words):
    done = subprocess.run(["node", *words], cwd=web, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)


def bundle(web, openapi):
    """Makes WEB/dist/site, unless it is there already."""
    stamp, wanted = web / "dist/stamp", fingerprint([*sources_of(web), openapi, pathlib.Path(openapi_types.__file__)])
    if stamp.exists() and stamp.read_text() == wanted:
        return
    need_node(web)
    stamp.unlink(missing_ok=True)
    document = embed_openapi.Reader(openapi.read_text()).document()
    write_changed(web / "generated/schema.d.ts", openapi_types.typescript(document))
    run(web, "node_modules/typescript/bin/tsc", "--project", ".")
    run(web, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
    stamp.write_text(wanted)


def array(content):
    numbers = [str(byte) for byte in content]
    return ",\n    ".join(",".join(numbers[i : i + 32]) for i in range(0, len(numbers), 32))


def c_file(site):
    """The text of the C file; ends where the bundle is too large or has a file of a kind that is not known."""
    arrays, rows, packed_bytes = [], [], 0
    for number, path in enumerate(sorted(path for path in site.rglob("*") if path.is_file())):
        content = path.read_bytes()
        packed = gzip.compress(content, 9, mtime=0)
        packed_bytes += len(packed)
        kind = TYPES.get(path.suffix) or sys.exit(f"embed_web: what kind of file is {path.name}?")
        etag = hashlib.sha256(content).hexdigest()[:20]
        arrays.append(f"static const unsigned char file_{number}[] = {{\n    {array(packed)}}};\n")
        rows.append(f'    {{"/{path.relative_to(site)}", "{kind}", "\\"{etag}\\"", file_{number}, {len(packed)}, '
                    f"{len(content)}}},\n")
    if packed_bytes > PACKED_BYTES_MAX:
        sys.exit(f"embed_web: the dashboard has {packed_bytes} bytes packed; {PACKED_BYTES_MAX} are allowed")
    return ("/* Written by tools/embed_web.py. */\n" '#include "api/site.h"\n\n' + "\n".join(arrays) +
            "\nconst struct site_file site_files[] = {\n" + "".join(rows) + "};\n"
            f"const size_t site_file_count = {len(rows)};\n")


def main(argv):
    if len(argv) != 5:
        sys.exit(__doc__)
    web, openapi, output, depfile = (pathlib.Path(one).resolve() for one in argv[1:])
    (web / "dist").mkdir(exist_ok=True)
    with open(web / "dist/lock", "w") as lock:  # two build folders at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        bundle(web, openapi)
        output.write_text(c_file(web / "dist/site"))
    tools = [pathlib.Path(module.__file__) for module in (embed_openapi, openapi_types)]
    # Folders too: they change when a file comes or goes.
    folders = [web / "src", *(path for path in (web / "src").rglob("*") if path.is_dir())]
    names = [os.fspath(path).replace(" ", "\\ ") for path in [*sources_of(web), *tools, *folders]]
    depfile.write_text(f"{argv[3]}: " + " ".join(names) + "\n")


if __name__ == "__main__":
    main(sys.argv)
