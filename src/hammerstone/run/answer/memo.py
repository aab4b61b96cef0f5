"""Requests that were answered before, word for word."""

import asyncio
from dataclasses import asdict, replace
from typing import Any

from hammerstone.core.answers import Answer, AnswerStatus, CallArgument, Proof, Sureness
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Effect, Status
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.library.tools.registry import HIDDEN
from hammerstone.run.act.approval import Questions
from hammerstone.run.answer.earlier_feedback import EarlierFeedback, means_itself, told_answer
from hammerstone.run.context import Run, SuccessfulCall
from hammerstone.run.request import Request
from hammerstone.run.services import Catalogue, Memories, Records
from hammerstone.run.understand.reading import read
from hammerstone.storage import RevisionSnapshot

SOLUTION = "solution"  # stands for the version behind an answer that no tool gave


class AnswerMemo:
    """The answers to earlier requests, kept and found word for word."""

    def __init__(
        self, memories: Memories, catalogue: Catalogue, records: Records, questions: Questions
    ) -> None:
        self._memo = memories.memo
        self._memory = memories.memory
        self._registry = catalogue.registry
        self._search = catalogue.search
        self._records = records
        self._questions = questions
        self._said = EarlierFeedback(records)

    async def anticipate(self, request: Request, seen: RevisionSnapshot) -> None:
        """Begin to embed what will have to be searched for, while everything else is read."""
        reading = read(request.text)
        if reading.forces_building or request.given_tool or request.files:
            return
        if not reading.refers_back and self._memo.has(self._key(request, seen.tools)):
            return
        if self._search.expect(request.text, request.user):
            await asyncio.sleep(0)  # it begins now, not when there is something to wait for

    async def remembered(self, run: Run) -> Answer | None:
        """The earlier answer to exactly this request; none for one that refers to something."""
        request, reading = run.request, read(run.request.text)
        if reading.forces_building:
            return None
        if run.seen.feedback or request.files:
            run.ledger.said = await self._said.about(run)
        said = run.ledger.said
        if reading.refers_back:
            return None
        told = said.known and means_itself(request)
        kept: dict[str, Any] | None = None
        if not (said.refused or request.fresh or request.model):
            kept = await self._memo.find(self._key(request, run.seen.tools))
        if kept is None and not told:
            return None
        if reading.may_answer and await self._questions.open(run) is not None:
            return None
        if kept is None:
            return told_answer(run, said)
        return _again(run, kept)

    async def solved(self, run: Run, fits: str | None) -> Answer | None:
        """The answer that solutions gave to exactly this request, unless the tool that `fits` is
        another one than those that could not answer it then.

        One that nobody is sure of is not given a second time in its session: whoever asks again
        wants another try.
        """
        request = run.request
        reading, said = read(request.text), run.ledger.said
        if reading.forces_building or request.fresh or request.model or not run.ledger.alone:
            return None
        if said.refused or said.known or run.words != request.text:
            return None
        kept: dict[str, Any] | None = await self._memo.find(self._solved_key(request))
        if kept is None:
            return None
        if fits is not None and _version(run, fits) not in kept.get("passed_over", ()):
            return None
        if kept.get("tool") and not await self._in_force(kept):
            return None
        unsure = kept.get("sureness") == str(Sureness.UNSURE)
        if unsure and kept.get("session_id") == request.session_id:
            return None
        return _again(run, kept)

    async def remember(self, run: Run, answer: Answer) -> None:
        """Keep an answer for the next time, while nothing changes that it depends on.

        The key holds the library's revision as it is now: a tool that was just built included. What
        was solved is kept until its proof is done and a tool or a correction takes its place.
        """
        request, reading = run.request, read(run.request.text)
        if answer.status is not AnswerStatus.DONE or answer.result is None or answer.files:
            return
        if reading.forces_building or not run.ledger.alone:
            return
        if not self._records.storable([answer.text, answer.result]):
            return
        source = await self._source(run, answer)
        compared = run.ledger.compared and await self._lasts(answer)
        if not source and not compared:
            return
        kept = replace(answer, cached=False).to_json()
        kept["made"] = [asdict(made) for made in run.ledger.made]
        if source == SOLUTION or compared:
            seen: list[Json] = [_version(run, name) for name in run.ledger.tools]
            solved: JsonObject = {**kept, "passed_over": seen}
            await self._memo.keep(self._solved_key(request), SOLUTION, solved, solved=True)
        if not source:
            return
        unsure = source == SOLUTION and answer.sureness is Sureness.UNSURE
        if not unsure and not reading.refers_back:
            key = self._key(request, await self._registry.revision())
            await self._memo.keep(key, source, kept)

    async def _lasts(self, answer: Answer) -> bool:
        """Whether the tool behind an answer gives the same again: it has no effect, and depends
        on nothing but its arguments."""
        tool = await self._registry.find(answer.tool) if answer.tool else None
        spec = tool.version.spec if tool is not None else None
        return spec is not None and spec.effect is Effect.PURE and not spec.produces

    async def _in_force(self, kept: dict[str, Any]) -> bool:
        """Whether the tool behind a kept answer is as it was then."""
        tool = await self._registry.find(str(kept["tool"]))
        if tool is None or tool.status in HIDDEN:
            return False
        return any(made["version_id"] == tool.version.id for made in kept.get("made", ()))

    async def _source(self, run: Run, answer: Answer) -> str:
        """The version or the solution behind an answer that stays true; empty where it may not."""
        if answer.tool is None:
            codes = [task.winner.code for task in run.ledger.proofs]
            lasting = codes and not any(map(depends_on_the_moment, codes))
            return SOLUTION if lasting else ""
        tool = await self._registry.find(answer.tool)
        if tool is None or tool.status not in (Status.VERIFIED, Status.TRUSTED):
            return ""
        if tool.version.spec.produces:
            return ""  # its files belong to the run that made them
        if tool.version.spec.effect is not Effect.PURE and not run.request.files:
            return ""  # what it reads is not in the key: the time, or chance
        return tool.version.id

    def _key(self, request: Request, library: int) -> str:
        """Of all that an answer depends on: words, library, files, and what the person told."""
        told = self._told(request)
        return self._memo.key(request.user, request.text, told, library, request.session_id)

    def _solved_key(self, request: Request) -> str:
        told = self._told(request)
        return self._memo.solved_key(request.user, request.text, told, request.session_id)

    def _told(self, request: Request) -> list[str]:
        """What an answer depends on beside the words: files, and what the person told."""
        files = request.file_hashes() if request.files else []
        return [*files, *self._memory.state(request.user)]


