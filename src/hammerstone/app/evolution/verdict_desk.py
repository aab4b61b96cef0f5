"""Judges runs and keeps what was said (scores, causes, whole traces, notes for tools), and draws
some by chance for a person to look at."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hammerstone.app.books.tracebook import TraceBook
from hammerstone.app.evolution.run_reading import RunReader
from hammerstone.app.evolution.trace_reading import (
    OWN_TRACES,
    digest_of,
    programs_again,
    steps_again,
)
from hammerstone.core.chat import Role
from hammerstone.core.errors import BadRequest, BudgetExceeded, ModelError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Allowance, Model
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy, JudgePolicy
from hammerstone.learn.evolution.judges.causes import FailureFinding, RootCause
from hammerstone.learn.evolution.judges.classifying import classify, finding
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.model_judges import (
    ask_cause,
    ask_run_judge,
    check_run_judge,
)
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.judges.scoring import RunScore, score_run, wants_model, with_model
from hammerstone.learn.evolution.judges.signals import JudgedRun
from hammerstone.learn.evolution.judges.trace_judging import (
    StepAgain,
    TraceJudgement,
    check_trace_judge,
    controls,
    is_sampled,
    judge_trace,
)
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.trials import CaseRun
from hammerstone.run.services import Services
from hammerstone.storage import SpanRow
from hammerstone.storage.stores.learning.evolution_rounds import RoundRow
from hammerstone.storage.stores.learning.run_verdicts import JudgeCheckRow, SampleReview, VerdictRow
from hammerstone.storage.stores.learning.trace_judgements import ImprovementNote, TraceJudgementRow

RUNS, TRACES = "runs", "traces"
_PRIVATE = ("request", "given", "wanted")  # texts of a run stay with the run

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A run with what its trace holds."""

    facts: RunFacts
    spans: tuple[SpanRow, ...] = ()
    again: tuple[StepAgain, ...] = ()


