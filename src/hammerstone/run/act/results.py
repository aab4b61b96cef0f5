"""What a call gave: its kind, whether it can be believed, and how it is kept for later."""

import hashlib
import json
import mimetypes
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeGuard

from hammerstone.core import wire
from hammerstone.core.calls import Artifact, FailureKind
from hammerstone.core.json_types import Json, JsonObject, is_dict, is_sequence
from hammerstone.core.tools import Case, CaseKind, CaseOrigin, Effect, Spec, Tool, type_of, types_of
from hammerstone.core.wire import Opaque, Table, WireError, decode
from hammerstone.judging.cases import accepted_labels
from hammerstone.judging.equality import alike
from hammerstone.judging.labels import Labels, leaves_order_open
from hammerstone.judging.named_inputs import arguments_of
from hammerstone.judging.rendering import in_words, plain
from hammerstone.judging.result_types import type_mismatch
from hammerstone.library.policies import Policies
from hammerstone.run.act.step_outcome import CallExecution
from hammerstone.run.context import Run
from hammerstone.run.plan_policy import SessionPolicy
from hammerstone.run.services import Records
from hammerstone.storage import ArtifactRow, SessionValue

_UNSAFE = re.compile(r"[^\w.\-]+")


def kind_of(result: Json) -> str:
    """What people would call it: number, text, truth, list, table, record or nothing."""
    try:
        value: Any = decode(result)
    except WireError:
        return "record"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, Table) or _is_table(value):
        return "table"
    if isinstance(value, dict):
        return "record"
    return "list" if isinstance(value, list | tuple | set) else "text"


def _is_table(value: Any) -> bool:
    if not is_sequence(value) or isinstance(value, tuple) or not value:
        return False
    first = value[0]
    return all(is_dict(row) and row.keys() == first.keys() for row in value)


@dataclass(frozen=True, slots=True)
class ResultProblem:
    """The reason why a result cannot be used, for people, and the kind of failure behind it."""

    text: str
    kind: FailureKind = FailureKind.BUG


def problem_with(spec: Spec, result: Json) -> ResultProblem | None:
    """Why a result cannot be used: not of the declared kind, or nothing anyone can use.

    Only the outermost type counts here. What JSON has no number for (a huge one, infinity)
    may come as text, and a table as rows or as a record.
    """
    try:
        value: Any = decode(result)
    except WireError as error:
        return ResultProblem(f"it cannot be read ({error})")
    if isinstance(value, Opaque):
        return ResultProblem(
            f"the result is a {value.type_name}, which cannot be shown or passed on"
        )
    given = plain(result)
    if isinstance(given, dict) and set(given) == {"error"} and isinstance(given["error"], str):
        # A tool that returns its complaint as a value says no at the door, too.
        return ResultProblem(
            f"it returned an error: {given['error'][:200]}", FailureKind.BAD_ARGUMENT
        )
    if isinstance(value, float) and value != value:
        return ResultProblem("the result is not a number (NaN)")
    promised = types_of(spec.returns)
    if "number" in promised:
        promised |= {"integer"}
    taken = promised | {"string"} if promised & {"number", "integer"} else promised
    if isinstance(value, Table) and "object" in promised:
        taken |= {"array"}
    if _is_plain(value) and type_of(value) in taken:
        return None
    if not type_mismatch({"type": [*sorted(taken)]}, result):
        return None
    if isinstance(value, Table):
        return ResultProblem("it is a table")
    wanted = " or ".join(sorted(promised))
    return ResultProblem(f"{spec.name} promises {wanted} and gave {type_of(given)}")


def _is_plain(value: Any) -> TypeGuard[bool | int | float | str | None]:
    """Whether it is a single value that JSON has a type for."""
    return value is None or isinstance(value, bool | int | float | str)


@dataclass(frozen=True, slots=True)
class CaseOpinion:
    """The word of cases with the same arguments about a result; empty where there is none."""

    doubt: str = ""  # what an example or test says instead
    confirmation: str = ""  # whose example or test says the same