def _again(run: Run, kept: dict[str, Any]) -> Answer:
    """An answer that was kept, as an answer to this run."""
    run.ledger.made = [SuccessfulCall(**made) for made in kept.get("made", ())]
    return Answer(
        text=kept["text"],
        result=kept["result"],
        tool=kept["tool"],
        version=kept["version"],
        confidence=kept["confidence"],
        sureness=Sureness(kept["sureness"]) if kept.get("sureness") else None,
        why=kept.get("why", ""),
        call=kept.get("call", ""),
        arguments=tuple(map(CallArgument.from_json, kept.get("arguments", ()))),
        code=kept.get("code", ""),
        agree=kept.get("agree", 0),
        solutions=kept.get("solutions", 0),
        alternatives=tuple(kept.get("alternatives", ())),
        tool_confidence=kept.get("tool_confidence"),
        proof=Proof(kept.get("proof", Proof.NONE)),
        cached=True,
        cost=run.cost(),
        trace_id=run.trace_id,
        session_id=run.request.session_id,
        run_id=run.id,
        strategy=kept.get("strategy", ""),
        steps=tuple(kept.get("steps", ())),
        checks=kept.get("checks", {}),
    )


def _version(run: Run, tool: str) -> str:
    """The version of a tool that the run has seen; empty without one."""
    known = run.ledger.tools.get(tool)
    return known.version.id if known else ""
