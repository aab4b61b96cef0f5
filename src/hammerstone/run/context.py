"""One request while it is answered: what is known of it so far."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from hammerstone.core.answers import Cost, EventKind, OnEvent
from hammerstone.core.approvals import OnApproval, OnQuestion
from hammerstone.core.chat import OnToken, Prompt, Reply, Role
from hammerstone.core.clock import Timer
from hammerstone.core.json_types import Json
from hammerstone.core.run_record import RunRecord
from hammerstone.core.seams import Model
from hammerstone.guard.budget import Budget
from hammerstone.guard.stop import StopSwitch
from hammerstone.guard.stoppable import StoppableModel
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.run.events import Emitter
from hammerstone.run.ledger import CallLedger
from hammerstone.run.request import Request, named
from hammerstone.run.services import RoleModels
from hammerstone.run.understand.reading import RequestReading, read
from hammerstone.storage import RevisionSnapshot

_LATELY_S = 0.5  # as old as the stop switch may be


class Surroundings(Protocol):
    """What memory adds to a request."""

    @property
    def about(self) -> str:
        """Facts the person told earlier that this request is about; empty when there are none."""
        ...

    def for_models(self, text: str) -> str:
        """The request with rules, facts and earlier exchanges, marked as data."""
        ...


@dataclass(frozen=True, slots=True)
class Contacts:
    """Whom a run may show things to and ask, and a budget it shares with others, if any."""

    on_event: OnEvent | None = None
    on_question: OnQuestion | None = None
    on_approval: OnApproval | None = None
    budget: Budget | None = None


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
    timer: Timer  # since the run began
    budget: Budget
    contacts: Contacts
    emitter: Emitter
    ledger: CallLedger = field(default_factory=CallLedger)
    context: Surroundings | None = None  # None until memory was asked
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
        return named(self.files)

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
    def seen_lately(self) -> bool:
        """Whether what the run saw of the database at its beginning may count as of now."""
        return self.timer.elapsed_s < _LATELY_S

    def about(self, text: str) -> "Run":
        """The same run, working on a part of the request in words of its own."""
        return replace(self, words=text)

    def with_files(self, files: tuple[Path, ...]) -> "Run":
        """The same run with files of the session in place of given ones."""
        return replace(self, files=files)

    async def ready(self) -> None:
        """Wait until the run's beginning is recorded: before anything is spent, asked or changed.

        A call without effects, which costs nothing, runs meanwhile.
        """
        if self.ledger.starting is not None:
            await asyncio.shield(self.ledger.starting)

    async def say(self, kind: EventKind, text: str, **data: Json) -> None:
        await self.emitter.emit(kind, text, **data)

    def cost(self) -> Cost:
        spent = self.budget.spent
        return Cost(
            tokens=spent.tokens,
            usd=spent.usd,
            seconds=self.timer.elapsed_s,
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
        model = self._models.for_role(role, allowance=budget or run.budget, chosen=chosen)
        stoppable = StoppableModel(model, self._stop, run.id, run.request.session_id)
        return RecordFirstModel(stoppable, run)


class RecordFirstModel(Wrapper):
    """A model that is asked only once the run's beginning is recorded, and noted by its name."""

    def __init__(self, inner: Model, run: Run) -> None:
        super().__init__(inner)
        self._run = run

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        await self._run.ready()
        reply = await self._inner.complete(prompt, on_token=on_token)
        self._run.ledger.models[reply.model] = None
        return reply
