"""A call that failed by the tool's own fault, as whoever mends tools needs to see it."""

from dataclasses import dataclass

from hammerstone.core.calls import Failure
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, Tool


@dataclass(frozen=True, slots=True)
class FailedCall:
    """One call: which tool, with what, how it failed, and for whom it was made."""

    tool: Tool
    arguments: JsonObject
    failure: Failure | None  # None: it returned, but not what it promises, or not `expected`
    error: str
    request: str
    session_id: str
    user: str
    run_id: str
    expected: Case | None = None  # what a person said the call has to return
