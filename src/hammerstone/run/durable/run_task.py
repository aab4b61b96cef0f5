"""Everything that a run was asked with, so that another process can ask it again."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.guard.budget import Budget, BudgetLimits
from hammerstone.run.request import Request
from hammerstone.run.services import Records

_KEPT = ("memory", "level", "skill_level", "keep", "given_tool", "given_arguments", "by_program",
         "fresh", "model", "personal")  # fmt: skip


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file of a request, by its content; its path is where it was."""

    name: str
    path: str
    sha256: str

    @staticmethod
    def at(path: Path, original: str = "") -> "GivenFile":
        """The file as it is now at this path."""
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return GivenFile(path.name, original or str(path.absolute()), sha256)


@dataclass(frozen=True, slots=True)
class RunTask:
    """A request as it is stored. `private`: its words may not be, so it cannot be asked again."""

    text: str = ""
    user: str = ""
    files: tuple[GivenFile, ...] = ()
    options: JsonObject | None = None
    limits: BudgetLimits | None = None
    private: bool = False

    @staticmethod
    def of(request: Request, budget: Budget | None, records: Records) -> "RunTask":
        """The task of a request; reads its files. `budget` is the one that a caller gave."""
        files = tuple(GivenFile.at(path) for path in request.named_files.values())
        options: JsonObject = {name: getattr(request, name) for name in _KEPT}
        options["tools"] = None if request.tools is None else list(request.tools)
        said: list[Json] = [request.text, options.get("given_arguments")]
        if not records.storable([*said, *(file.name for file in files)]):
            return RunTask(user=request.user, private=True)
        limits = budget.allowed if budget is not None else None
        return RunTask(request.text, request.user, files, options, limits)

    def to_json(self) -> JsonObject:
        return {
            **asdict(self),
            "files": [asdict(file) for file in self.files],
        }

    @staticmethod
    def from_json(document: JsonObject) -> "RunTask":
        """Raises `KeyError` or `TypeError` for one that another version wrote in its own way."""
        known: dict[str, Any] = dict(document)
        known["files"] = tuple(GivenFile(**file) for file in known["files"])
        if known["limits"] is not None:
            known["limits"] = BudgetLimits(**known["limits"])
        return RunTask(**known)

    def request(self, run_id: str, session_id: str, files: Sequence[Path]) -> Request:
        """The request once more, for the same run."""
        options: dict[str, Any] = dict(self.options or {})
        tools = options.pop("tools", None)
        return Request(
            self.text,
            session_id,
            self.user,
            tuple(files),
            run_id,
            again=True,
            tools=None if tools is None else tuple(tools),
            **{name: value for name, value in options.items() if name in _KEPT},
        )

    def budget(self) -> Budget | None:
        """A budget with the limits that the caller gave, if one was given."""
        return Budget(**asdict(self.limits)) if self.limits is not None else None
