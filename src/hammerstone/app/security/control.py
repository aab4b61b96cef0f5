"""What protects the machine, and whether it does."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from hammerstone.core.json_types import JsonObject


class ControlState(StrEnum):
    OK = "ok"
    WEAK = "weak"  # it holds, but somebody can do more than they need
    OFF = "off"  # it does not hold


@dataclass(frozen=True, slots=True)
class SecurityControl:
    """One control: its state, why, and what to type or set."""

    name: str
    state: ControlState
    detail: str
    fix: str = ""

    def to_json(self) -> JsonObject:
        return asdict(self)


def ok(name: str, detail: str) -> SecurityControl:
    return SecurityControl(name, ControlState.OK, detail)


def weak(name: str, detail: str, fix: str) -> SecurityControl:
    return SecurityControl(name, ControlState.WEAK, detail, fix)


def off(name: str, detail: str, fix: str) -> SecurityControl:
    return SecurityControl(name, ControlState.OFF, detail, fix)
