"""A model that asks a budget first."""

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.seams import Model
from hammerstone.guard.budget import Budget


class SpendingModel:
    """Refuses a call that the budget does not allow, and tells it what every other one cost.

    Each sample counts as a call. Calls at the same time cannot overspend together.
    """

    def __init__(self, model: Model, budget: Budget) -> None:
        self._model = model
        self._budget = budget

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        with self._budget.reserve(calls=prompt.samples):
            reply = await self._model.complete(prompt, on_token=on_token)
            self._budget.spend(reply.usage)
        return reply

    async def close(self) -> None:
        """The model belongs to the role table, which closes it."""
