"""Arguments that need no model: what the request states outright, where there is one way to
read it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, types_of
from hammerstone.library.search.text.request_text import singular
from hammerstone.run.understand.literals import Literal, LiteralKind, bare_lists, find_literals

_PERCENT_WORDS = frozenset({"percent", "percentage", "pct"})
_IN_PERCENT = re.compile(
    r"\b(?:in|as a) percent(?:age)?\b|\bfor \d[\d.]* ?%|\bthe percentage\b|\(%\)", re.IGNORECASE
)
# Words between a parameter's name and its value: "width of 5", "the rate is 3".
_LINKS = frozenset({"of", "is", "was", "are", "equals", "equal", "to", "at", "a", "an", "the"})


@dataclass(frozen=True, slots=True)
class CertainValues:
    """`values` that are certain; `open` are the parameters that still have to be read."""

    values: JsonObject
    open: tuple[str, ...]


def fill(spec: Spec, text: str, known: Mapping[str, Json] | None = None) -> CertainValues:
    """The parameters of `spec` that the words of the request settle.

    Numbers are settled all together or not at all: one that is left over could belong
    anywhere.
    """
    parameters = spec.takes.schemas
    values: JsonObject = dict(known or {})
    missing = {name: schema for name, schema in parameters.items() if name not in values}
    for read in (_lists, _numbers, _dates, _choices, _texts):
        if not missing:
            break
        found = read(missing, text)
        values |= found
        missing = {name: schema for name, schema in missing.items() if name not in found}
    return CertainValues({n: values[n] for n in parameters if n in values}, tuple(missing))


def _lists(missing: Mapping[str, JsonObject], text: str) -> JsonObject:
    """One list or record in the text and one parameter that takes it."""
    found: JsonObject = {}
    literals = find_literals(text)
    for kind, word in ((LiteralKind.LIST, "array"), (LiteralKind.RECORD, "object")):
        wanting = [name for name, schema in missing.items() if _takes_only(schema, word)]
        given = [literal for literal in literals if literal.kind is kind]
        if kind is LiteralKind.LIST and not given and _all_numbers(missing, wanting):
            given = bare_lists(text)
            loose = sum(
                literal.kind in (LiteralKind.NUMBER, LiteralKind.PERCENT) for literal in literals
            )
            if [_length(each.value) for each in given] != [loose]:
                given = []
        if len(wanting) == len(given) == 1:
            found[wanting[0]] = given[0].value
    return found


def _takes_only(schema: JsonObject, kind: str) -> bool:
    return types_of(schema) == frozenset({kind})


def _length(value: Json) -> int | None:
    return len(value) if isinstance(value, list) else None


def _all_numbers(missing: Mapping[str, JsonObject], wanting: Sequence[str]) -> bool:
    """One list of numbers is wanted, and no single number beside it."""
    if len(wanting) != 1 or any(types_of(schema) & _NUMERIC for schema in missing.values()):
        return False
    return types_of(missing[wanting[0]].get("items")) <= _NUMERIC


_NUMERIC = frozenset({"number", "integer"})


def _numbers(missing: Mapping[str, JsonObject], text: str) -> JsonObject:
    wanting = [name for name, schema in missing.items() if types_of(schema) <= _NUMERIC]
    literals = find_literals(text)
    given = [
        literal for literal in literals if literal.kind in (LiteralKind.NUMBER, LiteralKind.PERCENT)
    ]
    if not wanting or len(given) != len(wanting):
        return {}
    pairs = _paired(missing, wanting, given)
    if pairs is None:
        return {}
    found: JsonObject = {}
    for name, literal in pairs.items():
        whole = _takes_only(missing[name], "integer")
        if whole and not isinstance(literal.value, int):
            return {}
        if literal.kind is LiteralKind.PERCENT and not counts_in_percent(name, missing[name]):
            return {}  # 0.05 or 5: for somebody who understands the description
        found[name] = literal.value
    return found


def _paired(
    missing: Mapping[str, JsonObject], wanting: Sequence[str], given: Sequence[Literal]
) -> dict[str, Literal] | None:
    """Which number is which parameter, if there is one way to see it."""
    pairs: dict[str, Literal] = {}
    left = list(given)
    for name in wanting:
        near = [literal for literal in left if stands_beside(name, literal)]
        if len(near) == 1 and sum(stands_beside(other, near[0]) for other in wanting) == 1:
            pairs[name] = near[0]
    left = [literal for literal in left if literal not in pairs.values()]
    names = [name for name in wanting if name not in pairs]
    percents = [literal for literal in left if literal.kind is LiteralKind.PERCENT]
    percent_names = [name for name in names if counts_in_percent(name, missing[name])]
    if len(percents) == len(percent_names) == 1:
        pairs[percent_names[0]] = percents[0]
        left.remove(percents[0])
        names.remove(percent_names[0])
    if len(left) == len(names) == 1 and (
        left[0].kind is not LiteralKind.PERCENT or counts_in_percent(names[0], missing[names[0]])
    ):
        return pairs | {names[0]: left[0]}
    return None if left else pairs


def stands_beside(name: str, literal: Literal) -> bool:
    """Whether the parameter's name stands right beside the number."""
    words = [singular(word) for word in name.lower().split("_")]
    after = [singular(word) for word in literal.after[: len(words)]]
    if after and after[: len(words)] == words:
        return True
    before = list(literal.before)
    while before and before[-1] in _LINKS:
        before.pop()
    return [singular(word) for word in before[-len(words) :]] == words


