#!/usr/bin/env python3
"""Puts .sql files into a C file, in the order given, as an array of struct migration (store/sql/migrations.h).

    embed_sql.py NAME OUTPUT FILE...      NAME_migrations[] and NAME_migration_count, written to OUTPUT

Files are named 0001_word.sql, 0002_word.sql and so on; a gap or another order is an error.
"""

import pathlib
import sys


def array(name, text):
    """Text as a C array of its bytes and a NUL: compilers need not take literals of that length."""
    numbers = [str(byte) for byte in text.encode()] + ["0"]
    lines = [", ".join(numbers[i : i + 24]) for i in range(0, len(numbers), 24)]
    return f"static const char {name}[] = {{\n    " + ",\n    ".join(lines) + ",\n};\n\n"


def check_order(names):
    """Ends the program where the numbers are not 0001, 0002, ..."""
    for number, name in enumerate(names, 1):
        if not name.startswith(f"{number:04}_"):
            sys.exit(f"embed_sql: {name} stands where {number:04}_*.sql should")


def main(argv):
    if len(argv) < 4:
        sys.exit(__doc__)
    name, output, files = argv[1], argv[2], [pathlib.Path(file) for file in argv[3:]]
    check_order([file.stem for file in files])
    arrays = [array(f"sql_{file.stem}", file.read_text()) for file in files]
    rows = [f'    {{"{file.stem}", sql_{file.stem}}},\n' for file in files]
    pathlib.Path(output).write_text(
        "/* Written by tools/embed_sql.py. */\n"
        '#include "store/sql/migrations.h"\n\n'
        + "".join(arrays)
        + f"const struct migration {name}_migrations[] = {{\n{''.join(rows)}}};\n"
        + f"const size_t {name}_migration_count = {len(files)};\n"
    )


if __name__ == "__main__":
    main(sys.argv)
