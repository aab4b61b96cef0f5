"""One variant of the product goes through the stream; each request leaves an outcome."""

import json
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from evals.replaying.stream import AskedFor, ReplayRequest
from evals.replaying.surroundings import (
    FaultyModel,
    FaultySandbox,
    ReplayClock,
    add_distractors,
    processor_s,
)
from evals.replaying.variants import AGENT, OFF, Variant
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer, AnswerStatus
from hammerstone.core.chat import OnToken, Prompt, Reply, Role, Usage
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.seams import Model
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.families.families import IsRight
from hammerstone.models.fakes import DrawnModel
from hammerstone.models.one import OneModel
from hammerstone.models.wrappers.retry import RetryingModel, RetryRule
from hammerstone.models.wrappers.wrapper import Wrapper
from hammerstone.run.request import AskOptions

DAY_SESSIONS = 4
PAUSE_S, SESSION_S, NIGHT_S = 60.0, 2 * 3600.0, 16 * 3600.0
MATRICES = Path("build/replay/matrices")
DISTRACTORS = "retrieval/toole_tools.jsonl"
PROOF_TRIES = 1
_AT_ONCE = RetryRule(attempts=2, wait_initial_s=0.0, wait_max_s=0.0, jitter_s=0.0)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a part of the replay cost; `seconds` are virtual: the model's and the processor's."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """How one request ended: what the person waited for, and what was spent afterwards."""

    number: int
    kind: str
    need: str
    right: bool
    answered: bool
    calls: int
    tokens: int
    seconds: float
    later_calls: int
    later_tokens: int
    later_seconds: float
    tool: str
    strategy: str
    told: str
    purposes: Mapping[str, int] = field(default_factory=dict[str, int])  # calls while it waited

    @property
    def unrecorded(self) -> bool:
        """Whether it ended because the recording lacks what it asked for."""
        return "not recorded" in self.told


class Tally(Wrapper):
    """Counts what the model costs, and for what it is asked."""

    def __init__(self, inner: Model) -> None:
        super().__init__(inner)
        self.spent = Usage()
        self.purposes: Counter[str] = Counter()

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        try:
            reply = await self._inner.complete(prompt, on_token=on_token)
        except HammerstoneError as error:
            usage = error.data.get("usage")
            self.spent += usage if isinstance(usage, Usage) else Usage()
            self.purposes[prompt.purpose] += usage.calls if isinstance(usage, Usage) else 0
            raise
        self.spent += reply.usage
        self.purposes[prompt.purpose] += reply.usage.calls
        return reply


class Stopwatch:
    """Virtual time and cost since it was last read."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._spent, self._processor = tally.spent, processor_s()

    def read(self) -> Spent:
        now, processor = self._tally.spent, processor_s()
        before, began = self._spent, self._processor
        self._spent, self._processor = now, processor
        seconds = now.seconds - before.seconds + processor - began
        return Spent(now.calls - before.calls, now.tokens - before.tokens, round(seconds, 4))


@dataclass(slots=True)
class Bench:
    """A library of its own, one recorded model, and a clock that the replay turns."""

    settings: Settings
    drawn: DrawnModel
    is_right: IsRight
    data: Path
    folder: Path
    seed: Path

    async def prepare(self) -> None:
        """The starter set and the distractors, embedded once for all variants of one product."""
        if self.seed.is_dir():
            return
        part = self.folder / "seed"
        async with Hammerstone.open(fresh_settings(self.settings, part)) as hs:
            await add_distractors(hs, self.data / DISTRACTORS)
            await hs.search.find("anything", limit=1)
        self.seed.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # another process was faster
            part.rename(self.seed)

    @asynccontextmanager
    async def opened(self, variant: Variant) -> AsyncIterator["Sitting"]:
        folder = self.folder / variant.name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.seed, folder, symlinks=True)
        settings = self.settings.model_copy(update={"data_dir": folder.absolute()})
        tally, clock = Tally(self.drawn), ReplayClock()
        faulty = FaultyModel(tally)
        models = OneModel(RetryingModel(faulty, _AT_ONCE))
        async with Hammerstone.open(settings, models=models, clock=clock) as hs:
            for name, values in variant.changes.items():
                await hs.policies.change(name, dict(values), who="evaluation", why=variant.title)
            lazy = hs._wiring.sandbox  # pyright: ignore[reportPrivateUsage]
            lazy.opened = sandbox = FaultySandbox(await lazy.get(), MATRICES)
            yield Sitting(hs, variant, self, clock, tally, faulty, sandbox, models)

    async def run(
        self,
        variant: Variant,
        requests: Sequence[ReplayRequest],
        on_outcome: Callable[[ReplayOutcome], None] = lambda _: None,
    ) -> list[ReplayOutcome]:
        """The outcomes of all requests, in their order."""
        await self.prepare()
        found: list[ReplayOutcome] = []
        async with self.opened(variant) as sitting:
            for at, request in enumerate(requests):
                outcome = await sitting.ask(request)
                following = requests[at + 1].session if at + 1 < len(requests) else ""
                if following != request.session:
                    spent = await sitting.end_session(int(request.session.split()[-1]))
                    outcome = replace(
                        outcome,
                        later_calls=outcome.later_calls + spent.calls,
                        later_tokens=outcome.later_tokens + spent.tokens,
                        later_seconds=outcome.later_seconds + spent.seconds,
                    )
                found.append(outcome)
                on_outcome(outcome)
        return found

    async def run_agent(
        self,
        requests: Sequence[ReplayRequest],
        on_outcome: Callable[[ReplayOutcome], None] = lambda _: None,
    ) -> list[ReplayOutcome]:
        """The same requests through a plain LangGraph agent."""
        from evals.replaying.langgraph_agent import PlainAgent, ask_agent

        await self.prepare()
        found: list[ReplayOutcome] = []
        async with self.opened(replace(OFF, name=AGENT)) as sitting:
            agent = PlainAgent(sitting.hs, sitting.models.for_role(Role.CODER))
            for request in requests:
                found.append(await ask_agent(sitting, agent, request))
                on_outcome(found[-1])
        return found


