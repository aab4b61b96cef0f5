"""Solutions run in the product's own sandbox, for machines that are not thrown away."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hammerstone.core.calls import Call, Limits, Program
from hammerstone.core.settings import load_settings
from hammerstone.judging.rendering import plain
from hammerstone.sandbox import open_sandbox
from training.solutions import WALL_S, Run

_LIMITS = Limits(wall_s=WALL_S)


@contextmanager
def sandbox_runner() -> Iterator[Run]:
    """A `Run` whose calls are each a call of the sandbox."""
    with asyncio.Runner() as runner:
        sandbox = runner.run(open_sandbox(load_settings()))

        async def every(program: Program, calls: Sequence[str]) -> list[Any]:
            made = (sandbox.call(program, Call(source=one), limits=_LIMITS) for one in calls)
            outcomes = await asyncio.gather(*made)
            return [plain(one.value) if one.ok else None for one in outcomes]

        def run(code: str, function: str, calls: Sequence[str]) -> list[Any]:
            return runner.run(every(Program(code, function), calls))

        try:
            yield run
        finally:
            runner.run(sandbox.close())
