"""Times, durations, numbers, sizes, prices and plurals as people read them.

Every text for a person takes them from here; what programs read keeps seconds, bytes and ISO.
"""

import json
import math
from collections.abc import Sequence
from datetime import datetime

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400
_SIZES = ("kB", "MB", "GB", "TB")
_CENT_USD = 0.01
_SMALLEST_USD = 0.0001


def count(number: float, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 tool", "3 tools", "2 entries" with its own plural."""
    return f"{decimal(number)} {noun if number == 1 else plural or f'{noun}s'}"


def decimal(number: float) -> str:
    """A number with thousands apart, and at most three digits that matter behind the point."""
    if isinstance(number, float) and not math.isfinite(number):
        return str(number)
    if float(number).is_integer():
        return f"{int(number):,}"
    digits = max(0, 2 - math.floor(math.log10(abs(number))))
    return f"{number:,.{digits}f}".rstrip("0").rstrip(".") if digits else f"{number:,.0f}"


def percent(share: float) -> str:
    """A share of one: "97%". What is not all of it never reads 100%, nor something 0%."""
    if 0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1:
        return ">99%"
    return f"{share:.0%}"


def duration(seconds: float) -> str:
    """How long something took: "12 ms", "6.1 s", "2 min 5 s", "1 h 20 min", "3 days"."""
    seconds = max(0.0, seconds)
    if seconds < 0.0005:
        return "under 1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return _two(whole, _MINUTE_S, "min", 1, "s")
    if whole < _DAY_S:
        return _two(whole, _HOUR_S, "h", _MINUTE_S, "min")
    return count(whole // _DAY_S, "day")


def clock(seconds: float) -> str:
    """Time that goes on while somebody looks, in one form so that it does not jump: "6.1 s"."""
    return f"{seconds:.1f} s" if seconds < _MINUTE_S else duration(seconds)


def _two(whole: int, unit_s: int, unit: str, part_s: int, part: str) -> str:
    units, rest = divmod(whole, unit_s)
    parts = rest // part_s
    return f"{units} {unit} {parts} {part}" if parts else f"{units} {unit}"


def size(size_bytes: float) -> str:
    """A file's size: "812 bytes", "1.2 kB", "3.4 MB", by thousands as disks count."""
    if size_bytes < 1000:
        return count(int(size_bytes), "byte")
    power, shown = 0, size_bytes / 1000
    while shown >= 999.5 and power < len(_SIZES) - 1:
        power, shown = power + 1, shown / 1000
    return f"{shown:.1f} {_SIZES[power]}" if shown < 9.95 else f"{shown:,.0f} {_SIZES[power]}"


def money(usd: float) -> str:
    """A price: "$1.20", "$0.0034"; what costs something never reads as nothing."""
    if 0 < usd < _SMALLEST_USD:
        return f"under ${_SMALLEST_USD}"
    return f"${usd:.4f}" if 0 < usd < _CENT_USD else f"${usd:,.2f}"


def day(at: datetime | str) -> str:
    """The date where the reader is: "2026-11-18"."""
    return f"{_local(at):%Y-%m-%d}"


def moment(at: datetime | str) -> str:
    """Date and time where the reader is: "2026-11-18 01:50"."""
    return f"{_local(at):%Y-%m-%d %H:%M}"


def listing(words: Sequence[str], last: str = "and") -> str:
    """Several things in a row: "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def shortened(text: str, longest: int) -> str:
    """The beginning of a text in one line, with a sign that there is more."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def json_text(value: object) -> str:
    """A text as it is; anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _local(at: datetime | str) -> datetime:
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return moment.astimezone()
