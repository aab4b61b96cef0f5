"""A need: what a person may want, the words for it, values for it, and the program that is right."""

import datetime
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Maker = Callable[[random.Random], Any]


class Listed(list[Any]):
    """A list that reads as people write it: `{xs}` gives 3, 5, 9 and `{xs!r}` gives [3, 5, 9]."""

    def __str__(self) -> str:
        return ", ".join(str(one) for one in self)


@dataclass(frozen=True, slots=True)
class Need:
    """`answer` takes the values by name; `wordings` are filled with them."""

    name: str
    field: str
    values: Mapping[str, Maker]
    answer: Callable[..., Any]
    wordings: tuple[str, ...]

    def draw(self, chance: random.Random) -> dict[str, Any]:
        return {name: make(chance) for name, make in self.values.items()}


class Collection:
    """The needs of one field, in the order they were added."""

    def __init__(self, field: str) -> None:
        self.field = field
        self.needs: list[Need] = []

    def add(
        self, name: str, values: Mapping[str, Maker], answer: Callable[..., Any], *wordings: str
    ) -> None:
        self.needs.append(Need(name, self.field, values, answer, wordings))


def whole(low: int, high: int, step: int = 1) -> Maker:
    return lambda chance: chance.randrange(low, high + 1, step)


def amount(low: float, high: float, decimals: int = 2) -> Maker:
    """A number with decimals that are not all zero."""

    def make(chance: random.Random) -> float:
        value = round(chance.uniform(low, high), decimals)
        return value if value != int(value) else round(value + 10**-decimals, decimals)

    return make


def pick(*choices: Any) -> Maker:
    return lambda chance: chance.choice(choices)


def several(make: Maker, low: int, high: int, *, distinct: bool = False) -> Maker:
    def makes(chance: random.Random) -> Listed:
        count, found = chance.randint(low, high), Listed()
        for _ in range(200):
            one = make(chance)
            if len(found) < count and not (distinct and one in found):
                found.append(one)
        return found

    return makes


def day(first: int = 1985, last: int = 2030) -> Maker:
    """A date as YYYY-MM-DD."""
    begin = datetime.date(first, 1, 1).toordinal()
    end = datetime.date(last, 12, 31).toordinal()
    return lambda chance: datetime.date.fromordinal(chance.randint(begin, end)).isoformat()


def clock(low: int = 0, high: int = 23) -> Maker:
    return lambda chance: f"{chance.randint(low, high):02d}:{chance.randint(0, 59):02d}"


_WORDS = (
    "anchor apple autumn badge banana barrel beacon bicycle blanket bottle branch bridge "
    "bucket butter cabin camera canyon carpet castle cherry circle cloud coffee copper "
    "corner cotton cousin cradle cricket desert doctor eagle engine fabric falcon feather "
    "fiddle finger flower fountain garden ginger glacier granite guitar hammer honey island "
    "jacket kettle kitchen ladder lemon lizard magnet marble market mirror monkey mountain "
    "museum napkin nutmeg ocean olive orange oxygen paddle palace pencil pigeon planet "
    "pocket potato puzzle rabbit river rocket saddle salmon school shadow signal spider "
    "spring stable station summer sunset table temple thunder ticket tomato tractor tunnel "
    "turtle valley village violin walnut window winter"
)
WORDS = tuple(_WORDS.split())
NAMES = ("Mara", "Theo", "Nadia", "Oscar", "Priya", "Leon", "Sofia", "Yusuf", "Klara", "Mateo")
NAMES += ("Ruth", "Viktor", "Wanda", "Zoe", "Pablo", "Ming", "Tariq", "Ursula", "Nils", "Olga")


def word() -> Maker:
    return pick(*WORDS)


def name() -> Maker:
    return pick(*NAMES)


def phrase(low: int = 3, high: int = 6) -> Maker:
    return lambda chance: " ".join(chance.sample(WORDS, chance.randint(low, high)))


def record(keys: Maker, values: Maker, low: int, high: int) -> Maker:
    """An object with several keys."""

    def make(chance: random.Random) -> dict[str, Any]:
        count, found = chance.randint(low, high), dict[str, Any]()
        while len(found) < count:
            found[keys(chance)] = values(chance)
        return found

    return make


class Table(str):
    """Lines of comma-separated values, a text."""

    __slots__ = ()


def table(head: str, *columns: Maker, low: int = 4, high: int = 7) -> Maker:
    """A table; the first column's values differ."""

    def make(chance: random.Random) -> Table:
        first = several(columns[0], low, high, distinct=True)(chance)
        lines = [",".join([str(one), *(str(c(chance)) for c in columns[1:])]) for one in first]
        return Table("\n".join([head, *lines]))

    return make


def rows_of(text: str) -> list[dict[str, str]]:
    head, *lines = text.split("\n")
    return [dict(zip(head.split(","), line.split(","), strict=True)) for line in lines]
