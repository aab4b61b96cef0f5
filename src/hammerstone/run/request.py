"""What a person asks: text, a session to ask it in, and files."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.answers import OnAccepted
from hammerstone.core.approvals import OnApproval, OnQuestion
from hammerstone.core.database_files import refuse_database
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.guard.budget import Budget


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How a request is answered, where a caller wants it otherwise than usual.

    `on_question` may be asked which of two results is right, `on_approval` for permission.
    Without `memory` only the text counts. `level` grants a maturity for this task; a `budget`
    may be shared by several requests. What comes `by_program`, from another agent, pins no rule
    for the person. Without `keep` no tool is made of it, which is all that a guest may ask for.
    `fresh` passes over the answer that the same words got before. `model` is one of the
    configured ones, which alone is asked; it passes over earlier answers, too. Without `personal`
    what is remembered about the person neither counts nor grows; the session's own past counts.
    Only `tools` may run, where they are given: names, patterns, and `new` for new programs.
    `again`: the run was begun before, and what it has paid for is not paid for again. `retried`:
    whoever asks does so until there is an answer, so nobody else takes the run up. `on_accepted`
    is called once the request outlives this process, unless it is answered before.
    """

    user: str | None = None  # None: the one of the settings
    run_id: str = ""  # chosen by a door that shows the run; empty: a new one
    on_question: OnQuestion | None = None
    on_approval: OnApproval | None = None
    memory: bool = True
    level: int | None = None
    budget: Budget | None = None
    by_program: bool = False
    keep: bool = True
    fresh: bool = False
    model: str | None = None
    personal: bool = True
    tools: tuple[str, ...] | None = None
    again: bool = False
    retried: bool = False
    on_accepted: OnAccepted | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks for, in their own words, and how they want it done."""

    text: str
    session_id: str
    user: str
    files: tuple[Path, ...] = ()
    run_id: str = ""  # chosen by a door that shows the run; empty: a new one
    memory: bool = True  # False: nothing but this text counts, and nothing of it is recalled
    level: int | None = None  # the maturity a person granted for this task alone
    skill_level: int | None = None  # that of the skill it is done for; it can only lower
    keep: bool = True  # False: no tool is made of it for others
    given_tool: str | None = None  # the tool the person named
    by_program: bool = False  # another agent's words: they pin no rule for the person
    fresh: bool = False  # True: not as the same words were answered before
    model: str | None = None  # the one of the configured models that is asked; None: by role
    personal: bool = True  # False: others read the answer, so what the person told stays out
    tools: tuple[str, ...] | None = None  # the only ones that may run; None: all
    given_arguments: JsonObject | None = None  # for the named tool, instead of what words say
    again: bool = False  # the run was begun before, by a process that ended
    retried: bool = False  # whoever asks asks again by itself

    @property
    def named_files(self) -> dict[str, Path]:
        """The files by the names they have inside the sandbox."""
        return named(self.files)

    def file_hashes(self) -> list[str]:
        """One hash for each file: its name and its content."""
        hashes: list[str] = []
        for name, path in sorted(self.named_files.items()):
            with path.open("rb") as file:
                hashes.append(f"{name}:{hashlib.file_digest(file, 'sha256').hexdigest()}")
        return hashes


def named(files: Iterable[Path]) -> dict[str, Path]:
    """Files by their names; raises `BadRequest` for one that is not there, or a name twice."""
    found: dict[str, Path] = {}
    for path in files:
        if not path.is_file():
            raise BadRequest(f"there is no file {path}", hint="check the path")
        refuse_database(path)
        if path.name in found:
            raise BadRequest(f"two files are called {path.name}", hint="rename one of them")
        found[path.name] = path
    return found
