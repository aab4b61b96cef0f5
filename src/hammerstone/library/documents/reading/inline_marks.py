"""The marks of Markdown within a text: where they are, so that a text can be read without them.

By the rules of CommonMark: what stands between backticks is as it is, and `*` or `_` marks
something only in pairs that hug it. All else is text: the `*` of `text/*`, the `_` of a name. In
time that grows with the text's length.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

_TICKS = re.compile(r"(?<!\\)`+")
_BRACKET = re.compile(r"(?<!\\)(?:!?\[|\])")
_TARGET = re.compile(r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s+[\"'][^\"'\n]{0,300}[\"'])?\s*\)")
_RUN = re.compile(r"(?<!\\)(?:\*+|_+)")
_ESCAPE = re.compile(r"\\(?=[*_`\[\]])")


def marks_in(text: str) -> list[Span]:
    """The places of all marks, in order: backticks, emphasis, and what links have around their
    words."""
    code = list(_code(text))
    literal = [(first[0], last[1]) for first, last in code]
    links = list(_links(text, literal))
    literal = sorted([*literal, *(target for _, target in links)])
    escapes = (one.span() for one in _ESCAPE.finditer(text) if not _within(one.start(), literal))
    found = [span for pair in (*code, *links) for span in pair]
    return sorted([*found, *_emphasis(text, literal), *escapes])


def without(text: str, start: int, end: int, marks: Sequence[Span]) -> str:
    """A part of a text without its marks."""
    kept: list[str] = []
    at = start
    for first, last in marks[max(0, bisect_right(marks, (start + 1,)) - 1) :]:
        if first >= end:
            break
        kept.append(text[at : max(at, first)])
        at = max(at, last)
    kept.append(text[at:end])
    return "".join(kept)


def _code(text: str) -> Iterator[tuple[Span, Span]]:
    """The backticks before and behind each piece of code: two runs of one length."""
    runs = [one.span() for one in _TICKS.finditer(text)]
    behind: dict[int, list[Span]] = {}
    for span in reversed(runs):
        behind.setdefault(span[1] - span[0], []).append(span)
    at = 0
    for first in runs:
        same = behind[first[1] - first[0]]
        while same and same[-1][0] <= first[0]:
            same.pop()
        if first[0] >= at and same:
            last = same.pop()
            yield first, last
            at = last[1]


def _links(text: str, code: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """What stands before and behind the words of each link or picture."""
    open_: list[Span] = []
    for bracket in _BRACKET.finditer(text):
        if _within(bracket.start(), code):
            continue
        if bracket[0] != "]":
            open_.append(bracket.span())
        elif open_:
            first = open_.pop()
            target = _TARGET.match(text, bracket.end())
            if target is not None:
                yield first, (bracket.start(), target.end())


@dataclass(slots=True)
class _Run:
    """A run of `*` or `_`, and what is left of it: it may open, close, or do both."""

    mark: str
    start: int
    end: int
    opens: bool
    closes: bool
    length: int

    @property
    def kind(self) -> tuple[str, bool, int]:
        """What decides which openers a closer passes over."""
        return self.mark, self.opens, self.length % 3

    def is_opened_by(self, opener: "_Run") -> bool:
        """Two runs of which one could do both pair only where their lengths do not make a
        multiple of three, as CommonMark has it."""
        both = opener.closes or self.opens
        thirds = self.length % 3 == 0 and opener.length % 3 == 0
        same = self.mark == opener.mark
        return same and (not both or (self.length + opener.length) % 3 != 0 or thirds)


def _emphasis(text: str, literal: Sequence[Span]) -> Iterator[Span]:
    """The `*` and `_` that mark something: one or two of an opener's, and as many of its closer's,
    until nothing is left of one of them."""
    open_: list[_Run] = []
    lowest: dict[tuple[str, bool, int], int] = {}  # below it there is no opener for such a closer
    for run in _runs(text, literal):
        while run.closes and run.start < run.end:
            floor = min(lowest.get(run.kind, 0), len(open_))
            at = next(
                (n for n in range(len(open_) - 1, floor - 1, -1) if run.is_opened_by(open_[n])), -1
            )
            if at < 0:
                lowest[run.kind] = len(open_)
                break
            opener = open_[at]
            width = 2 if min(opener.end - opener.start, run.end - run.start) >= 2 else 1
            yield opener.end - width, opener.end
            yield run.start, run.start + width
            opener.end -= width
            run.start += width
            del open_[at + 1 if opener.start < opener.end else at :]
        if run.opens and run.start < run.end:
            open_.append(run)


def _runs(text: str, literal: Sequence[Span]) -> Iterator[_Run]:
    for found in _RUN.finditer(text):
        start, end = found.span()
        if _within(start, literal):
            continue
        before, after = _sort(text[start - 1 : start]), _sort(text[end : end + 1])
        left = after != " " and (after != "." or before != "w")
        right = before != " " and (before != "." or after != "w")
        opens, closes = left, right
        if text[start] == "_":  # within a word it belongs to it
            opens = left and (not right or before == ".")
            closes = right and (not left or after == ".")
        yield _Run(text[start], start, end, opens, closes, end - start)


def _sort(character: str) -> str:
    """A blank or an edge, a sign, or a part of a word."""
    if not character or character.isspace():
        return " "
    return "." if unicodedata.category(character)[0] in "PS" else "w"


def _within(at: int, spans: Sequence[Span]) -> bool:
    """Whether a place is inside one of these spans, which are in order."""
    found = bisect_right(spans, (at + 1,)) - 1
    return found >= 0 and spans[found][0] <= at < spans[found][1]
