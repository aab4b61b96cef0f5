"""What a good answer teaches search: these words meant this tool."""

from hammerstone.core.tools import Status
from hammerstone.library.search import Lesson
from hammerstone.run.carry_out import Carried
from hammerstone.run.context import Run


async def learn(run: Run, carried: Carried) -> None:
    """Teach search the tools that answered; only proven ones, each by its step's own words."""
    parts = run.parts
    for node in carried.nodes:
        stepped = carried.done.get(node.step.id)
        if stepped is None or stepped.tool is None or not stepped.tool.version.code:
            continue
        if stepped.tool.status in (Status.VERIFIED, Status.TRUSTED):
            text = parts.clean_text(node.step.text)
            await parts.search.learn(text, stepped.tool.name, Lesson.ANSWERED, run.request.user)
