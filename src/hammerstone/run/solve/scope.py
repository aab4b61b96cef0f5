"""What a solution may use beside the words of the request: earlier values, files, long data."""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from hammerstone.core.json_types import Json
from hammerstone.core.solutions import Solution
from hammerstone.core.syntax import syntax_tree
from hammerstone.guard.data import plain
from hammerstone.run.understand.reading import asks

_SHOWN = 300  # characters of a value that a model sees
_LONGEST = 3_000  # characters of a request that a model reads; the rest is data
_HEAD = 600
DATA = "request_data"


@dataclass(frozen=True, slots=True)
class SolutionScope:
    """Values by the names a solution may call them by, with a note for each."""

    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    notes: tuple[str, ...] = ()

    def with_value(self, name: str, value: Json, note: str) -> "SolutionScope":
        return SolutionScope({**self.values, name: value}, (*self.notes, note))

    def put_in(self, solution: Solution) -> Solution:
        """The solution with the values in the place of their names, in its call and its code."""
        used = [name for name in self.values if name in solution.call or name in solution.code]
        if not used:
            return solution
        tree = syntax_tree(solution.call, mode="eval")
        call = ast.unparse(_Values(self.values).visit(tree))
        inside = [name for name in used if name in solution.code]
        head = "".join(f"{name} = {self.values[name]!r}\n" for name in inside)
        return Solution(f"{head}{solution.code}", solution.function, call)


def shown_value(name: str, value: Json, about: str) -> str:
    """A line that tells a model of a value it may use by name."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}..."
    return f"({name} = {plain(text)} is in scope: {about})"


def within_reach(text: str) -> tuple[str, SolutionScope]:
    """The request as a model reads it; what is too long to read is data in scope."""
    if len(text) <= _LONGEST:
        return text, SolutionScope()
    words, data = _words_and_data(text)
    note = (
        f"(The data of the request, {len(data)} characters, is in scope as the string {DATA}; "
        f"it begins with:\n{plain(data[:_SHOWN])}...)"
    )
    return words, SolutionScope({DATA: data}, (note,))


def _words_and_data(text: str) -> tuple[str, str]:
    """What is asked, in the first or the last line or before a colon, and the rest, which is
    data; where that cannot be told apart the whole text is data."""
    first, *rest = text.split("\n")
    last = rest.pop() if len(rest) > 1 else ""
    if rest:
        head, tail = (line if _is_words(line) else "" for line in (first, last))
        data = "\n".join([*([] if head else [first]), *rest, *([] if tail or not last else [last])])
        if head or tail:
            return "\n".join(part for part in (head, tail) if part), data
    asked, colon, data = text.partition(": ")
    if colon and "\n" not in asked and len(asked) <= _HEAD:
        return asked + colon.strip(), data
    return f"{text[:_HEAD]}...", text


def _is_words(line: str) -> bool:
    """Whether a line asks for something or says what follows, rather than being a row."""
    return len(line) <= _HEAD and (asks(line) or line.rstrip().endswith((".", "?", ":", "!")))


class _Values(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, Json]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._values:
            return node
        return syntax_tree(repr(self._values[node.id]), mode="eval").body
