"""The numbers by which runs are held and taken up again."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class DurabilityPolicy:
    """A process that does not renew its hold for `lease_s` has lost its runs to others.

    A run that ended its process in each of `attempts` attempts is given up. One that cannot go on
    now, because a model or the database is away, is tried again after `away_s`. A server
    continues `at_once` of them at the same time.
    """

    name: ClassVar[str] = "durability"
    lease_s: float = 30.0
    attempts: int = 3
    look_every_s: float = 2.0
    away_s: float = 30.0
    at_once: int = 2
