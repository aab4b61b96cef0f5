"""What a person asks: text, a session to ask it in, and files."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.database_files import refuse_database
from hammerstone.core.errors import BadRequest

_BACK = re.compile(
    r"\b(that|those|this|these|it|its|them|their|again|same|previous|earlier|before|last|above"
    r"|former|also|instead|now|and for|what about|how about|i meant?|actually|sorry|no"
    r"|the (\w+ )?(results?|answer|table|list|file|rows|numbers?|text|ones?|other|output)"
    r"|(result|answer|step) #?\d+|result of)\b|^\s*and\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\{.*\}|\[.*\]", re.DOTALL)
_CREATE = re.compile(
    r"\b(create|build|make|write|generate|develop)\b[^.?!]{0,40}\b(tool|function)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Request:
    text: str
    session_id: str
    user: str
    files: tuple[Path, ...] = ()
    run_id: str = ""  # chosen by a door that shows the run; empty: a new one
    memory: bool = True  # False: nothing but this text counts, and nothing of it is recalled
    level: int | None = None  # the maturity a person granted for this task alone
    skill_level: int | None = None  # that of the skill it is done for; it can only lower
    given_tool: str | None = None  # the tool the person named

    @property
    def refers_back(self) -> bool:
        """Whether the text may mean something said earlier; quoted text and data do not count."""
        return _BACK.search(_QUOTED.sub("", self.text)) is not None

    @property
    def forces_building(self) -> bool:
        """Whether the person asks for a tool rather than for an answer (R1.3)."""
        return _CREATE.search(_QUOTED.sub("", self.text)) is not None

    @property
    def named_files(self) -> dict[str, Path]:
        """The files by the names they have inside the sandbox."""
        named: dict[str, Path] = {}
        for path in self.files:
            if not path.is_file():
                raise BadRequest(f"there is no file {path}", hint="check the path")
            refuse_database(path)
            if path.name in named:
                raise BadRequest(f"two files are called {path.name}", hint="rename one of them")
            named[path.name] = path
        return named

    @property
    def for_models(self) -> str:
        """The text as models see it: with the paths of the files that a tool could open."""
        if not self.files:
            return self.text
        listed = ", ".join(f"/files/{name}" for name in self.named_files)
        return f"{self.text}\n(Files that can be opened: {listed})"

    def file_hashes(self) -> list[str]:
        """One hash for each file: its name and its content."""
        hashes: list[str] = []
        for name, path in sorted(self.named_files.items()):
            with path.open("rb") as file:
                hashes.append(f"{name}:{hashlib.file_digest(file, 'sha256').hexdigest()}")
        return hashes
