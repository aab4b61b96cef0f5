"""Edits of a prompt's instructions by chance, as what a search for prompts is held against."""

import random
import re
from collections.abc import Callable, Sequence

from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_edits import checked
from hammerstone.learn.prompting.prompt_trials import Lesson
from hammerstone.prompts import instructions, with_instructions

_SENTENCE = re.compile(r"(?<=[.:;?!])\s+")
Parts = list[str]


class ChanceAuthor:
    """Fulfils `TextAuthor`: one to three edits by chance, whatever went wrong."""

    def __init__(self, name: str, policy: PromptTrackPolicy, seed: int) -> None:
        self._name, self._policy = name, policy
        self._chance = random.Random(seed)

    async def rewrite(self, lessons: Sequence[Lesson]) -> list[str | None]:
        return [self._one(lesson.text) for lesson in lessons]

    def _one(self, text: str) -> str | None:
        parts = _SENTENCE.split(instructions(text))
        for _ in range(self._chance.randint(1, 3)):
            parts = self._chance.choice(_EDITS)(parts, self._chance)
        made = with_instructions(text, " ".join(parts).strip())
        return checked(self._name, text, made, self._policy)


def _drop(parts: Parts, chance: random.Random) -> Parts:
    at = chance.randrange(len(parts))
    return parts[:at] + parts[at + 1 :] if len(parts) > 1 else parts


def _swap(parts: Parts, chance: random.Random) -> Parts:
    first, second = (chance.randrange(len(parts)) for _ in range(2))
    swapped = list(parts)
    swapped[first], swapped[second] = parts[second], parts[first]
    return swapped


def _repeat(parts: Parts, chance: random.Random) -> Parts:
    return [*parts, chance.choice(parts)]


def _thin(parts: Parts, chance: random.Random) -> Parts:
    """One word in eight is left out."""
    thinned = [" ".join(w for w in one.split() if chance.random() > 0.125) for one in parts]
    return [one for one in thinned if one] or parts


_EDITS: tuple[Callable[[Parts, random.Random], Parts], ...] = (_drop, _swap, _repeat, _thin)
