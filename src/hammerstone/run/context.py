"""One request while it is answered: what is known of it, what was done for it so far, and its
events."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from hammerstone.core.answers import Cost, Event, EventKind, OnAccepted, OnEvent
from hammerstone.core.approvals import OnApproval, OnQuestion
from hammerstone.core.chat import OnToken, Prompt, Reply, Role
from hammerstone.core.clock import Clock
from hammerstone.core.jobs import Job
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.run_record import RunRecord
from hammerstone.core.seams import Model
from hammerstone.core.solutions import ProofTask
from hammerstone.core.tools import Tool
from hammerstone.guard.budget import Budget
from hammerstone.guard.journal import JournaledModel
from hammerstone.guard.loops import LoopDetector
from hammerstone.guard.stop import StoppableModel, StopSwitch
from hammerstone.library.memory import Context
from hammerstone.library.search import Fit, Hit
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.prompts import Template
from hammerstone.run.durable.run_hold import RunHold
from hammerstone.run.request import Request, named
from hammerstone.run.services import Records, RoleModels
from hammerstone.run.understand.reading import RequestReading, read
from hammerstone.storage import ArtifactRow, Execution, RevisionSnapshot, SessionValue

_MOST_NOTED = 20  # decisions of one run that are kept
_FLUSH_AFTER_S = 0.25  # that an event waits for others to be written with
_LATELY_S = 0.5  # as old as the stop switch may be


@dataclass(frozen=True, slots=True)
class SuccessfulCall:
    """One call that went well, as far as repeating the answer needs it."""

    tool: str
    version_id: str
    arguments: JsonObject
    value: Json  # wire form


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A step that a tool did: in which words it was asked for, and whether an independent
    solution came to the same. `picked`: a person chose this result, or the other one."""

    text: str
    tool: str
    version_id: str = ""
    agrees: bool = False
    picked: bool | None = None


@dataclass(frozen=True, slots=True)
class SeenTools:
    """What search saw for some words, best first, and how it judged the first one."""

    text: str
    hits: tuple[Hit, ...]
    fit: Fit | None
    weights: dict[str, float]


@dataclass(frozen=True, slots=True)
class EarlierStatement:
    """The person's words about earlier answers to the same request."""

    known: bool = False  # the right value was stated
    value: Json = None
    refused: tuple[Json, ...] = ()
    tools: frozenset[str] = frozenset()  # whose result was refused
    at: str = ""


Record: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class RunStart:
    """The record of a run's beginning, written once: before anything is spent, asked or changed,
    or when the run has taken a while. A quick one that does nothing of it is recorded as a whole,
    at its end. `claim` takes the name of a new session at once.
    """

    def __init__(self, record: Record, after_s: float, claim: Record | None = None) -> None:
        self._record = record
        self._claiming = asyncio.create_task(claim()) if claim is not None else None
        self._writing: asyncio.Task[None] | None = None
        self._later = asyncio.get_running_loop().call_later(after_s, self.begin)

    @property
    def begun(self) -> bool:
        return self._writing is not None

    def begin(self) -> "asyncio.Task[None]":
        """Begin to write it, unless that was done."""
        self._later.cancel()
        self._writing = self._writing or asyncio.create_task(self._write())
        return self._writing

    async def leave_to_the_end(self) -> None:
        """Write it no more; what is being written is waited for."""
        self._later.cancel()
        task = self._writing or self._claiming
        if task is not None:
            await asyncio.shield(task)

    async def _write(self) -> None:
        if self._claiming is not None:
            await self._claiming
        await self._record()


