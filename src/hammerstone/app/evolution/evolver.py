"""One round of evolution on a suite: run it, judge it, say what would help, try the cheapest."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from hammerstone.app.evolution.rounds import (
    JUDGED,
    LOST,
    EvolveOptions,
    check_round,
    cut_words,
    finding_words,
    open_rounds,
    pace_of,
    pace_words,
    plan_words,
    suite_lease,
    unasked_words,
)
from hammerstone.app.evolution.verdict_desk import SampleDrawer, VerdictDesk, sighting_of
from hammerstone.core.errors import (
    BadRequest,
    BudgetExceeded,
    HammerstoneError,
    ModelError,
    Stopped,
)
from hammerstone.core.holder import holder_name
from hammerstone.guard.journal import StepJournal, paid_once
from hammerstone.guard.maturity import MaturityPolicy, level_in_force, may_improve
from hammerstone.learn.evolution.dispatching import ENDING, Dispatcher, cost_json
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy, SignalPolicy
from hammerstone.learn.evolution.judges.recommendation import Recommendation, recommend
from hammerstone.learn.evolution.judges.signals import JudgedRun, extract_signals
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    TrackName,
    TrackOutcome,
    TrackResult,
    TrackTask,
)
from hammerstone.learn.evolution.tracks.trials import (
    AS_IT_IS,
    CaseRun,
    GuardedTrials,
    SuiteBench,
    SuiteSplit,
    split_suite,
)
from hammerstone.run.durable.dead_leases import end_dead_lease
from hammerstone.run.services import Services
from hammerstone.storage.stores.learning.evolution_rounds import AttemptRow, RoundRow, SuiteScoreRow
from hammerstone.storage.stores.queue.leases import HELD_S, HeldLease
from hammerstone.storage.stores.runs.paid_steps import StepOwner

_KIND = "evolution"  # of what a round has paid for
GOOD_EXAMPLE = 0.8  # the score from which a run may be learned from


class Evolver:
    def __init__(self, services: Services, desk: VerdictDesk, dispatcher: Dispatcher) -> None:
        self._services = services
        self._db = services.records.db
        self._clock = services.records.clock
        self._desk = desk
        self._drawer = SampleDrawer(services, desk)
        self.dispatcher = dispatcher

    @property
    def _policy(self) -> EvolutionPolicy:
        return self._services.guards.policies.get(EvolutionPolicy)

    async def run(self, suite: str, bench: SuiteBench, options: EvolveOptions) -> RoundRow:
        """A whole round, and another one after each that has kept something, as many as the policy
        allows and within the same limits; the last one's row. Only one at a time works on a suite:
        raises `BadRequest`, also for options that cannot be, and `NotFound` for a suite there is
        not."""
        check_round(suite, bench, options)
        await self._services.guards.policies.load()
        purse = TrackPurse(options.budget or self._budget())
        row = await self._one(suite, bench, options, purse)
        for _ in range(1, self._policy.rounds):
            kept = await self._kept_in(row)
            if not kept or purse.used_up:
                break
            said = f"Round {row.id} has kept something ({kept}), so the suite is run again."
            options.say(said)
            row = await self._one(suite, bench, options, purse, said)
        return row

    async def _kept_in(self, row: RoundRow) -> str:
        """The tracks that have put something in force in a round that has ended."""
        attempts = await self._db.evolution.attempts(row.id)
        kept = [one.track for one in attempts if one.outcome == TrackOutcome.KEPT]
        return ", ".join(kept) if row.state == "done" else ""

    async def _one(
        self,
        suite: str,
        bench: SuiteBench,
        options: EvolveOptions,
        purse: TrackPurse,
        *account: str,
    ) -> RoundRow:
        row = RoundRow(uuid.uuid4().hex[:12], suite, options.who, "running", self._clock.now())
        row, spent = _told(row, "running", *account), purse.cost
        await end_dead_lease(self._db.leases, suite_lease(suite))
        held = HeldLease(self._db.leases, suite_lease(suite), holder_name(row.id))
        if not await held.take():
            hint = f"wait for it; if it was killed, try again in {HELD_S:.0f} seconds"
            raise BadRequest(
                f"the suite {suite} is being worked on by another evolution", hint=hint
            )
        await self.end_lost()
        try:
            await self._db.evolution.start(row)
            trace = self._services.records.tracer.trace("evolve", user=options.who, input=suite)
            with trace, paid_once(await self._journal(suite)):
                row = await self._round(row, bench, options, purse)
            await self._db.paid_steps.forget(_KIND, suite)
        except (Stopped, BaseExceptionGroup):
            row = _told(row, "stopped", "It was stopped. Nothing was changed after that.")
            raise
        except HammerstoneError as error:
            row = _told(row, "broken", f"It could not go on: {error.message}")
            raise
        except BaseException:
            row = _told(row, "broken", "It ended in the middle. Nothing was changed after that.")
            raise
        finally:
            cost = cost_json(purse.cost - spent)
            ended = replace(row, cost=cost, finished_at=self._clock.now())
            await self._db.evolution.save(ended)
            with suppress(HammerstoneError):
                await held.give_back()
        return ended

    async def _journal(self, suite: str) -> StepJournal:
        """What models said in a round on the suite that was broken off; its lease guards it."""
        records = self._services.records
        journal = StepJournal(self._db.paid_steps, StepOwner(_KIND, suite), records.storable)
        await journal.load()
        return journal

    async def end_lost(self) -> None:
        """Mark rounds as broken off that nobody works on any more: a killed process cannot."""
        for row in (await open_rounds(self._db)).lost:
            ended = replace(_told(row, "broken", LOST), finished_at=self._clock.now())
            await self._db.evolution.break_off(ended)

    def _budget(self) -> TrackBudget:
        policy = self._policy
        return TrackBudget(policy.tokens, policy.seconds, policy.usd)

    async def _round(
        self, row: RoundRow, bench: SuiteBench, options: EvolveOptions, purse: TrackPurse
    ) -> RoundRow:
        async with bench.open(row.suite) as suite:
            split = split_suite(suite.cases, self._policy)
            if split.refusal and not (options.judge_only and split.shown):
                return _told(row, "done", *split.problems, _sentence(split.refusal), JUDGED)
            trials = GuardedTrials(suite, split, purse)
            plan = await self._plan(row, split, purse, options)
            row = _told(row, "running", *split.problems, plan)
            options.say(row.account[-1])
            await self._db.evolution.save(row)
            try:
                runs = await trials.everything()
            except BudgetExceeded:
                return await self._cut_short(row, trials.known(), split, options, purse)
            except ModelError as error:
                return _told(row, "done", unasked_words(error))
            row = _told(row, "running", pace_words(purse))
            options.say(row.account[-1])
            judged = await self._judged(row, runs, options, purse)
            await self._keep_score(row.suite, runs, "evolution")
            told = len(row.account)
            row, advice = await self._advised(row, judged, options)
            for sentence in row.account[told:]:
                options.say(sentence)
            await self._db.evolution.save(replace(row, cost=cost_json(purse.cost)))
            if options.judge_only or not advice.advice:
                return _told(row, "done")
            if why := self._may_not(options):
                return _told(row, "done", why)
            task = self._task(row, split, judged, options, purse, trials)
            task = replace(task, review=task.review or await self._distrusted())
            return await self._tried(row, advice, task, trials)

    async def _plan(
        self, row: RoundRow, split: SuiteSplit, purse: TrackPurse, options: EvolveOptions
    ) -> str:
        earlier = await self._db.evolution.list(row.suite)
        cases = len(split.shown) + len(split.hidden)
        return plan_words(cases, pace_of(earlier), purse.left, judge_only=options.judge_only)

    async def _cut_short(
        self,
        row: RoundRow,
        runs: Sequence[CaseRun],
        split: SuiteSplit,
        options: EvolveOptions,
        purse: TrackPurse,
    ) -> RoundRow:
        """A round whose budget ended before all cases were run: what is known is told."""
        cases = len(split.shown) + len(split.hidden)
        cut = cut_words(len(runs), cases, purse.allowed)
        if not runs:
            return _told(row, "done", cut)
        judged = await self._judged(row, runs, replace(options, check_judge=False), purse)
        row, _ = await self._advised(row, judged, options)
        return _told(replace(row, average=None), "done", cut)

    async def _judged(
        self,
        row: RoundRow,
        runs: Sequence[CaseRun],
        options: EvolveOptions,
        purse: TrackPurse,
    ) -> list[JudgedRun]:
        sightings = [sighting_of(run) for run in runs]
        judged = await self._desk.judge(sightings, purse, of=(row.id, row.suite))
        drawn = await self._drawer.draw(row, judged)
        failed = [run for run in judged if run.finding is not None]
        kept = {run.facts.trace_id for run in (*failed, *drawn)}
        for run in runs:
            if run.trace is not None and run.trace.id in kept:
                await self._db.traces.save(run.trace, run.spans)
        await self._desk.judge_traces(judged, sightings, purse)
        if options.check_judge:
            known = [(r.facts, r.facts.known >= 1) for r in judged if r.facts.known is not None]
            await self._desk.check_runs(known, purse)
            await self._desk.check_traces(purse)
        return judged

    async def _keep_score(self, suite: str, runs: Sequence[CaseRun], why: str) -> SuiteScoreRow:
        counted = [run for run in runs if run.score.counts]
        cases = {run.score.case: run.score.score for run in counted}
        answered = sum(run.facts.answered for run in runs) / max(1, len(runs))
        average = sum(cases.values()) / max(1, len(cases))
        row = SuiteScoreRow(suite, why, average, answered, cases, self._clock.now())
        await self._db.evolution.add_score(row)
        return row

    async def look(self, suite: str, bench: SuiteBench, purse: TrackPurse) -> SuiteScoreRow:
        """Run a suite as it is and keep the score: what the monitor does every day."""
        async with bench.open(suite) as opened:
            try:
                runs = await opened.run(opened.cases, AS_IT_IS, purse)
            except ModelError:
                runs = []
            return await self._keep_score(suite, runs, "monitor")

    async def _advised(
        self, row: RoundRow, judged: Sequence[JudgedRun], options: EvolveOptions
    ) -> tuple[RoundRow, Recommendation]:
        policies = self._services.guards.policies
        policy = policies.get(SignalPolicy)
        corpus = options.documents is not None
        examples = await self._db.verdicts.good_runs(GOOD_EXAMPLE)
        signals = extract_signals(judged, policy, corpus=corpus, examples=examples)
        advice = recommend(signals, policy, self._allowed(options), options.asked)
        row = replace(
            row,
            average=signals.average,
            signals=signals.to_json(),
            recommendation=advice.to_json(),
        )
        return _told(row, "running", *finding_words(signals, advice)), advice

    def _allowed(self, options: EvolveOptions) -> list[TrackName]:
        policy = self._policy
        named = options.tracks or tuple(TrackName)
        return [track for track in named if getattr(policy, track.value) or track in options.asked]

    def _may_not(self, options: EvolveOptions) -> str:
        level = level_in_force(self._services.guards.policies.get(MaturityPolicy))
        if may_improve(level):
            return ""
        return (
            f"The maturity level is {level:d}: only level 4 or higher may improve itself. "
            "Nothing was tried."
        )

    async def _distrusted(self) -> bool:
        """Whether people have contradicted the judge so often that nothing is kept by itself."""
        agreed, seen = await self._desk.agreement()
        return seen > 0 and agreed / seen < self._policy.least_agreement

    def _task(
        self,
        row: RoundRow,
        split: SuiteSplit,
        judged: Sequence[JudgedRun],
        options: EvolveOptions,
        purse: TrackPurse,
        trials: GuardedTrials,
    ) -> TrackTask:
        train = {case.id for case in split.train}
        shown = [r.finding for r in judged if r.finding is not None and r.facts.case in train]
        review = self._policy.review if options.review is None else options.review
        return TrackTask(
            id=row.id,
            suite=row.suite,
            train=split.train,
            validation=split.validation,
            failures=tuple(shown),
            trials=trials,
            purse=purse,
            hidden=len(split.hidden),
            review=review,
            documents=options.documents,
            program=options.program,
            approved_by=options.approved_by,
            say=options.say,
        )

    async def _tried(
        self, row: RoundRow, advice: Recommendation, task: TrackTask, trials: GuardedTrials
    ) -> RoundRow:
        async def keep(result: TrackResult) -> None:
            await self._db.evolution.add_attempt(_attempt(row.id, result, self._clock.now()))

        results = await self.dispatcher.dispatch(advice, task, keep)
        told = [
            f"{result.track}, {result.outcome}: {' '.join(result.account)}" for result in results
        ]
        if not results or results[-1].outcome not in ENDING:
            told.append("Nothing helped, so nothing was changed and nothing more is spent.")
        elif trials.tested:
            won = results[-1].track
            count = await self._drawer.draw_changed(row, trials.tested, won, task.purse)
            told.append(f"{count} answers with it wait for your word: hammerstone evolve sample.")
        return _told(row, "done", *told)


def _attempt(round_id: str, result: TrackResult, at: datetime) -> AttemptRow:
    return AttemptRow(
        round_id,
        str(result.track),
        str(result.outcome),
        result.account,
        at,
        result.proposal,
        result.before.to_json() if result.before else None,
        result.after.to_json() if result.after else None,
        cost_json(result.cost),
        result.change,
    )


def _told(row: RoundRow, state: str, *sentences: str) -> RoundRow:
    return replace(row, state=state, account=(*row.account, *sentences))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
