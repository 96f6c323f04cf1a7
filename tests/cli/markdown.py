"""markdown: finds in a page of documentation what can be tried out or looked up.

It knows the plain Markdown of this repository and no more: ATX headings, pipe tables, fenced blocks.
"""

import re

FENCE = re.compile(r" *```(?P<language>\S*) *$")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"#{1,6} +(?P<title>.+?) *#*$")


def fenced(text, language):
    """The contents of the fenced blocks of a language, each a list of lines."""
    blocks, block, wanted = [], None, False
    for line in text.splitlines():
        fence = FENCE.fullmatch(line)
        if fence is None:
            if block is not None:
                block.append(line)
        elif block is None:
            block, wanted = [], fence["language"] == language
        else:
            blocks += [block] if wanted else []
            block = None
    return blocks


def prose(text):
    """The page without its fenced blocks."""
    lines, inside = [], False
    for line in text.splitlines():
        if FENCE.fullmatch(line):
            inside = not inside
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table_rows(text, header):
    """The rows of all tables under a header, each a list of cells."""
    rows, inside = [], False
    for line in prose(text).splitlines():
        if line.strip() == header:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not re.fullmatch(r"[|: -]+", line):
            rows.append(cells(line))
    return rows


def links(text):
    """What the links of a page point at, without those that leave the repository."""
    targets = [link["target"] for link in LINK.finditer(CODE.sub("", prose(text)))]
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(text):
    """The fragments by which a page's headings are linked, as GitHub makes them."""
    titles = [HEADING.fullmatch(line) for line in prose(text).splitlines()]
    plain = [re.sub(r"[^\w\- ]", "", title["title"].lower()) for title in titles if title]
    return {title.replace(" ", "-") for title in plain}


def code_spans(text):
    """What stands in backticks."""
    return CODE.findall(prose(text))


def commands(block):
    """The commands of a console block with the output that follows each: (command, lines)."""
    found = []
    for line in block:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (found[-1][0][:-1] + line.lstrip("> "), [])
        elif found:
            found[-1][1].append(line)
    return found
