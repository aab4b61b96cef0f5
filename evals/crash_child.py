"""One process of `evals.crash`: asks or continues runs, with a model that counts what is paid for.

Boundaries are named here, around the product's own functions, and exist in this process alone.
"""

import asyncio
import functools
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hammerstone.app import wiring
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.queue.waking import GoOn
from hammerstone.core.answers import Answer
from hammerstone.core.calls import Call, Failure, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.clock import Clock
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.hashing import digest
from hammerstone.core.jobs import Job, JobState
from hammerstone.core.settings import Settings
from hammerstone.guard.journal import StepJournal
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.act.execute import ToolCalls
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.context import Contacts
from hammerstone.run.durable.holding import RunHolds
from hammerstone.run.durable.run_task import RunTask
from hammerstone.run.request import AskOptions
from hammerstone.storage.access import PooledAccess
from tests.integration.engine import percent_script

REQUEST = "What is 17.5% of 240?"
SANDBOX = "sandbox.json"
_NAMED: tuple[tuple[type, str, str], ...] = (
    (RunRecorder, "start", "the run is stored"),
    (RunRecorder, "finish", "the run is finished"),
    (RunHolds, "begin", "the run is held"),
    (StepJournal, "keep", "a paid step is journaled"),
    (ToolCalls, "call", "a tool is called"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process works. `url` is PostgreSQL's; without one there is a SQLite file."""

    folder: str
    url: str = ""

    @property
    def settings(self) -> Settings:
        more = {"database_url": self.url} if self.url else {}
        return Settings(data_dir=Path(self.folder), embedder="off", starter_tools=False, **more)  # type: ignore[arg-type]

    def note(self, kind: str, text: str) -> None:
        """A line that outlives this process, whatever happens next."""
        line = json.dumps([kind, text, time.time(), os.getpid()]) + "\n"
        fd = os.open(Path(self.folder, "notes"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(fd, line.encode())
        os.close(fd)


class Boundaries:
    """Counts the named boundaries that a process passes, and kills it at one of them."""

    def __init__(self, place: Place, kill_at: int = 0) -> None:
        self._place = place
        self._kill_at = kill_at
        self.passed: list[str] = []

    def cross(self, name: str) -> None:
        self.passed.append(name)
        if len(self.passed) == self._kill_at:
            self._place.note("killed", name)
            os.kill(os.getpid(), signal.SIGKILL)

    def put_up(self) -> None:
        """Around every write and every step that is worth a name."""
        note_kept(self._place)
        for kind, method, name in _NAMED:
            setattr(kind, method, self._around(getattr(kind, method), name))
        inner = PooledAccess.writing

        @asynccontextmanager
        async def writing(access: PooledAccess) -> AsyncIterator[Any]:
            self.cross("before a write")
            async with inner(access) as connection:
                yield connection
                self.cross("before a commit")
            self.cross("after a commit")

        PooledAccess.writing = writing  # type: ignore[method-assign, assignment]

    def _around(self, method: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(method)
        async def named(*given: Any, **more: Any) -> Any:
            self.cross(f"before {name}")
            came = await method(*given, **more)
            self.cross(f"after {name}")
            return came

        return named


def note_kept(place: Place) -> None:
    """Note each paid step that is stored from now on."""
    keep = StepJournal.keep

    async def noted(journal: StepJournal, *given: Any, **more: Any) -> None:
        await keep(journal, *given, **more)
        place.note("kept", "")

    StepJournal.keep = noted  # type: ignore[method-assign]


class CountingModel(ScriptedModel):
    """Says the same as ever, slowly, and notes outside the process what is paid for."""

    def __init__(self, place: Place, boundaries: Boundaries, think_s: float) -> None:
        super().__init__(percent_script())
        self._place = place
        self._boundaries = boundaries
        self._think_s = think_s

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        self._boundaries.cross("before a model is asked")
        self._place.note("paid", prompt.purpose)
        await asyncio.sleep(self._think_s)
        reply = await super().complete(prompt, on_token=on_token)
        self._boundaries.cross("after a model has replied")
        return reply


class RecordedSandbox:
    """Gives the outcomes that the real sandbox gave; what is not among them is really run."""

    backend = "recorded"

    def __init__(self, table: dict[str, Any], really: Callable[[], Awaitable[Any]]) -> None:
        self._table = table
        self._really = really
        self._opened: Any = None

    async def call(self, program: Program, call: Call, **more: Any) -> Outcome:
        known = self._table.get(_key(program, call))
        return (
            outcome_of(known) if known else await (await self._real()).call(program, call, **more)
        )

    async def matrix(
        self, programs: Sequence[Program], calls: Sequence[Call], **more: Any
    ) -> list[list[Outcome]]:
        keys = [[_key(program, call) for call in calls] for program in programs]
        if all(key in self._table for row in keys for key in row):
            return [[outcome_of(self._table[key]) for key in row] for row in keys]
        return await (await self._real()).matrix(programs, calls, **more)

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()

    async def _real(self) -> Any:
        self._opened = self._opened or await self._really()
        return self._opened


class RecordingSandbox:
    """The real sandbox, whose outcomes are kept for `RecordedSandbox`."""

    def __init__(self, inner: Any, table: dict[str, Any]) -> None:
        self._inner = inner
        self._table = table
        self.backend: str = inner.backend

    async def call(self, program: Program, call: Call, **more: Any) -> Outcome:
        outcome = await self._inner.call(program, call, **more)
        self._table[_key(program, call)] = asdict(outcome)
        return outcome

    async def matrix(
        self, programs: Sequence[Program], calls: Sequence[Call], **more: Any
    ) -> list[list[Outcome]]:
        rows = await self._inner.matrix(programs, calls, **more)
        for program, row in zip(programs, rows, strict=True):
            for call, outcome in zip(calls, row, strict=True):
                self._table[_key(program, call)] = asdict(outcome)
        return rows

    async def close(self) -> None:
        await self._inner.close()


def _key(program: Program, call: Call) -> str:
    return digest(repr(program), repr(call))


def outcome_of(document: Mapping[str, Any]) -> Outcome:
    known = dict(document)
    known["failure"] = Failure(known["failure"]) if known.get("failure") else None
    known["artifacts"] = ()
    return Outcome(**known)


@asynccontextmanager
async def engine(
    place: Place, boundaries: Boundaries, think_s: float, clock: Clock | None = None
) -> AsyncIterator[Hammerstone]:
    """An engine on the place's database."""
    recorded = json.loads(Path(place.folder, SANDBOX).read_text("utf-8"))

    async def open_sandbox(settings: Settings) -> RecordedSandbox:
        from hammerstone.sandbox import open_sandbox as really

        return RecordedSandbox(recorded, functools.partial(really, settings))

    wiring._open_sandbox = open_sandbox  # type: ignore[assignment]
    model = OneModel(CountingModel(place, boundaries, think_s))
    async with Hammerstone.open(place.settings, models=model, clock=clock) as hs:
        yield hs


async def ask(place: Place, ids: Sequence[str], kill_at: int, think_s: float) -> list[str]:
    """Ask for each id at once, then do the proofs that are owed; the boundaries passed.

    With `kill_at` below 0 no boundaries are put up: for a process that others are forked from.
    """
    boundaries = Boundaries(place, kill_at)
    if kill_at >= 0:
        boundaries.put_up()
    async with engine(place, boundaries, think_s) as hs:

        async def one(id: str) -> None:
            proved = not place.url
            options = AskOptions(run_id=id, keep=proved, fresh=not proved, memory=proved)
            answer = await hs.ask(REQUEST, session=f"s{id}", options=options)
            place.note("answered", f"{id} {answer.result}")

        await asyncio.gather(*(one(id) for id in ids))
        while await hs.proofs.worker.do_next() is not None:
            pass
    return boundaries.passed


async def wake(place: Place, think_s: float) -> None:
    """Continue what was broken off, and do the proofs that are owed."""
    began_s = time.perf_counter()
    async with engine(place, Boundaries(place), think_s) as hs:
        broken = await hs.waking.broken_off()
        for answer in await hs.wake():
            place.note("continued", f"{answer.run_id} {answer.result}")
        if broken:
            place.note("took", f"{time.perf_counter() - began_s:.3f}")
        while await hs.proofs.worker.do_next() is not None:
            pass


async def work(place: Place, think_s: float) -> None:
    """A second worker: continues by itself what was broken off, until it is killed."""
    async with engine(place, Boundaries(place), think_s) as hs:

        async def told(job: Job, task: RunTask, go_on: GoOn) -> Answer:
            answer = await go_on(Contacts())
            place.note("continued", f"{answer.run_id} {answer.result}")
            return answer

        hs.waking.start(told)
        await asyncio.Event().wait()


async def record(place: Place) -> None:
    """Everything once, with the real sandbox, whose outcomes are kept beside the database."""
    table: dict[str, Any] = {}

    async def open_sandbox(settings: Settings) -> RecordingSandbox:
        from hammerstone.sandbox import open_sandbox as really

        return RecordingSandbox(await really(settings), table)

    wiring._open_sandbox = open_sandbox  # type: ignore[assignment]
    model = OneModel(CountingModel(place, Boundaries(place), 0.0))
    async with Hammerstone.open(place.settings, models=model) as hs:
        await hs.ask(REQUEST)
        while await hs.proofs.worker.do_next() is not None:
            pass
    Path(place.folder, SANDBOX).write_text(json.dumps(table, default=str), "utf-8")


async def state(place: Place, ids: Sequence[str]) -> dict[str, Any]:
    """What the database says of the runs."""
    async with engine(place, Boundaries(place), 0.0) as hs:
        db = hs._wiring.services.records.db
        found: dict[str, Any] = {}
        for id in ids:
            row = await db.runs.find(id)
            if row is None:
                continue
            events = [[str(event.kind), event.text] for event in await db.events.of_run(id)]
            messages = await db.messages.recent(row.session_id, 100)
            result = row.answer.get("result") if isinstance(row.answer, dict) else None
            cost = row.answer.get("cost") if isinstance(row.answer, dict) else None
            found[id] = {
                "status": row.status,
                "result": result,
                "cost": cost,
                "events": events,
                "messages": len(messages),
            }
        left = [job.key for kind in ("run", "proof") for job in await db.jobs.list(kind)
                if job.state is JobState.WAITING]  # fmt: skip
        return {"runs": found, "left": left}


async def ask_many(place: Place, ids: Sequence[str], think_s: float) -> int:
    """Ask for many ids at once, whatever happens to the database; how many met an error."""
    async with engine(place, Boundaries(place), think_s) as hs:

        async def one(id: str) -> bool:
            options = AskOptions(run_id=id, keep=False, fresh=True, memory=False)
            try:
                answer = await hs.ask(REQUEST, session=f"s{id}", options=options)
            except HammerstoneError as error:
                place.note("error", f"{id} {error}")
                return True
            place.note("answered", f"{id} {answer.result}")
            return False

        return sum(await asyncio.gather(*(one(id) for id in ids)))
