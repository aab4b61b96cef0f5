"""What the replay puts around the product: a clock of its own, faults, other tools, a stopwatch."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelNonsense, ModelUnavailable
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.tools import Effect, Spec, Status
from hammerstone.evaluation.retrieval.data import read_tools
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.fakes.draws import ModelPace, tokens_of
from hammerstone.models.wrappers.wrapper import Wrapper

UNRECORDED_TOKENS = {
    "description": 60,
    "foretell": 120,
    "tests": 250,
    "code": 200,
    "adjudicate": 150,
}
"""Tokens of a reply to what a proof asks, by purpose."""
_TICKS = os.sysconf("SC_CLK_TCK")


class ReplayClock:
    """The time of the replay: as many days as its sessions take, in as many minutes as it runs."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 2, 8, tzinfo=UTC)
        self._elapsed = 0.0

    def now(self) -> datetime:
        self._elapsed += 1e-6  # no two moments are the same
        return self._now + timedelta(seconds=self._elapsed)

    def elapsed_s(self) -> float:
        self._elapsed += 1e-6
        return self._elapsed

    def pass_s(self, seconds: float) -> None:
        self._elapsed += seconds


class FaultyModel(Wrapper):
    """Is not there for one call when told so."""

    def __init__(self, inner: Model) -> None:
        super().__init__(inner)
        self.fails_next = False

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        if self.fails_next:
            self.fails_next = False
            raise ModelUnavailable("the model is not there for a moment (injected)")
        return await self._inner.complete(prompt, on_token=on_token)


class Unrecorded(Wrapper):
    """Has nothing to say where the recording lacks what a proof asks for.

    The product goes on as it does after replies that are of no use: a new tool's name speaks for
    it, and the examination rests on the solutions that are there. Each call is charged as if it
    had been made, at the length that such replies have.
    """

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        try:
            return await self._inner.complete(prompt, on_token=on_token)
        except ModelUnavailable:
            length = UNRECORDED_TOKENS.get(prompt.purpose)
            if length is None:
                raise
        read, written = tokens_of(sum(len(one.text) for one in prompt.messages)), length
        written *= prompt.samples
        seconds = ModelPace().seconds(read, written, prompt.samples)
        usage = Usage(read, 0, written, seconds=seconds, calls=prompt.samples)
        if prompt.schema is not None:
            raise ModelNonsense("no such reply was recorded", usage=usage)
        return Reply((Sample(""),) * prompt.samples, usage, self.name)


class FaultySandbox:
    """Loses one call when told so."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.fails_next = False

    @property
    def backend(self) -> str:
        return self._inner.backend

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        if self.fails_next:
            self.fails_next = False
            return Outcome(failure=Failure.LOST, error="the sandbox died (injected)")
        return await self._inner.call(program, call, limits=limits, files=files)

    async def matrix(
        self, programs: Sequence[Program], calls: Sequence[Call], **options: Any
    ) -> list[list[Outcome]]:
        return await self._inner.matrix(programs, calls, **options)

    async def close(self) -> None:
        await self._inner.close()


async def add_distractors(hs: Hammerstone, path: Path) -> int:
    """Tools that search has to tell apart from those that help; whoever calls one gets an error."""
    found = read_tools(path)
    for number, facets in enumerate(found):
        name = f"other_{number:03}"
        code = f'def {name}(request: str) -> str:\n    raise RuntimeError("not connected")\n'
        parameters: dict[str, Any] = {
            "type": "object",
            "properties": {"request": {"type": "string", "description": "what is asked for"}},
            "required": ["request"],
            "additionalProperties": False,
        }
        described = f"{facets.name}: {facets.description}"
        spec = Spec(name, described, parameters, {"type": "string"}, Effect.PURE)
        new = NewVersion(spec, code, (), (), Status.VERIFIED, 0.97, {}, {"origin": "evaluation"})
        await hs.tools.register(new, ActivationReason("registered", "evaluation", "a distractor"))
    return len(found)


def processor_s() -> float:
    """Processor time of this process and of all below it, those that have ended too."""
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    return own + sum(_spent(pid) for pid in _below(os.getpid()))


def _below(pid: int) -> Iterator[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        listed = [Path(f"/proc/{pid}/task/{one}/children").read_text() for one in tasks]
    except OSError:
        return
    for child in (int(one) for text in listed for one in text.split()):
        yield child
        yield from _below(child)


def _spent(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(one) for one in fields[11:15]) / _TICKS
