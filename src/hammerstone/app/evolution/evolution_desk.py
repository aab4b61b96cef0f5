"""`hs.evolution`: rounds, verdicts, judges, samples, presets and the monitor, in one object."""

from collections.abc import AsyncIterator, Sequence

from hammerstone.app.books.tracebook import TraceBook
from hammerstone.app.evolution.evolution_jobs import JudgingJob, MonitorJob
from hammerstone.app.evolution.evolver import Evolver
from hammerstone.app.evolution.own_tracks import (
    EngineWays,
    GeneralTrials,
    TrackSupplies,
    open_general,
    open_tracks,
)
from hammerstone.app.evolution.rounds import EvolveOptions
from hammerstone.app.evolution.run_reading import RunReader, training_runs
from hammerstone.app.evolution.verdict_desk import RUNS, TRACES, VerdictDesk
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.evolution.dispatching import Dispatcher, DispatchServices
from hammerstone.learn.evolution.evolution_policy import PRESETS, EvolutionPolicy, MonitorPolicy
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.run_facts import RunFacts
from hammerstone.learn.evolution.judges.signals import JudgedRun
from hammerstone.learn.evolution.monitoring import MonitorDecision
from hammerstone.learn.evolution.tracks.track import TrackTask
from hammerstone.learn.evolution.tracks.trials import SuiteBench
from hammerstone.learn.finetuning.examples import TrainingRun
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.run.services import Services, Workshop
from hammerstone.storage.rows import RunRow
from hammerstone.storage.stores.learning.evolution_rounds import AttemptRow, RoundRow, SuiteScoreRow
from hammerstone.storage.stores.learning.run_verdicts import SampleReview, VerdictRow
from hammerstone.storage.stores.learning.trace_judgements import ImprovementNote


