"""Every store of the database, each made when it is first used."""

from functools import cached_property
from typing import TYPE_CHECKING

from hammerstone.storage.access import Access
from hammerstone.storage.stores.control.audit import AuditEntries
from hammerstone.storage.stores.control.breakers import Breakers
from hammerstone.storage.stores.control.people import StoredPeople
from hammerstone.storage.stores.control.rate_buckets import RateBuckets
from hammerstone.storage.stores.control.stops import Stops
from hammerstone.storage.stores.learning.analyses import Analyses
from hammerstone.storage.stores.learning.evaluations import Evaluations
from hammerstone.storage.stores.learning.evolution_rounds import EvolutionRounds
from hammerstone.storage.stores.learning.experiments import StoredExperiments
from hammerstone.storage.stores.learning.judge_checks import JudgeChecks
from hammerstone.storage.stores.learning.learning_counts import LearningCounts
from hammerstone.storage.stores.learning.proposals import Proposals
from hammerstone.storage.stores.learning.run_verdicts import RunVerdicts
from hammerstone.storage.stores.learning.studies import Studies
from hammerstone.storage.stores.learning.trace_judgements import TraceJudgements
from hammerstone.storage.stores.library.documents import DocumentStore
from hammerstone.storage.stores.library.graph import Graph
from hammerstone.storage.stores.library.memory import MemoryStore
from hammerstone.storage.stores.library.patterns import Patterns
from hammerstone.storage.stores.library.policies import PolicyStore
from hammerstone.storage.stores.library.prompts import PromptStore
from hammerstone.storage.stores.library.revisions import RevisionSnapshots
from hammerstone.storage.stores.library.skills import SkillStore
from hammerstone.storage.stores.library.workflows import StoredWorkflows
from hammerstone.storage.stores.queue.deliveries import StoredDeliveries
from hammerstone.storage.stores.queue.job_runs import JobRuns
from hammerstone.storage.stores.queue.jobs import StoredJobs
from hammerstone.storage.stores.queue.leases import Leases
from hammerstone.storage.stores.queue.triggers import StoredTriggers
from hammerstone.storage.stores.queue.workers import Workers
from hammerstone.storage.stores.requests.approvals import Approvals
from hammerstone.storage.stores.requests.artifacts import Artifacts
from hammerstone.storage.stores.requests.cache import CALL, MEMO, WRITE_HITS_AFTER, Cache
from hammerstone.storage.stores.requests.feedback import FeedbackEvents
from hammerstone.storage.stores.requests.messages import Messages
from hammerstone.storage.stores.requests.sessions import Sessions
from hammerstone.storage.stores.requests.values import SessionValues
from hammerstone.storage.stores.runs.decisions import SearchDecisions
from hammerstone.storage.stores.runs.events import Events
from hammerstone.storage.stores.runs.evidence import Evidence
from hammerstone.storage.stores.runs.executions import Executions
from hammerstone.storage.stores.runs.open_runs import OpenRuns
from hammerstone.storage.stores.runs.paid_steps import PaidSteps
from hammerstone.storage.stores.runs.run_facts import RunBooks
from hammerstone.storage.stores.runs.runs import Runs
from hammerstone.storage.stores.runs.steps import Steps
from hammerstone.storage.stores.runs.traces import Traces
from hammerstone.storage.stores.tools.index import Index
from hammerstone.storage.stores.tools.judgements import Judgements
from hammerstone.storage.stores.tools.questions import StoredQuestions
from hammerstone.storage.stores.tools.tools import Tools
from hammerstone.storage.stores.tools.trust import TrustRows

if TYPE_CHECKING:
    from hammerstone.storage.dialects.postgres_search import PostgresSearch


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
    def open_runs(self) -> OpenRuns:
        return OpenRuns(self._access)

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
    def evidence(self) -> Evidence:
        return Evidence(self._access)

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
    def paid_steps(self) -> PaidSteps:
        return PaidSteps(self._access)

    @cached_property
    def workers(self) -> Workers:
        return Workers(self._access)

    @cached_property
    def rate_buckets(self) -> RateBuckets:
        return RateBuckets(self._access)

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
    def tool_search(self) -> "PostgresSearch | None":
        """Tools found by the database itself; None where it cannot."""
        return self._access.dialect.search(self._access)

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
