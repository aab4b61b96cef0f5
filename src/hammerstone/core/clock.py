"""The time, as something that can be handed in."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Wall time in UTC; may jump."""
        ...

    def elapsed_s(self) -> float:
        """Seconds that never run backwards, from an arbitrary start."""
        ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        return time.perf_counter()


@dataclass(frozen=True, slots=True)
class Timer:
    """The seconds since a moment."""

    clock: Clock
    began_s: float

    @staticmethod
    def started(clock: Clock) -> "Timer":
        return Timer(clock, clock.elapsed_s())

    @property
    def elapsed_s(self) -> float:
        return self.clock.elapsed_s() - self.began_s