class EvolutionDesk:
    """Suites are run by a bench, which is handed in from above (`use_bench`)."""

    def __init__(
        self,
        services: Services,
        gate: ChangeGate,
        traces: TraceBook,
        engine: EngineWays,
    ) -> None:
        """`engine` is what the tracks for prompts, tools, steps and training need of it."""
        self._services = services
        self._db = services.records.db
        self._traces = traces
        self._bench: SuiteBench | None = None
        self.verdicts = VerdictDesk(services, traces)
        parts = DispatchServices(self._db, gate, services.guards.policies)
        self._general_suite = engine.settings.general_suite
        supplies = TrackSupplies(engine, self._scored_runs, self._suite_requests, self._general)
        self.dispatcher = Dispatcher(parts, open_tracks(services, gate, supplies))
        self.dispatcher.use_knobs(engine.knobs)
        self._evolver = Evolver(services, self.verdicts, self.dispatcher)
        self.judging = JudgingJob(
            self._db,
            services.guards.policies,
            services.records.clock,
            self.verdicts,
            engine.learning.jobs.budget,
        )
        self.monitor = MonitorJob(
            self._db,
            services.guards.policies,
            services.records.clock,
            gate,
            self._evolver,
            lambda: self._bench,
        )

    async def _scored_runs(self) -> AsyncIterator[TrainingRun]:
        rows = await self._db.verdicts.of_requests()
        scored = {row.run_id: (row.trace_id, row.score) for row in rows}
        async for run in training_runs(self._db, scored):
            yield run

    async def _suite_requests(self) -> set[str]:
        """What the suites of this machine ask."""
        found: set[str] = set()
        for name in self._bench.names() if self._bench else ():
            async with self.bench.open(name) as suite:
                found.update(case.request for case in suite.cases)
        return found

    async def _general(self, task: TrackTask) -> GeneralTrials | None:
        """The general suite; None where nobody has named one. Raises `NotFound`."""
        if not self._general_suite or self._bench is None:
            return None
        return await open_general(self._bench, self._general_suite, task.purse)

    def use_bench(self, bench: SuiteBench) -> None:
        """Says who runs suites from here on."""
        self._bench = bench

    @property
    def bench(self) -> SuiteBench:
        if self._bench is None:
            raise BadRequest(
                "nobody runs suites here",
                hint="hs.evolution.use_bench(ProductBench(hs)); see docs/evolution.md",
            )
        return self._bench

    @property
    def workshop(self) -> Workshop:
        """Models and sandbox, for a bench that grades what this product answers."""
        return self._services.workshop

    async def facts(self, run_id: str) -> RunFacts:
        """What is recorded about a run. Raises `NotFound`."""
        return await RunReader(self._db).of_run(run_id)

    async def run(self, suite: str, options: EvolveOptions | None = None) -> RoundRow:
        """One round on a suite: judged, and the cheapest change that could help is tried."""
        async with self._services.guards.stop.calling():
            return await self._evolver.run(suite, self.bench, options or EvolveOptions())

    async def watch(self, suite: str) -> MonitorDecision:
        """One look of the monitor at a suite; from then on it is watched every day."""
        if suite not in self.bench.names():
            raise NotFound(f"there is no suite {suite!r}", hint="hammerstone suites list")
        async with self._services.guards.stop.calling():
            return await self.monitor.watch(suite)

    async def rounds(self, suite: str | None = None, limit: int = 50) -> list[RoundRow]:
        """Rounds, newest first; those whose process was killed are marked as broken off."""
        await self._evolver.end_lost()
        return await self._db.evolution.list(suite, limit)

    async def round(self, id: str) -> tuple[RoundRow, list[AttemptRow], list[VerdictRow]]:
        """A round by the beginning of its id, what was tried in it, and its verdicts."""
        await self._evolver.end_lost()
        row = await self._db.evolution.get(id)
        attempts = await self._db.evolution.attempts(row.id)
        return row, attempts, await self._db.verdicts.of_round(row.id)

    async def attempts(self, limit: int = 200) -> list[AttemptRow]:
        """Everything that was ever tried, newest first."""
        return await self._db.evolution.attempts(limit=limit)

    async def scores(self, suite: str) -> list[SuiteScoreRow]:
        return await self._db.evolution.scores(suite)

    async def suites(self) -> list[str]:
        return await self._db.evolution.scored_suites()

    async def judge(self, runs: Sequence[RunRow]) -> list[JudgedRun]:
        """Judge recorded runs: score, cause, and whole traces with their calls made again."""
        return [await self.verdicts.look(run.id) for run in runs]

    async def verdicts_of_requests(
        self, limit: int = 50, *, failed: bool = False
    ) -> list[VerdictRow]:
        """What was said about requests, newest first; about those that failed alone."""
        return await self._db.verdicts.newest_of_requests(limit, failed=failed)

    async def recent(self, user: str, limit: int = 20) -> list[RunRow]:
        """A person's newest runs that have ended."""
        rows = await self._traces.list(user, limit=limit)
        found = [await self._db.runs.find(row.run_id) for row in rows if row.run_id]
        return [run for run in found if run is not None and run.finished_at is not None]

    async def notes(self, target: str | None = None) -> list[ImprovementNote]:
        """What should be changed about tools and skills, newest first."""
        return await self._db.trace_judgements.notes(target)

    async def samples(self, *, waiting: bool = True) -> list[SampleReview]:
        """Runs drawn by chance for a person to look at."""
        return await self._db.verdicts.samples(waiting=waiting)

    async def review(self, id: int, right: bool, *, who: str) -> SampleReview:
        """A person's word on a drawn run."""
        now = self._services.records.clock.now()
        return await self._db.verdicts.review(id, right, who, now)

    async def check_judge(self) -> JudgeReliability:
        """Measure the judge of traces now."""
        return await self.verdicts.check_traces()

    async def set_preset(self, name: str, *, who: str) -> None:
        """Put a preset's numbers in force. Raises `BadRequest` for a name there is not."""
        if name not in PRESETS:
            raise BadRequest(f"there is no preset {name!r}", hint=", ".join(PRESETS))
        policies = self._services.guards.policies
        for policy, values in PRESETS[name].items():
            await policies.change(policy, dict(values), who=who, why=f"preset {name}")

    def preset(self) -> str:
        """The preset whose numbers are in force; `own` for others."""
        policies = self._services.guards.policies
        for name, parts in PRESETS.items():
            kinds = {kind.name: kind for kind in policies.kinds}
            if all(
                getattr(policies.get(kinds[policy]), key) == value
                for policy, values in parts.items()
                for key, value in values.items()
            ):
                return name
        return "own"

    async def status(self) -> JsonObject:
        """How things stand, for a page and for programs."""
        policies = self._services.guards.policies
        await policies.load()
        evolution, monitor = policies.get(EvolutionPolicy), policies.get(MonitorPolicy)
        agreed, seen = await self.verdicts.agreement()
        suites: dict[str, Json] = {}
        for name in await self.suites():
            decision = await self.monitor.decide(name)
            suites[name] = {
                "finding": str(decision.finding),
                "why": decision.why,
                "average": round(decision.average, 4),
            }
        model = self.verdicts.model()
        judges: dict[str, Json] = {}
        for judge in (RUNS, TRACES):
            found = await self.verdicts.reliability(judge, model)
            counts = found.counts(self.verdicts.policy)
            judges[judge] = {**found.to_json(), "counts": counts, "text": found.words}
        return {
            "preset": self.preset(),
            "review": evolution.review,
            "continuous": monitor.continuous,
            "tracks": {
                str(name): str(name) in _allowed(evolution) for name in self.dispatcher.tracks
            },
            "suites": suites,
            "judge_model": model.name if model else "",
            "judges": judges,
            "samples_waiting": len(await self.samples()),
            "people_agree": {"agree": agreed, "of": seen},
        }


def _allowed(policy: EvolutionPolicy) -> list[str]:
    names = ("prompt", "skill", "harness", "knowledge", "fine_tuning")
    return [name for name in names if getattr(policy, name)]
