"""Answers from the web, for what nothing here can know."""

from dataclasses import replace

from hammerstone.core import wire
from hammerstone.core.answers import Answer, EventKind
from hammerstone.core.chat import Prompt, Role
from hammerstone.guard.data import as_data
from hammerstone.prompts import load
from hammerstone.run.act.outside import OutsideServices
from hammerstone.run.answer.wording import failed, plain_answer
from hammerstone.run.context import Run, RunModels

_SHOWN = 3_000
_SEARCH = "web.search"


class WebLookup:
    """The look into the web for what nothing here can know."""

    def __init__(self, outside: OutsideServices, models: RunModels) -> None:
        self._outside = outside
        self._models = models

    async def look_up(self, run: Run) -> Answer | None:
        """An answer from the web for what nothing here can know; None without web search."""
        offer = await self._outside.find(_SEARCH)
        if offer is None:
            return None
        found = await self._outside.reach(run, offer, {"query": run.words[:400]})
        if isinstance(found, str):
            return failed(run, found)
        rows = wire.decode(found.value)
        text = "\n\n".join(f"{row['title']}\n{row['url']}\n{row['text']}" for row in rows)
        if not rows:
            return failed(run, "I looked it up, and nothing was found.")
        results = as_data("web search results", text, _SHOWN)
        prompt = Prompt(
            load("look_up").fill(request=run.words, found=results),
            max_tokens=200,
            purpose="response",
        )
        await run.say(EventKind.SYNTHESIZING_RESPONSE, "reading what was found")
        reply = await self._models.of(run, Role.RESPONDER).complete(prompt)
        sources = "\n".join(f"- {row['title']} {row['url']}" for row in rows[:3])
        said = f"{reply.text.strip()}\n(from the web, not verified)\n{sources}"
        return replace(plain_answer(run, said), result=list(rows))
