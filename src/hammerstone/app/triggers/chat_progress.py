"""What a chat sees while a request is worked on: one message that changes, and buttons."""

import asyncio
from contextlib import suppress

from hammerstone.app.triggers.chats import Chats, place_of
from hammerstone.connectors.chats.chat import ChatButton, ChatGone
from hammerstone.connectors.connector import ServiceDown
from hammerstone.core.answers import Event, EventKind
from hammerstone.core.approvals import Approval, ApprovalScope
from hammerstone.core.clock import Clock
from hammerstone.core.triggers import Trigger, TriggerTask

WORKING = "Working on it …"
_SHOWN = frozenset(
    (EventKind.SEARCHING, EventKind.TOOL_FOUND, EventKind.PLANNING, EventKind.SYNTHESIZING,
     EventKind.EXECUTING, EventKind.REPAIRING, EventKind.VERIFYING)
)  # fmt: skip


class ChatProgress:
    """One request's message. What cannot be said is left out: the answer matters more."""

    def __init__(
        self, chats: Chats, clock: Clock, trigger: Trigger, task: TriggerTask, every_s: float
    ) -> None:
        self._chat = chats.of(trigger)
        self._clock = clock
        self._place = place_of(task.place)
        self._every_s = every_s
        self._said_s: float | None = None
        self.message = ""

    async def begin(self, message: str = "") -> None:
        """Say that the work began, unless an earlier attempt has; raises as the chat does."""
        self.message = message or await self._chat.post(self._place, WORKING)
        self._said_s = self._clock.elapsed_s()

    async def show(self, event: Event) -> None:
        """Change the message, not oftener than the policy says."""
        now_s = self._clock.elapsed_s()
        due = self._said_s is None or now_s - self._said_s >= self._every_s
        if event.kind not in _SHOWN or not due or not self.message:
            return
        self._said_s = now_s
        with suppress(ChatGone, ServiceDown):
            await self._chat.edit(self._place, self.message, f"{WORKING}\n{event.text[:300]}")

    async def ask(self, asked: Approval) -> bool | ApprovalScope | None:
        """Show what needs permission, with buttons. The decision itself is stored, by whichever
        process hears of the button; who waits for it cancels this."""
        buttons = (
            ChatButton("Allow once", f"give:{asked.id}"),
            ChatButton("Do not allow", f"refuse:{asked.id}", risky=True),
        )
        await self._chat.post(self._place, asked.text, buttons)
        await asyncio.Event().wait()
        return None
