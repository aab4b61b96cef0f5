"""What a run has done so far; shared by everything that works for it."""

import asyncio
from dataclasses import dataclass, field

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.solutions import ProofTask
from hammerstone.core.tools import Tool
from hammerstone.guard.loops import LoopDetector
from hammerstone.storage import ArtifactRow, Execution, SessionValue


@dataclass(frozen=True, slots=True)
class Made:
    """One call that went well, as far as repeating the answer needs it."""

    tool: str
    version_id: str
    arguments: JsonObject
    value: Json  # wire form


@dataclass(slots=True)
class CallLedger:
    """Calls are numbered here; values and files wait here for the run's record."""

    calls: int = 0
    loops: LoopDetector = field(default_factory=LoopDetector)
    together: bool = False  # True: the only call is recorded together with the run's end
    executions: list[Execution] = field(default_factory=list[Execution])
    used: list[tuple[Tool, bool]] = field(default_factory=list[tuple[Tool, bool]])
    lessons: list[tuple[str, Tool]] = field(default_factory=list[tuple[str, Tool]])
    tools: dict[str, Tool] = field(default_factory=dict[str, Tool])  # read once for each run
    made: list[Made] = field(default_factory=list[Made])
    values: list[SessionValue] = field(default_factory=list[SessionValue])
    files: list[tuple[ArtifactRow, bytes]] = field(default_factory=list[tuple[ArtifactRow, bytes]])
    proofs: list[ProofTask] = field(default_factory=list[ProofTask])  # owed for what was solved
    alone: bool = True  # False: the answer depends on more than the request's own words
    remarks: list[str] = field(default_factory=list[str])  # what is said below the answer
    wrote: list[str] = field(default_factory=list[str])  # what was changed for good, in words
    starting: "asyncio.Task[None] | None" = None  # records that the run began

    def next_call(self) -> int:
        self.calls += 1
        return self.calls
