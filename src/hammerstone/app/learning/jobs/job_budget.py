"""What the turn of a job may still spend: handed to every model that a job asks."""

from collections.abc import Generator
from contextlib import contextmanager

from hammerstone.core.chat import Usage
from hammerstone.guard.budget import Budget


class JobBudget:
    """An `Allowance` that is one turn's: opened by the runner, used by whatever the job calls.

    Outside of a turn it has no limit and counts nothing: then a person's own command, such as
    `hammerstone repair`, has the limits of its own policy.
    """

    def __init__(self) -> None:
        self._turn: Budget | None = None

    @contextmanager
    def turn(self, tokens: int) -> Generator[Budget]:
        """Everything that is spent in the block counts for one turn."""
        self._turn = Budget(
            tokens=tokens, model_calls=None, steps=None, usd=None, name="turn of a job"
        )
        try:
            yield self._turn
        finally:
            self._turn = None

    @contextmanager
    def reserve(self, tokens: int = 0, calls: int = 1) -> Generator[None]:
        if self._turn is None:
            yield
            return
        with self._turn.reserve(tokens, calls):
            yield

    def spend(self, usage: Usage) -> None:
        if self._turn is not None:
            self._turn.spend(usage)
