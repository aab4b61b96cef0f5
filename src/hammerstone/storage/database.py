"""The database, opened: one object a process, one store a noun."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cached_property

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.settings import Settings
from hammerstone.storage.access import Access, PooledAccess, SingleAccess
from hammerstone.storage.dialects import Dialect, dialect_for
from hammerstone.storage.files.creation import take_hold
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.location import Location, locate, locate_url
from hammerstone.storage.library.documents import DocumentStore
from hammerstone.storage.library.graph import Graph
from hammerstone.storage.library.index import Index
from hammerstone.storage.library.judgements import Judgements
from hammerstone.storage.library.memory import MemoryStore
from hammerstone.storage.library.patterns import Patterns
from hammerstone.storage.library.policies import PolicyStore
from hammerstone.storage.library.prompts import PromptStore
from hammerstone.storage.library.questions import StoredQuestions
from hammerstone.storage.library.revisions import RevisionSnapshots
from hammerstone.storage.library.skills import SkillStore
from hammerstone.storage.library.tools import Tools
from hammerstone.storage.library.trust import TrustRows
from hammerstone.storage.library.workflows import StoredWorkflows
from hammerstone.storage.migrate import migrate
from hammerstone.storage.requests.approvals import Approvals
from hammerstone.storage.requests.artifacts import Artifacts
from hammerstone.storage.requests.cache import CALL, MEMO, WRITE_HITS_AFTER, Cache
from hammerstone.storage.requests.decisions import SearchDecisions
from hammerstone.storage.requests.events import Events
from hammerstone.storage.requests.executions import Executions
from hammerstone.storage.requests.feedback import FeedbackEvents
from hammerstone.storage.requests.messages import Messages
from hammerstone.storage.requests.run_facts import RunBooks
from hammerstone.storage.requests.runs import Runs
from hammerstone.storage.requests.sessions import Sessions
from hammerstone.storage.requests.steps import Steps
from hammerstone.storage.requests.values import SessionValues
from hammerstone.storage.work.analyses import Analyses
from hammerstone.storage.work.audit import AuditEntries
from hammerstone.storage.work.breakers import Breakers
from hammerstone.storage.work.deliveries import StoredDeliveries
from hammerstone.storage.work.evaluations import Evaluations
from hammerstone.storage.work.evolution_rounds import EvolutionRounds
from hammerstone.storage.work.experiments import StoredExperiments
from hammerstone.storage.work.job_runs import JobRuns
from hammerstone.storage.work.jobs import StoredJobs
from hammerstone.storage.work.judge_checks import JudgeChecks
from hammerstone.storage.work.learning_counts import LearningCounts
from hammerstone.storage.work.leases import Leases
from hammerstone.storage.work.people import StoredPeople
from hammerstone.storage.work.proposals import Proposals
from hammerstone.storage.work.run_verdicts import RunVerdicts
from hammerstone.storage.work.stops import Stops
from hammerstone.storage.work.studies import Studies
from hammerstone.storage.work.trace_judgements import TraceJudgements
from hammerstone.storage.work.traces import Traces
from hammerstone.storage.work.triggers import StoredTriggers

POOL_SIZE = 10
POOL_TIMEOUT_S = 10.0


class Stores:
    """Every store, over one way to reach the database.

    Each is made when it is first used: stores prepare their statements, and a transaction needs
    two or three of them.
    """

    def __init__(self, access: Access, write_hits_after: int = WRITE_HITS_AFTER) -> None:
        self._access = access
        self._write_hits_after = write_hits_after

    @cached_property
    def sessions(self) -> Sessions:
        return Sessions(self._access)

    @cached_property
    def messages(self) -> Messages:
        return Messages(self._access)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self._access)

    @cached_property
    def run_facts(self) -> RunBooks:
        return RunBooks(self._access)

    @cached_property
    def learning_counts(self) -> LearningCounts:
        return LearningCounts(self._access)

    @cached_property
    def experiments(self) -> StoredExperiments:
        return StoredExperiments(self._access)

    @cached_property
    def events(self) -> Events:
        return Events(self._access)

    @cached_property
    def tools(self) -> Tools:
        return Tools(self._access)

    @cached_property
    def questions(self) -> StoredQuestions:
        return StoredQuestions(self._access)

    @cached_property
    def executions(self) -> Executions:
        return Executions(self._access)

    @cached_property
    def feedback(self) -> FeedbackEvents:
        return FeedbackEvents(self._access)

    @cached_property
    def trust(self) -> TrustRows:
        return TrustRows(self._access)

    @cached_property
    def cache(self) -> Cache:
        return Cache(self._access, CALL, self._write_hits_after)

    @cached_property
    def memo(self) -> Cache:
        return Cache(self._access, MEMO, self._write_hits_after)

    @cached_property
    def policies(self) -> PolicyStore:
        return PolicyStore(self._access)

    @cached_property
    def prompts(self) -> PromptStore:
        return PromptStore(self._access)

    @cached_property
    def traces(self) -> Traces:
        return Traces(self._access)

    @cached_property
    def index(self) -> Index:
        return Index(self._access)

    @cached_property
    def breakers(self) -> Breakers:
        return Breakers(self._access)

    @cached_property
    def memory(self) -> MemoryStore:
        return MemoryStore(self._access)

    @cached_property
    def approvals(self) -> Approvals:
        return Approvals(self._access)

    @cached_property
    def stops(self) -> Stops:
        return Stops(self._access)

    @cached_property
    def proposals(self) -> Proposals:
        return Proposals(self._access)

    @cached_property
    def patterns(self) -> Patterns:
        return Patterns(self._access)

    @cached_property
    def workflows(self) -> StoredWorkflows:
        return StoredWorkflows(self._access)

    @cached_property
    def analyses(self) -> Analyses:
        return Analyses(self._access)

    @cached_property
    def judgements(self) -> Judgements:
        return Judgements(self._access)

    @cached_property
    def leases(self) -> Leases:
        return Leases(self._access)

    @cached_property
    def evaluations(self) -> Evaluations:
        return Evaluations(self._access)

    @cached_property
    def jobs(self) -> StoredJobs:
        return StoredJobs(self._access)

    @cached_property
    def job_runs(self) -> JobRuns:
        return JobRuns(self._access)

    @cached_property
    def decisions(self) -> SearchDecisions:
        return SearchDecisions(self._access)

    @cached_property
    def studies(self) -> Studies:
        return Studies(self._access)

    @cached_property
    def revisions(self) -> RevisionSnapshots:
        return RevisionSnapshots(self._access)

    @cached_property
    def graph(self) -> Graph:
        return Graph(self._access)

    @cached_property
    def skills(self) -> SkillStore:
        return SkillStore(self._access)

    @cached_property
    def documents(self) -> DocumentStore:
        return DocumentStore(self._access)

    @cached_property
    def values(self) -> SessionValues:
        return SessionValues(self._access)

    @cached_property
    def artifacts(self) -> Artifacts:
        return Artifacts(self._access)

    @cached_property
    def steps(self) -> Steps:
        return Steps(self._access)

    @cached_property
    def people(self) -> StoredPeople:
        return StoredPeople(self._access)

    @cached_property
    def audit(self) -> AuditEntries:
        return AuditEntries(self._access)

    @cached_property
    def triggers(self) -> StoredTriggers:
        return StoredTriggers(self._access)

    @cached_property
    def deliveries(self) -> StoredDeliveries:
        return StoredDeliveries(self._access)

    @cached_property
    def evolution(self) -> EvolutionRounds:
        return EvolutionRounds(self._access)

    @cached_property
    def verdicts(self) -> RunVerdicts:
        return RunVerdicts(self._access)

    @cached_property
    def trace_judgements(self) -> TraceJudgements:
        return TraceJudgements(self._access)

    @cached_property
    def judge_checks(self) -> JudgeChecks:
        return JudgeChecks(self._access)


class Database(Stores):
    """Opened by `Database.open`, given back by `close`. Raises `StorageError` and
    `DataDirectoryError`, and from lookups `NotFound`; nothing of the driver's."""

    def __init__(
        self, engine: AsyncEngine, dialect: Dialect, location: Location, clock: Clock
    ) -> None:
        self.access = PooledAccess(engine, dialect, clock, location.shown)
        super().__init__(self.access)
        self.engine = engine
        self.dialect = dialect
        self.location = location
        self.hold: Hold | None = None  # on SQLite: that this process has it open
        self.found_revision: str | None = None  # what it was before it was opened

    @classmethod
    async def open(cls, settings: Settings, *, clock: Clock | None = None) -> "Database":
        """The database the settings name: made if missing, migrated if old.

        Raises `DatabaseTooNew` for one written by a newer version.
        """
        return await cls.open_location(
            locate(settings),
            clock,
            settings.database_pool_size,
            settings.database_pool_timeout_s,
        )

    @classmethod
    async def open_url(
        cls,
        url: str | URL,
        *,
        clock: Clock | None = None,
        pool_size: int = POOL_SIZE,
        pool_timeout_s: float = POOL_TIMEOUT_S,
    ) -> "Database":
        return await cls.open_location(locate_url(url), clock, pool_size, pool_timeout_s)

    @classmethod
    async def open_location(
        cls,
        location: Location,
        clock: Clock | None = None,
        pool_size: int = POOL_SIZE,
        pool_timeout_s: float = POOL_TIMEOUT_S,
    ) -> "Database":
        hold = await take_hold(location)
        database = cls.unopened(location, clock, pool_size, pool_timeout_s)
        database.hold = hold
        try:
            database.found_revision = await migrate(
                database.engine, database.dialect, location.shown
            )
        except BaseException:
            await database.close()
            raise
        return database

    @classmethod
    async def open_as_is(cls, location: Location) -> "Database":
        """A database as it lies there: neither made nor migrated. For checking it."""
        database = cls.unopened(location)
        database.hold = await take_hold(location, make=False)
        return database

    @classmethod
    def unopened(
        cls,
        location: Location,
        clock: Clock | None = None,
        pool_size: int = POOL_SIZE,
        pool_timeout_s: float = POOL_TIMEOUT_S,
    ) -> "Database":
        """A database without a hold on it: for a file that nobody else knows yet."""
        dialect = dialect_for(location.url)
        engine = dialect.engine(location.url, pool_size, pool_timeout_s)
        return cls(engine, dialect, location, clock or SystemClock())

    @property
    def url_for_display(self) -> str:
        return self.location.shown

    @property
    def dialect_name(self) -> str:
        return self.dialect.name

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Stores, None]:
        """Stores whose changes happen all together or not at all.

        Use only the stores it yields inside the block: on SQLite the database's own would wait
        for it to end. What they read is what the transaction has written so far.
        """
        async with self.access.writing() as connection:
            access = SingleAccess(connection, self.dialect, self.access.clock)
            yield Stores(access, write_hits_after=1)

    async def close(self) -> None:
        try:
            await self.cache.write_hits()
            await self.memo.write_hits()
        finally:
            await self.engine.dispose()
            if self.hold:
                self.hold.release()