@dataclass(slots=True)
class Sitting:
    """An open product that is asked."""

    hs: Hammerstone
    variant: Variant
    bench: Bench
    clock: ReplayClock
    tally: Tally
    faulty: FaultyModel
    sandbox: FaultySandbox
    models: OneModel
    tried: Counter[str] = field(default_factory=Counter[str])  # proofs, by key

    async def ask(self, request: ReplayRequest) -> ReplayOutcome:
        self.bench.drawn.begin()
        self.inject(request)
        self.tally.purposes.clear()
        watch = Stopwatch(self.tally)
        answer = await self._answer(request)
        waited, purposes = watch.read(), dict(self.tally.purposes)
        self.recover()
        if self.variant.proves:
            await self._prove()
        later = watch.read()
        await self.hs.stats()  # waits until the run has ended: hours pass now, and holds with them
        self.clock.pass_s(PAUSE_S + waited.seconds)
        done = isinstance(answer, Answer) and answer.status is AnswerStatus.DONE
        result = answer.result if isinstance(answer, Answer) else None
        return ReplayOutcome(
            number=request.number,
            kind=str(request.kind),
            need=request.need,
            right=done and bool(self.bench.is_right(request.row, result)),
            answered=done,
            calls=waited.calls,
            tokens=waited.tokens,
            seconds=waited.seconds,
            later_calls=later.calls,
            later_tokens=later.tokens,
            later_seconds=later.seconds,
            tool=(answer.tool or "") if isinstance(answer, Answer) else "",
            strategy=(answer.strategy or "") if isinstance(answer, Answer) else "error",
            told=_told(answer),
            purposes=purposes,
        )

    def inject(self, request: ReplayRequest) -> None:
        """A failure where the stream asks for one: of the model, or of the sandbox."""
        if request.kind is AskedFor.FAILURE:
            self.faulty.fails_next = request.number % 2 == 0
            self.sandbox.fails_next = request.number % 2 == 1

    def recover(self) -> None:
        self.faulty.fails_next = self.sandbox.fails_next = False

    async def end_session(self, number: int) -> Spent:
        """The pause after a session; a day ends with a round of learning."""
        self.clock.pass_s(SESSION_S)
        if number % DAY_SESSIONS:
            return Spent()
        self.clock.pass_s(NIGHT_S)
        watch = Stopwatch(self.tally)
        if self.variant.rounds:
            await self.hs.learning.run()
        return watch.read()

    async def _answer(self, request: ReplayRequest) -> Answer | HammerstoneError:
        options = AskOptions(memory=False)
        try:
            return await self.hs.ask(request.text, session=request.session, options=options)
        except HammerstoneError as error:
            return error

    async def _prove(self) -> None:
        """The proofs that are owed by now, as they are done when nobody waits."""
        for owed in await self.hs.proofs.pending():
            if self.tried[owed.key] < PROOF_TRIES:
                self.tried[owed.key] += 1
                with suppress(HammerstoneError):  # then it waits, as it does for anybody
                    await self.hs.proofs.worker.do_next(owed.key)


def _told(answer: Answer | HammerstoneError) -> str:
    if isinstance(answer, HammerstoneError):
        return f"{answer.code}: {answer.message}"[:200]
    if answer.status is AnswerStatus.DONE:
        return json.dumps(answer.result, default=str)[:200]
    return f"{answer.status}: {answer.text}"[:200]


def outcome_rows(outcomes: Sequence[ReplayOutcome]) -> list[dict[str, Any]]:
    return [asdict(one) for one in outcomes]
