"""A clock that stands still until it is moved, backwards too."""

from datetime import UTC, datetime, timedelta


class HandClock:
    def __init__(self) -> None:
        self.time = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
        self.elapsed = 0.0

    def now(self) -> datetime:
        return self.time

    def elapsed_s(self) -> float:
        return self.elapsed

    def forward(self, seconds: float = 0, days: float = 0) -> None:
        """Time passes, on the wall and for waiting."""
        self.jump(seconds, days)
        self.elapsed += seconds + days * 86_400

    def jump(self, seconds: float = 0, days: float = 0) -> None:
        """The clock on the wall is set, forward or back; no time passes."""
        self.time += timedelta(seconds=seconds, days=days)
