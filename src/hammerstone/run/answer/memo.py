"""Requests that were answered before, word for word."""

import asyncio
from dataclasses import asdict, replace
from typing import Any, cast

from hammerstone.core.answers import Answer, AnswerStatus, Proof, Sureness
from hammerstone.core.tools import Effect, Status
from hammerstone.core.wire import encode
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.run.act.approval import open_question
from hammerstone.run.act.clarify import may_answer
from hammerstone.run.act.execute import record_again
from hammerstone.run.act.results import keep_value
from hammerstone.run.answer.record import finish
from hammerstone.run.context import Run
from hammerstone.run.ledger import Made
from hammerstone.run.parts import Parts
from hammerstone.run.request import Request
from hammerstone.storage import Glance

SOLUTION = "solution"  # stands for the version behind an answer that no tool gave


async def anticipate(parts: Parts, request: Request, seen: Glance) -> None:
    """Begin to embed what will have to be searched for, while everything else is read."""
    if request.reading.forces_building or request.given_tool or request.files:
        return
    if request.reading.refers_back or not parts.memo.has(_key(parts, request, seen.tools)):
        parts.search.expect(request.text)
        await asyncio.sleep(0)  # it begins now, not when there is something to wait for


async def remembered(run: Run) -> Answer | None:
    """The earlier answer to exactly this request; none for one that refers to something."""
    request = run.request
    if request.reading.refers_back or request.reading.forces_building:
        return None
    key = _key(run.parts, request, run.seen.tools)
    kept = cast(dict[str, Any] | None, await run.parts.memo.find(key))
    if kept is None or (may_answer(request.text) and await open_question(run) is not None):
        return None
    run.ledger.made = [Made(**made) for made in kept.get("made", ())]
    return Answer(
        text=kept["text"],
        result=kept["result"],
        tool=kept["tool"],
        version=kept["version"],
        confidence=kept["confidence"],
        sureness=Sureness(kept["sureness"]) if kept.get("sureness") else None,
        why=kept.get("why", ""),
        call=kept.get("call", ""),
        agree=kept.get("agree", 0),
        solutions=kept.get("solutions", 0),
        alternatives=tuple(kept.get("alternatives", ())),
        tool_confidence=kept.get("tool_confidence"),
        proof=Proof(kept.get("proof", Proof.NONE)),
        cached=True,
        cost=run.cost(),
        trace_id=run.trace_id,
        session_id=request.session_id,
        run_id=run.id,
        strategy=kept.get("strategy", ""),
        steps=tuple(kept.get("steps", ())),
        checks=kept.get("checks", {}),
    )


async def repeat(run: Run, answer: Answer) -> None:
    """Record a repeated answer like the one it repeats: later requests may refer to it."""
    for made in run.ledger.made:
        await record_again(run, made)
    if run.ledger.made:
        last = run.ledger.made[-1]
        keep_value(run, last.tool, last.value, run.ledger.calls, run.request.text)
    elif answer.result is not None:
        number = run.ledger.next_call()
        keep_value(run, answer.tool or "answer", encode(answer.result), number, run.request.text)
    await finish(run, answer)


async def remember(run: Run, answer: Answer) -> None:
    """Keep an answer for the next time, while nothing changes that it depends on.

    The key holds the library's revision as it is now: a tool that was just built included. What
    was solved is kept until its proof is done and a tool or a correction takes its place.
    """
    request, reading = run.request, run.request.reading
    if answer.status is not AnswerStatus.DONE or answer.result is None or answer.files:
        return
    if reading.refers_back or reading.forces_building or not run.ledger.alone:
        return
    if not run.parts.storable([answer.text, answer.result]):
        return
    source = await _source(run, answer)
    if not source:
        return
    key = _key(run.parts, request, await run.parts.registry.revision())
    kept = replace(answer, cached=False).to_json()
    kept["made"] = [asdict(made) for made in run.ledger.made]
    await run.parts.memo.keep(key, source, kept)


async def _source(run: Run, answer: Answer) -> str:
    """The version or the solution behind an answer that stays true; empty where it may not."""
    if answer.tool is None:
        codes = [task.winner.code for task in run.ledger.proofs]
        lasting = codes and not any(map(depends_on_the_moment, codes))
        return SOLUTION if lasting and answer.sureness is not Sureness.UNSURE else ""
    tool = await run.parts.registry.find(answer.tool)
    if tool is None or tool.status not in (Status.VERIFIED, Status.TRUSTED):
        return ""
    if tool.version.spec.produces:
        return ""  # its files belong to the run that made them
    if tool.version.spec.effect is not Effect.PURE and not run.request.files:
        return ""  # what it reads is not in the key: the time, or chance
    return tool.version.id


def _key(parts: Parts, request: Request, library: int) -> str:
    """Made of all that an answer depends on: words, library, files, and what the person told."""
    told = [*request.file_hashes(), *parts.memory.state(request.user)]
    return parts.memo.key(request.user, request.text, told, library)
