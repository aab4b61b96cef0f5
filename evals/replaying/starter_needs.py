"""Needs that a starter tool answers, in three wordings each, with truth computed without any tool."""

# fmt: off
import datetime
import math
import random
import statistics

from evals.replaying.family_needs import WORDS
from evals.replaying.need import ReplayNeed, pick, several, whole, words

_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def _date(rng: random.Random) -> str:
    return (datetime.date(2023, 1, 1) + datetime.timedelta(days=rng.randrange(1400))).isoformat()


def _later(rng: random.Random) -> tuple[str, str]:
    first = datetime.date.fromisoformat(_date(rng))
    return first.isoformat(), (first + datetime.timedelta(days=rng.randint(3, 600))).isoformat()


def _days(span: tuple[str, str]) -> int:
    first, last = (datetime.date.fromisoformat(one) for one in span)
    return (last - first).days


def _plus(day: str, n: int) -> str:
    return (datetime.date.fromisoformat(day) + datetime.timedelta(days=n)).isoformat()


def _payment(p: int, r: float, m: int) -> float:
    rate = r / 1200
    return round(p * rate / (1 - (1 + rate) ** -m), 2)


def _yes(true: bool) -> list[str]:
    return ["true", "yes"] if true else ["false", "no"]


STARTER_NEEDS: tuple[ReplayNeed, ...] = (
    ReplayNeed("percentage_of", ("What is {p} percent of {n}?", "How much is {p}% of {n}?", "Calculate {p} percent of {n}"),
               {"p": whole(2, 60), "n": whole(40, 900, 5)}, lambda p, n: p * n / 100),
    ReplayNeed("what_percent", ("What percent of {n} is {p}?", "{p} is what percentage of {n}?", "Which percentage of {n} does {p} make?"),
               {"p": whole(10, 200), "n": whole(200, 900, 10)}, lambda p, n: p / n * 100),
    ReplayNeed("mean", ("What is the mean of {xs}?", "Average of {xs}", "Calculate the arithmetic mean of {xs!r}"),
               {"xs": several(3, 90, 4, 6)}, lambda xs: statistics.fmean(xs)),
    ReplayNeed("standard_deviation", ("Standard deviation of {xs}", "What is the sample standard deviation of {xs}?", "How far do {xs} spread: what is their standard deviation?"),
               {"xs": several(3, 90, 5, 6)}, lambda xs: statistics.stdev(xs)),
    ReplayNeed("gcd", ("What is the greatest common divisor of {a} and {b}?", "GCD of {a} and {b}", "Find the greatest common divisor of {a}, {b}"),
               {"a": whole(12, 400, 4), "b": whole(12, 400, 6)}, lambda a, b: math.gcd(a, b)),
    ReplayNeed("lcm", ("What is the least common multiple of {a} and {b}?", "LCM of {a} and {b}", "Find the least common multiple of {a}, {b}"),
               {"a": whole(4, 60), "b": whole(4, 60)}, lambda a, b: math.lcm(a, b)),
    ReplayNeed("is_prime", ("Is {n} a prime number?", "Is {n} prime?", "Tell me whether {n} is a prime"),
               {"n": whole(101, 4999, 2)}, lambda n: _yes(all(n % d for d in range(2, math.isqrt(n) + 1))), "plain"),
    ReplayNeed("to_roman", ("Write {n} in Roman numerals", "What is {n} as a Roman numeral?", "Convert {n} to Roman numerals"),
               {"n": whole(20, 3900)}, lambda n: roman(n), "plain"),
    ReplayNeed("days_between", ("How many days are between {s[0]} and {s[1]}?", "Days from {s[0]} to {s[1]}", "How many days is it from {s[0]} until {s[1]}?"),
               {"s": _later}, lambda s: _days(s)),
    ReplayNeed("add_days", ("What date is {n} days after {d}?", "Add {n} days to {d}", "Which date comes {n} days after {d}?"),
               {"d": _date, "n": whole(3, 300)}, lambda d, n: _plus(d, n), "plain"),
    ReplayNeed("miles", ("Convert {n} miles to km", "How many kilometres are {n} miles?", "What is {n} miles in km?"),
               {"n": whole(3, 400)}, lambda n: round(n * 1.609344, 4)),
    ReplayNeed("fahrenheit", ("How much is {n} degrees Fahrenheit in Celsius?", "Convert {n} fahrenheit to celsius", "What is {n} °F in °C?"),
               {"n": whole(20, 220)}, lambda n: round((n - 32) / 1.8, 4)),
    ReplayNeed("pounds", ("Convert {n} pounds to kg", "How many kilograms are {n} pounds?", "What is {n} lb in kg?"),
               {"n": whole(3, 400)}, lambda n: round(n * 0.45359237, 4)),
    ReplayNeed("count_words", ("How many words are in '{t}'?", "Count the words in '{t}'", "What is the number of words in '{t}'?"),
               {"t": words(3, 9, WORDS)}, lambda t: len(t.split())),
    ReplayNeed("slugify", ("Make a URL slug of '{t}'", "Turn '{t}' into a slug for a web address", "What is the URL slug for '{t}'?"),
               {"t": lambda rng: words(3, 5, WORDS)(rng).title()}, lambda t: "-".join(t.lower().split()), "plain"),
    ReplayNeed("reverse_text", ("Reverse the text '{t}'", "Spell '{t}' backwards", "Write '{t}' backwards"),
               {"t": words(1, 3, WORDS)}, lambda t: t[::-1], "plain"),
    ReplayNeed("circle_area", ("What is the area of a circle with radius {r}?", "Area of a circle of radius {r}", "How large is a circle with a radius of {r}?"),
               {"r": whole(2, 60)}, lambda r: round(math.pi * r * r, 4)),
    ReplayNeed("loan", ("Monthly payment of a {p} loan at {r} percent over {m} months", "What is the monthly payment for a loan of {p} at {r}% over {m} months?", "I borrow {p} at {r} percent for {m} months. What do I pay each month?"),
               {"p": whole(5000, 90000, 1000), "r": pick(2.5, 3.5, 4.5, 6), "m": whole(24, 240, 12)}, lambda p, r, m: _payment(p, r, m)),
    ReplayNeed("tax", ("What is {p} plus {t} percent tax?", "A net price of {p} with {t}% VAT on top: what is the gross price?", "Add {t} percent VAT to a price of {p}"),
               {"p": whole(20, 900), "t": pick(5, 7, 19, 20, 21)}, lambda p, t: round(p * (1 + t / 100), 2)),
    ReplayNeed("off", ("What does something cost at {p} with {t} percent off?", "Price of {p} after a {t}% discount", "A price of {p} is reduced by {t} percent. What is the new price?"),
               {"p": whole(20, 900), "t": pick(5, 10, 15, 25, 30)}, lambda p, t: round(p * (1 - t / 100), 2)),
)
