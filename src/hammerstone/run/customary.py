"""Values in the form that functions take them: a currency's code, every choice that was named,
five feet ten in inches, two pi as a number."""

import math
import re
from typing import Any, cast

from hammerstone.core.json_types import Json
from hammerstone.run.understand.literals import Kind, find_literals
from hammerstone.run.units import in_units_of

_CODES = {
    "USD": "us dollar, u.s. dollar, american dollar, united states dollar, dollar, usd",
    "EUR": "euro, eur",
    "GBP": "british pound, pound sterling, british pound sterling, pound, sterling, gbp",
    "JPY": "japanese yen, yen, jpy",
    "CAD": "canadian dollar, cad",
    "AUD": "australian dollar, aud",
    "NZD": "new zealand dollar, nzd",
    "HKD": "hong kong dollar, hkd",
    "SGD": "singapore dollar, singaporean dollar, sgd",
    "CHF": "swiss franc, franc, chf",
    "CNY": "chinese yuan, yuan, renminbi, chinese renminbi, cny",
    "INR": "indian rupee, rupee, inr",
    "KRW": "south korean won, korean won, won, krw",
    "MXN": "mexican peso, mxn",
    "BRL": "brazilian real, real, brl",
    "RUB": "russian ruble, russian rouble, ruble, rub",
    "SEK": "swedish krona, swedish crown, sek",
    "NOK": "norwegian krone, norwegian crown, nok",
    "DKK": "danish krone, danish crown, dkk",
    "PLN": "polish zloty, zloty, pln",
    "CZK": "czech koruna, czech crown, czk",
    "HUF": "hungarian forint, forint, huf",
    "TRY": "turkish lira, lira, try",
    "ZAR": "south african rand, rand, zar",
    "THB": "thai baht, baht, thb",
    "IDR": "indonesian rupiah, rupiah, idr",
    "ILS": "israeli shekel, shekel, israeli new shekel, ils",
}
_CODE_OF = {name: code for code, names in _CODES.items() for name in names.split(", ")}
_GENERAL = {"type", "name", "kind", "category", "style", "id"}  # `cell_type` is about a cell
_WORD = re.compile(r"[a-z]+")
_FEET = re.compile(r"\b(\d)\s?(?:ft|feet|foot|')\s?(?:and )?(\d\d?)\s?(?:in\b|inch|\")")
_TIMES_PI = re.compile(r"(\d+(?:\.\d+)?)\s?\*?\s?(?:pi\b|π)", re.IGNORECASE)
_PLACES = {"two": 2, "three": 3, "four": 4, "2": 2, "3": 3, "4": 4}


def customary(name: str, schema: Any, value: Json, request: str) -> Json:
    """The value of a parameter as its function will want it; unchanged where nothing is known."""
    shape = cast(dict[str, Any], schema) if isinstance(schema, dict) else {}
    if isinstance(value, list):
        return _with_all_named(shape, value, request)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(name, shape, value, request)
    if not isinstance(value, str) or "enum" in shape:
        return value
    about = f"{name} {shape.get('description') or ''}".lower()
    if "currency" in about:
        return _currency(shape, value)
    return _without_own_noun(name, value)


def _number(name: str, shape: dict[str, Any], value: float, request: str) -> float:
    """A number as it is meant: with its unit, or where a text writes it in two parts."""
    about = str(shape.get("description") or "").lower()
    height = _FEET.search(request)
    if height and value in (int(height[1]), int(height[1] + height[2]), float(height[1])):
        inches = 12 * int(height[1]) + int(height[2])
        if re.search(r"\binch", about):
            return inches
        if re.search(r"\b(cm|centimet)", about):
            return round(2.54 * inches, 2)
    times = [float(number) for number in _TIMES_PI.findall(request)]
    if value in times and shape.get("type") != "integer":
        places = next((n for word, n in _PLACES.items() if f"{word} decimal" in about), None)
        return value * math.pi if places is None else round(value * math.pi, places)
    stated = [one for one in find_literals(request) if one.kind is Kind.NUMBER]
    same = [one for one in stated if one.value == value]
    return in_units_of(name, shape, same[0]) if len(same) == 1 else value


def _currency(shape: dict[str, Any], value: str) -> str:
    """The code of a currency, unless the description shows that names are wanted."""
    said = value.strip().lower()
    code = _CODE_OF.get(said) or _CODE_OF.get(said.removesuffix("s"))
    shown = set(_WORD.findall(str(shape.get("description") or "").lower()))
    by_name = bool(shown & {"dollar", "dollars", "euros", "pounds", "yen"})
    return value if code is None or by_name else code


def _without_own_noun(name: str, value: str) -> str:
    """`human` for the cell_type "human cell": what the parameter says itself is no part of it.

    In capitals it belongs to a name: Baker Street stays.
    """
    words = value.split()
    nouns = [word for word in name.split("_") if word not in _GENERAL]
    if len(words) < 2 or not nouns or words[-1].rstrip("s") != nouns[-1].rstrip("s"):
        return value
    return " ".join(words[:-1])


def _with_all_named(shape: dict[str, Any], value: list[Json], request: str) -> Json:
    """Every choice of a fixed set that the request names, in the order of the request."""
    items = shape.get("items")
    options = cast(dict[str, Any], items).get("enum") if isinstance(items, dict) else None
    if not isinstance(options, list) or not value:
        return value
    said = [word.rstrip("s") for word in _WORD.findall(request.lower())]
    named = [o for o in cast(list[Any], options) if isinstance(o, str) and len(o) > 2]
    named = [o for o in named if o.lower().rstrip("s") in said]
    more = sorted(
        (o for o in named if o not in value), key=lambda o: said.index(o.lower().rstrip("s"))
    )
    return [*value, *more]
