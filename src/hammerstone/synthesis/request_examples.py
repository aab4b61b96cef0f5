"""What a person stated in the words of a request: examples, as cases that count as truth.

Beside what `examine.examples` reads (doctest lines, asserts, calls with a result) a request may
call the function by another name than the spec does (`f(3) should give 9`) or not at all
(`'abc' -> 'cba'`). An example counts only if its arguments and its result fit the spec's schemas:
one that was misread would outvote everything else.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from hammerstone.core import wire
from hammerstone.core.calls import Call
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Case, CaseKind, CaseOrigin, Spec, schema_validator
from hammerstone.judging.literals import literal
from hammerstone.judging.named_inputs import arguments_of
from hammerstone.judging.rendering import expression_of, joined_call, show
from hammerstone.synthesis.code.tidy import renamed
from hammerstone.synthesis.examine.suites.examples import PROSE, WORDS, read_examples

_VERB = r"(?:should|must|would|will|ought\s+to)"
_GIVES = re.compile(
    rf"\s+(?:{_VERB}\s+)?(?:gives?|yields?|becomes?|results?\s+in|turns?\s+into|equals?)\s+"
    rf"|\s+{_VERB}\s+(?:return|be)\s+|\s*(?:-{{1,2}}>|={{1,2}}>|→|⇒|➞)\s*",
    re.IGNORECASE,
)
MAY_STATE_EXAMPLES = re.compile(
    rf"{_GIVES.pattern}|\w\s*\(|\boutput\s*:", re.IGNORECASE
)  # a text without this states no example, whatever the spec
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\(")
_TOKEN = re.compile(r"""(?:'[^'\n]*'|"[^"\n]*"|[\w.+-]+)""")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_SENTENCE_END = re.compile(r"(?<=\d)\.(?=\s+[A-Z]|\s*\Z)")  # "f(3) is 9. What is f(4)?"
_LONGEST = 400  # characters looked at on either side of an arrow
_MOST_ARROWS = 100  # looked at: whoever pastes thousands is not kept waiting for all of them
_ANY: JsonObject = {}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One call for which the person named two results."""

    call: str
    first: Case
    second: Case

    def __str__(self) -> str:
        first, second = show(self.first.expected), show(self.second.expected)
        return f"{self.call} is said to be {first} and also {second}"


@dataclass(frozen=True, slots=True)
class RequestExamples:
    cases: tuple[Case, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    misfit: str = ""  # an example that cannot be a call of this spec: the spec is wrong

    def settled_by(self, said: "RequestExamples") -> "RequestExamples":
        """The examples, with what the person said when asked in the place of what they wrote."""
        sources = {case.call.source for case in said.cases}
        kept = [case for case in self.cases if case.call.source not in sources]
        still = [one for one in self.contradictions if one.call not in sources]
        return RequestExamples((*said.cases, *kept), tuple(still), self.misfit)


def read_request_examples(text: str, spec: Spec) -> RequestExamples:
    """The examples in a request, each once, and those that contradict each other."""
    text = _readable(text)
    names = spec.takes.names
    found: list[Case] = []
    misfit = ""
    for case in _with_calls(text, spec.name, names):
        bound = arguments_of(case, spec)
        if bound is None or _missing(bound, spec):
            misfit = misfit or f"it is called like this: {case.call.source}"
        elif fits(bound, spec.parameters):
            found.append(case)
    found += [case for case in _bare(text, spec) if not misfit]
    cases: dict[str, Case] = {}
    against: dict[str, Contradiction] = {}
    for case in found:
        key = canonical(arguments_of(case, spec))
        first = cases.setdefault(key, case)
        if first.kind is case.kind is CaseKind.VALUE and _said(first) != _said(case):
            against.setdefault(key, Contradiction(case.call.source or "", first, case))
    return RequestExamples(tuple(cases.values()), tuple(against.values()), misfit)


def fit_spec(text: str, spec: Spec) -> Spec:
    """The spec with the types that the person's own calls and results have.

    A small model may call a text a number; an example of the person's knows better.
    """
    if spec.produces:
        return spec
    properties = {**spec.takes.schemas}
    names, returns = list(properties), spec.returns
    for case in _with_calls(_readable(text), spec.name, names):
        bound = arguments_of(case, spec)
        if bound is None or _missing(bound, spec):
            continue
        for name, value in bound.items():
            properties[name] = _retyped(properties[name], value)
        if case.kind is CaseKind.VALUE:
            returns = _retyped(returns, case.expected)
    parameters: JsonObject = {**spec.parameters, "properties": {**properties}}
    return replace(spec, parameters=parameters, returns=returns)


def _readable(text: str) -> str:
    """The text with plain quotes, and with a line for each sentence that ends with a number."""
    return _SENTENCE_END.sub("\n", text.translate(_QUOTES))


def _retyped(schema: JsonObject, value: Json) -> JsonObject:
    if fits(value, schema):
        return schema
    # What was said about it goes too: it was said about something else.
    match value:
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            return {"type": "array"}
        case dict() if not any(key.startswith("$") for key in value):
            return {"type": "object"}
        case _:
            return {}  # anything


def _missing(bound: JsonObject, spec: Spec) -> bool:
    return any(name not in bound for name in spec.takes.required)


def fits(value: Json, schema: JsonObject) -> bool:
    """Whether a JSON Schema accepts a value in wire form."""
    return bool(schema_validator(schema).is_valid(value))


def _with_calls(text: str, function: str, names: Sequence[str]) -> Iterator[Case]:
    """Examples that call the function, by its own name or by the one other name used."""
    plain = _GIVES.sub(" -> ", text)
    read = _each_line(plain, function, names)
    if read:
        yield from read
        return
    called = {name for name in _CALLED.findall(plain) if name != function}
    by_name = {name: cases for name in called if (cases := _each_line(plain, name, ()))}
    if len(by_name) != 1:
        return  # none, or several functions: which of them is meant cannot be said
    ((name, cases),) = by_name.items()
    for case in cases:
        yield replace(case, call=Call(source=renamed(case.call.source or "", name, function)))


def _each_line(text: str, function: str, names: Sequence[str]) -> list[Case]:
    """All examples, two for one call included: `read_examples` keeps the first of a text."""
    whole = read_examples(text, function, names)
    parts = [case for part in re.split(r"\n|;|\band\b|,(?=\s*\w+\()", text)
             for case in read_examples(part, function, names)]  # fmt: skip
    seen = {(case.call.source, _said(case)) for case in whole}
    return whole + [c for c in parts if (c.call.source, _said(c)) not in seen]


def _said(case: Case) -> str:
    return case.check or canonical(case.expected)


def _bare(text: str, spec: Spec) -> Iterator[Case]:
    """`'abc' -> 'cba'`, `3, 4 gives 7`: values on both sides and no function's name."""
    names, schemas = spec.takes.names, list(spec.takes.schemas.values())
    for arrow in islice(_GIVES.finditer(text), _MOST_ARROWS):
        before = text[max(0, arrow.start() - _LONGEST) : arrow.start()].rpartition("\n")[2]
        after = text[arrow.end() : arrow.end() + _LONGEST].partition("\n")[0]
        arguments = _arguments_at_end(before, schemas)
        result = _value_at_start(after, spec.returns)
        if arguments is None or result is _NOTHING or not names:
            continue
        yield Case(
            CaseKind.VALUE,
            Call(source=joined_call(spec.name, map(expression_of, arguments), {})),
            wire.encode(result),
            origin=CaseOrigin.USER,
            note=PROSE,
        )


