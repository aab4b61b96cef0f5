"""The journal of one job: what it has paid for is given to whoever does the job again.

A step is known by what it does (the prompt and the model; the call and its arguments) and by how
many equal ones came before it, so that steps side by side never get each other's results. What
the scrubber would change is not stored: such a step is paid for again, and that is told.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any

from hammerstone.core.chat import OnToken, Prompt, Reply, Sample, Usage
from hammerstone.core.errors import ModelNonsense, StorageError, TakenOver
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Allowance, Model
from hammerstone.models.fingerprint import fingerprint
from hammerstone.models.wrappers.wrapper import Wrapper, spent_by
from hammerstone.storage.stores.runs.paid_steps import PaidStep, PaidSteps, StepOwner

_LOOK_S, _PATIENCE = 0.5, 40  # how often, and how many times, an absent database is asked
_PRIVATE: dict[str, Json] = {"private": True}


class StepJournal:
    """What a job has paid for. `load` it when the job is done again; a new one is empty."""

    def __init__(
        self, store: PaidSteps, owner: StepOwner, storable: Callable[[Json], bool]
    ) -> None:
        self._store = store
        self._owner = owner
        self._storable = storable
        self._known: dict[tuple[str, int], Json] = {}
        self._counts: Counter[str] = Counter()
        self.replayed = 0  # steps that were not paid for again
        self.paid_again = 0  # steps whose results were private, so that nobody kept them

    async def load(self) -> None:
        for paid in await self._store.of_job(self._owner.kind, self._owner.key):
            self._known[paid.step, paid.occurrence] = paid.result

    def begin(self, step: str) -> tuple[str, int]:
        """The place of the next step of this name: call it once for each, before its work."""
        place = (step, self._counts[step])
        self._counts[step] += 1
        return place

    def find(self, place: tuple[str, int]) -> dict[str, Any] | None:
        """What the step came to before; None when it was not done, or nothing was kept."""
        known = self._known.pop(place, None)
        if not isinstance(known, dict):
            return None
        if known == _PRIVATE:
            self.paid_again += 1
            return None
        self.replayed += 1
        return known

    async def keep(
        self,
        place: tuple[str, int],
        result: dict[str, Json],
        said: Json,
        instead: dict[str, Json] | None = None,
    ) -> None:
        """Store what the step came to; where what was `said` in it is private, `instead` of it.

        Raises `TakenOver` when somebody else does the job now.
        """
        kept = result if self._storable(said) else dict(instead or _PRIVATE)
        if not await self._kept(PaidStep(*place, kept)):
            raise TakenOver(
                "another process has taken this work over",
                hint="it stopped answering for a while; the other one goes on",
            )

    async def _kept(self, paid: PaidStep) -> bool:
        """What is paid for is not given up because the database is away for a moment."""
        for _ in range(_PATIENCE):
            try:
                return await self._store.keep(self._owner, paid)
            except StorageError as error:
                if error.data.get("reason") != "unreachable":
                    raise
            await asyncio.sleep(_LOOK_S)
        return await self._store.keep(self._owner, paid)

    def unused(self) -> Usage:
        """The cost of replies that were paid for before and that nobody has asked for again."""
        spent = Usage()
        for known in self._known.values():
            usage = known.get("usage") if isinstance(known, dict) else None
            spent += Usage(**usage) if isinstance(usage, dict) else Usage()  # type: ignore[arg-type]
        self._known.clear()
        return spent


class JournaledModel(Wrapper):
    """A model whose replies are kept, and given again when the job is done again.

    What was paid for before counts against the allowance, but nothing is sent to anybody.
    """

    def __init__(self, inner: Model, journal: StepJournal, allowance: Allowance | None) -> None:
        super().__init__(inner)
        self._journal = journal
        self._allowance = allowance

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        place = self._journal.begin(fingerprint(prompt, model=self.name))
        known = self._journal.find(place)
        if known is not None:
            return self._again(known, on_token)
        try:
            reply = await self._inner.complete(prompt, on_token=on_token)
        except ModelNonsense as error:
            usage = spent_by(error)
            if usage.calls:  # it was paid for, and would be nonsense again
                said: dict[str, Json] = {"nonsense": error.message, "hint": error.hint}
                await self._journal.keep(place, {**said, "usage": asdict(usage)}, said)
            raise
        texts: list[Json] = [sample.text for sample in reply.samples]
        await self._journal.keep(place, _document(reply), texts)
        return reply

    def _again(self, known: dict[str, Any], on_token: OnToken | None) -> Reply:
        usage = Usage(**known["usage"])
        if self._allowance is not None:
            self._allowance.spend(usage)
        if "nonsense" in known:
            raise ModelNonsense(known["nonsense"], hint=known["hint"])
        samples = tuple(Sample(text, finish) for text, finish in known["samples"])
        for index, sample in enumerate(samples):
            if on_token and sample.text:
                on_token(index, sample.text)
        return Reply(samples, usage, known["model"])


@dataclass(slots=True)
class _Block:
    """A block of `paid_once`, inside others. `open` ends with it, for tasks that outlive it."""

    journal: StepJournal
    outer: "_Block | None"
    open: bool = True


_BLOCK: ContextVar[_Block | None] = ContextVar("block of paid work", default=None)


@contextmanager
def paid_once(journal: StepJournal | None) -> Generator[None]:
    """Work whose models are paid for once, however often it is begun again.

    Whatever asks a model in the block, however deep, keeps its replies in this journal, and in
    those of the blocks around it. Without a journal it is as if there were no block.
    """
    if journal is None:
        yield
        return
    block = _Block(journal, _BLOCK.get())
    before = _BLOCK.set(block)
    try:
        yield
    finally:
        block.open = False
        _BLOCK.reset(before)


class PaidOnceModel(Wrapper):
    """A model that keeps its replies in the journals of the work that it is asked for."""

    def __init__(self, inner: Model, allowance: Allowance | None) -> None:
        super().__init__(inner)
        self._allowance = allowance

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply:
        model, block = self._inner, _BLOCK.get()
        while block is not None:
            if block.open:
                model = JournaledModel(model, block.journal, self._allowance)
            block = block.outer
        return await model.complete(prompt, on_token=on_token)


def _document(reply: Reply) -> dict[str, Json]:
    return {
        "samples": [[sample.text, sample.finish] for sample in reply.samples],
        "usage": asdict(reply.usage),
        "model": reply.model,
    }
