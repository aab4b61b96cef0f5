"""The protocols behind which the outside world sits, on one page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from hammerstone.core.calls import STANDARD, Call, Limits, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply
from hammerstone.core.repair import FailedCall
from hammerstone.core.tools import Tool


class Model(Protocol):
    """Answers prompts.

    Guarantees: as many samples as asked; with a schema, text that the schema accepts;
    `on_token` sees every piece of text before the reply returns; cancelling the task stops the
    generation itself, not only the waiting.

    Raises `ModelUnavailable` (try again or elsewhere), `ModelRefused` (do not),
    `ModelNonsense` (an answer that breaks the guarantees), `ModelMissing`. Nothing else.
    """

    @property
    def name(self) -> str: ...

    async def complete(self, prompt: Prompt, *, on_token: OnToken | None = None) -> Reply: ...

    async def close(self) -> None: ...


class Embedder(Protocol):
    """Turns texts into unit vectors. `space` names the vector space: never mix two."""

    @property
    def space(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...

    async def close(self) -> None: ...


class Sandbox(Protocol):
    """Runs code nobody reviewed.

    A failure of the code is a value (`Outcome.failure`), never an exception, whatever the code
    does. Each call sees fresh state: nothing a former call wrote or changed. In a matrix the
    calls to one program may share a process unless they harm it; programs never share one.

    Raises `SandboxRefused` when a required control is missing. When the sandbox itself dies
    the outcome is `Failure.LOST`, after one retry. Cancelling the task kills the code.
    """

    @property
    def backend(self) -> str: ...

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        """Call the function once. `files` appear read-only under /files by their keys."""
        ...

    async def matrix(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        *,
        limits: Limits = STANDARD,
        case_wall_s: float = 2.0,
        files: Mapping[str, Path] | None = None,
    ) -> list[list[Outcome]]:
        """Every call to every program: one row a program, one outcome a call, in order."""
        ...

    async def close(self) -> None: ...


class Repairer(Protocol):
    """Mends a tool whose call failed by its own fault.

    Returns the tool with its new active version, proven like any other, or None when there is
    nothing to mend or mending failed. Whoever calls it makes the call again, once.
    """

    async def mend(self, failed: FailedCall) -> Tool | None: ...