class _Nothing:
    """Stands for: no value could be read."""


_NOTHING = _Nothing()


def _arguments_at_end(text: str, schemas: Sequence[JsonObject]) -> list[Any] | None:
    """As many values as there are parameters, at the end of the text, and no more than that."""
    starts = [0, *(match.end() for match in re.finditer(r"[\s:,(]", text))]
    wanted = len(schemas)
    for start in starts:  # the longest first
        part = text[start:].strip().rstrip(":")
        if not part:
            continue
        try:
            node = syntax_tree(f"f({part})", mode="eval").body
            assert isinstance(node, ast.Call)
            if node.keywords or len(node.args) != wanted:
                continue
            values = [literal(argument) for argument in node.args]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if text[:start].rstrip().endswith(",") and re.search(r"[\d'\"\])]\s*,\s*$", text[:start]):
            return None  # the end of a longer list of values
        fitted = [_fitted(v, part if wanted == 1 else "", s)
                  for v, s in zip(values, schemas, strict=True)]  # fmt: skip
        return None if any(value is _NOTHING for value in fitted) else fitted
    return None


def _value_at_start(text: str, schema: JsonObject) -> Any:
    """The value that the text begins with, as the schema wants it."""
    ends = [match.start() for match in re.finditer(r"[\s,;.)]|$", text)]
    for end in sorted(set(ends), reverse=True):
        part = text[:end].strip().rstrip(",;.")
        if not part:
            continue
        try:
            node = syntax_tree(WORDS.get(part, part), mode="eval").body
            if isinstance(node, ast.Tuple) and not part.startswith("("):
                continue  # what follows a comma is the next example
            value = literal(node)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return _fitted(value, part, schema)
    return _NOTHING


def _fitted(value: Any, text: str, schema: JsonObject) -> Any:
    """The value, or its text where the schema wants one (`10 -> 1010` for a text result)."""
    if fits(wire.encode(value), schema or _ANY):
        return value
    if schema.get("type") == "string" and _TOKEN.fullmatch(text) and isinstance(value, int | float):
        return text
    return _NOTHING
