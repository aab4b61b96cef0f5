"""A suite: a folder with `suite.toml`, `cases.jsonl` and the files that its cases name."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeGuard

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.evaluation.suites.graders import CHEAPEST_FIRST, GraderSpec

HEAD, CASES = "suite.toml", "cases.jsonl"
PASS_MARK = 0.75
LONGEST_LINE = 1_000_000  # characters
_KEYS = frozenset(
    {"id", "request", "arguments", "files", "tags", "grade", "expect", "graders", "all"}
)
_HEAD_KEYS = frozenset({"name", "title", "about", "pass_mark", "grade"})


@dataclass(frozen=True, slots=True)
class SuiteCase:
    """One case. `arguments` are for a tool or a skill, which take no request.

    Its graders are asked from the cheapest on, and the first that is content decides; with
    `every` all of them have to be.
    """

    id: str
    request: str
    graders: tuple[GraderSpec, ...]
    arguments: Mapping[str, Json] | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    every: bool = False


@dataclass(frozen=True, slots=True)
class Suite:
    """What `suite.toml` says. A case passes from `pass_mark` on."""

    name: str
    folder: Path
    title: str = ""
    about: str = ""
    pass_mark: float = PASS_MARK
    grade: str = "answer"
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def cases(self) -> Iterator[SuiteCase]:
        """The cases one by one; a file of any length is never in memory as a whole.

        Raises `BadRequest` with the line's number and what is wrong with it.
        """
        path, seen = self.folder / CASES, set[str]()
        for number, line in _lines(path):
            try:
                case = _case(_document(line), self)
                if case.id in seen:
                    raise ValueError(f"the id {case.id!r} is used twice")
            except ValueError as error:
                raise BadRequest(f"{path}, line {number}: {error}") from None
            seen.add(case.id)
            yield case


def read_suite(folder: Path) -> Suite:
    """The head of a suite. Raises `BadRequest` with what is wrong."""
    path = folder / HEAD
    try:
        head = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadRequest(
            f"{folder} is no suite: {HEAD} is missing",
            hint=f"a suite is a folder with {HEAD} and {CASES}; see docs/scoreboard.md",
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRequest(f"{path} cannot be read: {error}") from None
    if not (folder / CASES).is_file():
        raise BadRequest(f"{folder} is no suite: {CASES} is missing")
    try:
        return _head(head, folder)
    except ValueError as error:
        raise BadRequest(f"{path}: {error}") from None


def is_suite_name(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and name.replace("-", "").replace("_", "").isalnum()


def _head(head: dict[str, Any], folder: Path) -> Suite:
    unknown = set(head) - _HEAD_KEYS
    if unknown:
        raise ValueError(
            f"{min(unknown)!r} is not known; known are {', '.join(sorted(_HEAD_KEYS))}"
        )
    name = head.get("name", folder.resolve().name)
    if not is_suite_name(name):
        raise ValueError("`name` holds letters, digits, - and _ only")
    mark = head.get("pass_mark", PASS_MARK)
    if not isinstance(mark, int | float) or isinstance(mark, bool) or not 0 < mark <= 1:
        raise ValueError("`pass_mark` is a number above 0, up to 1")
    grade = head.get("grade", "answer")
    if grade not in CHEAPEST_FIRST:
        raise ValueError(f"`grade` is one of {', '.join(CHEAPEST_FIRST)}")
    title, about = str(head.get("title", name)), str(head.get("about", ""))
    return Suite(name, folder, title, about, float(mark), grade)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), start=1):
                if line.strip():
                    yield number, line
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path} cannot be read: {error}") from None


def _document(line: str) -> JsonObject:
    if len(line) >= LONGEST_LINE:
        raise ValueError(f"it is longer than {LONGEST_LINE:,} characters")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")
    unknown = set(document) - _KEYS
    if unknown:
        raise ValueError(f"{min(unknown)!r} is not known; known are {', '.join(sorted(_KEYS))}")
    return document


def _case(document: JsonObject, suite: Suite) -> SuiteCase:
    name, request = document.get("id"), document.get("request", "")
    if not isinstance(name, str) or not name:
        raise ValueError("`id` is missing")
    if not isinstance(request, str):
        raise ValueError("`request` is not text")
    arguments = document.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise ValueError("`arguments` is not an object")
    if not request and arguments is None:
        raise ValueError("a case needs a `request`, or `arguments` for a tool")
    return SuiteCase(
        name,
        request,
        _graders(document, suite),
        arguments,
        tuple(_inside(each, suite.folder) for each in _texts(document, "files")),
        tuple(_texts(document, "tags")),
        document.get("all") is True,
    )


def _texts(document: JsonObject, key: str) -> list[str]:
    value = document.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"`{key}` is not a list of texts")
    return [str(each) for each in value]


def _inside(name: str, folder: Path) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"the file {name!r} is not inside the suite")
    if not (folder / name).is_file():
        raise ValueError(f"the file {name!r} is missing")
    return name


def _graders(document: JsonObject, suite: Suite) -> tuple[GraderSpec, ...]:
    listed = document.get("graders")
    if listed is None:
        if "expect" not in document:
            raise ValueError("`expect` is missing (or `graders`)")
        one = {"kind": document.get("grade", suite.grade), "expect": document["expect"]}
        return (GraderSpec.read(one),)
    if not isinstance(listed, list) or not listed:
        raise ValueError("`graders` is not a list with at least one grader")
    read = [GraderSpec.read(each) for each in listed]
    return tuple(sorted(read, key=lambda one: CHEAPEST_FIRST.index(one.kind)))
