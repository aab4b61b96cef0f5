"""What a good answer teaches search: these words meant this tool."""

from hammerstone.core.tools import Status
from hammerstone.library.search import Lesson
from hammerstone.run.context import Run


async def learn(run: Run) -> None:
    """Let use count: for the standing of the tools, and for the words that found them.

    Search learns only from proven tools, each by its step's own words.
    """
    parts = run.parts
    if parts.lifecycle is not None:
        for tool, ok in run.ledger.used:
            await parts.lifecycle.after_use(tool, ok=ok)
    for text, tool in run.ledger.lessons:
        if tool.status in (Status.VERIFIED, Status.TRUSTED):
            clean = parts.clean_text(text)
            await parts.search.learn(clean, tool.name, Lesson.ANSWERED, run.request.user)
