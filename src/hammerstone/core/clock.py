"""The time, as something that can be handed in."""

import time
from datetime import UTC, datetime
from functools import partial
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Wall time in UTC; may jump."""
        ...

    def elapsed_s(self) -> float:
        """Seconds that never run backwards, from an arbitrary start."""
        ...


class SystemClock:
    """The machine's clock. It is read at every step of everything: nothing stands in between."""

    now = staticmethod(partial(datetime.now, UTC))
    elapsed_s = staticmethod(time.perf_counter)
