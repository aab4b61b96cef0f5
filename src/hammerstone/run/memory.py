"""Requests that were answered before, word for word."""

from dataclasses import replace
from typing import Any, cast

from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.tools import Effect, Status
from hammerstone.run.approval import open_question
from hammerstone.run.clarify import may_answer
from hammerstone.run.context import Run


async def remembered(run: Run) -> Answer | None:
    """The earlier answer to exactly this request; none for one that refers to something."""
    request = run.request
    if request.refers_back or request.forces_building:
        return None
    key = await run.parts.memo.key(request.user, request.text, _depends_on(run))
    kept = cast(dict[str, Any] | None, await run.parts.memo.find(key))
    if kept is None or (may_answer(request.text) and await open_question(run) is not None):
        return None
    return Answer(
        text=kept["text"],
        result=kept["result"],
        tool=kept["tool"],
        version=kept["version"],
        confidence=kept["confidence"],
        cached=True,
        cost=run.cost(),
        trace_id=run.trace_id,
        session_id=request.session_id,
        run_id=run.id,
        strategy=kept.get("strategy", ""),
        steps=tuple(kept.get("steps", ())),
        checks=kept.get("checks", {}),
    )


async def remember(run: Run, answer: Answer) -> None:
    """Keep an answer for the next time; only a verified tool's, and only while nothing changes.

    The key holds the library's revision as it is now: the tool that was just built included.
    """
    request = run.request
    if answer.status is not AnswerStatus.DONE or answer.tool is None or answer.result is None:
        return
    if request.refers_back or request.forces_building or not run.ledger.alone or answer.files:
        return
    if not run.parts.storable([answer.text, answer.result]):
        return
    tool = await run.parts.registry.find(answer.tool)
    if tool is None or tool.status not in (Status.VERIFIED, Status.TRUSTED):
        return
    if tool.version.spec.effect is not Effect.PURE and not request.files:
        return  # what it reads is not in the key: the time, or chance
    key = await run.parts.memo.key(request.user, request.text, _depends_on(run))
    kept = replace(answer, cached=False).to_json()
    await run.parts.memo.keep(key, tool.version.id, kept)


def _depends_on(run: Run) -> list[str]:
    """What an answer depends on beside its words: the files, and what the person told earlier."""
    return [*run.request.file_hashes(), *run.parts.memory.state(run.request.user)]
