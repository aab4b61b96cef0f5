"""A role table with a single model: one's own, or a scripted one."""

from hammerstone.core.chat import Role
from hammerstone.core.seams import Allowance, Model
from hammerstone.models.wrappers.meter import BudgetedModel
from hammerstone.models.wrappers.traced import TracedModel


class OneModel:
    """The given model for every role, traced and within the allowance like any other."""

    def __init__(self, model: Model) -> None:
        self._model = TracedModel(model, "given")

    def for_role(
        self, role: Role, *, allowance: Allowance | None = None, chosen: str | None = None
    ) -> Model:
        return self._model if allowance is None else BudgetedModel(self._model, allowance)

    async def close(self) -> None:
        await self._model.close()
