"""Builds the parts from settings and takes them apart again."""

from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial

from hammerstone.app.books.tracebook import StoredTraces
from hammerstone.app.health.housekeeping import Housekeeping
from hammerstone.app.learning.jobs.job_driver import JobDriver
from hammerstone.app.learning.learning import (
    LEARNING_POLICIES,
    Learning,
    open_gate,
    open_repairer,
)
from hammerstone.app.proofs.desk import ProofDesk
from hammerstone.app.proofs.result import ProvingPolicy
from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.app.triggers.trigger_policy import TriggerPolicy
from hammerstone.connectors import open_connectors
from hammerstone.core.chat import Role
from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.errors import Stopped
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Allowance, Embedder, Model, Repairer, Sandbox
from hammerstone.core.settings import Settings
from hammerstone.core.version import VERSION
from hammerstone.guard.approvals import ApprovalDesk, ApprovalPolicy
from hammerstone.guard.journal import PaidOnceModel
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.guard.services import ServiceBreakers, ServicePolicy
from hammerstone.guard.stop import LazySandbox, StoppableEmbedder, StoppableModel, StopSwitch
from hammerstone.learn.ledger.changes import GateParts
from hammerstone.learn.promotion.standings import StandingProposals
from hammerstone.library.caches import CallCache, RequestMemo
from hammerstone.library.documents import DocumentPolicy, Documents
from hammerstone.library.documents.reading.file_reader import DocumentReader
from hammerstone.library.graph import SkillGraph
from hammerstone.library.graph.path import GraphPolicy
from hammerstone.library.memory import Memory, MemoryPolicy
from hammerstone.library.policies import Policies
from hammerstone.library.prompting.own_adapters import OwnAdapters
from hammerstone.library.search import ToolSearch
from hammerstone.library.search.index.loaded_index import TOOL
from hammerstone.library.skills import SkillPolicy, Skills
from hammerstone.library.tools.duplicates import Duplicates
from hammerstone.library.tools.registry import Registry
from hammerstone.library.tools.seeding import keep_starter_set
from hammerstone.library.tools.upkeep import Lifecycle, TrustPolicy
from hammerstone.library.workflows import OwnRequests, PartWatch, Workflows
from hammerstone.models.embedding.embedder_opening import open_embedder, why_words_only
from hammerstone.models.local.adapters import AdapterShelf
from hammerstone.models.local.rendezvous import Neighbours
from hammerstone.models.opening import LOCAL, Models, open_models
from hammerstone.models.wrappers.breaker import Breaker
from hammerstone.run.durable.durability_policy import DurabilityPolicy
from hammerstone.run.plan_policy import PlanPolicy, SessionPolicy
from hammerstone.run.services import (
    Catalogue,
    Guards,
    Memories,
    Records,
    RoleModels,
    Services,
    Workshop,
)
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.storage import Database
from hammerstone.synthesis.examine.verdict import ExaminePolicy
from hammerstone.tracing.journal import Journal
from hammerstone.tracing.measure import TraceMeter
from hammerstone.tracing.scrub import Scrubber
from hammerstone.tracing.tracer import Tracer
from hammerstone.tracing.traces import configured_exporters

MORE_POLICIES = (
    ExaminePolicy,
    ProvingPolicy,
    QueuePolicy,
    MaturityPolicy,
    ApprovalPolicy,
    ServicePolicy,
    MemoryPolicy,
    GraphPolicy,
    SkillPolicy,
    DocumentPolicy,
    PlanPolicy,
    SessionPolicy,
    AnswerPolicy,
    DurabilityPolicy,
    TriggerPolicy,
    TrustPolicy,
    *LEARNING_POLICIES,
)


@dataclass(frozen=True, slots=True)
class StoppableModels:
    """The role table whose every model stops with the switch, and is paid once for what is done
    again."""

    models: RoleModels
    stop: StopSwitch

    def for_role(
        self, role: Role, *, allowance: Allowance | None = None, chosen: str | None = None
    ) -> Model:
        model = self.models.for_role(role, allowance=allowance, chosen=chosen)
        return PaidOnceModel(StoppableModel(model, self.stop), allowance)

    async def close(self) -> None:
        await self.models.close()


