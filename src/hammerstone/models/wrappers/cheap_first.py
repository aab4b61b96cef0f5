"""The cheap model first; a stronger one when its answer cannot be used."""

from hammerstone.core.errors import ModelError, ModelNonsense
from hammerstone.models.wrappers.fallback import CANNOT, FallbackModel


class CheapFirstModel(FallbackModel):
    """Models from cheap to strong: the next one is asked when an answer is invalid or missing."""

    reasons = (ModelNonsense, *CANNOT)

    def _verdict(self, failures: list[ModelError]) -> ModelError:
        return failures[-1]  # the strongest one's word counts
