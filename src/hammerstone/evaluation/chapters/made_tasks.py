"""Questions by seeded script, each with its answer by a program: tasks to make a tool for.

In the style of "Large Language Models as Tool Makers" (Cai et al., 2023): three questions with
their answers show what is wanted, others are answered with the tool that was made of them.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SHOWN = 3  # questions with answers
_WORDS = (
    "oven", "costume", "counterpart", "syndrome", "therefrom", "thunder", "embargo", "quantum",
    "barrel", "meadow", "hollow", "ribbon", "canyon", "velvet", "anchor", "cinder", "lantern",
    "marble", "orchard", "pepper", "quarry", "saddle", "timber", "walnut", "yonder", "zephyr",
)  # fmt: skip
_PRIMES = (3, 4, 5, 7, 11, 13)  # no two share a factor
_HALF_HOURS = tuple(f"{hour:02}:{minute:02}" for hour in range(9, 19) for minute in (0, 30))[:19]


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question, and a row that `check.py` of the requests judges answers by."""

    id: str
    text: str
    check: str
    want: Any

    @property
    def row(self) -> Mapping[str, Any]:
        return {"id": self.id, "q": self.text, "check": self.check, "want": self.want}


@dataclass(frozen=True, slots=True)
class MadeTask:
    """A task of the paper; `published` is the share right with GPT-4 as maker, GPT-3.5 as user."""

    name: str
    about: str
    draw: Callable[[random.Random], tuple[str, str, Any]]
    published: float

    def questions(self, count: int, seed: int = 22) -> list[MadeQuestion]:
        """`count` different questions, always the same ones."""
        rng = random.Random(f"{self.name} {seed}")
        found: dict[str, MadeQuestion] = {}
        while len(found) < count:
            text, check, want = self.draw(rng)
            found.setdefault(text, MadeQuestion(f"{self.name}-{len(found)}", text, check, want))
        return list(found.values())


def _word_sorting(rng: random.Random) -> tuple[str, str, Any]:
    words = rng.sample(_WORDS, rng.randint(4, 9))
    text = f"Sort the following words alphabetically: List: {' '.join(words)}"
    return text, "words", sorted(words)


def _chinese_remainder(rng: random.Random) -> tuple[str, str, Any]:
    groups = sorted(rng.sample(_PRIMES, 3))
    most = groups[0] * groups[1] * groups[2]
    number = rng.randint(1, most)
    left = [number % size for size in groups]
    parts = [
        f"{rest} left over when grouped by {size}" for size, rest in zip(groups, left, strict=True)
    ]
    text = (
        f"There is a basket of at most {most} durians. There are {', '.join(parts[:-1])} and "
        f"{parts[-1]}. How many durians are in the basket?"
    )
    return text, "number", float(next(n for n in range(1, most + 1) if _leaves(n, groups, left)))


def _leaves(number: int, groups: Sequence[int], left: Sequence[int]) -> bool:
    return all(number % size == rest for size, rest in zip(groups, left, strict=True))


def _schedule_meeting(rng: random.Random) -> tuple[str, str, Any]:
    while True:
        length = rng.choice((1, 2, 3))  # half hours
        free = [sorted(rng.sample(range(18), rng.randint(9, 14))) for _ in range(2)]
        both = set(free[0]) & set(free[1])
        starts = [at for at in range(18) if all(at + step in both for step in range(length))]
        if starts:
            break
    names = (" and ".join(_spans(one)) for one in free)
    begin, end = _HALF_HOURS[starts[0]], _HALF_HOURS[starts[0] + length]
    text = (
        f"A and B want to schedule a {length / 2:g}-hour meeting together. A is free at "
        f"{next(names)}; B is free at {next(names)}. What is the earliest time for them to meet, "
        "as HH:MM - HH:MM?"
    )
    return text, "slot", f"{begin} - {end}"


def _spans(slots: list[int]) -> list[str]:
    """Half hours that follow each other, as times from and to."""
    found: list[list[int]] = []
    for slot in slots:
        if found and found[-1][1] == slot:
            found[-1][1] = slot + 1
        else:
            found.append([slot, slot + 1])
    return [f"{_HALF_HOURS[begin]} - {_HALF_HOURS[end]}" for begin, end in found]


PAPER = "LATM, GPT-4 and GPT-3.5, arXiv 2305.17126"
TASKS = (
    MadeTask("word_sorting", "sorts a list of words alphabetically", _word_sorting, 0.983),
    MadeTask("chinese_remainder", "finds how many things there are, from what is left over when "
             "they are grouped", _chinese_remainder, 1.0),
    MadeTask("schedule_meeting", "finds the earliest time at which two people are both free for a "
             "meeting", _schedule_meeting, 1.0),
)  # fmt: skip
