"""Code that nobody reviewed, the calls made to it, and what came out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hammerstone.core.json_types import Json


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of generated code may use, its whole process tree together."""

    memory_bytes: int = 256 << 20
    cpu_share: float = 0.5
    wall_s: float = 30.0
    processes: int = 32
    output_bytes: int = 1 << 20  # of the result, and of stdout and stderr each
    file_bytes: int = 32 << 20  # of one file
    tmp_bytes: int = 64 << 20
    tmp_inodes: int = 4096
    artifact_count: int = 20
    artifact_bytes: int = 32 << 20  # of all together


STANDARD = Limits()
HEAVY = Limits(memory_bytes=1 << 30, wall_s=300.0, tmp_bytes=256 << 20, file_bytes=128 << 20)


@dataclass(frozen=True, slots=True)
class Program:
    """A Python module's source and the function in it that is called."""

    code: str
    function: str


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments in wire form (`core.wire`), or `source`: an expression that names the function.

    The expression is evaluated inside the sandbox with the program's names in scope.
    """

    args: tuple[Json, ...] = ()
    kwargs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    source: str | None = None


class Failure(StrEnum):
    """Why a call has no value."""

    RAISED = "raised"  # the code raised; a tool's own, possibly intended, answer
    LOAD = "load"  # the module does not parse, fails on import, or lacks the function
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"  # the result or what was printed is larger than allowed
    CRASHED = "crashed"  # exited or died by a signal without answering
    FORGED = "forged"  # what came back does not follow the protocol
    LOST = "lost"  # the sandbox itself died or was cancelled: says nothing about the code


class FailureKind(StrEnum):
    """What a failure comes from, and so what helps against it."""

    BAD_ARGUMENT = "bad argument"
    BUG = "bug"
    MISSING_CAPABILITY = "missing capability"
    ENVIRONMENT = "environment"
    TRANSIENT = "transient"


@dataclass(frozen=True, slots=True)
class ResourceUse:
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a call produced: a safe base name and its content."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call came to: a value in wire form, or a failure."""

    value: Json = None
    failure: Failure | None = None
    error_type: str = ""
    error: str = ""
    stdout: str = ""
    stderr: str = ""
    use: ResourceUse = ResourceUse()
    artifacts: tuple[Artifact, ...] = ()
    backend: str = ""
    missing_files: tuple[str, ...] = ()  # names it looked for; code may say so, or keep it quiet

    @property
    def ok(self) -> bool:
        return self.failure is None

    @property
    def error_line(self) -> str:
        """The error as it is stored, `ValueError: not a year`; without one the kind of failure,
        and nothing where the call went well."""
        if self.failure is None:
            return ""
        text = f"{self.error_type}: {self.error}" if self.error_type else self.error
        return text.strip(": ") or str(self.failure)


def error_type_of(error_line: str) -> str:
    """The type of the error that an `error_line` was made of."""
    return error_line.partition(":")[0].strip()
