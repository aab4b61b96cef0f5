"""What to do when a step fails: which kind of failure it is, and which remedy comes next."""

from collections.abc import Iterator
from enum import StrEnum

from hammerstone.core.calls import Failure, FailureKind
from hammerstone.run.act.execute import CallExecution


class Remedy(StrEnum):
    """What is tried, in this order; after the last one the honest answer is no."""

    EXTRACT_AGAIN = "extract again"
    RETRY = "retry"
    ANOTHER_TOOL = "another tool"
    REPAIR = "repair"


# The tool's own check at the door: it says what is wrong with what it was given.
_AT_THE_DOOR = frozenset(
    {"ValueError", "TypeError", "KeyError", "FileNotFoundError", "IsADirectoryError",
     "UnicodeDecodeError", "JSONDecodeError", "EmptyDataError", "ParserError"}
)  # fmt: skip
_SURROUNDINGS = frozenset({"ImportError", "ModuleNotFoundError", "PermissionError", "OSError"})
_OF_FAILURE = {
    Failure.LOST: FailureKind.TRANSIENT,
    Failure.TIMEOUT: FailureKind.ENVIRONMENT,
    Failure.MEMORY: FailureKind.ENVIRONMENT,
}
_REMEDIES = {
    FailureKind.BAD_ARGUMENT: (Remedy.EXTRACT_AGAIN,),
    FailureKind.TRANSIENT: (Remedy.RETRY, Remedy.RETRY),
    FailureKind.BUG: (Remedy.ANOTHER_TOOL, Remedy.REPAIR),
    FailureKind.MISSING_CAPABILITY: (Remedy.ANOTHER_TOOL,),
    FailureKind.ENVIRONMENT: (Remedy.ANOTHER_TOOL, Remedy.REPAIR),
}
_EXPLORING = frozenset({Remedy.ANOTHER_TOOL})


def kind_of_failure(executed: CallExecution) -> FailureKind:
    """The kind of failure of a call that gave no result."""
    if executed.failure is not None and executed.failure is not Failure.RAISED:
        return _OF_FAILURE.get(executed.failure, FailureKind.BUG)
    if executed.error_type == "NotImplementedError":
        return FailureKind.MISSING_CAPABILITY
    if executed.error_type in _AT_THE_DOOR:
        return FailureKind.BAD_ARGUMENT
    return FailureKind.ENVIRONMENT if executed.error_type in _SURROUNDINGS else FailureKind.BUG


def remedies(kind: FailureKind, *, tight: bool) -> Iterator[Remedy]:
    """The remedies in order; with a tight budget nothing new is explored."""
    return (each for each in _REMEDIES[kind] if not (tight and each in _EXPLORING))
