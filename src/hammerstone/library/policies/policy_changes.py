"""A change of a policy in words, and whether a value may take a default's place.

Within which bounds a number makes sense, a policy may say itself (`ranges`, by field); otherwise
the unit in the name decides. Nothing that is counted, waited for or spent is negative, and nothing
lasts longer than ten years.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.policies.trials import PROMPT
from hammerstone.storage.rows import Policy

ROLLED_BACK = "rolled_back_to"  # in the evidence of a version that repeats an earlier one


@dataclass(frozen=True, slots=True)
class PolicyDiff:
    """What differs between two versions of a policy: the old and the new value of each field."""

    policy: str
    old: int
    new: int
    fields: dict[str, tuple[Json, Json]]

    def to_json(self) -> JsonObject:
        changed: JsonObject = {
            key: {"old": old, "new": new} for key, (old, new) in self.fields.items()
        }
        return {"policy": self.policy, "old": self.old, "new": self.new, "fields": changed}


def compare_versions(
    kind: type[Any], rows: Sequence[Policy], old: int, new: int | None
) -> PolicyDiff:
    """What differs between two numbers of a policy's history; raises `NotFound`."""
    then, now = (_values(kind, rows, number or 0) for number in (old, new))
    changed = {key: (then[key], now[key]) for key in now if then[key] != now[key]}
    return PolicyDiff(kind.name, old, new or 0, changed)


def version_before(name: str, rows: Sequence[Policy]) -> tuple[int, JsonObject]:
    """The number and the document before the one in force; raises `NotFound`."""
    known = rows[-1].evidence.get(ROLLED_BACK) if rows else 0
    before = (int(str(known)) if known is not None else rows[-1].number) - 1
    if before < 0:
        raise NotFound(f"policy {name} has its defaults", policy=name)
    row = next((each for each in rows if each.number == before), None)
    return before, row.value if row and isinstance(row.value, dict) else {}


def _values(kind: type[Any], rows: Sequence[Policy], number: int) -> JsonObject:
    """All the numbers of one version; 0 are the defaults."""
    row = next((row for row in rows if row.number == number), None)
    if row is None and number:
        told = f"policy {kind.name} has no version {number}"
        raise NotFound(told, policy=kind.name, number=number)
    defaults: JsonObject = asdict(kind())
    stored = row.value if row and isinstance(row.value, dict) else {}
    kept = {k: v for k, v in stored.items() if k in defaults and in_range(kind, k, v)}
    return {**defaults, **kept}


def change_title(name: str, before: JsonObject, after: JsonObject) -> str:
    if not name.startswith(PROMPT):
        return f"policy {name}: {differences(before, after)}"
    text = "a text of your own" if after else "the original text again"
    return f"prompt {name.removeprefix(PROMPT)}: {text}"


def differences(before: JsonObject, after: JsonObject) -> str:
    """What another value has: `high from 0.8 to 0.9`."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    told = [
        f"{name} from {_shown(before.get(name))} to {_shown(after.get(name))}" for name in names[:4]
    ]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(told) + more


def _shown(value: Json) -> str:
    return "the default" if value is None else str(value)[:40]


def type_words(default: object) -> str:
    """What may take the default's place, in words."""
    if isinstance(default, bool):
        return "true or false"
    return "a whole number" if isinstance(default, int) else "a number"


def fits_type(value: Json, default: object) -> bool:
    """Whether a value may take the default's place: whole numbers and switches stay such."""
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, int)
    return isinstance(value, int | float) and math.isfinite(value)


_TEN_YEARS_S = 10 * 365 * 86_400.0
_BY_ENDING: tuple[tuple[str, float], ...] = (
    ("_s", _TEN_YEARS_S),
    ("seconds", _TEN_YEARS_S),
    ("_hours", _TEN_YEARS_S / 3600),
    ("_days", _TEN_YEARS_S / 86_400),
    ("_share", 1.0),
    ("_bytes", float(1 << 40)),
    ("alpha", 1.0),
    ("confidence", 1.0),
    ("similarity", 1.0),
    ("similarity_threshold", 1.0),
    ("success", 1.0),
    ("mutation_score", 1.0),
    ("_weight", 10.0),
    ("usd", 1e4),
    ("tokens", 1e8),
    ("model_calls", 1e5),
)
_MOST = 1e9
SHARE = (0.0, 1.0)
"""The bounds of a chance, a similarity or a share."""


def range_of(kind: type[Any], field: str) -> tuple[float, float]:
    """The least and the most that a policy's field may be."""
    stated = getattr(kind, "ranges", {}).get(field)
    if stated is not None:
        return stated
    return 0.0, next((most for ending, most in _BY_ENDING if field.endswith(ending)), _MOST)


def in_range(kind: type[Any], field: str, value: object) -> bool:
    """Whether a number is within its bounds; a switch always is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    low, high = range_of(kind, field)
    return low <= value <= high