def counts_in_percent(name: str, schema: JsonObject) -> bool:
    """Whether the parameter counts in percent: 5 for 5 %."""
    if _PERCENT_WORDS & set(re.findall(r"[a-z]+", name.lower())):
        return True
    about = str(schema.get("description") or "")
    return _IN_PERCENT.search(about) is not None


_STARTS = re.compile(r"(start|from|first|birth|begin|old)")
_ENDS = re.compile(r"(end|to|second|last|until|on_date|new)")
_A_DATE = re.compile(r"(date|day|start|end)", re.IGNORECASE)


def _dates(missing: Mapping[str, JsonObject], text: str) -> JsonObject:
    """Dates for the parameters that are dates: one for one, or a start and an end in order."""
    wanting = [name for name, schema in missing.items() if _takes_only(schema, "string")]
    wanting = [name for name in wanting if _A_DATE.search(name)]
    given = [literal.value for literal in find_literals(text) if literal.kind is LiteralKind.DATE]
    if len(wanting) == len(given) == 1:
        return {wanting[0]: given[0]}
    if len(wanting) == len(given) == 2 and _STARTS.match(wanting[0]) and _ENDS.match(wanting[1]):
        return dict(zip(wanting, given, strict=True))
    return {}


def _choices(missing: Mapping[str, JsonObject], text: str) -> JsonObject:
    """The one value of a fixed set that the words name; for a from and a to, both in order."""
    wanting = {name: _options(schema) for name, schema in missing.items() if _options(schema)}
    said = [singular(word) for word in re.findall(r"[a-z]+", text.lower())]
    named = {name: [o for o in options if singular(o.lower()) in said and len(o) > 1]
             for name, options in wanting.items()}  # fmt: skip
    if len(wanting) == 1:
        ((name, found),) = named.items()
        return {name: found[0]} if len(found) == 1 else {}
    pair = sorted(wanting)
    if len(pair) == 2 and [n.partition("_")[0] for n in pair] == ["from", "to"]:
        found = sorted(
            set(named[pair[0]]) & set(named[pair[1]]), key=lambda o: said.index(singular(o))
        )
        between = (
            said[said.index(singular(found[0])) : said.index(singular(found[-1]))] if found else []
        )
        if len(found) == 2 and {"to", "in", "into"} & set(between):
            return dict(zip(pair, found, strict=True))
    return {}


def _options(schema: JsonObject) -> list[str]:
    values = schema.get("enum")
    listed = values if isinstance(values, list) else []
    return [value for value in listed if isinstance(value, str)]


def _texts(missing: Mapping[str, JsonObject], text: str) -> JsonObject:
    """One quoted text and nothing else that could hold it; a file for the one path wanted."""
    wanting = [name for name, schema in missing.items() if _takes_only(schema, "string")]
    wanting = [name for name in wanting if "enum" not in missing[name]]
    literals = find_literals(text)
    files = [literal for literal in literals if literal.kind is LiteralKind.FILE]
    quoted = [literal for literal in literals if literal.kind is LiteralKind.TEXT]
    paths = [name for name in wanting if re.search(r"(file|path)", name)]
    found: JsonObject = {}
    named = {str(literal.value) for literal in files if str(literal.value).startswith("/files/")}
    if len(paths) == 1 and len(named) == 1:
        found[paths[0]] = named.pop()
    rest = [name for name in wanting if name not in found]
    if len(rest) == len(quoted) == 1 and rest == [n for n in missing if n not in found]:
        found[rest[0]] = quoted[0].value
    return found
