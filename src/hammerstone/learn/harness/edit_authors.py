"""Who proposes changes of a surface: a model that reads a file, or numbers changed by chance.

For settings, a surface without code: numbers of one policy, or a prompt's text.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import BadRequest, ModelNonsense
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Model
from hammerstone.learn.evolution.tracks.constraints import PROTECTED
from hammerstone.learn.evolution.tracks.track import CaseScore, TrackCase, Trial
from hammerstone.learn.harness.program import HarnessProgram
from hammerstone.learn.harness.source_copy import SourceCopy, SourceEdit
from hammerstone.learn.prompting.prompt_trials import Lesson, TrialCase, TrialScore
from hammerstone.learn.prompting.rewriter import TextAuthor
from hammerstone.library.policies import Policies
from hammerstone.library.policies.policy_changes import range_of
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


_KNOB = re.compile(r"(?<![\w./])([a-z_]+)\.([a-z_]+)(?![\w/])")
_SETTING_TRIES = 20


@dataclass(frozen=True, slots=True)
class SettingEdit:
    """The whole trial with one change more, and what the change is in words."""

    trial: Trial
    path: str
    title: str


class SettingAuthor(Protocol):
    """Proposes one change at a time; None when it has no more."""

    async def propose(self, kept: Trial, scores: Sequence[CaseScore]) -> SettingEdit | None: ...


class PolicyAuthor:
    """Changes one number or switch of a policy by chance, within its bounds, never twice alike."""

    def __init__(self, policies: Policies, policy: str, fields: Sequence[str], seed: int) -> None:
        self.policy, self._fields = policy, list(fields)
        self._kind = policies.kind_named(policy)
        self._present = policies.values_of(policy)
        self._chance = random.Random(seed)
        self._proposed: set[tuple[str, Json]] = set()

    async def propose(self, kept: Trial, scores: Sequence[CaseScore]) -> SettingEdit | None:
        now: JsonObject = dict(kept.policies.get(self.policy, {}))
        for _ in range(_SETTING_TRIES):
            field = self._chance.choice(self._fields)
            old = now.get(field, self._present[field])
            new = self._other(field, old)
            if new != old and (field, new) not in self._proposed:
                self._proposed.add((field, new))
                trial = replace(kept, policies={self.policy: {**now, field: new}})
                path = f"{self.policy}.{field}"
                return SettingEdit(trial, path, f"{old} becomes {new}")
        return None

    def _other(self, field: str, old: Json) -> Json:
        if isinstance(old, bool):
            return not old
        assert isinstance(old, int | float)
        low, high = range_of(self._kind, field)
        moved = min(high, max(low, (old or 1) * self._chance.choice(_FACTORS)))
        return round(moved) if isinstance(old, int) else round(moved, 4)


class PromptTextAuthor:
    """Has the text of one prompt written anew, by what went wrong with the present one."""

    def __init__(
        self, prompt: str, text: str, author: TextAuthor, cases: Sequence[TrackCase]
    ) -> None:
        self.prompt, self._text, self._author = prompt, text, author
        self._cases = {case.id: TrialCase(case.id, case.request) for case in cases}
        self._proposed = {text}

    async def propose(self, kept: Trial, scores: Sequence[CaseScore]) -> SettingEdit | None:
        now = kept.prompts.get(self.prompt, self._text)
        # Without right replies: as an example each would answer the case that it is tried on.
        tried = tuple(
            (self._cases[one.case], TrialScore(one.case, one.score, one.given, one.reason))
            for one in scores
            if one.case in self._cases
        )
        for _ in range(_SETTING_TRIES):
            (made,) = await self._author.rewrite([Lesson(now, tried)])
            if made is not None and made not in self._proposed:
                self._proposed.add(made)
                trial = replace(kept, prompts={self.prompt: made})
                return SettingEdit(trial, f"prompt/{self.prompt}", "another text")
        return None


def named_fields(program: HarnessProgram, policies: Policies) -> tuple[str, list[str]]:
    """The policy and the fields that the notes of a program name (`fit.high`); raises
    `BadRequest` where they name none, fields of several policies, or what no score buys."""
    known = {kind.name for kind in policies.kinds}
    named = [(one, field) for one, field in _KNOB.findall(program.notes) if one in known]
    if not named:
        raise BadRequest(
            "program.md names no number of a policy",
            hint="for example fit.high, after a blank line",
        )
    policy = named[0][0]
    if any(one != policy for one, _ in named):
        raise BadRequest("program.md names several policies; one at a time can be tried")
    if policy in PROTECTED:
        raise BadRequest(
            f"the policy {policy} may not be changed: it belongs to what no score buys"
        )
    values = policies.values_of(policy)
    fields = list(dict.fromkeys(field for _, field in named))
    for field in fields:
        if field not in values:
            raise BadRequest(f"the policy {policy} has no {field}", hint=", ".join(values))
        if not isinstance(values[field], bool | int | float):
            raise BadRequest(f"{policy}.{field} is neither a number nor a switch")
    return policy, fields
