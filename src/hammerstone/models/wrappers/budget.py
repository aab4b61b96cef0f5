"""Asking before each call whether it may be spent."""

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.errors import ModelError
from hammerstone.core.seams import Allowance, Model
from hammerstone.models.wrappers.wrapper import Wrapper, spent_by


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
