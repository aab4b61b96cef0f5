"""The time, as something that can be handed in."""

import time
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
