"""An amount in the unit that a parameter counts in: 180 for "3 minutes" where seconds are meant."""

import re
from typing import Any, cast

from hammerstone.run.understand.literals import Literal

_KINDS = (
    {
        1: "second seconds sec secs",
        60: "minute minutes min mins",
        3600: "hour hours hr hrs",
        86400: "day days",
        604800: "week weeks",
    },
    {
        0.001: "millimeter millimeters millimetre millimetres mm",
        0.01: "centimeter centimeters centimetre centimetres cm",
        1: "meter meters metre metres m",
        1000: "kilometer kilometers kilometre kilometres km kms",
        0.0254: "inch inches",
        0.3048: "foot feet ft",
        0.9144: "yard yards",
        1609.344: "mile miles",
    },
    {
        0.001: "milligram milligrams mg",
        1: "gram grams g",
        1000: "kilogram kilograms kilo kilos kg kgs",
        453.59237: "pound pounds lb lbs",
        28.349523125: "ounce ounces oz",
    },
)
_UNITS = {
    word: (kind, factor)
    for kind, units in enumerate(_KINDS)
    for factor, words in units.items()
    for word in words.split()
}
_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z]+)")
_STATED = re.compile(r"\bin ([a-z]+)\b|\(([a-z]+)\)")


def in_units_of(name: str, schema: Any, literal: Literal) -> float:
    """The literal's amount in the parameter's unit; unchanged where one of them has none."""
    value = cast(float, literal.value)
    given = _UNITS.get(literal.after[0]) if literal.after else None
    wanted = unit_of(name, schema)
    if given is None or wanted is None or given == wanted or given[0] != wanted[0]:
        return value
    exact = round(value * given[1] / wanted[1], 10)
    return int(exact) if exact == int(exact) else exact


def amounts_in(text: str) -> dict[str, float]:
    """The amounts by unit of a text that is nothing else: "3 hours and 35 minutes"."""
    found = _AMOUNT.findall(text)
    units = [unit.lower() for _, unit in found]
    rest = _AMOUNT.sub("", text).lower().replace("and", "").strip(" ,")
    if rest or len(set(units)) < len(units) or any(unit not in _UNITS for unit in units):
        return {}
    return {unit: _number(digits) for (digits, _), unit in zip(found, units, strict=True)}


def _number(digits: str) -> float:
    return float(digits) if "." in digits else int(digits)


def unit_of(name: str, schema: Any) -> tuple[int, float] | None:
    """The one unit that a parameter's description or name states."""
    shape = cast(dict[str, Any], schema) if isinstance(schema, dict) else {}
    about = str(shape.get("description") or "").lower()
    stated = [word for pair in _STATED.findall(about) for word in pair if word]
    found = {_UNITS[word] for word in (*stated, *name.lower().split("_")) if word in _UNITS}
    return found.pop() if len(found) == 1 else None
