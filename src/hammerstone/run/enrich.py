"""What memory knows that belongs to a request, found before anything is spent on it."""

from dataclasses import replace

from hammerstone.library.memory import Asking, Context
from hammerstone.run.context import Run
from hammerstone.tracing import span


async def enrich(run: Run) -> Context:
    """The request's surroundings, also put into `run.context`; never asks a model.

    When the request only asked to remember or to forget something, that is done already and
    `told` is the answer.
    """
    request, memory = run.request, run.parts.memory
    asking = Asking(
        request.text, request.user, request.session_id, request.refers_back, request.memory
    )
    told = memory.told(asking, f"run {run.id[:8]}")
    context = Context(told=told) if told else await memory.surroundings(asking)
    run.context = context
    if not context.empty:
        with span("enrich", kind="step") as traced:
            traced.set("hammerstone.memory.rules", bool(context.rules))
            traced.set("hammerstone.memory.window", len(context.window))
            traced.set("hammerstone.memory.recalled", [one.run_id for one in context.recalled])
    return context


def with_references(run: Run, references: str) -> None:
    """Add the listing of the session's values to what models see."""
    if isinstance(run.context, Context):
        run.context = replace(run.context, references=references)
