"""Edits of a prompt's instructions by chance, as what a search for prompts is held against."""

import random
import re
from collections.abc import Callable

from hammerstone.prompts import instructions, with_instructions

_SENTENCE = re.compile(r"(?<=[.:;?!])\s+")
Parts = list[str]


def random_texts(text: str, count: int, seed: int = 11) -> list[str]:
    """`count` different texts, each with one to three edits of the instructions."""
    chance = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < count:
        parts = _SENTENCE.split(instructions(text))
        for _ in range(chance.randint(1, 3)):
            parts = chance.choice(_EDITS)(parts, chance)
        new = " ".join(parts).strip()
        if new and new != instructions(text):
            made[with_instructions(text, new)] = None
    return list(made)


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
