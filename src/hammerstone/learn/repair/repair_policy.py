"""The numbers that decide about repairs: one stored policy with the fields of its parts."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class FixSearchPolicy:
    """How hard a fix is looked for."""

    edits: int = 2500  # edited programs that are tried
    survivors: int = 200  # edits that meet every case and are compared further
    probes: int = 80  # inputs made up to tell candidates apart
    samples: int = 4  # fixes by a model that sees the faulty program
    rewrites: int = 4  # programs by a model that sees only the description
    temperature: float = 0.8
    unseconded: float = 0.75  # the most that is believed of a sample that nobody agrees with


@dataclass(frozen=True)
class FixStandards:
    """When a fix is good enough, and how it is watched."""

    promote: float = 0.92  # sure enough to replace the version in use
    sessions: int = 2  # in which the failure must have been seen; before: for that call only
    slower: float = 100.0  # a fix that takes this many times longer is refused
    attempts: int = 2  # failed repairs after which the tool is left alone
    replays: int = 50  # recorded calls that a fix has to stand
    probation_uses: int = 20  # calls during which a new version is watched


@dataclass(frozen=True)
class RepairSpending:
    """What one repair may spend."""

    tokens: int = 30_000  # what one repair may spend
    model_calls: int = 40
    usd: float = 0.50


@dataclass(frozen=True)
class RepairPolicy(RepairSpending, FixStandards, FixSearchPolicy):
    """How hard a fix is looked for, when one is good enough, and how it is watched."""

    name: ClassVar[str] = "repair"
    enabled: bool = True
