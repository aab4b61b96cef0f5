"""Examples that a person wrote into a spec, as cases that count as truth.

Understood are doctest lines, asserts (also about `set(f(x))` or `len(f(x))`), a call with an
arrow, an equals sign or "returns" before the result, `Input:`/`Output:` pairs and "For n = 5 the
output should be 7". Whatever is not plainly a literal call and a literal result is left out: a
misread example would outvote everything else.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.json_types import Json
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Case, CaseKind, CaseOrigin
from hammerstone.judging.literals import literal
from hammerstone.synthesis.examine.suites.cases import BadCase, read_assert

PROSE = "read from prose"

_ARROW = re.compile(
    r"\s*(?:\#\s*)?(?:==>|=>|==|->|=|➞|→|⇒|returns|return|should\s+return|will\s+return"
    r"|gives|should\s+be|is\s+equal\s+to|evaluates\s+to)\s*:?\s*",
    re.IGNORECASE,
)
_IO = re.compile(r"input\s*:\s*(.+?)\s*\n\s*output\s*:\s*", re.IGNORECASE)
_FOR = re.compile(
    r"\bfor\s+((?:\w+\s*=\s*[^\n]+?))\s*,?\s+the\s+(?:output|result|sum|answer)[^\n]*?"
    r"(?:should|will|must)\s+be\s+(?!\d+\s+the\s+output)",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\)\s*==\s*\S")
WORDS = {"true": "True", "false": "False", "none": "None", "null": "None"}
_OPEN = {"[": "]", "(": ")", "{": "}"}
_VIEWS = {"result", "set", "frozenset", "sorted", "list", "tuple", "len", "round", "Counter"}
_SCALAR = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|\b\w+\b")


def read_examples(spec: str, function: str, parameters: Sequence[str] = ()) -> list[Case]:
    """The examples in a spec's text, each once, in the order in which they stand there."""
    found = [*_doctests(spec, function), *_asserts(spec, function), *_calls(spec, function)]
    if parameters:
        found += [*_named(spec, function, parameters)]
    unique: dict[str, Case] = {}
    for case in found:
        unique.setdefault(case.call.source or "", case)
    return list(unique.values())


def _doctests(spec: str, function: str) -> Iterator[Case]:
    lines = spec.splitlines()
    for number, line in enumerate(lines):
        if not line.strip().startswith(">>>"):
            continue
        source = line.strip()[3:].strip()
        rest = number + 1
        while rest < len(lines) and lines[rest].strip().startswith("..."):
            source += "\n" + lines[rest].strip()[3:]
            rest += 1
        expected: list[str] = []
        while rest < len(lines) and (text := lines[rest].strip()):
            if text.startswith((">>>", '"""', "'''")):
                break
            expected.append(text)
            rest += 1
        if _COMPARED.search(source):
            yield from _asserted(source, function)
        elif expected:
            yield from _case(source, " ".join(expected), function, "")


def _asserts(spec: str, function: str) -> Iterator[Case]:
    for line in spec.splitlines():
        if line.strip().startswith("assert ") and "=>" not in line:
            yield from _asserted(line.strip().removeprefix("assert "), function)


def _asserted(test: str, function: str) -> Iterator[Case]:
    try:
        drafts = read_assert(f"assert {test}", function, CaseOrigin.USER)
    except BadCase:
        return
    for draft in drafts:
        if draft.expression is None and (draft.case.kind is CaseKind.VALUE or _plain(draft.case)):
            yield draft.case


def _plain(case: Case) -> bool:
    """Whether a case compares a known view of the result with a value: `set(f(x)) == {1, 2}`."""
    test = syntax_tree(case.check or "0", mode="eval").body
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    return isinstance(test, ast.Compare) and names <= _VIEWS


def _calls(spec: str, function: str) -> Iterator[Case]:
    for match in re.finditer(rf"(?<![\w.>]){re.escape(function)}\(", spec):
        before = spec[spec.rfind("\n", 0, match.start()) + 1 : match.start()]
        if ">>>" in before or "def " in before:
            continue
        end = _balanced(spec, match.end() - 1)
        arrow = _ARROW.match(spec, end) if end else None
        if end and arrow and arrow.end() > end:
            text = _result(spec, arrow.end())
            if text:
                yield from _case(spec[match.start() : end], text, function, PROSE)


def _named(spec: str, function: str, parameters: Sequence[str]) -> Iterator[Case]:
    for pattern in (_IO, _FOR):
        for match in pattern.finditer(spec):
            text = _result(spec, match.end())
            arguments = _arguments(match.group(1), parameters)
            if text and arguments:
                yield from _case(f"{function}({arguments})", text, function, PROSE)


def _arguments(text: str, parameters: Sequence[str]) -> str | None:
    """`n = 5, s = "x"` or the bare values, when they fill the parameters exactly."""
    try:
        call = syntax_tree(f"f({text.strip().rstrip('.')})", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(call, ast.Call):
        return None
    names = [keyword.arg for keyword in call.keywords]
    if call.args and not names and len(call.args) == len(parameters):
        return ", ".join(ast.unparse(argument) for argument in call.args)
    if not call.args and sorted(map(str, names)) == sorted(parameters):
        return ", ".join(f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords)
    return None


def _case(source: str, expected: str, function: str, note: str) -> Iterator[Case]:
    try:
        call = syntax_tree(source.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return
        if call.func.id != function:
            return
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            literal(argument)
        value = _value(expected)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield Case(
        CaseKind.VALUE, Call(source=ast.unparse(call)), value, origin=CaseOrigin.USER, note=note
    )


def _value(text: str) -> Json:
    text = text.strip()
    text = WORDS.get(text, text)
    return wire.encode(literal(syntax_tree(text, mode="eval").body))


def _result(spec: str, start: int) -> str | None:
    """The literal that begins at `start`, or the last part of a chain `1 + 2 = 3`."""
    line = spec[start:].split("\n", 1)[0].split("#", 1)[0].strip()
    chain = line.split("=")
    if len(chain) > 1 and re.fullmatch(r"[\d\s+*/().-]+(=[\d\s+*/().-]+)+", line):
        return chain[-1]
    first = spec[start : start + 1]
    if first in _OPEN:
        end = _balanced(spec, start)
    elif first in ("'", '"'):
        end = _string_end(spec, start)
    else:
        scalar = _SCALAR.match(spec, start)
        end = scalar.end() if scalar else None
    if not end or not re.match(r"(?:\s|[.,;:)]|$)", spec[end : end + 2] or " "):
        return None
    return spec[start:end]


def _balanced(text: str, start: int) -> int | None:
    """Where the bracket that opens at `start` has been closed; strings are skipped."""
    stack: list[str] = []
    position = start
    while position < min(len(text), start + 5000):
        char = text[position]
        if char in _OPEN:
            stack.append(_OPEN[char])
        elif char in ("'", '"'):
            end = _string_end(text, position)
            if end is None:
                return None
            position = end
            continue
        elif char in "])}":
            if not stack or stack.pop() != char:
                return None
            if not stack:
                return position + 1
        position += 1
    return None


def _string_end(text: str, start: int) -> int | None:
    position = start + 1
    while position < len(text) and text[position] != "\n":
        if text[position] == "\\":
            position += 1
        elif text[position] == text[start]:
            return position + 1
        position += 1
    return None
