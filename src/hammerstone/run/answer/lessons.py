"""What a good answer teaches search: these words meant this tool."""

from dataclasses import replace

from hammerstone.library.search import PastOutcome
from hammerstone.run.context import Run
from hammerstone.run.services import Catalogue, Records


class Lessons:
    """Lets use count."""

    def __init__(self, catalogue: Catalogue, records: Records) -> None:
        self._registry = catalogue.registry
        self._lifecycle = catalogue.lifecycle
        self._search = catalogue.search
        self._records = records

    async def learn(self, run: Run) -> None:
        """Count the use: for the standing of the tools, and for the words that found them.

        Search learns from proved tools, and from others where an independent solution agreed, each
        by its step's own words.
        """
        for tool, ok in run.ledger.used:
            now = await self._registry.find(tool.name)
            if now is not None and now.version.id == tool.version.id:
                # As it was before this call, which is recorded already.
                await self._lifecycle.after_use(replace(now, uses=now.uses - 1), ok=ok)
        for text, tool in run.ledger.lessons:
            clean = self._records.clean_text(text)
            await self._search.learn(clean, tool.name, PastOutcome.ANSWERED, run.request.user)
