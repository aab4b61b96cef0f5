"""A need of the replay: how people ask for it, values for it, and the program that is right."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Values = dict[str, Any]
Maker = Callable[[random.Random], Any]


class Series(list[Any]):
    """A list as people write it: `{xs}` gives 3, 5, 9 and `{xs!r}` gives [3, 5, 9]."""

    def __str__(self) -> str:
        return ", ".join(str(one) for one in self)

    def __format__(self, spec: str) -> str:
        return str(self)


@dataclass(frozen=True)
class ReplayNeed:
    """What people want again and again. `truth` takes the values by name.

    `check` is how the result is judged (`number`, or `plain` for a text), as in the data's
    `check.py`.
    """

    name: str
    wordings: tuple[str, ...]
    makers: Mapping[str, Maker]
    truth: Callable[..., Any]
    check: str = "number"

    def draw(self, rng: random.Random) -> Values:
        return {name: make(rng) for name, make in self.makers.items()}

    def text(self, values: Values, wording: int) -> str:
        return self.wordings[wording].format(**values)

    def row(self, values: Values) -> dict[str, Any]:
        """What the data's `is_right` judges by."""
        want = self.truth(**values)
        if self.check == "number":
            return {"check": "number", "want": float(want)}
        return {"check": "plain", "want": want if isinstance(want, list) else [want]}


def whole(low: int, high: int, step: int = 1) -> Maker:
    return lambda rng: rng.randrange(low, high + 1, step)


def pick(*choices: Any) -> Maker:
    return lambda rng: rng.choice(choices)


def several(low: int, high: int, least: int, most: int) -> Maker:
    """Different whole numbers."""
    return lambda rng: Series(rng.sample(range(low, high + 1), rng.randint(least, most)))


def words(least: int, most: int, pool: tuple[str, ...]) -> Maker:
    return lambda rng: " ".join(rng.sample(pool, rng.randint(least, most)))
