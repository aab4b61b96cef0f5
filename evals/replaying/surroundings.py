"""What the replay puts around the product: a clock of its own, faults, other tools, a stopwatch."""

import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.hashing import digest
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.tools import Effect, Spec, Status
from hammerstone.evaluation.retrieval.data import read_tools
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.wrappers.wrapper import Wrapper

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


class FaultySandbox:
    """Loses one call when told so.

    Tables of outcomes, which proofs ask for when nobody waits, are kept in `folder`: a proof that
    comes again, in another variant, runs nothing twice. Single calls are always made.
    """

    def __init__(self, inner: Sandbox, folder: Path) -> None:
        self._inner = inner
        self._folder = folder
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
        if options.get("files"):
            return await self._inner.matrix(programs, calls, **options)
        name = digest(repr((programs, calls, sorted(options.items(), key=str))))
        path = self._folder / f"{name}.pickle"
        if path.is_file():
            return pickle.loads(path.read_bytes())
        rows = await self._inner.matrix(programs, calls, **options)
        if all(one.failure is not Failure.LOST for row in rows for one in row):
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(f".{os.getpid()}")
            draft.write_bytes(pickle.dumps(rows))
            draft.replace(path)
        return rows

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
