"""The jobs of evolution between requests. Judging: every request is scored once, and failed ones
get their cause. The monitor: every suite that is watched, once a day; what lost is taken back."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from hammerstone.app.evolution.evolver import Evolver
from hammerstone.app.evolution.rounds import EvolveOptions
from hammerstone.app.evolution.verdict_desk import VerdictDesk
from hammerstone.core.changes import AUTOMATIC, IN_FORCE, ProposalKind
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BudgetExceeded, HammerstoneError, Stopped
from hammerstone.core.formatting import count, listing
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Allowance
from hammerstone.guard.maturity import MaturityPolicy, level_in_force, may_improve
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy, JudgePolicy, MonitorPolicy
from hammerstone.learn.evolution.judges.signals import JudgedRun
from hammerstone.learn.evolution.monitoring import (
    ChangeMark,
    MonitorDecision,
    MonitorFinding,
    SuiteLook,
    judge_looks,
)
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.trials import SuiteBench
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import ProposalState
from hammerstone.library.policies import Policies
from hammerstone.storage import Database

_WITH_EACH_USE = (ProposalKind.EXAMINATION, ProposalKind.TRUST, ProposalKind.LESSON)
WATCHED_KINDS = tuple(kind for kind in ProposalKind if kind not in _WITH_EACH_USE)
"""A change of any of them can be what a suite lost by. What is noted with each use is left out: the
newest of it would be blamed for everything."""
WHO = "evolution"


class JudgingJob:
    """Fulfils `LearningJob` (`app/learning/jobs/learning_job.py`)."""

    name = "judging"
    about = "scores your requests, says why those that failed did, and reads their traces"

    def __init__(
        self,
        db: Database,
        policies: Policies,
        clock: Clock,
        verdicts: VerdictDesk,
        allowance: Allowance | None = None,
    ) -> None:
        """Models are asked within the allowance."""
        self._allowance = allowance
        self._db = db
        self._policies = policies
        self._clock = clock
        self._verdicts = verdicts

    @property
    def policy(self) -> JudgePolicy:
        return self._policies.get(JudgePolicy)

    @property
    def every_s(self) -> float:
        return self.policy.every_hours * 3600.0

    async def news(self) -> str:
        waiting = len(await self._unjudged())
        return f"{count(waiting, 'request')} not judged yet" if waiting else ""

    async def _unjudged(self) -> list[str]:
        """Not before there was time to say something about an answer, nor long ago."""
        policy, now = self.policy, self._clock.now()
        until = now - timedelta(hours=policy.feedback_hours)
        since = now - timedelta(days=policy.back_days)
        return await self._db.verdicts.unjudged(since, until, policy.most_at_once)

    async def run(self, *, dry_run: bool) -> JobReport:
        waiting = await self._unjudged()
        if dry_run:
            told = f"{count(len(waiting), 'request')} would be judged"
            return JobReport((JobChange(told),) if waiting else ())
        judged: list[JudgedRun] = []
        for run_id in waiting:
            try:
                judged.append(await self._verdicts.look(run_id, self._allowance))
            except Stopped:
                raise
            except HammerstoneError:  # it is gone meanwhile, or has no trace that may be judged
                continue
        return JobReport(tuple(_changes(judged)), details={"judged": len(judged)})


def _changes(judged: list[JudgedRun]) -> list[JobChange]:
    if not judged:
        return []
    causes = Counter(str(run.finding.cause) for run in judged if run.finding is not None)
    told = listing([f"{cause} ({times})" for cause, times in causes.most_common()])
    why = f"{causes.total()} failed: {told}" if causes else "none failed"
    return [JobChange(f"{count(len(judged), 'request')} judged", why)]


class MonitorJob:
    """A job between requests (`learning_jobs/learning_job.py`)."""

    name = "monitor"
    about = "runs the watched suites, notices drift, and takes back changes that lost"

    def __init__(
        self,
        db: Database,
        policies: Policies,
        clock: Clock,
        gate: ChangeGate,
        evolver: Evolver,
        bench: Callable[[], SuiteBench | None],
    ) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self._gate = gate
        self._evolver = evolver
        self._bench = bench

    @property
    def policy(self) -> MonitorPolicy:
        return self._policies.get(MonitorPolicy)

    @property
    def every_s(self) -> float:
        return self.policy.every_hours * 3600.0

    async def news(self) -> str:
        if not self.policy.enabled or self._bench() is None:
            return ""
        suites = await self.suites()
        return f"{len(suites)} suites are watched" if suites else ""

    async def suites(self) -> list[str]:
        """The suites that are watched: those that were scored before and are still there."""
        bench = self._bench()
        known = set(bench.names()) if bench is not None else set[str]()
        return [name for name in await self._db.evolution.scored_suites() if name in known]

    async def run(self, *, dry_run: bool) -> JobReport:
        changes: list[JobChange] = []
        details: dict[str, Json] = {}
        for suite in await self.suites():
            try:
                decision = await (self.decide(suite) if dry_run else self.watch(suite))
            except Stopped:
                raise
            except HammerstoneError as error:  # the other suites are looked at all the same
                decision = MonitorDecision(MonitorFinding.UNKNOWN, error.message, 0.0)
            told = f"{decision.why}. {decision.followed}".removesuffix(". ")
            details[suite] = f"{decision.finding}: {told}"
            if decision.finding is not MonitorFinding.STEADY:
                changes.append(JobChange(f"{suite}: {decision.finding}", told))
        return JobReport(tuple(changes), details=details)

    async def watch(self, suite: str) -> MonitorDecision:
        """One look at a suite, and what follows from it."""
        bench = self._bench()
        assert bench is not None
        policy = self._policies.get(EvolutionPolicy)
        purse = TrackPurse(TrackBudget(policy.tokens, policy.seconds, policy.usd))
        try:
            await self._evolver.look(suite, bench, purse)
        except BudgetExceeded as error:
            decision = await self.decide(suite)
            why = f"it was not run to its end, so nothing is concluded: {error.message}"
            return MonitorDecision(MonitorFinding.UNKNOWN, why, decision.average)
        decision = await self.decide(suite)
        return replace(decision, followed=await self.follow(suite, decision, bench))

    async def decide(self, suite: str) -> MonitorDecision:
        """What the stored scores of a suite come to; changes nothing."""
        rows = await self._db.evolution.scores(suite)
        looks = [SuiteLook(row.at, row.average, row.answered, row.cases) for row in rows]
        since = self._clock.now() - timedelta(days=2 * self.policy.long_days)
        return judge_looks(looks, await self._changes(since), self.policy)

    async def _changes(self, since: datetime) -> list[ChangeMark]:
        rows = await self._db.proposals.list(kinds=WATCHED_KINDS, statuses=IN_FORCE, limit=500)
        marks: list[ChangeMark] = []
        for row in rows:
            if row.changed_at < since:
                continue
            # A probation that ended well is noted later and by somebody else.
            audits = await self._db.proposals.audits(row.id)
            made = next((one for one in audits if one.what in IN_FORCE), None)
            at, who = (made.at, made.who) if made else (row.changed_at, "")
            marks.append(ChangeMark(row.id, row.title, at, who not in ("", *AUTOMATIC)))
        return marks

    async def follow(self, suite: str, decision: MonitorDecision, bench: SuiteBench) -> str:
        """Take back what lost; start evolving where that is allowed. In words what was done, or
        what a person can do; empty where there is nothing to do."""
        change = decision.change
        if decision.finding is MonitorFinding.LOST and change is not None:
            if change.by_person:
                return f"You made it, so it stays. Take it back: hammerstone undo {change.proposal}"
            done = await self._gate.undo(
                change.proposal,
                who=WHO,
                why=decision.why,
                cascade=True,
                to=ProposalState.ROLLED_BACK,
            )
            return f"It was taken back: {'; '.join(done)}"
        if not decision.evolve:
            return ""
        if await self._may_evolve(suite):
            row = await self._evolver.run(suite, bench, EvolveOptions(who=WHO))
            return f"A round was started: hammerstone evolve show {row.id}"
        return f"To have it get better: hammerstone evolve run {suite}"

    async def _may_evolve(self, suite: str) -> bool:
        """In continuous mode, at level 4 or higher, and not again within the pause."""
        level = level_in_force(self._policies.get(MaturityPolicy))
        if not self.policy.continuous or not may_improve(level):
            return False
        last = await self._db.evolution.list(suite, limit=1)
        pause = timedelta(hours=self.policy.pause_hours)
        return not last or self._clock.now() - last[0].started_at >= pause
