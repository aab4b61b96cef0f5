"""What memory knows that belongs to a request, found before anything is spent on it."""

from hammerstone.library.memory import Context
from hammerstone.run.context import Run


async def enrich(run: Run) -> Context:
    """The request's surroundings, also put into `run.context`; never asks a model."""
    context = Context()
    run.context = context
    return context
