"""What the documentation says is so: its tables, its commands and the paths it names.

A table of fires has the header below and is run as it stands; a console block shows what a person sees today, except
for how far away a fire is; a path must be there.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import binary
import markdown
import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("README.md"), *ROOT.glob("CONTRIBUTING.md"), *ROOT.glob("docs/**/*.md")])
FIRES_HEADER = "| expression | zone | from | policy | fires |"
FIRE_ROWS_MIN = 25

BELFRY_COMMAND = re.compile(r"(?:\./build/|build/)?belfry (?P<rest>.*)", re.DOTALL)
SERVERLESS = {"next", "zone", "version", "help", "-h", "--help", "--version"}  # run; the rest needs a server
AWAY = re.compile(rf"(?:\bin {binary.AMOUNT}|\b{binary.AMOUNT} ago|(?<=Z  )now\b)(?: +|$)")

# Paths are told from other things with a slash, such as zones, by where they begin or how they end.
FOLDERS = {"src", "tests", "docs", "tools", "web", "packaging", "build", ".ci"}
PATH = re.compile(r"(?:\./)?[\w.+*-]+(?:/[\w.+*-]+)*/?")
SUFFIX = re.compile(r"\.(?:c|h|py|sh|md|txt|json|yaml|yml|sql|ts|tsx|java|build|mjs|js)$")
GENERATED = {"build", "build/belfry"}


def read(page):
    return page.read_text(encoding="utf-8")


def question(row):
    """The batch question of a row of a fires table, and the fires it should have."""
    expr, zone, start, policy, fires = row
    wanted = fires.split()
    asked = {"expr": expr.strip("`"), "tz": zone, "from": start, "count": len(wanted)}
    return {**asked, **dict(part.split("=") for part in policy.replace("`", "").split())}, wanted


def comparable(lines):
    """Lines of output without what may differ from one day to the next."""
    return [AWAY.sub("<away> ", line).rstrip() for line in lines]


def shell(command):
    """The lines that a command shows on a terminal; `belfry` in it is the binary under test."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(binary.BELFRY, f"{folder}/belfry")
        done = subprocess.run(
            ["bash", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=binary.environment({"PATH": f"{folder}:{os.environ['PATH']}"}),
            cwd=ROOT,
            timeout=binary.SECONDS_MAX,
            check=False,
        )
    return done.stdout.decode().splitlines()


def runnable(text):
    """The commands of a page that can be run here: (command, lines that should come)."""
    found = []
    for block in markdown.fenced(text, "console"):
        for command, lines in markdown.commands(block):
            ours = BELFRY_COMMAND.fullmatch(command)
            if ours and ours["rest"].split()[0] in SERVERLESS:
                found.append((f"belfry {ours['rest']}", lines))
    return found


def difference(command, wanted):
    """What is wrong with the output that a page shows for a command, or None."""
    wanted = comparable(wanted)
    while wanted and not wanted[-1]:
        wanted.pop()  # the blank line before the next prompt
    got = comparable(shell(command))
    return None if got == wanted else "\n".join([f"$ {command}", "got:", *got, "documented:", *wanted])


def is_path(text):
    begins = text.removeprefix("./").split("/")[0] in FOLDERS
    return "/" in text and PATH.fullmatch(text) is not None and (begins or SUFFIX.search(text) is not None)


def exists(path, page):
    """Whether a path is there, seen from the root, from the page, or (as #include sees it) from src; * matches."""
    path = path.removeprefix("./").rstrip("/")
    if path in GENERATED:
        return True
    return any(any(base.glob(path)) for base in (ROOT, page.parent, ROOT / "src"))


def broken_links(page, text):
    broken = []
    for target in markdown.links(text):
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists():
            broken.append(target)
        elif fragment and there.suffix == ".md" and fragment not in markdown.anchors(read(there)):
            broken.append(target)
    return broken


def missing_paths(page, text):
    return [span for span in markdown.code_spans(text) if is_path(span) and not exists(span, page)]


class Fires(unittest.TestCase):
    def test_every_row_of_the_fires_tables_is_true(self):
        rows = markdown.table_rows(read(ROOT / "docs" / "time.md"), FIRES_HEADER)
        self.assertGreaterEqual(len(rows), FIRE_ROWS_MIN)
        asked = [question(row) for row in rows]
        answers = binary.ask("next", [ask for ask, _ in asked])
        self.assertEqual(len(answers), len(asked))
        wrong = [f"{ask}\n  {got}" for (ask, fires), got in zip(asked, answers) if got != {"next": fires}]
        if wrong:
            self.fail("\n".join(wrong))

    def test_no_row_is_without_fires(self):
        for row in markdown.table_rows(read(ROOT / "docs" / "time.md"), FIRES_HEADER):
            self.assertTrue(question(row)[1], row)


class Commands(unittest.TestCase):
    def test_every_command_shows_what_its_page_says(self):
        wrong = []
        for page in PAGES:
            for command, lines in runnable(read(page)):
                complaint = difference(command, lines)
                wrong += [f"{page.relative_to(ROOT)}: {complaint}"] if complaint else []
        if wrong:
            self.fail("\n".join(wrong))

    def test_the_readme_has_some(self):
        if (ROOT / "README.md").exists():
            self.assertTrue(runnable(read(ROOT / "README.md")))

    def test_other_output_is_noticed_and_another_distance_is_not(self):
        command = 'belfry next "0 9 * * *" --from 2027-01-01T00:00:00Z --count 1'
        shown = ["at 09:00, every day, UTC", "", "  local time                 UTC"]
        row = "  Fri 2027-01-01 09:00 UTC   2027-01-01T09:00:00Z  "
        for away in ("in 3 h 12 min", "5 d ago", "in 7 s", "now"):
            self.assertIsNone(difference(command, [*shown, row + away]))
        self.assertIsNotNone(difference(command, [*shown, row.replace("Fri", "Sat") + "5 d ago"]))
        self.assertIsNotNone(difference(command, shown))
        self.assertIsNotNone(difference(command, [*shown, row + "5 d ago", "and more"]))

    def test_commands_are_found_with_their_output(self):
        page = "```console\n$ belfry next \\\n    x\none\n$ ./build/belfry zone UTC\n$ ./dev start\n$ belfry up\n```\n"
        self.assertEqual(runnable(page), [("belfry next x", ["one"]), ("belfry zone UTC", [])])


class Paths(unittest.TestCase):
    def complaints(self, check):
        found = [f"{page.relative_to(ROOT)}: {name}" for page in PAGES for name in check(page, read(page))]
        if found:
            self.fail("\n".join(found))

    def test_every_link_leads_somewhere(self):
        self.complaints(broken_links)

    def test_every_path_in_backticks_is_there(self):
        self.complaints(missing_paths)

    def test_a_missing_file_is_noticed(self):
        page = ROOT / "docs" / "time.md"
        text = "[a](nowhere.md) [b](time.md#no-such-heading) [c](time.md#odd-zones) [d](https://example.com/x)\n"
        text += "`src/base/nowhere.c` `src/base/*.c` `src/base/*.nowhere` `tests/cli`\n```\n`src/in/a/block.c`\n```\n"
        self.assertEqual(broken_links(page, text), ["nowhere.md", "time.md#no-such-heading"])
        self.assertEqual(missing_paths(page, text), ["src/base/nowhere.c", "src/base/*.nowhere"])

    def test_what_only_has_a_slash_is_no_path(self):
        for text in ("America/New_York", "0-30/10", "H/15", "*/15", "/v1/jobs", "MON-FRI/2", "src/<layer>/<name>.h"):
            self.assertFalse(is_path(text), text)
        for text in ("src/calendar", "tests/cli/", "./build/belfry", "net/http_client.c", "docs/decisions/*.md"):
            self.assertTrue(is_path(text), text)

    def test_the_pages_are_found(self):
        names = {str(page.relative_to(ROOT)) for page in PAGES}
        self.assertLessEqual({"CONTRIBUTING.md", "docs/time.md"}, names)


if __name__ == "__main__":
    tap.main()
