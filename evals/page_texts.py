"""Texts of the web app: what its scripts and markup put on the screen.

A small reader of JavaScript that knows strings, templates and comments, no more. In a template
what stands between tags, and in attributes that are read aloud or shown, is a text.
"""

import re
from collections.abc import Iterator

_READ_ATTRIBUTES = re.compile(
    r"\b(?:title|placeholder|aria-label|label|alt|empty)=(\"[^\"]*\"|'[^']*')"
)
_TAG = re.compile(r"<[^<>]*>")
_WORDS = re.compile(r"[A-Za-z]{2,}[,:;.!?]? +[A-Za-z{\d(]")
_NOT_WORDS = re.compile(
    r"^[a-z0-9-]+(?: [a-z0-9-]*[-{][^ ]*)+$|^(?:use strict|[\w-]+/[\w-]+)|=>|\b\w+\("
)


def page_texts(content: str, *, markup: bool = False) -> list[tuple[int, str]]:
    """Line and text of everything in a script (or a page of markup) that a person may read."""
    if markup:
        return [(content.count("\n", 0, at) + 1, text) for at, text in _of_markup(content, 0)]
    found: list[tuple[int, str]] = []
    for at, text, template in _literals(content):
        parts = _of_markup(text, at) if template and "<" in text else [(at, text)]
        for place, part in parts:
            plain = " ".join(part.split())
            if _WORDS.search(plain) and not _NOT_WORDS.search(plain):
                found.append((content.count("\n", 0, place) + 1, plain))
    return found


def _of_markup(text: str, at: int) -> Iterator[tuple[int, str]]:
    for found in _READ_ATTRIBUTES.finditer(text):
        yield at + found.start(), found.group(1)[1:-1]
    place = 0
    for tag in [*_TAG.finditer(text), None]:
        end = tag.start() if tag else len(text)
        between = " ".join(text[place:end].split())
        if _WORDS.search(between):
            yield at + place, between
        place = tag.end() if tag else end


def _literals(content: str) -> Iterator[tuple[int, str, bool]]:
    """Where each string begins, what it holds, and whether it is a template.

    What is filled into a template is `{}` in it; strings inside of that come by themselves.
    """
    reader = _Reader(content)
    reader.code(0, "")
    yield from sorted(reader.found)


class _Reader:
    def __init__(self, content: str) -> None:
        self._text = content
        self.found: list[tuple[int, str, bool]] = []

    def code(self, at: int, until: str) -> int:
        """Read program text up to the closing mark; where it ended."""
        depth = 0
        while at < len(self._text):
            char = self._text[at]
            if char == until and depth == 0:
                return at + 1
            if self._text.startswith(("//", "/*"), at):
                at = self._comment(at)
                continue
            if char in "'\"":
                at = self._string(at, char)
                continue
            if char == "`":
                at = self._template(at)
                continue
            depth += (char == "{") - (char == "}")
            at += 1
        return at

    def _comment(self, at: int) -> int:
        end = "\n" if self._text[at + 1] == "/" else "*/"
        found = self._text.find(end, at + 2)
        return len(self._text) if found < 0 else found + len(end)

    def _string(self, at: int, mark: str) -> int:
        end = at + 1
        while end < len(self._text) and self._text[end] not in (mark, "\n"):
            end += 2 if self._text[end] == "\\" else 1
        self.found.append((at, self._text[at + 1 : end], False))
        return end + 1

    def _template(self, at: int) -> int:
        held: list[str] = []
        end = at + 1
        while end < len(self._text) and self._text[end] != "`":
            if self._text.startswith("${", end):
                end = self.code(end + 2, "}")
                held.append("{}")
                continue
            held.append(self._text[end])
            end += 1
        self.found.append((at, "".join(held), True))
        return end + 1
