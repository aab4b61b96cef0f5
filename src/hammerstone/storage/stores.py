"""Every store of the database, each made when it is first used."""

from functools import cached_property
from typing import TYPE_CHECKING

from hammerstone.storage.access import Access
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
from hammerstone.storage.requests.approvals import Approvals
from hammerstone.storage.requests.artifacts import Artifacts
from hammerstone.storage.requests.cache import CALL, MEMO, WRITE_HITS_AFTER, Cache
from hammerstone.storage.requests.decisions import SearchDecisions
from hammerstone.storage.requests.events import Events
from hammerstone.storage.requests.evidence import Evidence
from hammerstone.storage.requests.executions import Executions
from hammerstone.storage.requests.feedback import FeedbackEvents
from hammerstone.storage.requests.messages import Messages
from hammerstone.storage.requests.open_runs import OpenRuns
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
from hammerstone.storage.work.paid_steps import PaidSteps
from hammerstone.storage.work.people import StoredPeople
from hammerstone.storage.work.proposals import Proposals
from hammerstone.storage.work.rate_buckets import RateBuckets
from hammerstone.storage.work.run_verdicts import RunVerdicts
from hammerstone.storage.work.stops import Stops
from hammerstone.storage.work.studies import Studies
from hammerstone.storage.work.trace_judgements import TraceJudgements
from hammerstone.storage.work.traces import Traces
from hammerstone.storage.work.triggers import StoredTriggers
from hammerstone.storage.work.workers import Workers

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
