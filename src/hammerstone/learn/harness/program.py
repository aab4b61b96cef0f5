"""`program.md`: what a person wants to get better, where it may be changed, and by what measure.

    goal: right answers chosen more often
    surface: run
    metric: answers
    seconds: 60
    experiments: 10

What follows after an empty line are notes for the author of changes.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from hammerstone.core.errors import BadRequest

FILE = "program.md"
_LIMIT_S = 300.0
_LONGEST = 20_000
_KEYS = ("goal", "surface", "metric", "seconds", "experiments")


class Surface(StrEnum):
    """The one part that a program may change."""

    PROMPTS = "prompts"
    POLICIES = "policies"
    RUN = "run"
    SEARCH = "search"
    MINING = "mining"

    @property
    def folder(self) -> str:
        """Its folder in the package; empty for what is no file."""
        return _FOLDERS.get(self, "")

    @property
    def is_code(self) -> bool:
        return bool(self.folder)


_FOLDERS = {
    Surface.RUN: "run",
    Surface.SEARCH: "library/search",
    Surface.MINING: "learn/mining",
}


@dataclass(frozen=True, slots=True)
class HarnessProgram:
    """What `program.md` says. An experiment never takes longer than five minutes."""

    goal: str
    surface: Surface
    metric: str
    seconds: float = _LIMIT_S
    experiments: int = 10
    notes: str = ""

    def may_change(self, path: str) -> bool:
        """Whether a file of the package belongs to the surface."""
        given, folder = PurePosixPath(path), PurePosixPath(self.surface.folder)
        plain = not given.is_absolute() and ".." not in given.parts
        return self.surface.is_code and plain and given.is_relative_to(folder)


def read_program(folder: Path) -> HarnessProgram:
    """The program in a folder; raises `BadRequest` with what is wrong."""
    path = folder / FILE
    try:
        text = path.read_text("utf-8")[:_LONGEST]
    except (FileNotFoundError, NotADirectoryError):
        hint = "docs/evolution.md says what stands in one"
        raise BadRequest(f"there is no {FILE} in {folder}", hint=hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path} cannot be read: {error}") from None
    head, _, notes = text.lstrip("# \n").partition("\n\n")
    values: dict[str, str] = {}
    for line in head.strip().split("\n"):
        key, colon, value = line.partition(":")
        if not colon or key.strip() not in _KEYS:
            raise BadRequest(f"{path}: {line[:80]!r} is not one of {', '.join(_KEYS)}")
        values[key.strip()] = value.strip()
    missing = [key for key in _KEYS[:3] if not values.get(key)]
    if missing:
        raise BadRequest(f"{path}: {missing[0]} is missing")
    if values["surface"] not in set(Surface):
        known = ", ".join(Surface)
        raise BadRequest(f"{path}: {values['surface']!r} may not be changed; one of {known} may")
    return HarnessProgram(
        values["goal"],
        Surface(values["surface"]),
        values["metric"],
        _number(values.get("seconds", "300"), path, "seconds", _LIMIT_S),
        int(_number(values.get("experiments", "10"), path, "experiments", 200)),
        notes.strip(),
    )


def _number(text: str, path: Path, key: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        raise BadRequest(f"{path}: {key} is not a number") from None
    if not 1 <= value <= most:
        raise BadRequest(f"{path}: {key} is from 1 to {most:g}")
    return value
