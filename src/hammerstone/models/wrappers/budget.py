"""Asking before each call whether it may be spent."""

from contextlib import AbstractContextManager
from typing import Protocol

from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import Wrapper, spent_by


class Allowance(Protocol):
    """What a request may still spend."""

    def reserve(self, tokens: int = 0, calls: int = 1) -> AbstractContextManager[None]:
        """Holds room for so many calls while they run, so that calls side by side cannot pass
        the limit together. Raises `BudgetExceeded` on entering when there is none."""
        ...

    def spend(self, usage: Usage) -> None: ...


class BudgetedModel(Wrapper):
    """Refuses before the call; afterwards the allowance learns what it cost, failed or not."""

    def __init__(self, inner: Model, allowance: Allowance) -> None:
        super().__init__(inner)
        self._allowance = allowance

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        most = prompt.max_tokens * prompt.samples
        with self._allowance.reserve(tokens=most, calls=prompt.samples):
            try:
                reply = await self._inner.complete(prompt, on_token=on_token)
            except ModelError as error:
                self._allowance.spend(spent_by(error))
                raise
            self._allowance.spend(reply.usage)
            return reply
