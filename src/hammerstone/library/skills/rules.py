"""The rules of agentskills.io for a skill's folder, each broken one told."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.skills.front_matter import BadFrontMatter, Document, read_document

MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
LONG_BODY_LINES = 500
SKILL_FILE = "SKILL.md"

SPECIFIED = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
# Not in the specification, but agents in the field write and understand them.
KNOWN = ("user-invocable", "disable-model-invocation", "argument-hint", "model", "version")
LEVELS = ("1", "2", "3", "4", "5")  # of metadata.maturity
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a skill: an error keeps it out, a warning is told."""

    severity: Literal["error", "warning"]
    field: str  # or the path of the file
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.field}: {self.text}"

    def to_json(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SkillCheck:
    """What was read, and what is wrong with it; `document` is None when it cannot be read."""

    document: Document | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "error")


def check(
    files: Mapping[str, bytes], folder: str | None, max_body_chars: int = 100_000
) -> SkillCheck:
    """Check a skill's files; `folder` is the name of its folder, where that is known."""
    content = files.get(SKILL_FILE)
    if content is None:
        near = next((path for path in files if path.lower().endswith("skill.md")), None)
        hint = f"; there is {near}" if near else ""
        return SkillCheck(None, (_error(SKILL_FILE, f"the file is missing{hint}"),))
    try:
        text = content.decode("utf-8")
        if "\x00" in text:
            raise BadFrontMatter("it holds binary data")
        document = read_document(text)
    except UnicodeDecodeError:
        return SkillCheck(None, (_error(SKILL_FILE, "it is not text in UTF-8"),))
    except BadFrontMatter as error:
        return SkillCheck(None, (_error(SKILL_FILE, str(error)),))
    problems = [*_fields(document.fields, folder), *_body(document.body, max_body_chars)]
    return SkillCheck(document, tuple(problems))


def name_problem(name: Json) -> str:
    """What is wrong with a skill's name; empty when nothing is."""
    if not isinstance(name, str) or not name:
        return "it has to be a text of 1 to 64 characters"
    if len(name) > MAX_NAME:
        return f"it has {len(name)} characters, allowed are {MAX_NAME}"
    if not _NAME.fullmatch(name):
        return "only a-z, 0-9 and single hyphens between them are allowed"
    return ""


def _fields(fields: JsonObject, folder: str | None) -> Iterator[Problem]:
    name = fields.get("name")
    if problem := name_problem(name):
        yield _error("name", problem)
    elif folder is not None and name != folder:
        yield _error("name", f"it is {name!r} but the folder is called {folder!r}")
    yield from _text(fields, "description", MAX_DESCRIPTION, required=True)
    yield from _text(fields, "compatibility", MAX_COMPATIBILITY)
    yield from _text(fields, "license", MAX_DESCRIPTION)
    yield from _metadata(fields.get("metadata"))
    yield from _tools(fields.get("allowed-tools"))
    for key in ("user-invocable", "disable-model-invocation"):
        if key in fields and not isinstance(fields[key], bool):
            yield _error(key, "it has to be true or false")
    for key in fields:
        if key in KNOWN:
            yield _warning(key, "not in the specification; strict readers refuse it")
        elif key not in SPECIFIED:
            yield _warning(key, "unknown, and left unused")


def _text(
    fields: JsonObject, key: str, longest: int, *, required: bool = False
) -> Iterator[Problem]:
    if key not in fields and not required:
        return
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        yield _error(key, f"it has to be a text of 1 to {longest:,} characters")
    elif len(value) > longest:
        yield _error(key, f"it has {len(value):,} characters, allowed are {longest:,}")


def _metadata(value: Json) -> Iterator[Problem]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield _error("metadata", "it has to be a list of `name: value`")
        return
    for key, item in value.items():
        if isinstance(item, dict | list):
            yield _error(f"metadata.{key}", "it has to be a text")
        elif not isinstance(item, str):
            yield _warning(f"metadata.{key}", f"read as the text {_as_text(item)!r}; quote it")
        if key == "maturity" and _as_text(item) not in LEVELS:
            yield _error("metadata.maturity", "it has to be a level from 1 to 5")


def _tools(value: Json) -> Iterator[Problem]:
    if value is None:
        return
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        yield _warning(
            "allowed-tools",
            "this is a list; the specification wants names with spaces between them",
        )
    elif not isinstance(value, str):
        yield _error("allowed-tools", "it has to be a list of tool names with spaces between them")


def _body(body: str, longest: int) -> Iterator[Problem]:
    if not body.strip():
        yield _warning(SKILL_FILE, "there are no instructions below the YAML")
    if len(body) > longest:
        yield _error(SKILL_FILE, f"it has {len(body):,} characters, allowed are {longest:,}")
    elif body.count("\n") > LONG_BODY_LINES:
        yield _warning(SKILL_FILE, f"more than {LONG_BODY_LINES} lines: move some to references/")


def _as_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _error(field: str, text: str) -> Problem:
    return Problem("error", field, text)


def _warning(field: str, text: str) -> Problem:
    return Problem("warning", field, text)


def metadata_of(fields: JsonObject) -> dict[str, str]:
    """The metadata as the specification has it: texts by names."""
    value = fields.get("metadata")
    if not isinstance(value, dict):
        return {}
    return {key: _as_text(item) for key, item in value.items()}
