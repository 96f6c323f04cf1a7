#!/usr/bin/env bash
# Every header of src/ compiles alone (it includes what it uses) and may be included twice.
# The flags are those of build folder $1, where Meson has written them down; the store's know where libpq's header is.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
mapfile -t command < <(python3 - "$build/compile_commands.json" <<'PYTHON'
import json, shlex, sys
entry = next(e for e in json.load(open(sys.argv[1])) if e["file"].endswith("src/store/store.c"))
words = shlex.split(entry["command"])
for word in words[:words.index("-MD")]:
    print(word)
PYTHON
)

stands_alone()
{
    printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$1" "$1" |
        "${command[@]}" -fsyntax-only -x c - || { echo "$1: does not compile alone"; return 1; }
}

failed=0
mapfile -t headers < <(cd src && find . -name '*.h' | sed 's,^\./,,' | sort)
cd "$build"
for header in "${headers[@]}"; do
    stands_alone "$header" || failed=1
done
exit $failed
