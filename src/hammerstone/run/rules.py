"""Numbers that belong to a tool's rule: "3 euros for the first hour, then 1.50 an hour".

Where a tool has such numbers inside instead of as parameters, its description says so: its test
authors have to know them, and nobody with other prices may be answered by it (R3.1).
"""

import re

from hammerstone.core.tools import Spec
from hammerstone.library.promises import numbers_stated
from hammerstone.run.literals import Kind, find_literals
from hammerstone.run.types import types_of
from hammerstone.synthesis.signature import parameter_schemas

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_LONGEST = 400
_SINGLE = frozenset({"number", "integer", "boolean"})


def rule_in(text: str, numbers: list[str]) -> str:
    """The sentences of a request that state these numbers, as they stand there."""
    alone = re.compile("|".join(rf"(?<![\w.]){re.escape(each)}(?!\.?\w)" for each in numbers))
    stating = [each for each in _SENTENCE_END.split(text.strip()) if alone.search(each)]
    return " ".join(stating)[:_LONGEST] if numbers else ""


def has_another_rule(spec: Spec, text: str) -> bool:
    """Whether a request states numbers of its own where the tool has others inside."""
    inside = numbers_stated(spec)
    if not inside:
        return False
    kinds = [types_of(schema) for schema in parameter_schemas(spec).values()]
    if not all(kind <= _SINGLE for kind in kinds):
        return False  # a list or a text takes any number of them
    given = _numbers(text)
    return not inside <= given and len(given - inside) > len(kinds)


def _numbers(text: str) -> set[float]:
    """The amounts written in digits."""
    return {
        float(str(literal.value))
        for literal in find_literals(text)
        if literal.kind in (Kind.NUMBER, Kind.PERCENT)
        and any(map(str.isdigit, text[literal.start : literal.end]))
    }
