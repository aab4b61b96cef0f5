"""Chains of 2 to 4 starter tools: those of the composites' evaluation and two longer ones."""

import random
import statistics
from typing import Any

from evals.composite_requests import FAMILIES, WORDS, Family
from evals.replaying.need import ReplayNeed
from evals.replaying.starter_needs import roman


def _pairs(rng: random.Random) -> dict[str, Any]:
    return {"text": " ".join(f"{rng.choice(WORDS)} {rng.randint(20, 900)}" for _ in range(3))}


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdigit()]


def _factors(number: int) -> list[int]:
    found, divisor = list[int](), 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found


LONG = (
    Family(
        "mean of a median's factors",
        ("extract_numbers", "median", "prime_factors", "mean"),
        (
            "Extract the numbers from '{text}', then compute the median of them, then find the "
            "prime factors of the result, then calculate the mean of those",
            "Find the numbers in '{text}', then calculate the median of these, then give the prime "
            "factors of it, and finally compute the average of those numbers",
        ),
        _pairs,
        lambda v: statistics.fmean(_factors(int(statistics.median(_numbers(v["text"]))))),
    ),
    Family(
        "a median in Roman numerals",
        ("extract_numbers", "median", "to_roman"),
        (
            "Extract the numbers from '{text}', then compute the median of them, then write the "
            "result in Roman numerals",
            "Find the numbers in '{text}', then calculate the median of these, and finally convert "
            "it to Roman numerals",
        ),
        _pairs,
        lambda v: roman(int(statistics.median(_numbers(v["text"])))),
    ),
)


def _judged(want: Any) -> tuple[str, Any]:
    """How a chain's result is judged: a number, a text, or a list in its order."""
    if isinstance(want, list):
        return "plain", ", ".join(str(one) for one in want)
    return ("plain", want) if isinstance(want, str) else ("number", want)


def _need(family: Family) -> ReplayNeed:
    check, _ = _judged(family.truth(family.draw(random.Random(1))))
    return ReplayNeed(
        family.name,
        tuple(way.replace("{", "{v[").replace("}", "]}") for way in family.ways),
        {"v": family.draw},
        lambda v: _judged(family.truth(v))[1],
        check,
    )


CHAIN_NEEDS: tuple[ReplayNeed, ...] = tuple(_need(one) for one in (*FAMILIES, *LONG))
