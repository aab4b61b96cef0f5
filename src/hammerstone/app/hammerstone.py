"""The engine: opened once, asked often."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hammerstone.app.books.labelbook import LabelBook
from hammerstone.app.books.lessonbook import LessonBook
from hammerstone.app.books.outcomebook import OutcomeBook
from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.app.books.promptbook import PromptBook
from hammerstone.app.books.sessionbook import FileBook, SessionBook
from hammerstone.app.books.tracebook import TraceBook
from hammerstone.app.evolution.evolution_desk import EvolutionDesk
from hammerstone.app.evolution.own_tracks import EngineWays
from hammerstone.app.health.readiness import ReadinessChecks
from hammerstone.app.learning.experiments import ExperimentDesk
from hammerstone.app.learning.learning import Learning
from hammerstone.app.learning.tuning import TuningDesk
from hammerstone.app.numbers.analytics import Analytics, stored_stats
from hammerstone.app.numbers.learning_metrics import LearningMetrics
from hammerstone.app.questions.feedback import FeedbackDesk
from hammerstone.app.questions.questionbook import QuestionBook
from hammerstone.app.queue.request_turns import KeptTurns, RequestTurns
from hammerstone.app.queue.run_queue import QueuedRun, RunQueue
from hammerstone.app.queue.waking import RunWaker
from hammerstone.app.queue.worker_book import WorkerBook
from hammerstone.app.tools.examinations import LibraryExaminations
from hammerstone.app.tools.librarian import Librarian
from hammerstone.app.tools.skill_runs import SkillRuns
from hammerstone.app.triggers import TriggerDesk
from hammerstone.app.wiring import Wiring, wire_up
from hammerstone.connectors import Connectors
from hammerstone.core.answers import Answer, OnEvent
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings, load_settings
from hammerstone.guard.approvals import ApprovalDesk
from hammerstone.guard.request import check_request
from hammerstone.guard.stop import StopSwitch
from hammerstone.library.documents import Documents
from hammerstone.library.graph import SkillGraph
from hammerstone.library.memory import Memory
from hammerstone.library.policies import Policies
from hammerstone.library.prompting.own_adapters import OwnAdapters
from hammerstone.library.search import ToolSearch
from hammerstone.library.skills import Skills
from hammerstone.library.tools.registry import Registry
from hammerstone.library.tools.sharing import Sharing
from hammerstone.run.answer.record import LaterWork
from hammerstone.run.assembly import open_answerer, open_preview
from hammerstone.run.context import Contacts
from hammerstone.run.durable.holding import RunHolds
from hammerstone.run.request import AskOptions, Request
from hammerstone.run.services import RoleModels
from hammerstone.run.understand.reading import read
from hammerstone.storage.stores.learning.evaluations import Evaluations


class Hammerstone:
    """One open library with its models and its sandbox. Make it with `Hammerstone.open()`."""

    def __init__(self, wiring: Wiring) -> None:
        services, who = wiring.services, wiring.settings.user
        catalogue, workshop = services.catalogue, services.workshop
        db, clock = services.records.db, services.records.clock
        self._wiring = wiring
        self.clock: Clock = clock
        reader = wiring.learning.reader
        self._holds = RunHolds(services.records, services.guards.policies)
        later = LaterWork(self._holds, wiring.proofs)
        self._answerer = open_answerer(services, wiring.repairer, later, reader)
        self.waking = RunWaker(services.records, services.guards, self._answerer, self._holds)
        self.queue = RunQueue(services.records, services.guards, self.waking, self._holds)
        self.turns = RequestTurns(services.guards.policies, clock)
        self._kept_turns = KeptTurns(self.turns, self.queue, self._holds)
        self.workers = WorkerBook(db, services.guards.policies)
        settle = self._answerer.settle
        self._sessions: dict[str, str] = {}  # of requests that name none, by person
        self.settings: Settings = wiring.settings
        self.tools: Registry = catalogue.registry
        self.sharing = Sharing(db, who)
        self.library = Librarian(services, self.sharing, who=who)
        self.policies: Policies = services.guards.policies
        self.search: ToolSearch = catalogue.search
        self.preview = open_preview(services)
        self.graph: SkillGraph = catalogue.graph
        self.skills: Skills = catalogue.skills
        self.documents: Documents = catalogue.documents
        self.skill_runs = SkillRuns(catalogue, workshop, services.records)
        self.memory: Memory = services.memories.memory
        self.approvals: ApprovalDesk = services.guards.desk
        self.stop: StopSwitch = services.guards.stop
        self.connectors: Connectors = workshop.connectors
        self.examining = LibraryExaminations(services, self.sharing, who=who)
        self.questions = QuestionBook(
            services, self.examining, self.sharing, who=who, settle=settle
        )
        self.proofs = wiring.proofs
        self.learning: Learning = wiring.learning
        self.adapters: OwnAdapters = catalogue.adapters
        self.prompts = PromptBook(db, self.policies, clock, self.learning.gate)
        self.feedback = FeedbackDesk(services, reader, self.learning.corrections, settle, who)
        self.labels = LabelBook(db, self.policies, clock, settle, who)
        self.tuning: TuningDesk = self.learning.tuning
        self.lessons = LessonBook(db, self.learning, self.sharing)
        self.learning_metrics = LearningMetrics(db, clock, settle)
        self.experiments = ExperimentDesk(services, self.learning.gate, settle)
        self.traces = TraceBook(db, settle, workshop.sandbox)
        self.analytics = Analytics(db, self.graph, clock, settle)
        self.outcomes = OutcomeBook(db, workshop.models, settle)
        self.files = FileBook(db, clock, who, settle)
        self.sessions = SessionBook(db, settle, self.learning, self.memory)
        self.people = PeopleBook(db, clock, wiring.settings)
        self.triggers = TriggerDesk(
            services, self.settings, self.people, self.files, self.ask, settle
        )
        self.evaluations: Evaluations = db.evaluations
        self.readiness = ReadinessChecks(self.settings, db, wiring.sandbox)
        ways = EngineWays(
            self.settings, self.learning, self.ask, self.proofs.wait, self.experiments
        )
        self.evolution = EvolutionDesk(services, self.learning.gate, self.traces, ways)
        self.learning.jobs.watch(self.evolution.judging, self.evolution.monitor)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings | None = None,
        *,
        models: RoleModels | None = None,
        clock: Clock | None = None,
        **overrides: Any,
    ) -> "AsyncIterator[Hammerstone]":
        """The engine on these settings, closed at the end of the block.

        Nothing heavy is started before it is needed: models, embedder and sandbox wait for the
        first request that uses them. `models` replaces what the settings name, `clock` the
        system's.
        """
        wiring = await wire_up(settings or load_settings(**overrides), models, clock)
        try:
            engine = cls(wiring)
            try:
                yield engine
            finally:
                await engine.readiness.close()
                await engine.triggers.driver.close()
                await engine.waking.close()
                await engine._answerer.settle()
                await engine._holds.close()
        finally:
            await wiring.close()

    async def ask(
        self,
        text: str,
        *,
        files: Iterable[str | Path] = (),
        session: str | None = None,
        on_event: OnEvent | None = None,
        options: AskOptions | None = None,
    ) -> Answer:
        """Answer one request, with a tool from the library or a new one.

        A person's requests without a `session` share one while this engine is open. `on_event`
        sees every step as it happens; `options` holds what is seldom wanted otherwise. Raises
        `BadRequest`, `Refused`, `ModelError`, `SandboxError`, `BudgetExceeded` and the like; a
        request that cannot be answered is an `Answer` with status failed. Words that only judge
        the session's last answer ("Wrong, it should be 8") are feedback (`feedback.wrong`).
        """
        chosen = options or AskOptions()
        request = self._asked(text, files, session, chosen)
        if read(request.text).judges and chosen.keep and not chosen.by_program:
            said = await self.feedback.answer_to(request)
            if said is not None:
                return said
        contacts = Contacts(
            on_event,
            chosen.on_question,
            chosen.on_approval,
            chosen.budget,
            on_accepted=chosen.on_accepted,
        )
        if self._queues(chosen):
            answer = await self.queue.answer(request, contacts)
            if answer is not None:
                return answer
        if self.turns.has_to_wait(request.user):
            turn = self._kept_turns.turn(request, chosen.on_accepted)
        else:
            turn = self.turns.turn(request.user)
        async with turn as job:
            if job is not None:
                request = replace(request, run_id=job.key, again=True)
                contacts = replace(contacts, job=job)
            with self.proofs.traffic.request():
                return await self._answerer.answer(request, contacts)

    async def ask_later(
        self,
        text: str,
        *,
        files: Iterable[str | Path] = (),
        session: str | None = None,
        options: AskOptions | None = None,
    ) -> QueuedRun:
        """Store a request for whichever process comes first, and return at once.

        Raises `Overloaded` where too much waits, and `Refused` for words that hold something
        private, which are not stored.
        """
        request = self._asked(text, files, session, options or AskOptions())
        queued = await self.queue.put(request)
        if queued is None:
            raise Refused(
                "the request holds something private, so it is not stored for later",
                hint="ask without waiting in the queue, or leave the key or token out",
            )
        return queued

    def _queues(self, chosen: AskOptions) -> bool:
        """Whether workers answer what this process is asked."""
        own = chosen.again or chosen.retried or chosen.budget is not None
        return self.settings.runs_on == "workers" and not own

    def _asked(
        self, text: str, files: Iterable[str | Path], session: str | None, chosen: AskOptions
    ) -> Request:
        asked = self._request(text, files, session, chosen.user)
        if not chosen.keep and read(asked.text).forces_building:
            raise Refused("no tool may be built for you here", hint="owners and members may")
        return replace(
            asked,
            run_id=chosen.run_id,
            memory=chosen.memory,
            level=chosen.level,
            by_program=chosen.by_program,
            keep=chosen.keep,
            fresh=chosen.fresh,
            personal=chosen.personal,
            tools=chosen.tools,
            again=chosen.again,
            retried=chosen.retried,
            model=self._configured(chosen.model),
        )

    async def wake(
        self,
        session: str | None = None,
        *,
        on_event: OnEvent | None = None,
        options: AskOptions | None = None,
    ) -> list[Answer]:
        """Continue what was broken off in a session, or in all of a person's: the answers.

        What was paid for before is not paid for again. A run that waits for a person's word, or
        that another process is at, is left alone. Of the `options`, the person and whom to ask
        count: the others are those that each request was asked with.
        """
        chosen = options or AskOptions()
        contacts = Contacts(on_event, chosen.on_question, chosen.on_approval)
        with self.proofs.traffic.request():
            return await self.waking.wake(chosen.user or self.settings.user, session, contacts)

    def learns(self, *, on: bool) -> None:
        """Whether learning has its turns in this process, or is left to others."""
        self._wiring.driver.learns = on

    def leave_runs(self) -> None:
        """This process ends: runs that are broken off now are left to whoever comes next."""
        self._holds.leaving = True

    async def run_tool(
        self,
        name: str,
        arguments: JsonObject,
        *,
        session: str | None = None,
        user: str | None = None,
    ) -> Answer:
        """Call a tool by name with arguments of your own; no model is involved."""
        request = self._request(f"run {name}", (), session, user)
        async with self.turns.turn(request.user):
            with self.proofs.traffic.request():
                return await self._answerer.run_tool(request, name, arguments)

    async def stats(self, days: float = 7.0) -> JsonObject:
        """Calls, tokens, price, latency and cache hits, from the stored traces."""
        await self._answerer.settle()
        records = self._wiring.services.records
        return await stored_stats(records.db, records.clock, days)

    async def metrics(self) -> str:
        """What this process has counted so far, and how learning went in the last seven days, in
        Prometheus' text format."""
        return await self._wiring.render_metrics(await self.learning_metrics.recent())

    async def settle(self) -> None:
        """Wait until all that was answered here is stored."""
        await self._answerer.settle()

    async def health(self) -> JsonObject:
        """Whether the database answers, and what is open."""
        return await self._wiring.health()

    def _configured(self, model: str | None) -> str | None:
        """The model that a person chose; raises `BadRequest` for one that is not set up."""
        if model is not None and model not in (known := self.settings.configured_models):
            raise BadRequest(
                f"there is no model {model!r} here", hint=f"there is {', '.join(known)}"
            )
        return model

    def _request(
        self, text: str, files: Iterable[str | Path], session: str | None, user: str | None
    ) -> Request:
        who = user or self.settings.user
        paths = tuple(Path(file) for file in files)
        session = session or self._sessions.setdefault(who, uuid.uuid4().hex)
        request = Request(check_request(text, paths), session, who, paths)
        if paths:
            _ = request.named_files  # two files of one name are told before anything is spent
        return request


def ask(
    text: str,
    *,
    files: Iterable[str | Path] = (),
    session: str | None = None,
    on_event: OnEvent | None = None,
    options: AskOptions | None = None,
) -> Answer:
    """Answer one request and close everything again: the sync edge for scripts."""

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise BadRequest(
            "hammerstone.ask() cannot be used where an event loop runs already",
            hint="async with Hammerstone.open() as hs: await hs.ask(...)",
        )

    async def once() -> Answer:
        async with Hammerstone.open() as hs:
            return await hs.ask(
                text, files=files, session=session, on_event=on_event, options=options
            )

    return asyncio.run(once())
