"""What to do when a step fails: which kind of failure it is, and which remedy comes next."""

from collections.abc import Iterator
from enum import StrEnum

from hammerstone.core.calls import Failure
from hammerstone.run.act.execute import Executed


class Trouble(StrEnum):
    """Why a step failed (R1.10)."""

    BAD_ARGUMENT = "bad argument"
    BUG = "bug"
    MISSING = "missing capability"
    ENVIRONMENT = "environment"
    TRANSIENT = "transient"


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
    Failure.LOST: Trouble.TRANSIENT,
    Failure.TIMEOUT: Trouble.ENVIRONMENT,
    Failure.MEMORY: Trouble.ENVIRONMENT,
}
_REMEDIES = {
    Trouble.BAD_ARGUMENT: (Remedy.EXTRACT_AGAIN,),
    Trouble.TRANSIENT: (Remedy.RETRY, Remedy.RETRY),
    Trouble.BUG: (Remedy.ANOTHER_TOOL, Remedy.REPAIR),
    Trouble.MISSING: (Remedy.ANOTHER_TOOL,),
    Trouble.ENVIRONMENT: (Remedy.ANOTHER_TOOL, Remedy.REPAIR),
}
_EXPLORING = frozenset({Remedy.ANOTHER_TOOL})


def trouble_of(executed: Executed, problem: str) -> Trouble:
    """The kind of a failure; `problem` is what is wrong with a result that did come."""
    if executed.failure is None:
        # A tool that returns its complaint as a value says no at the door, too.
        return Trouble.BAD_ARGUMENT if problem.startswith("it says") else Trouble.BUG
    if executed.failure is not Failure.RAISED:
        return _OF_FAILURE.get(executed.failure, Trouble.BUG)
    if executed.error_type == "NotImplementedError":
        return Trouble.MISSING
    if executed.error_type in _AT_THE_DOOR:
        return Trouble.BAD_ARGUMENT
    return Trouble.ENVIRONMENT if executed.error_type in _SURROUNDINGS else Trouble.BUG


def remedies(trouble: Trouble, *, tight: bool) -> Iterator[Remedy]:
    """The remedies in order; with a tight budget nothing new is explored."""
    return (each for each in _REMEDIES[trouble] if not (tight and each in _EXPLORING))
