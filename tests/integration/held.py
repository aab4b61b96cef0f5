"""A scripted model that keeps one kind of prompt waiting, for what happens meanwhile."""

import asyncio
import threading

from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.models.fakes import ScriptedModel
from tests.integration.engine import Script


class HeldModel(ScriptedModel):
    """Says nothing to prompts of `purpose` before `released` is set, from any thread."""

    def __init__(self, script: Script, purpose: str = "solution") -> None:
        super().__init__(script)
        self._purpose = purpose
        self.released = threading.Event()

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        while prompt.purpose == self._purpose and not self.released.is_set():
            await asyncio.sleep(0.01)
        return await super().complete(prompt, on_token=on_token)
