"""What to do when a step fails: which kind of failure it is, which remedy comes next, and what that
makes of the call."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from hammerstone.core.answers import EventKind
from hammerstone.core.calls import Failure, FailureKind
from hammerstone.core.repair import FailedCall
from hammerstone.core.seams import Repairer
from hammerstone.core.tools import Tool
from hammerstone.guard.journal import paid_once
from hammerstone.run.act.step_outcome import CallExecution
from hammerstone.run.bind.binding import ArgumentSources, Binder, BoundArguments
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Finder


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


@dataclass(frozen=True, slots=True)
class FailedStep:
    """A call of a step that gave no result that can be used."""

    tool: Tool
    bound: BoundArguments
    executed: CallExecution
    error: str
    kind: FailureKind


class Remedies:
    """The remedies for a call that failed."""

    def __init__(self, finder: Finder, binder: Binder, repairer: Repairer) -> None:
        self._finder = finder
        self._binder = binder
        self._repairer = repairer

    async def other_call(
        self, run: Run, remedy: Remedy, failed: FailedStep, given: ArgumentSources, tried: set[str]
    ) -> tuple[Tool, BoundArguments] | None:
        """The call to make instead, or None when this remedy has none."""
        tool, bound = failed.tool, failed.bound
        anew = replace(given, known={})
        other: Tool | None = None
        if remedy is Remedy.RETRY:
            await _tell(run, failed, remedy)
            return tool, bound
        if remedy is Remedy.EXTRACT_AGAIN:
            if bound.certain:
                return None  # nothing was guessed: reading it again gives the same
            await _tell(run, failed, remedy)
            hint = f"(Tried: {bound.values}. It said: {failed.error})"
            new = await self._binder.bind(run.about(f"{run.words}\n{hint}"), tool, anew)
            return None if new.values == bound.values else (tool, new)
        if remedy is Remedy.ANOTHER_TOOL:
            found = await self._finder.look(run, given.step.text, without=frozenset(tried))
            other = found.tool if found.certain else None
            if other is not None and other.version.spec.constants:
                other = None  # its rule may be another one
        elif remedy is Remedy.REPAIR:
            other = await self._mended(run, failed)
        if other is None or other.version.id == tool.version.id:
            return None
        await _tell(run, failed, remedy)
        return other, await self._binder.bind(run, other, anew)

    async def _mended(self, run: Run, failed: FailedStep) -> Tool | None:
        await _tell(run, failed, Remedy.REPAIR)
        request = run.request
        call = FailedCall(
            tool=failed.tool,
            arguments=failed.bound.values,
            failure=failed.executed.failure,
            error=failed.error,
            request=request.text,
            session_id=request.session_id,
            user=request.user,
            run_id=run.id,
        )
        await run.ready()  # mending asks models, and changes the library
        with paid_once(run.ledger.hold.journal if run.ledger.hold is not None else None):
            return await self._repairer.mend(call, run.budget)


async def _tell(run: Run, failed: FailedStep, remedy: Remedy) -> None:
    await run.say(
        EventKind.REPAIRING,
        f"{failed.tool.name} failed ({failed.kind}): {remedy}",
        tool=failed.tool.name,
        trouble=str(failed.kind),
        remedy=str(remedy),
        error=failed.error[:300],
    )
