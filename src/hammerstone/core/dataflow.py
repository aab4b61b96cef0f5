"""Sources: where an argument of a step comes from.

Plans, learned workflows, ways through the skill graph, composed skills and recorded calls all
say it with these. Plans and skills name their steps (`Source[str]`), workflows, ways and
recorded calls number them (`Source[int]`); `renamed` takes a source from one to the other.

What is stored:

    source         in a workflow or composite                  with a recorded call
    Constant       {"from": "constant", "value": 5}            "constant", the argument is the value
    FromStep       {"from": "step", "step": 0, "path": [..]}   {"step": 1, "path": [..]}
    FromRequest    {"from": "request", "name": "x"}            "request"

A recorded call that used a result of an earlier run also has "session" and "run".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject

KeyPath: TypeAlias = tuple[str | int, ...]  # from a value to a part of it: keys and places
StepKey = TypeVar("StepKey", bound=str | int)
OtherKey = TypeVar("OtherKey", bound=str | int)


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is the same every time."""

    value: Json

    def to_json(self) -> JsonObject:
        return {"from": "constant", "value": self.value}


@dataclass(frozen=True, slots=True)
class FromStep(Generic[StepKey]):
    """The result of another step, or what lies at `path` inside it."""

    step: StepKey
    path: KeyPath = ()

    def to_json(self) -> JsonObject:
        return {"from": "step", "step": self.step, "path": list(self.path)}


@dataclass(frozen=True, slots=True)
class FromRequest:
    """What the request gives under `name`, or what lies at `path` inside it.

    Without a name it is whatever the words of the request say.
    """

    name: str = ""
    path: KeyPath = ()

    def to_json(self) -> JsonObject:
        path: JsonObject = {"path": list(self.path)} if self.path else {}
        return {"from": "request", "name": self.name, **path}


Source: TypeAlias = Constant | FromStep[StepKey] | FromRequest


def source_from_json(data: Any) -> Source[int]:
    """The source that a workflow or composite has stored; raises `BadRequest` for another."""
    match data["from"]:
        case "constant":
            return Constant(data.get("value"))
        case "step":
            return FromStep(int(data["step"]), tuple(data["path"]))
        case "request":
            return FromRequest(str(data.get("name", "")), tuple(data.get("path", ())))
        case other:
            raise BadRequest(f"nothing is known of arguments that come from {other!r}")


def needed_steps(sources: Iterable[Source[StepKey]]) -> set[StepKey]:
    """The steps whose results these sources use."""
    return {source.step for source in sources if isinstance(source, FromStep)}


def renamed(source: Source[StepKey], name: Callable[[StepKey], OtherKey]) -> Source[OtherKey]:
    """The same source where the steps go by other names."""
    return FromStep(name(source.step), source.path) if isinstance(source, FromStep) else source


class MissingPart(LookupError):
    """A path leads to nothing; `part` is the key or place that is not there."""

    def __init__(self, part: str | int) -> None:
        super().__init__(f"there is no {part!r} in it")
        self.part = part


def value_at(value: Json, path: Sequence[str | int]) -> Json:
    """The part of a plain value at a path; raises `MissingPart` where there is none.

    In a list a part is a place, also one that is written as text; -1 is the last.
    """
    for part in path:
        if isinstance(value, dict) and str(part) in value:
            value = value[str(part)]
        elif isinstance(value, list) and (place := _place(part, len(value))) is not None:
            value = value[place]
        else:
            raise MissingPart(part)
    return value


def _place(part: str | int, length: int) -> int | None:
    if isinstance(part, str) and not part.isdecimal():
        return None
    place = int(part)
    return place if -length <= place < length else None


@dataclass(frozen=True, slots=True)
class DeclaredSource:
    """The source that a recorded call declares for one of its arguments.

    A step is the number of a call in the same run. Of an earlier run of the session, `run` is
    that run and `session` the number of the value among those of the session.
    """

    source: Source[int]
    run: str = ""
    session: int | None = None

    @property
    def of_own_run(self) -> bool:
        return not self.run and self.session is None

    def to_json(self) -> Json:
        source = self.source
        if not isinstance(source, FromStep):
            return "constant" if isinstance(source, Constant) else "request"
        document: JsonObject = {"step": source.step, "path": list(source.path)}
        if self.session is not None:
            document["session"] = self.session
        if self.run:
            document["run"] = self.run
        return document

    @staticmethod
    def from_json(document: Json, argument: Json = None) -> "DeclaredSource | None":
        """What was declared for `argument`; None when that says nothing."""
        if document == "request":
            return DeclaredSource(FromRequest())
        if document == "constant":
            return DeclaredSource(Constant(argument))
        step = document.get("step") if isinstance(document, dict) else None
        if not isinstance(document, dict) or not isinstance(step, int) or isinstance(step, bool):
            return None
        path, run, session = document.get("path"), document.get("run"), document.get("session")
        listed = path if isinstance(path, list) else []
        keys = tuple(key for key in listed if isinstance(key, str | int))
        return DeclaredSource(
            FromStep(step, keys),
            run if isinstance(run, str) else "",
            session if isinstance(session, int) else None,
        )


FROM_WORDS = DeclaredSource(FromRequest())  # also for what a person gives by name


def declared_results(
    sources: Mapping[str, Json], own_run: str
) -> Iterator[tuple[str, str, FromStep[int]]]:
    """Of a recorded call's `sources` those that are results: the argument, the run, the step."""
    for argument, document in sources.items():
        declared = DeclaredSource.from_json(document)
        if declared is not None and isinstance(declared.source, FromStep):
            yield argument, declared.run or own_run, declared.source
