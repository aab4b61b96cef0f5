"""The texts of each prompt: stored with where they come from and how they did, in force or not.

Prompts in a person's own words, in place of the shipped ones, are checked, versioned, undoable.
"""

import difflib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.core.prompt_versions import (
    SHIPPED_VERSION,
    PromptOrigin,
    PromptScore,
    PromptVersion,
    text_hash,
)
from hammerstone.library.policies import PROMPT, Policies, PolicyDecision
from hammerstone.prompts import read, shipped, shipped_names, shipped_text
from hammerstone.storage import Database

SHIPPED, IN_FORCE = "shipped", "in-force"


@dataclass(frozen=True, slots=True)
class TrialReport:
    """What a text did on cases, before it is kept as a score."""

    suite: str
    model: str
    results: Mapping[str, float]
    seconds: float = 0.0
    tokens: int = 0

    @property
    def score(self) -> float:
        return sum(self.results.values()) / len(self.results) if self.results else 0.0


class PromptShelf:
    """Texts by a prompt's name and a number, `shipped`, or `in-force`."""

    def __init__(self, db: Database, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self.own = OwnPrompts(policies)

    async def versions(self, name: str) -> list[PromptVersion]:
        """The shipped text and every stored one, oldest first; raises `NotFound`."""
        shipped = self._shipped(name)
        await self._take_in(name)
        stored = await self._db.prompts.versions(name)
        return [shipped, *(one for one in stored if one.hash != shipped.hash)]

    async def get(self, name: str, which: str = IN_FORCE) -> PromptVersion:
        """One version; raises `NotFound`."""
        versions = await self.versions(name)
        if which == SHIPPED:
            return versions[0]
        if which == IN_FORCE:
            wanted = text_hash(self.own.text(name))
            return next(one for one in versions if one.hash == wanted)
        found = [one for one in versions if which in (str(one.number), one.hash)]
        if not found:
            hint = f"hammerstone prompts list {name}"
            raise NotFound(f"the prompt {name} has no version {which}", hint=hint)
        return found[0]

    async def add(
        self, name: str, text: str, origin: PromptOrigin, *, parent: str = "", why: str = ""
    ) -> PromptVersion:
        """Keep a text, which is not in force by that; raises `BadRequest` as `check_prompt`."""
        check_prompt(name, text)
        shipped = self._shipped(name)
        if text_hash(text) == shipped.hash:
            return shipped
        now = self._clock.now()
        made = PromptVersion(name, 0, text_hash(text), text, origin, now, parent, why)
        return await self._db.prompts.add(made)

    async def remove(self, name: str, which: str) -> PromptVersion:
        """Take a stored text away, with its scores; not one that is in force or shipped."""
        version = await self.get(name, which)
        if version.number == SHIPPED_VERSION:
            raise BadRequest("the text that came with the package stays")
        if version.hash == text_hash(self.own.text(name)):
            hint = f"hammerstone prompts rollback {name}"
            raise BadRequest(f"version {version.number} is in force", hint=hint)
        await self._db.prompts.delete(name, version.hash)
        return version

    async def keep_score(self, version: PromptVersion, report: TrialReport) -> PromptScore | None:
        """Keep what a text did; None where the text was taken away in the meantime."""
        score = PromptScore(
            id=uuid.uuid4().hex,
            name=version.name,
            hash=version.hash,
            suite=report.suite,
            model=report.model,
            score=report.score,
            at=self._clock.now(),
            results=report.results,
            seconds=report.seconds,
            tokens=report.tokens,
        )
        stored = version.number != SHIPPED_VERSION
        return score if await self._db.prompts.score(score, stored=stored) else None

    async def scores(self, name: str) -> list[PromptScore]:
        """All scores of a prompt's texts, newest first."""
        self._shipped(name)
        return await self._db.prompts.scores(name)

    async def best(
        self, name: str, *, suite: str = "", model: str = ""
    ) -> tuple[PromptVersion, PromptScore] | None:
        """The text with the best score on one suite with one model, the newest where they tie.

        Without a suite or a model, those of the newest score. None where nothing was scored.
        """
        scores = await self.scores(name)
        fitting = [one for one in scores if suite in ("", one.suite) and model in ("", one.model)]
        if not fitting:
            return None
        same = [
            one for one in fitting
            if (one.suite, one.model) == (fitting[0].suite, fitting[0].model)
        ]  # fmt: skip
        latest: dict[str, PromptScore] = {}
        for one in same:
            latest.setdefault(one.hash, one)
        known = {one.hash: one for one in await self.versions(name)}
        found = [one for one in latest.values() if one.hash in known]
        if not found:
            return None
        winner = max(found, key=lambda one: one.score)
        return known[winner.hash], winner

    async def rollback(self, name: str, *, who: str) -> PromptVersion:
        """What was in force before is again; raises `BadRequest` where nothing was."""
        self._shipped(name)
        history = await self._policies.history(PROMPT + name)
        if not history:
            raise BadRequest(f"the prompt {name} was never changed: the shipped text is in force")
        before = history[-2].value if len(history) > 1 else {}
        text = before.get("text") if isinstance(before, dict) else None
        if text is None:
            await self.own.reset(name, who=who)
        else:
            await self.own.set(name, str(text), who=who, why="back to the version before")
        return await self.get(name)

    async def difference(self, name: str, first: str, second: str) -> str:
        """What differs between two versions, line by line."""
        one, two = await self.get(name, first), await self.get(name, second)
        lines = difflib.unified_diff(
            one.text.splitlines(),
            two.text.splitlines(),
            f"{name} {label(one)}",
            f"{name} {label(two)}",
            lineterm="",
        )
        return "\n".join(lines)

    def _shipped(self, name: str) -> PromptVersion:
        if name not in shipped_names():
            raise NotFound(f"there is no prompt {name!r}", hint="hammerstone prompts list")
        text = shipped_text(name)
        now = self._clock.now()
        return PromptVersion(
            name, SHIPPED_VERSION, text_hash(text), text, PromptOrigin.SHIPPED, now
        )

    async def _take_in(self, name: str) -> None:
        """Texts that were put in force before versions were kept, and the one in force now."""
        known = {one.hash for one in await self._db.prompts.versions(name)}
        history = await self._policies.history(PROMPT + name)
        for row in history[-1:] if known else history:
            text = row.value.get("text") if isinstance(row.value, dict) else None
            if text is None or text_hash(str(text)) in known:
                continue
            version = PromptVersion(
                name, 0, text_hash(str(text)), str(text), PromptOrigin.PERSON, row.at, why=row.why
            )
            known.add((await self._db.prompts.add(version)).hash)


def label(version: PromptVersion) -> str:
    """A version in a word: its number, or `shipped`."""
    return str(version.number) if version.number else SHIPPED


async def described(shelf: PromptShelf, name: str) -> list[JsonObject]:
    """Every version with its scores, newest first, as a page or a table shows them."""
    in_force, scores = await shelf.get(name), await shelf.scores(name)
    return [
        {
            **version.to_json(),
            "version": label(version),
            "in_force": version.hash == in_force.hash,
            "scores": [one.to_json() for one in scores if one.hash == version.hash],
        }
        for version in await shelf.versions(name)
    ]


UNMEASURED = "every number in the docs was measured with the shipped text"
CALIBRATED = "how sure an answer is was fitted with the shipped text, and is not with this one"


@dataclass(frozen=True, slots=True)
class OwnPrompts:
    """The prompts in force. Another text is given exactly what the shipped one is given."""

    policies: Policies

    def text(self, name: str) -> str:
        """The text in force; raises `NotFound`."""
        _known(name)
        own = self.policies.stored(PROMPT + name)
        return str(own["text"]) if own else shipped_text(name)

    def is_own(self, name: str) -> bool:
        return bool(self.policies.stored(PROMPT + name))

    async def set(self, name: str, text: str, *, who: str, why: str) -> tuple[str, ...]:
        """Put a text in force; what speaks against it, which does not keep it out.

        Raises `NotFound` for an unknown name, `BadRequest` for a text that is no such prompt.
        """
        check_prompt(name, text)
        against = (UNMEASURED, CALIBRATED) if name == "solve" else (UNMEASURED,)
        await self.policies.put(
            PROMPT + name, {"text": text}, PolicyDecision(who, why, against=against)
        )
        return against

    async def reset(self, name: str, *, who: str) -> None:
        """The shipped text is in force again."""
        _known(name)
        if self.is_own(name):
            decision = PolicyDecision(who, "back to the original text")
            await self.policies.put(PROMPT + name, {}, decision)


def check_prompt(name: str, text: str) -> None:
    """Raise `NotFound` or `BadRequest` unless a text can take the shipped prompt's place."""
    _known(name)
    hint = f"hammerstone prompts show {name}"
    try:
        new, old = read(name, text), shipped(name)
    except ValueError as error:
        raise BadRequest(str(error), hint=hint) from None
    if set(new.given) != set(old.given) or new.parts != old.parts:
        told = f"the prompt {name} is given {', '.join(old.given)}, and nothing else"
        raise BadRequest(told, hint=hint)


def _known(name: str) -> None:
    if name not in shipped_names():
        raise NotFound(f"there is no prompt {name!r}", hint="hammerstone prompts list")
