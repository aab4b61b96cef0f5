"""The tasks of this process, each person's apart, the oldest forgotten.

They are kept in memory on purpose: a task holds the request and the answer word for word, and
nothing is stored here that was not scrubbed. What came of it is in the session, scrubbed.
"""

from collections import OrderedDict

from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import Task

from hammerstone.core.people import Caller, Right

OWNER = "hammerstone.user"
_MOST = 500  # of one person


CALLER = "hammerstone.caller"


def may_build(context: ServerCallContext | None) -> bool:
    """Whether what is asked may become a tool for everybody."""
    caller: Caller | None = context.state.get(CALLER) if context else None
    return caller is not None and caller.may(Right.BUILD)


def owner_of(context: ServerCallContext) -> str:
    """Whose token came with the call."""
    return str(context.state.get(OWNER) or "")


class RecentTasks(InMemoryTaskStore):
    def __init__(self, most: int = _MOST) -> None:
        super().__init__(owner_resolver=owner_of)
        self._most = most
        self._order: dict[str, OrderedDict[str, None]] = {}

    async def save(self, task: Task, context: ServerCallContext) -> None:
        await super().save(task, context)
        order = self._order.setdefault(owner_of(context), OrderedDict())
        order[task.id] = None
        order.move_to_end(task.id)
        while len(order) > self._most:
            oldest, _ = order.popitem(last=False)
            await super().delete(oldest, context)
