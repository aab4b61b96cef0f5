"""What a model took from a request, held against the request: nothing made up is passed on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, cast

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.bind.fill import as_share
from hammerstone.run.bind.types import types_of
from hammerstone.run.customary import customary
from hammerstone.run.understand.literals import Kind, find_literals

_AMOUNTS = re.compile(
    r"\d|\b(zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|third"
    r"|quarter|hundred|thousand|million|billion|once|twice|double|triple|single|pair|couple|both"
    r"|first|second|last|today|yesterday|tomorrow"
    r"|an? (?:year|month|week|day|hour|minute|second|mile|kilo\w*|met(?:er|re)|pound|gallon))\b",
    re.IGNORECASE,
)
# How often in a year: "with monthly compounding".
_OFTEN = {
    r"\b(annual|year)ly\b": 1,
    r"\bsemi-?annual": 2,
    r"\bquarterly\b": 4,
    r"\bmonthly\b": 12,
    r"\bweekly\b": 52,
    r"\bdaily\b": 365,
}
_WORD = re.compile(r"\w+")
_ALIKE = 0.8  # woman and women


@dataclass(frozen=True, slots=True)
class Settled:
    """The values that stay; `invented` names required ones that nothing supports."""

    values: JsonObject
    invented: tuple[str, ...]


def settle(spec: Spec, values: JsonObject, request: str, *, certain: Mapping[str, Json]) -> Settled:
    """Drop optional values that the request does not mention; tell required ones made up."""
    properties = cast(dict[str, Any], spec.parameters.get("properties") or {})
    required = set(cast(list[str], spec.parameters.get("required") or []))
    kept: JsonObject = {}
    invented: list[str] = []
    percents = [each.value for each in find_literals(request) if each.kind is Kind.PERCENT]
    for name, said in values.items():
        schema = properties.get(name, {})
        value = said
        if name not in certain:
            share = as_share(name, schema, said) if said in percents else None
            value = customary(name, schema, said, request) if share is None else share
        if name in certain:
            kept[name] = value
        elif name in required:
            kept[name] = value
            if types_of(schema) <= {"number", "integer"} and not _AMOUNTS.search(request):
                invented.append(name)
        elif _mentioned(said, request) and value not in ("", None, [], {}):
            kept[name] = value
    return Settled(kept, tuple(invented))


def _mentioned(value: Json, request: str) -> bool:
    """Whether the request says something like this value; switches and records are believed."""
    if isinstance(value, (bool, dict)):
        return True
    if isinstance(value, int | float):
        return _number_mentioned(value, request)
    if isinstance(value, list):
        return not value or any(_mentioned(item, request) for item in value)
    if value is None:
        return False
    words = {_stem(word) for word in _WORD.findall(request.lower())}
    wanted = [_stem(word) for word in _WORD.findall(value.lower().replace("_", " "))]
    if not wanted or any(word in words for word in wanted):
        return True
    return any(SequenceMatcher(None, a, b).ratio() >= _ALIKE for a in wanted for b in words)


def _number_mentioned(value: float, request: str) -> bool:
    if any(value == often and re.search(word, request, re.I) for word, often in _OFTEN.items()):
        return True
    if not _AMOUNTS.search(request):
        return False
    digits = {text.replace(",", "") for text in re.findall(r"\d[\d,]*(?:\.\d+)?", request)}
    shown = {f"{value:g}", f"{abs(value):g}", f"{value * 100:g}"}
    if shown & {f"{float(text.rstrip('.') or 0):g}" for text in digits}:
        return True
    return re.search(r"[a-z]", request, re.IGNORECASE) is not None and not digits


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "ly"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word
