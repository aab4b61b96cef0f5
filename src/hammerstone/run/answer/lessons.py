"""What a good answer teaches search: these words meant this tool."""

from dataclasses import replace

from hammerstone.library.search import PastOutcome
from hammerstone.run.context import Run


async def learn(run: Run) -> None:
    """Let use count: for the standing of the tools, and for the words that found them.

    Search learns from proved tools, and from others where an independent solution agreed, each
    by its step's own words.
    """
    parts = run.parts
    if parts.lifecycle is not None:
        for tool, ok in run.ledger.used:
            now = await parts.registry.find(tool.name)
            if now is not None and now.version.id == tool.version.id:
                # As it was before this call, which is recorded already.
                await parts.lifecycle.after_use(replace(now, uses=now.uses - 1), ok=ok)
    for text, tool in run.ledger.lessons:
        clean = parts.clean_text(text)
        await parts.search.learn(clean, tool.name, PastOutcome.ANSWERED, run.request.user)
