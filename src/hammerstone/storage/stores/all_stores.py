"""Every store of the database, each made when it is first used."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from hammerstone.storage.access import Access, Store
from hammerstone.storage.stores.control.people import AuditEntries, StoredPeople
from hammerstone.storage.stores.control.rate_buckets import RateBuckets
from hammerstone.storage.stores.control.stops import Breakers, Stops
from hammerstone.storage.stores.learning.analyses import Analyses
from hammerstone.storage.stores.learning.evaluations import Evaluations
from hammerstone.storage.stores.learning.evolution_rounds import EvolutionRounds
from hammerstone.storage.stores.learning.experiments import StoredExperiments
from hammerstone.storage.stores.learning.learning_counts import LearningCounts
from hammerstone.storage.stores.learning.proposals import Proposals
from hammerstone.storage.stores.learning.run_verdicts import JudgeChecks, RunVerdicts
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
from hammerstone.storage.stores.queue.job_runs import JobRuns
from hammerstone.storage.stores.queue.jobs import StoredJobs
from hammerstone.storage.stores.queue.leases import Leases
from hammerstone.storage.stores.queue.triggers import StoredDeliveries, StoredTriggers
from hammerstone.storage.stores.queue.workers import Workers
from hammerstone.storage.stores.requests.approvals import Approvals
from hammerstone.storage.stores.requests.artifacts import Artifacts
from hammerstone.storage.stores.requests.cache import CALL, MEMO, WRITE_HITS_AFTER, Cache
from hammerstone.storage.stores.requests.feedback import FeedbackEvents
from hammerstone.storage.stores.requests.sessions import Messages, Sessions
from hammerstone.storage.stores.requests.values import SessionValues
from hammerstone.storage.stores.runs.decisions import SearchDecisions
from hammerstone.storage.stores.runs.events import Events
from hammerstone.storage.stores.runs.evidence import Evidence
from hammerstone.storage.stores.runs.executions import Executions
from hammerstone.storage.stores.runs.paid_steps import PaidSteps
from hammerstone.storage.stores.runs.runs import OpenRuns, RunBooks, Runs, Steps
from hammerstone.storage.stores.runs.traces import Traces
from hammerstone.storage.stores.tools.index import Index
from hammerstone.storage.stores.tools.judgements import Judgements
from hammerstone.storage.stores.tools.questions import StoredQuestions
from hammerstone.storage.stores.tools.tools import Tools
from hammerstone.storage.stores.tools.trust import TrustRows

if TYPE_CHECKING:
    from hammerstone.storage.dialects.postgres_search import PostgresSearch

S = TypeVar("S", bound=Store)


def _store(kind: Callable[[Access], S]) -> cached_property[S]:
    """A store that is made when it is first used."""

    def made(stores: "Stores") -> S:
        return kind(stores.access)

    return cached_property(made)


class Stores:
    """Every store, over one way to reach the database.

    Each is made when it is first used: stores prepare their statements, and a transaction needs
    two or three of them.
    """

    def __init__(self, access: Access, write_hits_after: int = WRITE_HITS_AFTER) -> None:
        self.access = access
        self._write_hits_after = write_hits_after

    sessions = _store(Sessions)
    messages = _store(Messages)
    runs = _store(Runs)
    open_runs = _store(OpenRuns)
    run_facts = _store(RunBooks)
    learning_counts = _store(LearningCounts)
    experiments = _store(StoredExperiments)
    events = _store(Events)
    tools = _store(Tools)
    questions = _store(StoredQuestions)
    executions = _store(Executions)
    evidence = _store(Evidence)
    feedback = _store(FeedbackEvents)
    trust = _store(TrustRows)
    policies = _store(PolicyStore)
    prompts = _store(PromptStore)
    traces = _store(Traces)
    index = _store(Index)
    breakers = _store(Breakers)
    memory = _store(MemoryStore)
    approvals = _store(Approvals)
    stops = _store(Stops)
    proposals = _store(Proposals)
    patterns = _store(Patterns)
    workflows = _store(StoredWorkflows)
    analyses = _store(Analyses)
    judgements = _store(Judgements)
    leases = _store(Leases)
    evaluations = _store(Evaluations)
    jobs = _store(StoredJobs)
    paid_steps = _store(PaidSteps)
    workers = _store(Workers)
    rate_buckets = _store(RateBuckets)
    job_runs = _store(JobRuns)
    decisions = _store(SearchDecisions)
    studies = _store(Studies)
    revisions = _store(RevisionSnapshots)
    graph = _store(Graph)
    skills = _store(SkillStore)
    documents = _store(DocumentStore)
    values = _store(SessionValues)
    artifacts = _store(Artifacts)
    steps = _store(Steps)
    people = _store(StoredPeople)
    audit = _store(AuditEntries)
    triggers = _store(StoredTriggers)
    deliveries = _store(StoredDeliveries)
    evolution = _store(EvolutionRounds)
    verdicts = _store(RunVerdicts)
    trace_judgements = _store(TraceJudgements)
    judge_checks = _store(JudgeChecks)

    @cached_property
    def cache(self) -> Cache:
        return Cache(self.access, CALL, self._write_hits_after)

    @cached_property
    def memo(self) -> Cache:
        return Cache(self.access, MEMO, self._write_hits_after)

    @cached_property
    def tool_search(self) -> "PostgresSearch | None":
        """Tools found by the database itself; None where it cannot."""
        return self.access.dialect.search(self.access)
