"""Who proposes changes of a surface: a model that reads a file, or numbers changed by chance."""

import random
import re
from collections.abc import Sequence
from typing import Protocol

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.seams import Model
from hammerstone.learn.harness.program import HarnessProgram
from hammerstone.learn.harness.source_copy import SourceCopy, SourceEdit
from hammerstone.prompts import load

_BLOCK = re.compile(r"```[a-z]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?![\w.])")
_FACTORS = (0.5, 0.8, 1.25, 2.0)
_SHOWN_CHARS, _TOKENS, _WARM = 7_000, 600, 0.8
_SAMPLES, _TRIES = 4, 3


class EditAuthor(Protocol):
    """Proposes one change at a time; None when it has no more."""

    async def propose(
        self, copy: SourceCopy, program: HarnessProgram, log: Sequence[str]
    ) -> SourceEdit | None: ...


class NumberAuthor:
    """Changes one decimal number of one file by a factor; every number is tried with chance."""

    def __init__(self, paths: Sequence[str], seed: int) -> None:
        self._paths = list(paths)
        self._chance = random.Random(seed)

    async def propose(
        self, copy: SourceCopy, program: HarnessProgram, log: Sequence[str]
    ) -> SourceEdit | None:
        places = [
            (path, found.span())
            for path in self._paths
            for found in _DECIMAL.finditer(copy.text(path) or "")
        ]
        if not places:
            return None
        path, (start, end) = self._chance.choice(places)
        text = copy.text(path) or ""
        old = text[start:end]
        new = f"{float(old) * self._chance.choice(_FACTORS):.4f}"
        line = text.count("\n", 0, start) + 1
        return SourceEdit(
            path, text[:start] + new + text[end:], f"line {line}: {old} becomes {new}"
        )


class ModelAuthor:
    """A model that is shown one file of the surface at a time and names lines to replace.

    Each time several changes are asked for, and the first that can be made and was not proposed
    before is taken; a small model often names lines that are not there. `unusable` counts replies
    without such a change.
    """

    def __init__(self, model: Model, paths: Sequence[str]) -> None:
        self._model = model
        self._paths = list(paths)
        self._asked = 0
        self._proposed: set[tuple[str, str]] = set()
        self.unusable = 0

    async def propose(
        self, copy: SourceCopy, program: HarnessProgram, log: Sequence[str]
    ) -> SourceEdit | None:
        readable = [path for path in self._paths if 0 < len(copy.text(path) or "") <= _SHOWN_CHARS]
        for _ in range(_TRIES if readable else 0):
            path = readable[self._asked % len(readable)]
            self._asked += 1
            for reply in await self._replies(path, copy, program, log):
                edit = said_edit(reply, path, copy.text(path) or "")
                if edit is not None and (path, edit.text) not in self._proposed:
                    self._proposed.add((path, edit.text))
                    return edit
                self.unusable += 1
        return None

    async def _replies(
        self, path: str, copy: SourceCopy, program: HarnessProgram, log: Sequence[str]
    ) -> list[str]:
        prompt = Prompt(
            load("experiment").fill(
                goal=program.goal,
                notes=program.notes,
                path=path,
                text=copy.text(path) or "",
                log="\n".join(log[-5:]) or "none yet",
            ),
            max_tokens=_TOKENS,
            temperature=_WARM,
            samples=_SAMPLES,
            seed=self._asked,
            purpose="experiment",
        )
        try:
            return [one.text for one in (await self._model.complete(prompt)).samples]
        except ModelNonsense:
            return []


def said_edit(reply: str, path: str, text: str) -> SourceEdit | None:
    """The change in a reply: a block with old lines, a block with new ones.

    The old lines are found once in the file, whatever their indentation in the reply.
    """
    blocks = _BLOCK.findall(reply)
    if len(blocks) < 2:
        return None
    old, new = (block.strip("\n").split("\n") for block in blocks[:2])
    lines = text.split("\n")
    wanted = [line.strip() for line in old]
    places = [
        at
        for at in range(len(lines) - len(old) + 1)
        if [line.strip() for line in lines[at : at + len(old)]] == wanted
    ]
    if len(places) != 1 or not any(wanted) or wanted == [line.strip() for line in new]:
        return None
    (at,) = places
    moved = _moved(new, _indent(lines[at]) - _indent(old[0]))
    title = reply.split("```")[0].strip().split("\n")[0][:200] or "a change of some lines"
    return SourceEdit(path, "\n".join([*lines[:at], *moved, *lines[at + len(old) :]]), title)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _moved(lines: Sequence[str], by: int) -> list[str]:
    """Lines further to the right, or to the left as far as they are blank there."""
    return [" " * max(0, _indent(line) + by) + line.lstrip() for line in lines]


class Authors:
    """Several authors in turn; one that has nothing to propose is passed over."""

    def __init__(self, authors: Sequence[EditAuthor]) -> None:
        self._authors = list(authors)

    async def propose(
        self, copy: SourceCopy, program: HarnessProgram, log: Sequence[str]
    ) -> SourceEdit | None:
        for author in self._authors:
            edit = await author.propose(copy, program, log)
            if edit is not None:
                return edit
        return None
