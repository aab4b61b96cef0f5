"""The tracks for prompts, tools, the product's own steps and fine-tuning, wired to an engine, and
the general suite, on which what was trained may not lose: every case of it is hidden."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import hammerstone
from hammerstone.app.learning.learning import Learning
from hammerstone.core.answers import Answer, Proof
from hammerstone.core.chat import Role, Usage
from hammerstone.core.errors import NotFound
from hammerstone.core.seams import Allowance, Model
from hammerstone.core.settings import Settings
from hammerstone.learn.evolution.tracks.knowledge_track import KnowledgeTrack
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.skill_track import MadeTool, SkillTrack, SkillWorkbench
from hammerstone.learn.evolution.tracks.track import (
    HiddenResult,
    Track,
    TrackCase,
    TrackTask,
    Trial,
)
from hammerstone.learn.evolution.tracks.trials import (
    GuardedTrials,
    SuiteBench,
    SuiteSplit,
    asked_by,
    without_contradictions,
)
from hammerstone.learn.finetuning.examples import TrainingRun
from hammerstone.learn.finetuning.tuning_track import (
    FineTuningTrack,
    GeneralSuite,
    TuningWorkbench,
)
from hammerstone.learn.harness.harness_track import HarnessTrack, HarnessWorkbench
from hammerstone.learn.policies import SkillTrackPolicy
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.prompting.prompt_track import SOLVE, PromptTrack, PromptWorkbench
from hammerstone.learn.tuning.knob import KnobUse
from hammerstone.library.prompting.prompt_shelf import PromptShelf
from hammerstone.models.opening import local_model_path
from hammerstone.run.services import Services
from hammerstone.run.solve.program import has_function, read_reply

Ask = Callable[[str], Awaitable[Answer]]
Wait = Callable[[Answer], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class GeneralTrials:
    """Fulfils `GeneralSuite` (`learn/finetuning/tuning_track.py`)."""

    bench: SuiteBench
    suite: str
    purse: TrackPurse
    hidden: tuple[TrackCase, ...]

    @property
    def cases(self) -> int:
        return len({asked_by(case) for case in self.hidden})

    async def test(self, trial: Trial) -> HiddenResult:
        async with self.bench.open(self.suite) as suite:
            split = SuiteSplit(hidden=self.hidden)
            return await GuardedTrials(suite, split, self.purse).test(trial)


async def open_general(bench: SuiteBench, suite: str, purse: TrackPurse) -> GeneralTrials:
    """The suite of that name, without cases that contradict each other. Raises `NotFound`."""
    if suite not in bench.names():
        raise NotFound(
            f"there is no suite {suite!r}, which HAMMERSTONE_GENERAL_SUITE names",
            hint="hammerstone suites list",
        )
    async with bench.open(suite) as opened:
        usable, _ = without_contradictions(opened.cases)
    return GeneralTrials(bench, suite, purse, tuple(usable))


@dataclass(frozen=True, slots=True)
class EngineWays:
    """The engine's own ways that tracks go: how it is set up, how it learns, asks and proves."""

    settings: Settings
    learning: Learning
    ask: Ask
    wait: Wait
    knobs: KnobUse


@dataclass(frozen=True, slots=True)
class TrackSupplies:
    """What tracks need beside the services: the engine's own ways, and what was scored.

    `runs` are scored runs for training, `suites` the requests that no training may know. `general`
    opens the general suite; None from it means that none is configured.
    """

    engine: EngineWays
    runs: Callable[[], AsyncIterator[TrainingRun]]
    suites: Callable[[], Awaitable[Collection[str]]]
    general: Callable[[TrackTask], Awaitable[GeneralSuite | None]]


def open_tracks(services: Services, gate: ChangeGate, supplies: TrackSupplies) -> list[Track]:
    """The tracks, made with the services they work with; what is not here cannot be recommended."""
    records, policies, knobs = services.records, services.guards.policies, supplies.engine.knobs

    def author(allowance: Allowance) -> Model:
        return services.workshop.models.for_role(Role.PLANNER, allowance=allowance)

    shelf = PromptShelf(records.db, policies, records.clock)
    bench = PromptWorkbench(gate, policies, shelf, author, knobs, may_show)
    harness = HarnessTrack(HarnessWorkbench(bench, services.workshop.sandbox, package_folder()))
    return [
        KnowledgeTrack(gate, policies),
        PromptTrack(bench),
        _skill_track(services, supplies.engine),
        harness,
        _tuning(services, gate, supplies),
    ]


def _skill_track(services: Services, engine: EngineWays) -> SkillTrack:
    registry, policies = services.catalogue.registry, services.guards.policies

    async def tools() -> Sequence[str]:
        return [tool.name for tool in await registry.list()]

    async def make(request: str) -> MadeTool:
        """Answered anew; the tool behind the answer is kept by its usual proof, or not at all."""
        answer = await engine.wait(await engine.ask(request))
        cost = answer.cost
        usage = Usage(output_tokens=cost.tokens, usd=cost.usd, calls=cost.model_calls)
        if answer.proof is Proof.PROVED and answer.tool:
            return MadeTool(answer.tool, usage=usage)
        why = "its proof was not enough" if answer.tool else "nothing to keep"
        return MadeTool(why=why, usage=usage)

    return SkillTrack(
        SkillWorkbench(engine.learning.repair, make, lambda: policies.get(SkillTrackPolicy), tools)
    )


def _tuning(services: Services, gate: ChangeGate, supplies: TrackSupplies) -> FineTuningTrack:
    settings = supplies.engine.settings
    model = local_model_path(settings)
    return FineTuningTrack(
        TuningWorkbench(
            gate=gate,
            policies=services.guards.policies,
            adapters=services.catalogue.adapters,
            runs=supplies.runs,
            suites=supplies.suites,
            base=model.stem.lower(),
            model=model,
            trainer=settings.trainer,
            general=supplies.general,
        )
    )


def may_show(prompt: str, reply: str) -> bool:
    """Whether a reply may be an example: one for solutions holds a function of its own, since of
    replies like a plain program no tool can be made."""
    if prompt != SOLVE:
        return True
    solution = read_reply(reply).solution
    return solution is not None and not solution.error and has_function(solution)


def package_folder() -> Path:
    """Where the product's own files are."""
    return Path(hammerstone.__file__).parent