@dataclass(slots=True)
class CallLedger:
    """The calls of a run by number, and the values and files that wait for its record."""

    calls: int = 0
    loops: LoopDetector = field(default_factory=LoopDetector)
    together: bool = False  # True: the only call is recorded together with the run's end
    executions: list[Execution] = field(default_factory=list[Execution])
    used: list[tuple[Tool, bool]] = field(default_factory=list[tuple[Tool, bool]])
    uses: list[ToolUse] = field(default_factory=list[ToolUse])
    outvoted: list[ToolUse] = field(default_factory=list[ToolUse])  # by solutions
    compared: bool = False  # solutions were written to hold a tool's result against
    decisions: list[SeenTools] = field(default_factory=list[SeenTools])
    words: str = ""  # the key of the request's words and files as they were when it was asked
    said: EarlierStatement = EarlierStatement()
    tools: dict[str, Tool] = field(default_factory=dict[str, Tool])  # read once for each run
    made: list[SuccessfulCall] = field(default_factory=list[SuccessfulCall])
    values: list[SessionValue] = field(default_factory=list[SessionValue])
    files: list[tuple[ArtifactRow, bytes]] = field(default_factory=list[tuple[ArtifactRow, bytes]])
    proofs: list[ProofTask] = field(default_factory=list[ProofTask])  # owed for what was solved
    alone: bool = True  # False: the answer depends on more than the request's own words
    remarks: list[str] = field(default_factory=list[str])  # what is said below the answer
    wrote: list[str] = field(default_factory=list[str])  # what was changed for good, in words
    start: "RunStart | None" = None  # None: nothing is recorded before its end
    hold: RunHold | None = None  # None: nothing was paid for yet
    asked_at: datetime | None = None  # of a run that was begun before; None: just now
    task: "asyncio.Task[Any] | None" = None  # in which the run is answered
    kind: RequestKind = RequestKind.CALCULATION  # what the request turned out to need
    models: dict[str, None] = field(default_factory=dict[str, None])  # that replied, in order
    prompts: dict[str, Template] = field(default_factory=dict[str, Template])  # that were sent

    def note_seen(self, seen: SeenTools) -> None:
        """Keep what search saw and chose for the run's record."""
        if len(self.decisions) < _MOST_NOTED:
            self.decisions.append(seen)

    def next_call(self) -> int:
        self.calls += 1
        return self.calls


class Emitter:
    """The events of a run: numbered, shown to whoever watches, and written in batches.

    A quick run writes once, at its end; a long one at least every quarter second that has an
    event in it, so a crash loses next to nothing. What is written is scrubbed; who asked sees
    the events as they are. A run that is taken up again says nothing twice: an event is known by
    its kind, its text, and how many equal ones came before it.
    """

    def __init__(
        self, run_id: str, session_id: str, records: Records, on_event: OnEvent | None
    ) -> None:
        self.run_id = run_id
        self.session_id = session_id
        self._records = records
        self._on_event = on_event
        self._number = 0
        self._said: Counter[tuple[str, str]] = Counter()
        self._waiting: list[Event] = []
        self._flushed_s = records.clock.elapsed_s()

    def go_on_after(self, said: Sequence[Event]) -> None:
        """The run was begun before: these are stored, and numbers go on behind them."""
        self._said = Counter((str(event.kind), event.text) for event in said)
        self._number = max((event.number for event in said), default=-1) + 1

    async def emit(self, kind: EventKind, text: str, **data: Json) -> None:
        if self._said:
            same = (str(kind), self._records.clean_text(text))
            if self._said[same] > 0:
                self._said[same] -= 1
                return
        event = Event(
            kind=kind,
            run_id=self.run_id,
            session_id=self.session_id,
            number=self._number,
            at=self._records.clock.now(),
            text=text,
            data=data,
        )
        self._number += 1
        self._waiting.append(event)
        if self._on_event is not None:
            await self._on_event(event)
        if self._records.clock.elapsed_s() - self._flushed_s > _FLUSH_AFTER_S:
            await self.flush()

    def take(self) -> list[Event]:
        """The events that have not been written yet, scrubbed; whoever takes them writes them."""
        events, self._waiting = self._waiting, []
        records = self._records
        return [
            replace(
                event, text=records.clean_text(event.text), data=records.clean(dict(event.data))
            )
            for event in events
        ]

    async def flush(self) -> None:
        """Write what has not been written yet."""
        events = self.take()
        if events:
            await self._records.db.events.append(events)
        self._flushed_s = self._records.clock.elapsed_s()


@dataclass(frozen=True, slots=True)
class Contacts:
    """Whom a run may show things to and ask, and what it shares with others, if anything."""

    on_event: OnEvent | None = None
    on_question: OnQuestion | None = None
    on_approval: OnApproval | None = None
    budget: Budget | None = None
    job: Job | None = None  # of a run that is taken up again or has waited: held already
    on_accepted: OnAccepted | None = None

    def accepted(self) -> None:
        """The request outlives this process from now on."""
        if self.on_accepted is not None:
            self.on_accepted()


