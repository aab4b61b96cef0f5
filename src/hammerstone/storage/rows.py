"""What the stores give back, beyond the words of `core`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hammerstone.core.calls import Failure
from hammerstone.core.json_types import Json


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    user: str
    created_at: datetime
    title: str = ""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One turn of a conversation. `data` holds what programs need from it."""

    id: int
    session_id: str
    author: str
    text: str
    data: Mapping[str, Json] | None
    at: datetime


@dataclass(frozen=True, slots=True)
class RunRow:
    """One request's life. `status` is "running" until it is finished."""

    id: str
    session_id: str
    user: str
    request: str
    trace_id: str
    status: str
    answer: Json
    started_at: datetime
    finished_at: datetime | None = None
    record: Json = None  # a `RunRecord`; None in runs from before there were any


@dataclass(frozen=True, slots=True)
class PointerMove:
    """A change of a tool's active version, and the decision that made it."""

    tool: str
    from_version: str | None
    to_version: str | None
    decision: Mapping[str, Json]
    at: datetime


@dataclass(frozen=True, slots=True)
class Execution:
    """One call of a tool. `sources` says where each argument came from."""

    id: str
    run_id: str
    session_id: str
    number: int  # order within the run
    tool: str
    version_id: str
    arguments: Json
    result: Json  # wire form
    ok: bool
    at: datetime
    failure: Failure | None = None
    error: str = ""
    seconds: float = 0.0
    cached: bool = False
    sources: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class CacheRow:
    key: str
    version_id: str | None
    value: Json
    created_at: datetime
    expires_at: datetime
    hits: int


@dataclass(frozen=True, slots=True)
class CacheUse:
    """How often a version's results were found, and how often not."""

    version_id: str
    hits: int
    misses: int


@dataclass(frozen=True, slots=True)
class VersionTally:
    tool: str
    version_id: str
    uses: int
    good: int


@dataclass(frozen=True, slots=True)
class VersionUse:
    """What the kept executions say about one version. Times are of calls that really ran."""

    uses: int
    good: int
    sessions: int  # in which it was used well
    p50_s: float | None
    p95_s: float | None


@dataclass(frozen=True, slots=True)
class Policy:
    """One version of one policy; the highest number is in force."""

    name: str
    number: int
    value: Json
    who: str
    why: str
    evidence: Mapping[str, Json]
    at: datetime


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A whole trace's head; `status` is success, error or timeout."""

    id: str
    user: str
    status: str
    started_at: datetime
    ended_at: datetime | None = None
    session_id: str = ""
    run_id: str = ""
    skill: str = ""
    iterations: int = 0
    final_output: Json = None
    metadata: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class SpanRow:
    id: str
    trace_id: str
    parent_id: str | None
    name: str
    kind: str
    started_at: datetime
    duration_s: float
    input: Json = None
    output: Json = None
    error: str | None = None
    attributes: Mapping[str, Json] = field(default_factory=dict[str, Json])
    status: str = "success"  # or error, timeout
