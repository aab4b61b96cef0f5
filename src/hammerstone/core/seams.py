"""The protocols behind which the outside world sits, on one page."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from hammerstone.core.calls import STANDARD, Call, Limits, Outcome, Program
from hammerstone.core.chat import OnToken, Prompt, Reply, Usage
from hammerstone.core.jobs import (
    Asker,
    ClaimRule,
    Job,
    JobState,
    QueueCounts,
    QueuePlace,
)
from hammerstone.core.json_types import Json
from hammerstone.core.repair import FailedCall
from hammerstone.core.solutions import ProofTask
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


class Listener(Protocol):
    """Learns from the feedback that runs append. A run itself changes neither standing nor search.

    Nobody waits for it, and it raises nothing that a request would notice.
    """

    async def heard(self, user: str, run_id: str) -> None:
        """Look at what a run has left: about its own tools, and about the person's last runs."""
        ...


class Allowance(Protocol):
    """What a request may still spend."""

    def reserve(self, tokens: int = 0, calls: int = 1) -> AbstractContextManager[None]:
        """Holds room for so many calls while they run, so that calls side by side cannot pass
        the limit together. Raises `BudgetExceeded` on entering when there is none."""
        ...

    def spend(self, usage: Usage) -> None: ...


class Repairer(Protocol):
    """Mends a tool whose call failed by its own fault.

    Returns the tool with its new active version, proven like any other, or None when there is
    nothing to mend or mending failed. Whoever calls it makes the call again, once. What models
    cost is spent from the allowance of the request that the call was made for.
    """

    async def mend(self, failed: FailedCall, allowance: Allowance) -> Tool | None: ...


class Jobs(Protocol):
    """Work that is stored first and done later, by whichever process comes next.

    Guarantees: a job is one by its kind and key, however often it is put and by however many
    processes at once; every asker is kept. At most one holder works on a job: whoever claims it
    holds it until the lease ends, and what a holder says afterwards changes nothing. A holder
    that dies loses the job when its lease runs out. What was put is never lost: it ends as done
    or, after as many attempts as `claim` allows, as failed with a reason. An asker that comes
    while the job is worked on, or after it was done, opens it again. Persons take turns: of those
    whose jobs wait, the one who holds the fewest is next, however many another one has put.

    Raises `StorageError` and nothing else.
    """

    async def put(self, kind: str, key: str, asker: Asker, place: QueuePlace | None = None) -> None:
        """Store a job, or one more asker of the job that is there."""
        ...

    async def claim(
        self,
        kind: str,
        holder: str,
        *,
        lease_s: float,
        most: int = 5,
        key: str | None = None,
        rule: ClaimRule | None = None,
    ) -> Job | None:
        """The job whose turn it is (or the one with this key), held from now on; None without.

        Within the limits of `rule` that is the oldest of the person who holds the fewest. Each
        claim is an attempt. One that was attempted `most` times without an end is failed.
        """
        ...

    async def renew(self, job: Job, lease_s: float, progress: Json = None) -> bool:
        """Go on holding a job and leave what was reached so far; False when it was lost."""
        ...

    async def settle(self, job: Job, asker: str) -> bool:
        """Mark an asker as told, once: False when it was told before or the job was lost.

        In one transaction with the telling itself, that happens exactly once.
        """
        ...

    async def finish(self, job: Job, result: Json) -> bool:
        """End a job; it waits again if an asker is left that nobody told. False when lost."""
        ...

    async def fail(self, job: Job, reason: str, *, retry_s: float | None = None) -> bool:
        """Give a job up, or let it wait for `retry_s` before the next attempt. False when lost."""
        ...

    async def release(self, job: Job, *, pause_s: float = 0.0) -> bool:
        """Give a job back as if it had not been claimed. False when it was lost already."""
        ...

    async def hold(
        self,
        kind: str,
        key: str,
        asker: Asker,
        holder: str,
        *,
        lease_s: float,
        place: QueuePlace | None = None,
    ) -> Job | None:
        """Store a job that is held from the start, or take over one that nobody holds.

        It counts as an attempt. None while somebody else holds it.
        """
        ...

    async def drop(self, job: Job) -> bool:
        """End a job and forget it, with all who asked. False when it was lost."""
        ...

    async def renew_all(self, holder: str, keys: Sequence[str], lease_s: float) -> set[str]:
        """Go on holding all of these; the keys of those that were not lost."""
        ...

    async def end_lease(self, job: Job) -> bool:
        """Let others claim a job whose holder is known to be dead; False if it ended already."""
        ...

    async def find(self, kind: str, key: str) -> Job | None: ...

    async def of_asker(self, kind: str, name: str) -> list[Job]:
        """The jobs that somebody asked for; `askers` hold the name while it is not told."""
        ...

    async def list(self, kind: str, states: Sequence[JobState] = (), limit: int = 100) -> list[Job]:
        """Jobs, oldest first."""
        ...

    async def counts(self, kind: str, person: str = "") -> QueueCounts:
        """How many wait and how many are held now."""
        ...


class Proofs(Protocol):
    """Where a run leaves the proof that is owed for its answer.

    `put` stores one row and returns; the proof itself is done when nobody waits. A task whose
    code holds something private is not stored: its tool would hold it, too.
    """

    async def put(self, task: ProofTask, jobs: Jobs | None = None) -> bool:
        """Whether a proof was stored; with `jobs` in the transaction that they are of."""
        ...

    def wake(self) -> None:
        """Something was stored in a transaction that is done now."""
        ...