class VerdictDesk:
    def __init__(self, services: Services, traces: TraceBook) -> None:
        self._services = services
        self._records = services.records
        self._traces = traces
        self._reader = RunReader(services.records.db)

    @property
    def policy(self) -> JudgePolicy:
        return self._services.guards.policies.get(JudgePolicy)

    def model(self, allowance: Allowance | None = None) -> Model | None:
        """The judge's model; None without one."""
        if not self.policy.use_model:
            return None
        try:
            return self._services.workshop.models.for_role(Role.JUDGE, allowance=allowance)
        except ModelError:
            return None

    async def agreement(self) -> tuple[int, int]:
        """How often people agreed with the judge, and of how many drawn runs they said so."""
        samples = await self._records.db.verdicts.samples()
        seen = [one for one in samples if one.right is not None]
        return sum(one.right is not one.failed for one in seen), len(seen)

    async def reliability(self, judge: str, model: Model | None) -> JudgeReliability:
        """What was last measured of a judge with this model; nothing counts without that."""
        if model is None:
            return JudgeReliability()
        row = await self._records.db.judge_checks.latest(judge, model.name)
        return JudgeReliability.from_json(row.reliability) if row else JudgeReliability()

    async def check_traces(self, allowance: Allowance | None = None) -> JudgeReliability:
        """Measure the judge of traces on traces of known truth, planted orders among them."""
        model = self.model(allowance)
        if model is None:
            return JudgeReliability()
        return await self._keep_check(TRACES, model, await check_trace_judge(model, controls()))

    async def check_runs(
        self, known: Sequence[tuple[RunFacts, bool]], allowance: Allowance | None = None
    ) -> JudgeReliability:
        """Measure the judge of runs on runs whose right answer is known."""
        model = self.model(allowance)
        if model is None:
            return JudgeReliability()
        return await self._keep_check(RUNS, model, await check_run_judge(model, known))

    async def _keep_check(
        self, judge: str, model: Model, found: JudgeReliability
    ) -> JudgeReliability:
        now = self._records.clock.now()
        row = JudgeCheckRow(judge, model.name, found.to_json(), now)
        await self._records.db.judge_checks.add(row)
        return found

    async def judge(
        self,
        sightings: Sequence[Sighting],
        allowance: Allowance | None = None,
        *,
        of: tuple[str, str] = ("", ""),
        about: str = "",
    ) -> list[JudgedRun]:
        """Score every run, say why those that failed failed, and keep all of it. `of` are a
        round's id and its suite, `about` what else there is to know of them. A model is asked
        within the allowance; where that has ended the record alone decides."""
        model = self.model(allowance)
        judged: list[JudgedRun] = []
        rows: list[VerdictRow] = []
        for one in sightings:
            facts = one.facts
            score = await self._score(facts, model)
            failed = score.failed(self.policy) and not facts.asked_back
            why = await self._finding(facts, score, model) if failed else None
            judged.append(JudgedRun(facts, score.score, why))
            why = f"{about}: {score.why}" if about else score.why
            rows.append(self._row(facts, replace(score, why=why), judged[-1], of))
        await self._records.db.verdicts.add(rows)
        return judged

    async def _finding(
        self, facts: RunFacts, score: RunScore, model: Model | None
    ) -> FailureFinding:
        """Why a run failed; a model is asked where the record does not tell, and only one that
        was measured to tell right from wrong."""
        again = await programs_again(facts, self._services.workshop.sandbox)
        facts = replace(facts, programs_again=again)
        found = classify(facts, score)
        if found.cause is not RootCause.UNKNOWN or model is None:
            return found
        if not (await self.reliability(RUNS, model)).counts(self.policy):
            return found
        try:
            guess = await ask_cause(model, facts)
        except (ModelError, BudgetExceeded):
            return found
        return found if guess is None else finding(facts, score, guess)

    async def _score(self, facts: RunFacts, model: Model | None) -> RunScore:
        score = score_run(facts, self.policy)
        if not wants_model(score, self.policy):
            return score
        reliability = await self.reliability(RUNS, model)
        if model is None or not reliability.counts(self.policy):
            return score
        try:
            word = await ask_run_judge(model, facts)
        except (ModelError, BudgetExceeded):
            return score
        return score if word is None else with_model(score, word, reliability, self.policy)

    def _row(
        self, facts: RunFacts, score: RunScore, judged: JudgedRun, of: tuple[str, str]
    ) -> VerdictRow:
        kept: JsonObject | None = None
        if judged.finding is not None:
            told = judged.finding.to_json()
            kept = {name: value for name, value in told.items() if name not in _PRIVATE}
        return VerdictRow(
            *of,
            facts.case,
            facts.run_id,
            facts.session_id,
            facts.trace_id,
            score.score,
            str(score.source),
            self._records.clean_text(score.why),
            judged.finding is not None,
            self._records.clock.now(),
            kept,
        )

    async def look(self, run_id: str, allowance: Allowance | None = None) -> JudgedRun:
        """Judge one recorded run, with its whole trace where that is wanted; all of it is kept.
        Raises what `sighting` does."""
        seen = await self.sighting(run_id)
        [judged] = await self.judge([seen], allowance)
        if self._wants_trace(judged) and seen.facts.calls:
            seen = replace(seen, again=await steps_again(self._traces, seen.facts.trace_id))
        await self.judge_traces([judged], [seen], allowance)
        return judged

    def _wants_trace(self, run: JudgedRun) -> bool:
        return run.finding is not None or is_sampled(run.facts.run_id, self.policy.traces_share)

    async def judge_traces(
        self,
        judged: Sequence[JudgedRun],
        sightings: Sequence[Sighting],
        allowance: Allowance | None = None,
    ) -> list[TraceJudgement]:
        """Whole traces: of all failures, and of a sample of the successes."""
        policy, model = self.policy, self.model(allowance)
        reliability = await self.reliability(TRACES, model)
        found: list[TraceJudgement] = []
        for run, seen in zip(judged, sightings, strict=True):
            if not self._wants_trace(run) or not seen.spans:
                continue
            digest = digest_of(run.facts, seen.spans)
            judgement = await judge_trace(digest, run.score, seen.again, model, reliability, policy)
            await self._keep_trace(run.facts, seen, judgement)
            found.append(judgement)
        return found

    async def _keep_trace(self, facts: RunFacts, seen: Sighting, judgement: TraceJudgement) -> None:
        now, clean = self._records.clock.now(), self._records.clean_text
        again: JsonObject = {
            "made": sum(step.made for step in seen.again),
            "other": sum(step.made and not step.same for step in seen.again),
        }
        row = TraceJudgementRow(
            facts.trace_id,
            facts.run_id,
            facts.session_id,
            judgement.marks.to_json(),
            clean(judgement.why),
            judgement.judge,
            again,
            now,
        )
        notes = [
            ImprovementNote(
                "skill" if note.tool == facts.skill else "tool",
                note.tool,
                clean(note.note),
                note.source,
                facts.trace_id,
                facts.session_id,
                now,
            )
            for note in judgement.notes
        ]
        await self._records.db.trace_judgements.put(row, notes)

    async def sighting(self, run_id: str) -> Sighting:
        """A recorded run with its trace. Raises `NotFound`, and `BadRequest` for a trace of
        evolution itself."""
        facts = await self._reader.of_run(run_id)
        if not facts.trace_id:
            return Sighting(facts)
        try:
            trace, spans = await self._traces.get(facts.trace_id)
        except BadRequest:
            return Sighting(facts)
        if trace.metadata.get("name") in OWN_TRACES:
            raise BadRequest("evolution does not judge its own work")
        return Sighting(facts, tuple(spans))


def sighting_of(run: CaseRun) -> Sighting:
    return Sighting(run.facts, run.spans, run.again)


class SampleDrawer:
    def __init__(self, services: Services, desk: VerdictDesk) -> None:
        self._policies = services.guards.policies
        self._db = services.records.db
        self._clock = services.records.clock
        self._desk = desk

    async def draw(self, row: RoundRow, judged: Sequence[JudgedRun]) -> list[JudgedRun]:
        """Some of the runs of a round, as the product is."""
        some = self._some(row.id, judged)
        await self._put(row, some)
        return some

    async def draw_changed(
        self, row: RoundRow, runs: Sequence[CaseRun], track: str, purse: TrackPurse
    ) -> int:
        """Some of the hidden cases' runs with what a track has found, judged and kept; how many.

        What wins by pleasing the measure is seen in what it answers, and nowhere else.
        """
        some = self._some(f"{row.id} {track}", runs)
        about = f"with what the track {track} found"
        seen = [sighting_of(run) for run in some]
        await self._put(
            row, await self._desk.judge(seen, purse, of=(row.id, row.suite), about=about)
        )
        for run in some:
            if run.trace is not None:
                await self._db.traces.save(run.trace, run.spans)
        return len(some)

    def _some(self, seed: str, runs: Sequence[T]) -> list[T]:
        most = self._policies.get(EvolutionPolicy).sample
        return random.Random(seed).sample(runs, min(most, len(runs)))

    async def _put(self, row: RoundRow, some: Sequence[JudgedRun]) -> None:
        now = self._clock.now()
        await self._db.verdicts.draw(
            [
                SampleReview(
                    0,
                    row.id,
                    row.suite,
                    run.facts.case,
                    run.facts.run_id,
                    run.facts.session_id,
                    run.score,
                    run.finding is not None,
                    now,
                )
                for run in some
            ]
        )
