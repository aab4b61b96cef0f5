"""The pages of a PDF as lines: without what stands on every page, and with headings marked.

A PDF has neither paragraphs nor headings, only lines at places. What can be told from the lines
alone: a line at the edge of most pages belongs to none of them, and numbers that count on (1, 1.1,
1.2, 2) before short lines are those of sections.
"""

import re
from collections import Counter
from collections.abc import Sequence

_EDGE = 2  # lines at the top and at the bottom of a page
_LEAST_PAGES = 3
_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(\S.*\S)\s*$")
_LONGEST = 90  # characters of a heading
_CONTENTS = re.compile(r"(?:\.\s?){3,}|\s\d{1,4}$")  # a line of a table of contents


def page_lines(pages: Sequence[str]) -> list[list[str]]:
    """The lines of each page."""
    split = [page.split("\n") for page in pages]
    running = _running(split)
    bare = [_without(lines, running) for lines in split]
    marks = _headings([line for lines in bare for line in lines])
    at = 0
    found: list[list[str]] = []
    for lines in bare:
        own: list[str] = []
        for line in lines:
            if at in marks:
                own += ["", f"{'#' * marks[at]} {line.strip()}", ""]
            else:
                own.append(f" {line}" if line.startswith("#") else line)  # no heading here
            at += 1
        found.append(own)
    return found


def _edges(lines: Sequence[str]) -> list[int]:
    """The places of a page's first and last lines."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return list(dict.fromkeys([*filled[:_EDGE], *filled[-_EDGE:]]))


def _form(line: str) -> str:
    """A line whatever numbers it has: those of pages differ."""
    return re.sub(r"\d+", "0", " ".join(line.split()))


def _running(pages: Sequence[Sequence[str]]) -> set[str]:
    """The forms of lines that stand at the edges of most pages."""
    counts = Counter(form for lines in pages for form in {_form(lines[at]) for at in _edges(lines)})
    most = max(_LEAST_PAGES, len(pages) // 2 + 1)
    return {form for form, count in counts.items() if count >= most}


def _without(lines: Sequence[str], running: set[str]) -> list[str]:
    edges = {at for at in _edges(lines) if _form(lines[at]) in running}
    return [line for at, line in enumerate(lines) if at not in edges]


def _headings(lines: Sequence[str]) -> dict[int, int]:
    """The places of headings with their levels, where the numbers of sections count on."""
    found: dict[int, int] = {}
    before: tuple[int, ...] = ()
    for at, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match is None or len(line) > _LONGEST or _CONTENTS.search(line):
            continue
        number = tuple(int(part) for part in match[1].split("."))
        if number in _next(before) and not match[2].endswith((".", ",", ";", ":")):
            found[at] = len(number)
            before = number
    nested = any(level > 1 for level in found.values())
    return found if nested else {}  # else it may as well be a list


def _next(number: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The numbers that may follow one: the first below it, the next beside it or above."""
    if not number:
        return {(1,), (1, 1), (0,)}
    after = {(*number[:depth], number[depth] + 1) for depth in range(len(number))}
    return after | {(*number, 1), (*number, 0)}
