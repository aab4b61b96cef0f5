"""What a run has done so far; shared by everything that works for it."""

import asyncio
from dataclasses import dataclass, field

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import ProofTask
from hammerstone.core.tools import Tool
from hammerstone.guard.loops import LoopDetector
from hammerstone.prompts import Template
from hammerstone.storage import ArtifactRow, Execution, SessionValue


@dataclass(frozen=True, slots=True)
class SuccessfulCall:
    """One call that went well, as far as repeating the answer needs it."""

    tool: str
    version_id: str
    arguments: JsonObject
    value: Json  # wire form


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A step that a tool did: in which words it was asked for, and whether an independent
    solution came to the same. `picked`: a person chose this result, or the other one."""

    text: str
    tool: str
    version_id: str = ""
    agrees: bool = False
    picked: bool | None = None


@dataclass(frozen=True, slots=True)
class StatedBefore:
    """What the person said about earlier answers to the same words."""

    known: bool = False  # the right value was stated
    value: Json = None
    refused: tuple[Json, ...] = ()
    tools: frozenset[str] = frozenset()  # whose result was refused
    at: str = ""


@dataclass(slots=True)
class CallLedger:
    """Calls are numbered here; values and files wait here for the run's record."""

    calls: int = 0
    loops: LoopDetector = field(default_factory=LoopDetector)
    together: bool = False  # True: the only call is recorded together with the run's end
    executions: list[Execution] = field(default_factory=list[Execution])
    used: list[tuple[Tool, bool]] = field(default_factory=list[tuple[Tool, bool]])
    uses: list[ToolUse] = field(default_factory=list[ToolUse])
    words: str = ""  # the key of the request's words and files as they were when it was asked
    said: StatedBefore = StatedBefore()
    tools: dict[str, Tool] = field(default_factory=dict[str, Tool])  # read once for each run
    made: list[SuccessfulCall] = field(default_factory=list[SuccessfulCall])
    values: list[SessionValue] = field(default_factory=list[SessionValue])
    files: list[tuple[ArtifactRow, bytes]] = field(default_factory=list[tuple[ArtifactRow, bytes]])
    proofs: list[ProofTask] = field(default_factory=list[ProofTask])  # owed for what was solved
    alone: bool = True  # False: the answer depends on more than the request's own words
    remarks: list[str] = field(default_factory=list[str])  # what is said below the answer
    wrote: list[str] = field(default_factory=list[str])  # what was changed for good, in words
    starting: "asyncio.Task[None] | None" = None  # records that the run began
    kind: RequestKind = RequestKind.CALCULATION  # what the request turned out to need
    models: dict[str, None] = field(default_factory=dict[str, None])  # that replied, in order
    prompts: dict[str, Template] = field(default_factory=dict[str, Template])  # that were sent

    def next_call(self) -> int:
        self.calls += 1
        return self.calls
