"""Why a run failed: what has to change, and the root cause behind it."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from hammerstone.core.json_types import JsonObject


class FailureClass(StrEnum):
    """What has to change so that a failed run succeeds. OTHER is neither prompt nor skill."""

    PROMPT = "prompt"
    SKILL = "skill"
    BOTH = "both"
    OTHER = "other"


class RootCause(StrEnum):
    INSTRUCTIONS = "instructions"  # the words to the model: it misread, or answered in another form
    ARITHMETIC = "arithmetic"
    DATES = "dates"
    OUTSIDE_CALL = "outside call"  # a service that it has no tool for, or that failed
    MISSING_TOOL = "missing tool"
    WRONG_TOOL = "wrong tool"  # there is a right one, and another was used
    BROKEN_TOOL = "broken tool"  # the right one was used and failed
    MISSING_KNOWLEDGE = "missing knowledge"  # facts that no program can compute
    HARNESS = "harness"  # the product's own steps: lost values, loops, limits, errors inside
    OUTAGE = "outage"  # a model or a service was down: nothing is to be learned
    UNKNOWN = "unknown"


ALWAYS_SKILL = frozenset({RootCause.ARITHMETIC, RootCause.DATES, RootCause.OUTSIDE_CALL})


@dataclass(frozen=True, slots=True)
class FailureFinding:
    """One failed run: where it stands, why it failed, and what that rests on.

    `case` is the suite's case, empty for a run that no suite asked for. `tool` and `prompt` are
    what it concerns, where that is known. `wanted` is empty for what a track may not see.
    """

    run_id: str
    kind: FailureClass
    cause: RootCause
    why: str
    evidence: tuple[str, ...] = ()
    case: str = ""
    trace_id: str = ""
    score: float = 0.0
    confidence: float = 0.0
    request: str = ""
    given: str = ""
    wanted: str = ""
    domain: str = ""
    tool: str = ""
    prompt: str = ""

    def to_json(self) -> JsonObject:
        return {
            **asdict(self),
            "kind": str(self.kind),
            "cause": str(self.cause),
            "evidence": list(self.evidence),
        }