@dataclass(frozen=True, slots=True)
class Wiring:
    """All that is open, in one place, so that it can be closed in order."""

    settings: Settings
    services: Services
    embedder: Embedder | None
    sandbox: LazySandbox
    meter: TraceMeter
    driver: JobDriver
    learning: Learning
    repairer: Repairer
    proofs: ProofDesk

    async def close(self) -> None:
        """Everything is closed, the database last, even if closing something else fails."""
        async with AsyncExitStack() as stack:
            services = self.services
            stack.push_async_callback(services.records.db.close)
            stack.push_async_callback(services.workshop.calls.settle)
            if self.embedder is not None:
                stack.push_async_callback(self.embedder.close)
            stack.push_async_callback(services.workshop.models.close)
            stack.push_async_callback(self.sandbox.close)
            stack.push_async_callback(services.workshop.connectors.close)
            stack.push_async_callback(services.records.tracer.close)
            stack.push_async_callback(services.catalogue.search.close)
            stack.push_async_callback(services.memories.memory.close)
            stack.push_async_callback(services.guards.stop.close)
            stack.push_async_callback(self.driver.close)
            stack.push_async_callback(self.proofs.worker.close)

    async def breakers(self) -> dict[str, Breaker]:
        """The circuit breakers of models and outside services."""
        workshop = self.services.workshop
        models = workshop.models.breakers if isinstance(workshop.models, Models) else {}
        # What another process has found to be down is down for this one, too.
        services = [*workshop.breakers.breakers, *await workshop.breakers.stored()]
        return {**models, **{name: workshop.breakers.of(name) for name in services}}

    async def render_metrics(self, learned: JsonObject) -> str:
        """What this process has counted, and what was learned, in Prometheus' text format."""
        for metric, value in learned.items():
            if isinstance(value, int | float):
                self.meter.metrics.set("hammerstone_learning", value, metric=metric)
        for name, breaker in (await self.breakers()).items():
            number = ("closed", "half_open", "open").index(await breaker.phase())
            self.meter.metrics.set("hammerstone_breaker_state", number, service=name)
        return self.meter.metrics.render()

    async def health(self) -> JsonObject:
        db = self.services.records.db
        opened = self.sandbox.opened
        breakers = await self.breakers()
        waits = {name: await one.wait_s() for name, one in breakers.items()}
        troubles: list[Json] = [
            f"{name} {await breakers[name].trouble(wait_s)}"
            for name, wait_s in waits.items()
            if wait_s > 0
        ]
        return {
            "status": "ok",
            "database": db.url_for_display,
            "model": self.settings.general_model,
            "sandbox": opened.backend if opened else "not started",
            "search": "meaning and words" if self.embedder else "words only",
            "breakers": {name: await one.phase() for name, one in breakers.items()},
            "troubles": troubles,
            "tools": await db.index.count(TOOL),
        }


def _neighbours(settings: Settings) -> Neighbours | None:
    """Only the embedded model is one for all processes of a machine."""
    return Neighbours(settings.runtime_dir) if LOCAL in settings.configured_models else None


async def _open_sandbox(settings: Settings) -> Sandbox:
    from hammerstone.sandbox import open_sandbox

    return await open_sandbox(settings)


async def wire_up(
    settings: Settings, models: RoleModels | None = None, clock: Clock | None = None
) -> Wiring:
    """Everything for one engine. Only the database is really opened here."""
    clock = clock or SystemClock()
    db = await Database.open(settings, clock=clock)
    try:
        policies = Policies(db, MORE_POLICIES)
        await policies.load()
        stop = StopSwitch(db.stops, clock)
        embedder = open_embedder(settings)
        if embedder is not None:
            embedder = StoppableEmbedder(embedder, stop)
        search = ToolSearch(
            db,
            embedder,
            policies,
            words_only=why_words_only(settings),
            floor=settings.similarity_threshold,
        )
        models = models or open_models(
            settings, breakers=db.breakers, clock=clock, rates=db.rate_buckets
        )
        sandbox = LazySandbox(partial(_open_sandbox, settings), stop)
        scrubber = Scrubber()
        meter = TraceMeter()
        housekeeping = Housekeeping(db, policies, clock)
        tracer = Tracer(
            [
                StoredTraces(db),
                *configured_exporters(settings.otlp_endpoint, version=VERSION),
            ],
            scrubber,
            clock,
            keep=housekeeping.keeps,
            journal=Journal(settings.data_dir / "journal"),
        )
        tracer.observe(meter)
        meter.watch(tracer)
        await tracer.recover()
        registry = Registry(db, PartWatch(search, db, OwnRequests(search, db)), clock)
        skills = Skills(db, embedder, policies, clock)
        connectors = open_connectors(settings, stop.calling)
        reader = DocumentReader(sandbox.get, connectors)
        adapters = OwnAdapters(AdapterShelf(settings.data_dir), db, clock)
        documents = Documents(db, embedder, policies, clock, reader, skills)
        gate = open_gate(db, registry, policies, GateParts(skills, search, documents, adapters))
        lifecycle = Lifecycle(
            db,
            registry,
            policies,
            StandingProposals(gate, registry),
            lambda: policies.get(ExaminePolicy).verified_at,
        )
        services = Services(
            Catalogue(
                registry=registry,
                search=search,
                graph=SkillGraph(db, search, policies, clock),
                skills=skills,
                workflows=Workflows(db),
                lifecycle=lifecycle,
                duplicates=Duplicates(registry, search, policies),
                documents=documents,
                adapters=adapters,
            ),
            Workshop(
                models=StoppableModels(models, stop),
                sandbox=sandbox.get,
                calls=CallCache(db, policies, clock),
                connectors=connectors,
                breakers=ServiceBreakers(db.breakers, clock, lambda: policies.get(ServicePolicy)),
            ),
            Guards(policies, stop, ApprovalDesk(db, clock)),
            Records(db, clock, tracer, scrubber),
            Memories(
                Memory(db, settings.data_dir / "memory", policies, clock, embedder),
                RequestMemo(db, policies, clock),
            ),
        )
        repairer = open_repairer(services, gate)
        proofs = ProofDesk(services, _neighbours(settings))
        if settings.starter_tools:
            with suppress(Stopped):  # whoever opens it next, once it is resumed
                await keep_starter_set(registry)
        learning = Learning(services, gate)
        driver = JobDriver(learning.jobs, housekeeping, policies, proofs.traffic)
        driver.learns = settings.runs_on == "server"
    except BaseException:
        await db.close()
        raise
    search.start_catching_up()
    driver.start()
    return Wiring(settings, services, embedder, sandbox, meter, driver, learning, repairer, proofs)
