"""Requests of several steps for evals/composites.py: how people ask for a chain, in two ways each.

Every family is a chain of starter tools. `ways` are templates for the same chain in other words;
the first is what people use while the pattern is learned, both are asked afterwards with values
that nobody has seen. `truth` computes what is right without any tool.
"""

import random
import statistics
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

WORDS = [
    "amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "hazel", "iris", "jade",
    "koala", "lemon", "maple", "nutmeg", "olive", "pearl", "quartz", "raven",
]  # fmt: skip


@dataclass(frozen=True)
class Family:
    """Requests that one chain of tools answers; `draw` makes the values of one of them."""

    name: str
    tools: tuple[str, ...]
    ways: tuple[str, ...]
    draw: Callable[[random.Random], dict[str, Any]]
    truth: Callable[[dict[str, Any]], Any]

    def request(self, values: dict[str, Any], way: int) -> str:
        return self.ways[way].format(**values)


def _text(rng: random.Random) -> dict[str, Any]:
    return {"text": " ".join(rng.choices(WORDS, k=rng.randint(3, 8))).title()}


def _word(rng: random.Random) -> str:
    return rng.choice(WORDS)


def _mixed(rng: random.Random) -> dict[str, Any]:
    return {"text": " ".join(f"{rng.choice(WORDS)} {rng.randint(2, 90)}" for _ in range(4))}


def _numbers_in(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdigit()]


def _day(rng: random.Random) -> dict[str, Any]:
    start = date(2024, 1, 1) + timedelta(days=rng.randint(0, 800))
    return {"start": start.isoformat(), "days": rng.randint(3, 300)}


def _two_days(rng: random.Random) -> dict[str, Any]:
    start = date(2024, 1, 1) + timedelta(days=rng.randint(0, 300))
    return {
        "start": start.isoformat(),
        "end": (start + timedelta(days=rng.randint(2, 900))).isoformat(),
    }


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(plain.lower().split())


def _moved(text: str, shift: int) -> str:
    def letter(one: str) -> str:
        if not one.isalpha():
            return one
        base = ord("a") if one.islower() else ord("A")
        return chr((ord(one) - base + shift) % 26 + base)

    return "".join(map(letter, text))


def _weekday(day: date) -> str:
    names = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
    return names.split()[day.weekday()]


def _factors(number: int) -> list[int]:
    found, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found


FAMILIES: tuple[Family, ...] = (
    Family(
        "mean of the numbers in a text",
        ("extract_numbers", "mean"),
        (
            "Extract the numbers from '{text}', then calculate the mean of them",
            "Get all the numbers out of '{text}' and then find the average of those numbers",
        ),
        _mixed,
        lambda v: statistics.fmean(_numbers_in(v["text"])),
    ),
    Family(
        "median of the numbers in a text",
        ("extract_numbers", "median"),
        (
            "Extract the numbers in '{text}', then compute the median of these",
            "Find the numbers in '{text}' and after that determine their median",
        ),
        _mixed,
        lambda v: statistics.median(_numbers_in(v["text"])),
    ),
    Family(
        "slug of a text backwards",
        ("reverse_text", "slugify"),
        (
            "Reverse the text '{text}', then make a URL slug from it",
            "Spell '{text}' backwards and then turn that into a slug for a web address",
        ),
        _text,
        lambda v: _slug(v["text"][::-1]),
    ),
    Family(
        "weekday after some days",
        ("add_days", "weekday_name"),
        (
            "Add {days} days to {start}, then tell me which day of the week that date is",
            "What date is {days} days after {start}? Then give the weekday of it",
        ),
        _day,
        lambda v: _weekday(date.fromisoformat(v["start"]) + timedelta(days=v["days"])),
    ),
    Family(
        "factors of the days between",
        ("days_between", "prime_factors"),
        (
            "How many days are there between {start} and {end}? Then find the prime factors of it",
            "Calculate the days from {start} to {end}, then give the prime factors of the result",
        ),
        _two_days,
        lambda v: _factors((date.fromisoformat(v["end"]) - date.fromisoformat(v["start"])).days),
    ),
    Family(
        "backwards and shifted",
        ("reverse_text", "caesar_cipher"),
        (
            "Reverse the text '{text}', then encode it with a Caesar shift of {shift}",
            "Spell '{text}' backwards, then encrypt that with a Caesar cipher shift of {shift}",
        ),
        lambda rng: {**_text(rng), "shift": rng.randint(1, 20)},
        lambda v: _moved(v["text"][::-1], v["shift"]),
    ),
    Family(
        "factors of a word count",
        ("count_words", "prime_factors"),
        (
            "Count the words in '{text}', then find the prime factors of the result",
            "How many words are in '{text}'? Then give the prime factors of that number",
        ),
        lambda rng: {"text": " ".join(rng.choices(WORDS, k=rng.choice([4, 6, 8, 9, 10, 12])))},
        lambda v: _factors(len(v["text"].split())),
    ),
    Family(
        "a median's factors",
        ("extract_numbers", "median", "prime_factors"),
        (
            "Extract the numbers from '{text}', then compute the median of them, then find the "
            "prime factors of the result",
            "Find the numbers in '{text}', then calculate the median of these, and finally give "
            "the prime factors of it",
        ),
        lambda rng: {"text": " ".join(f"{_word(rng)} {rng.randint(2, 90)}" for _ in range(3))},
        lambda v: _factors(int(statistics.median(_numbers_in(v["text"])))),
    ),
)
