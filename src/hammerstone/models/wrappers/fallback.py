"""Another model answers when one cannot, or when its answer cannot be used."""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.errors import (
    ModelError,
    ModelMissing,
    ModelNonsense,
    ModelRefused,
    ModelUnavailable,
)
from hammerstone.core.seams import Model
from hammerstone.models.wrappers.wrapper import spent_by

CANNOT = (ModelUnavailable, ModelRefused, ModelMissing)


class FallbackModel:
    """Asks the models in order until one answers.

    An answer that breaks the rules is not a reason to change models here: `CheapFirstModel`
    decides about that. When none answers, the first one's error is raised, with the others'
    reasons in its data.
    """

    reasons: tuple[type[ModelError], ...] = CANNOT

    def __init__(self, models: Sequence[Model]) -> None:
        if not models:
            raise ValueError("at least one model is needed")
        self._models = tuple(models)

    @property
    def name(self) -> str:
        return self._models[0].name

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        failures: list[ModelError] = []
        lost = Usage()
        for model in self._models:
            try:
                reply = await model.complete(prompt, on_token=on_token)
            except self.reasons as error:
                failures.append(error)
                lost += spent_by(error)
            else:
                return replace(reply, usage=lost + reply.usage) if failures else reply
        worst = self._verdict(failures)
        worst.data["others"] = [error.message for error in failures if error is not worst]
        worst.data["usage"] = lost
        raise worst

    async def close(self) -> None:
        for model in self._models:
            await model.close()

    def _verdict(self, failures: list[ModelError]) -> ModelError:
        return failures[0]


class CheapFirstModel(FallbackModel):
    """Models from cheap to strong: the next one is asked when an answer is invalid or missing."""

    reasons = (ModelNonsense, *CANNOT)

    def _verdict(self, failures: list[ModelError]) -> ModelError:
        return failures[-1]  # the strongest one's word counts
