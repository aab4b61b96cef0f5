"""The one door for everything that may need a person's leave."""

from hammerstone.core.approvals import Action, ActionKind, Leave, Question, Waiting
from hammerstone.run.context import Run


async def leave(run: Run, action: Action) -> Leave:
    """Whether the action may happen; asks the person when it needs leave."""
    if action.kind in (ActionKind.CALL, ActionKind.BUILD):
        return Leave(True)
    return Leave(False, f"{action.tool} needs your leave, and nobody is there to give it")


async def ask_person(run: Run, question: Question) -> Waiting:
    """What the person answers, or that the question waits."""
    return Waiting(run.id, question)
