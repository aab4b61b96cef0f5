"""Who proposes settings, a surface without code: numbers of one policy, or a prompt's text."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.evolution.tracks.constraints import PROTECTED
from hammerstone.learn.evolution.tracks.track import CaseScore, TrackCase, Trial
from hammerstone.learn.harness.program import HarnessProgram
from hammerstone.learn.prompting.prompt_trials import Lesson, TrialCase, TrialScore
from hammerstone.learn.prompting.rewriter import TextAuthor
from hammerstone.library.policies import Policies
from hammerstone.library.policies.policy_changes import range_of

_KNOB = re.compile(r"(?<![\w./])([a-z_]+)\.([a-z_]+)(?![\w/])")
_FACTORS = (0.5, 0.8, 1.25, 2.0)
_TRIES = 20


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
        for _ in range(_TRIES):
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
        for _ in range(_TRIES):
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