@dataclass(slots=True)
class Run:
    """What is known of one request so far; it holds no service.

    `words` are what is worked on now: the request's own, a part of it, or an earlier request
    that this one varies or answers a question of. The request itself is never rewritten.
    """

    id: str
    request: Request
    trace_id: str
    seen: RevisionSnapshot  # the database as the run found it
    clock: Clock
    began_s: float
    budget: Budget
    contacts: Contacts
    emitter: Emitter
    ledger: CallLedger = field(default_factory=CallLedger)
    context: Context | None = None  # None until memory was asked
    words: str = ""
    files: tuple[Path, ...] = ()
    given_tool: str | None = None  # the tool the person named, now or in answer to a question
    record: RunRecord = field(default_factory=RunRecord)  # versions in force when it began

    def __post_init__(self) -> None:
        self.words = self.words or self.request.text
        self.files = self.files or self.request.files
        self.given_tool = self.given_tool or self.request.given_tool

    @property
    def reading(self) -> RequestReading:
        """What the words say by themselves."""
        return read(self.words)

    @property
    def named_files(self) -> dict[str, Path]:
        """The files by the names they have inside the sandbox."""
        return named(self.files) if self.files else {}

    @property
    def words_for_models(self) -> str:
        """The words with the paths of the files that a tool could open."""
        if not self.files:
            return self.words
        listed = ", ".join(f"/files/{name}" for name in self.named_files)
        return f"{self.words}\n(Files that can be opened: {listed})"

    @property
    def text_for_models(self) -> str:
        """The words as models see them: files, and what memory adds once it is known."""
        text = self.words_for_models
        return text if self.context is None else self.context.for_models(text)

    @property
    def elapsed_s(self) -> float:
        """The seconds since the run began."""
        return self.clock.elapsed_s() - self.began_s

    @property
    def seen_lately(self) -> bool:
        """Whether what the run saw of the database at its beginning may count as of now."""
        return self.elapsed_s < _LATELY_S

    def about(self, text: str) -> "Run":
        """The same run, working on a part of the request in words of its own."""
        return replace(self, words=text)

    def with_files(self, files: tuple[Path, ...]) -> "Run":
        """The same run with files of the session in place of given ones."""
        return replace(self, files=files)

    async def ready(self) -> None:
        """Wait until the run is stored and held: before anything is spent, asked or changed.

        From then on it outlives its process. A call without effects, which costs nothing, does
        not wait for it.
        """
        if self.ledger.start is not None:
            await asyncio.shield(self.ledger.start.begin())

    async def say(self, kind: EventKind, text: str, **data: Json) -> None:
        await self.emitter.emit(kind, text, **data)

    def cost(self) -> Cost:
        spent = self.budget.spent
        return Cost(
            tokens=spent.tokens if spent.calls else 0,
            usd=spent.usd,
            seconds=self.elapsed_s,
            model_calls=spent.calls,
        )


class RunModels:
    """The role table as one run may use it: within its budget, and until it is told to stop."""

    def __init__(self, models: RoleModels, stop: StopSwitch) -> None:
        self._models = models
        self._stop = stop

    def of(self, run: Run, role: Role, budget: Budget | None = None) -> Model:
        """The role's model, which refuses to spend more than the budget allows, and refuses
        anything once the run is told to stop."""
        chosen = run.request.model
        allowance = budget or run.budget
        model = self._models.for_role(role, allowance=allowance, chosen=chosen)
        stoppable = StoppableModel(model, self._stop, run.id, run.request.session_id)
        return RecordFirstModel(stoppable, run, allowance)


class RecordFirstModel(Wrapper):
    """A model that is asked only once the run is stored and held; its replies are journaled, and
    it is noted by its name."""

    def __init__(self, inner: Model, run: Run, allowance: Budget) -> None:
        super().__init__(inner)
        self._run = run
        self._allowance = allowance

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        await self._run.ready()
        hold, model = self._run.ledger.hold, self._inner
        if hold is not None:
            model = JournaledModel(model, hold.journal, self._allowance)
        reply = await model.complete(prompt, on_token=on_token)
        self._run.ledger.models[reply.model] = None
        return reply