def opinion_of_cases(tool: Tool, arguments: Mapping[str, Json], result: Json) -> CaseOpinion:
    """What the examples and tests with the same arguments say.

    Those were met when the tool was proven: another result now means that it depends on more
    than its arguments, or that its code came from elsewhere and does not keep its word. What
    reads files or the time may give another result rightly.
    """
    labels: Labels | None = None
    confirmation = ""
    for case, whose in _same_calls(tool, arguments):
        if case.kind is CaseKind.RAISES:
            return CaseOpinion(f"{whose} of {tool.name} says that this call is an error")
        labels = labels or Labels(loose=True, unordered=leaves_order_open(tool.version.spec))
        if labels.of_value(result) not in accepted_labels(case, labels):
            said = in_words(plain(case.expected))[:200]
            return CaseOpinion(f"{whose} of {tool.name} says {said}")
        if case.kind is CaseKind.VALUE:
            confirmation = confirmation or f"{whose} says the same"
    return CaseOpinion(confirmation=confirmation)


def _same_calls(tool: Tool, arguments: Mapping[str, Json]) -> Iterator[tuple[Case, str]]:
    """The cases of a pure tool with these arguments, and whose each is."""
    spec = tool.version.spec
    if spec.effect is not Effect.PURE:
        return
    given: JsonObject = {name: wire.encode(each) for name, each in arguments.items()}
    for case in (*spec.examples, *tool.version.suite):
        if case.kind is CaseKind.PROPERTY or case.call.source is not None:
            continue
        known = arguments_of(case, spec)
        if known is not None and alike(known, given):
            yield case, "your example" if case.origin_kind is CaseOrigin.USER else "a test"


class ResultKeeper:
    """Keeps what a call gave until the run's record picks it up."""

    def __init__(self, policies: Policies, records: Records) -> None:
        self._policies = policies
        self._records = records

    def keep(self, run: Run, tool: Tool, executed: CallExecution, about: str) -> None:
        """Put a call's value and files where the run's record picks them up."""
        self.keep_value(run, tool.name, executed.value, executed.number, about)
        self.keep_files(run, executed.artifacts, executed.number)

    def keep_value(self, run: Run, tool: str, wire: Json, number: int, about: str) -> None:
        """Put a call's value where the run's record picks it up."""
        policy = self._policies.get(SessionPolicy)
        now = self._records.clock.now()
        run.ledger.values.append(
            SessionValue(
                id=uuid.uuid5(uuid.NAMESPACE_OID, f"{run.id}/value/{number}").hex,
                session_id=run.request.session_id,
                run_id=run.id,
                step=number,
                name=tool,
                kind=kind_of(wire),
                tool=tool,
                about=about,
                value=wire,
                at=now,
                expires_at=now + timedelta(days=policy.value_days),
            )
        )

    def keep_files(self, run: Run, artifacts: Sequence[Artifact], number: int) -> None:
        """Put the files that a call left where the run's record picks them up."""
        policy = self._policies.get(SessionPolicy)
        now = self._records.clock.now()
        for artifact in artifacts[: policy.files_per_request]:
            if len(artifact.content) > policy.file_bytes:
                continue
            name = safe_name(artifact.name, [row.name for row, _ in run.ledger.files])
            row = ArtifactRow(
                id=uuid.uuid5(uuid.NAMESPACE_OID, f"{run.id}/file/{number}/{name}").hex[:16],
                session_id=run.request.session_id,
                user=run.request.user,
                run_id=run.id,
                step=number,
                name=name,
                media_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
                size_bytes=len(artifact.content),
                sha256=hashlib.sha256(artifact.content).hexdigest(),
                at=now,
                expires_at=now + timedelta(days=policy.file_days),
            )
            run.ledger.files.append((row, artifact.content))

    def storable(self, value: SessionValue) -> SessionValue:
        """A value as it may be stored: without what is private or too large."""
        missing = ""
        if not self._records.storable(value.value):
            missing = "it contained something private, and that is not kept"
        elif len(json.dumps(value.value)) > self._policies.get(SessionPolicy).value_bytes:
            missing = "it was too large to keep"
        return replace(
            value,
            about=self._records.clean_text(value.about)[:300],
            value=None if missing else value.value,
            missing=missing,
        )


def safe_name(name: str, taken: list[str]) -> str:
    """A base name that no file system trips over, different from those that are taken."""
    base = _UNSAFE.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .")[:100] or "file"
    stem, dot, ending = base.rpartition(".")
    number, found = 2, base
    while found in taken:
        found = f"{stem}_{number}.{ending}" if dot else f"{base}_{number}"
        number += 1
    return found
