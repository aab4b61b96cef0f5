"""A knob: numbers of a policy, logged cases that show what they do, a score for each, and who is
trying values of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
KnobValues = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TuningCase:
    """One logged decision with what is known about it.

    `group` is what hangs together (a session): groups are never split. `weight` is how far its
    label is believed. `vouched`: a person said outright that the outcome was right.
    """

    id: str
    group: str
    at: datetime
    data: Any
    weight: float = 1.0
    user: str = ""
    vouched: bool = False


class Knob(Protocol):
    """What `Tuner` can tune."""

    @property
    def name(self) -> str:
        """One short word: studies are stored under it."""
        ...

    @property
    def policy(self) -> str:
        """The name of the policy whose fields its values are."""
        ...

    @property
    def about(self) -> str:
        """What it decides, for a person."""
        ...

    def present(self) -> dict[str, float]:
        """The values in force, by field."""
        ...

    def grid(self) -> list[dict[str, float]]:
        """Values to try in any case, most promising first."""
        ...

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Between which values a search may go on."""
        ...

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        """The values as they would be put in force; None where they make no sense together."""
        ...

    async def cases(self, until: datetime) -> list[TuningCase]:
        """What was logged up to a moment and has a label, oldest first."""
        ...

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        """What each case would have been worth with these values."""
        ...

    def doubt(self, cases: Sequence[TuningCase]) -> str:
        """Why what the cases say about its values is not to be believed; empty where it is."""
        ...


class TrustedCases:
    """A knob whose cases are believed as they are."""

    def doubt(self, cases: Sequence[TuningCase]) -> str:
        return ""


class KnobUse(Protocol):
    """Whether somebody else is trying values of a knob at the moment."""

    async def in_use(self, name: str) -> str:
        """Who uses `policy.field` or `prompt/name`, in words; empty when nobody does."""
        ...


class NobodyElse:
    """Fills `KnobUse` where nothing runs experiments."""

    async def in_use(self, name: str) -> str:
        return ""


NOBODY = NobodyElse()
