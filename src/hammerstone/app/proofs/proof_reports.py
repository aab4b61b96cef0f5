"""What a finished proof leaves with those who asked: events, a correction, the stored answer.

Everything for one asker is one transaction that also marks it as told: whoever does it again
after a crash finds it done, and nobody is told twice.
"""

import asyncio
from dataclasses import dataclass

from hammerstone.app.proofs.repeated_call import (
    AnotherValue,
    another_value,
    named_rows,
    session_files,
)
from hammerstone.app.proofs.result import ProofResult
from hammerstone.core.answers import Event, EventKind, Proof
from hammerstone.core.formatting import percent
from hammerstone.core.jobs import Job
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.solutions import ProofTask
from hammerstone.core.tools import Effect, Tool
from hammerstone.judging.equality import same_answer
from hammerstone.judging.rendering import in_words, plain
from hammerstone.library.search import PastOutcome
from hammerstone.run.services import Catalogue, Memories, OpenSandbox, Records
from hammerstone.run.understand.reading import read
from hammerstone.storage import Stores
from hammerstone.storage.stores.runs.runs import RUNNING

_LOOK_AGAIN_S = 0.2
_LOOKS = 50  # ten seconds: longer than recording an answer takes


@dataclass(frozen=True, slots=True)
class AskerTask:
    """An asker's task. `private`: its values were not kept, so no answer can be corrected."""

    name: str
    task: ProofTask
    private: bool = False


class ProofReports:
    def __init__(
        self,
        catalogue: Catalogue,
        sandbox: OpenSandbox,
        records: Records,
        memories: Memories,
    ) -> None:
        self._catalogue = catalogue
        self._sandbox = sandbox
        self._records = records
        self._memories = memories

    async def tell(self, job: Job, asked: AskerTask, result: ProofResult) -> list[Event]:
        """The events that one asker's run gets; none where it was told before or is gone."""
        records, task = self._records, asked.task
        result = result.told_to(task.user)
        tool = await self._catalogue.registry.find(result.tool) if result.tool else None
        other = await self._other(asked, tool, result)
        await self._answered(task)
        before = await self._catalogue.registry.revision()
        async with records.db.transaction() as stores:
            if not await stores.jobs.settle(job, asked.name):
                return []
            run = await stores.runs.find(task.run_id)
            if run is None or await stores.sessions.find(task.session_id) is None:
                return []  # the session was deleted: there is nobody to tell
            answer = dict(run.answer) if isinstance(run.answer, dict) else {}
            answer |= {
                "proof": str(result.proof),
                "tool": result.tool or answer.get("tool"),
                "version": result.version or answer.get("version"),
                "tool_confidence": result.confidence,
            }
            events = [self._event(task, EventKind.PROOF, _said(result), result.to_json())]
            if other is not None:
                answer, event = await self._correct(stores, task, answer, other, tool)
                events.append(event)
            await stores.runs.annotate(task.run_id, answer)
            stored = [await stores.events.add_next(event) for event in events]
        whole = other is None or answer["result"] == plain(other.value)
        if tool is not None and result.proof is Proof.PROVED and whole:
            await self._remember(asked, answer, tool, before, run.request)
        if tool is not None and not asked.private:
            # The words that the tool was made for find it from now on.
            words = records.clean_text(task.request)
            await self._catalogue.search.learn(words, tool.name, PastOutcome.ANSWERED, task.user)
        return stored

    async def _answered(self, task: ProofTask) -> None:
        """Wait until the run is recorded; one that never will be is not waited for."""
        for _ in range(_LOOKS):
            run = await self._records.db.runs.find(task.run_id)
            if run is None or run.status != RUNNING:
                return
            await asyncio.sleep(_LOOK_AGAIN_S)

    async def _other(
        self, asked: AskerTask, tool: Tool | None, result: ProofResult
    ) -> AnotherValue | None:
        """The value that corrects the answer: only a tool that was proved has that weight."""
        if tool is None or result.proof is not Proof.PROVED or asked.private:
            return None
        records, task = self._records, asked.task
        rows = await named_rows(records.db, records.clock, task.session_id, task.files)
        if len(rows) < len(task.files):
            return None
        async with session_files(records.db, rows) as files:
            sandbox = await self._sandbox()
            return await another_value(task, tool, result, sandbox, files or None)

    async def _correct(
        self,
        stores: Stores,
        task: ProofTask,
        answer: JsonObject,
        other: AnotherValue,
        tool: Tool | None,
    ) -> tuple[JsonObject, Event]:
        """The corrected answer, and the event; message, memory and values follow it."""
        records = self._records
        new, old = plain(other.value), plain(task.value)
        whole = same_answer(answer.get("result"), old)
        text = f"Correction: {in_words(new)}, not {in_words(old)}."
        if tool is not None:
            text += f" The tool {tool.name} is proved now and gives this value."
        if not whole:
            text += " The answer uses the result of that step."
        kept: JsonObject = records.clean({"text": text, "result": new, "before": old})
        session, run = task.session_id, task.run_id
        said = str(kept["text"])
        await stores.messages.append(session, "assistant", said, {**kept, "run_id": run})
        await stores.memory.correct(run, said)
        answer = {**answer, "correction": kept}
        if whole:
            sure = tool.confidence if tool else None
            answer |= {"text": in_words(new), "result": kept["result"], "confidence": sure}
            answer["text"] = records.clean_text(str(answer["text"]))
            if records.storable(other.value):
                await stores.values.correct(run, other.value)
        told: dict[str, Json] = {**kept, "tool": tool.name if tool else None}
        return answer, self._event(task, EventKind.CORRECTION, said, told)

    async def _remember(
        self, asked: AskerTask, answer: JsonObject, tool: Tool, library: int, request: str
    ) -> None:
        """Put the proved answer where the next request of the same words finds it: what was kept
        before the proof was kept for the library without the tool.

        In the place of one that is there, or of a whole `request` that meant nothing earlier:
        what is not remembered otherwise has a reason for it.
        """
        records, task = self._records, asked.task
        spec, reading = tool.version.spec, read(task.request)
        if asked.private or not records.storable([task.request, answer["text"], answer["result"]]):
            return
        if spec.produces or (spec.effect is not Effect.PURE and not task.files):
            return
        alone = request == task.request and not (reading.refers_back or reading.forces_building)
        rows = await named_rows(records.db, records.clock, task.session_id, task.files)
        hashes = [f"{name}:{row.sha256}" for name, row in sorted(rows.items())]
        told = [*hashes, *self._memories.memory.state(task.user)]
        memo = self._memories.memo
        await memo.forget_solved(memo.solved_key(task.user, task.request, told, task.session_id))
        key = memo.key(task.user, task.request, told, library, task.session_id)
        if alone or await memo.find(key) is not None:
            await memo.replace(key, tool.version.id, {**answer, "cached": False, "made": []})

    def _event(self, task: ProofTask, kind: EventKind, text: str, data: JsonObject) -> Event:
        records = self._records
        return Event(
            kind=kind,
            run_id=task.run_id,
            session_id=task.session_id,
            number=0,  # given when it is stored
            at=records.clock.now(),
            text=records.clean_text(text),
            data=records.clean(data),
        )


def _said(result: ProofResult) -> str:
    if result.proof is Proof.PROVED:
        sure = "" if result.confidence is None else f", {percent(result.confidence)} likely right"
        return f"{result.tool} is proved{sure}"
    if result.proof is Proof.NONE:
        return f"no tool is kept: {result.reason}"
    kept = f"{result.tool} is kept as experimental" if result.tool else "no tool is kept"
    return f"not proved; {kept}: {result.reason}"
