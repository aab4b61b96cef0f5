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
_SHOWN_CHARS, _TOKENS, _WARM = 6_000, 900, 0.8


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
    """A model that is shown one file of the surface at a time and names lines to replace."""

    def __init__(self, model: Model, paths: Sequence[str]) -> None:
        self._model = model
        self._paths = list(paths)
        self._asked = 0

    async def propose(
        self, copy: SourceCopy, program: HarnessProgram, log: Sequence[str]
    ) -> SourceEdit | None:
        readable = [path for path in self._paths if 0 < len(copy.text(path) or "") <= _SHOWN_CHARS]
        if not readable:
            return None
        path = readable[self._asked % len(readable)]
        self._asked += 1
        text = copy.text(path) or ""
        prompt = Prompt(
            load("experiment").fill(
                goal=program.goal,
                notes=program.notes,
                path=path,
                text=text,
                log="\n".join(log[-5:]) or "none yet",
            ),
            max_tokens=_TOKENS,
            temperature=_WARM,
            seed=self._asked,
            purpose="experiment",
        )
        try:
            reply = await self._model.complete(prompt)
        except ModelNonsense:
            return None
        return said_edit(reply.text, path, text)


def said_edit(reply: str, path: str, text: str) -> SourceEdit | None:
    """The change in a reply: a block with old lines, a block with new ones."""
    blocks = _BLOCK.findall(reply)
    if len(blocks) < 2:
        return None
    old, new = blocks[0].strip("\n"), blocks[1].strip("\n")
    if not old.strip() or old == new or text.count(old) != 1:
        return None
    title = reply.split("```")[0].strip().split("\n")[0][:200] or "a change of some lines"
    return SourceEdit(path, text.replace(old, new), title)


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
