"""Answers in sentences: only when the request asks for them, streamed while they are written."""

import asyncio

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Message, Prompt, Role
from hammerstone.core.errors import BudgetExceeded, ModelError
from hammerstone.core.json_types import Json
from hammerstone.guard.data import as_data
from hammerstone.judging.rendering import in_words
from hammerstone.prompts import load
from hammerstone.run.context import Run, RunModels

_SHOWN = 4_000


class Prose:
    """Sentences that the responder's model writes."""

    def __init__(self, models: RunModels) -> None:
        self._models = models

    async def explain(self, run: Run, result: Json, steps: str = "") -> str:
        """The result first, then sentences about it; the result alone when no model can answer."""
        shown = in_words(result)
        messages = load("explain").fill(
            request=run.text_for_models,
            steps=steps,
            result=as_data("the computed result", shown[:_SHOWN]),
        )
        await run.say(EventKind.SYNTHESIZING_RESPONSE, "writing the answer", result=shown)
        try:
            said = await self._stream(run, messages, 200)
        except (ModelError, BudgetExceeded):
            return shown
        return f"{shown}\n\n{said}" if said else shown

    async def chat(self, run: Run) -> str:
        """A reply without a tool."""
        await run.say(EventKind.SYNTHESIZING_RESPONSE, "answering without a tool")
        return await self._stream(run, load("chat").fill(request=run.text_for_models), 120)

    async def _stream(self, run: Run, messages: tuple[Message, ...], most: int) -> str:
        """What the model writes; pieces are shown as events while it does."""
        pieces: asyncio.Queue[str] = asyncio.Queue()
        prompt = Prompt(messages=messages, max_tokens=most, purpose="response")

        def on_token(_: int, piece: str) -> None:
            pieces.put_nowait(piece)

        model = self._models.of(run, Role.RESPONDER)
        writing = asyncio.ensure_future(model.complete(prompt, on_token=on_token))
        try:
            while not (writing.done() and pieces.empty()):
                arriving = asyncio.ensure_future(pieces.get())
                await asyncio.wait({writing, arriving}, return_when=asyncio.FIRST_COMPLETED)
                if not arriving.done():
                    arriving.cancel()
                    continue
                said = arriving.result()
                while not pieces.empty():
                    said += pieces.get_nowait()
                await run.say(EventKind.SYNTHESIZING_RESPONSE, said, piece=True)
            return (await writing).text.strip()
        finally:
            writing.cancel()
