"""The 24 needs of `requests/families.jsonl` with programs for their truth.

The first wordings of each are the file's own; those after them were written for this replay, so
that there is something to paraphrase.
"""

# fmt: off
import datetime
import math
import random
import re
import statistics
from itertools import pairwise

from evals.replaying.need import Maker, ReplayNeed, Series, pick, several, whole, words

WORDS = ("quarry", "yellow", "meadow", "pepper", "ember", "jungle", "velvet", "ribbon", "timber", "harbor", "forest",
         "dragon", "candle", "silver", "willow", "basket", "orchard", "amber", "needle", "lantern", "zebra")  # fmt: skip
NAMES = ("Ann", "Bob", "Carla", "Dev", "Elif", "Femi", "Greta", "Hugo", "Ines", "Jack")


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _span(low: int, high: int) -> Maker:
    """Begin and end of something in minutes of a day."""
    def make(rng: random.Random) -> tuple[str, str]:
        begin = rng.randrange(low, high, 5)
        return _clock(begin), _clock(begin + rng.randrange(35, 105, 5))
    return make


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _overlap(a: tuple[str, str], b: tuple[str, str]) -> int:
    begin, end = max(_minutes(a[0]), _minutes(b[0])), min(_minutes(a[1]), _minutes(b[1]))
    return max(0, end - begin)


def _digits(count: int) -> Maker:
    return lambda rng: "".join(rng.choice("0123456789") for _ in range(count))


def _day(rng: random.Random) -> str:
    return (datetime.date(2026, 1, 1) + datetime.timedelta(days=rng.randrange(365))).isoformat()


def _camel(rng: random.Random) -> str:
    first, *rest = rng.sample(WORDS, 3)
    return first + "".join(one.title() for one in rest)


def _table(rng: random.Random) -> str:
    rows = zip(rng.sample(NAMES, 4), rng.sample(range(20, 99), 4), strict=True)
    return "\n".join(["name,points", *(f"{name},{points}" for name, points in rows)])


def _most(table: str) -> str:
    return max((line.split(",") for line in table.split("\n")[1:]), key=lambda row: int(row[1]))[0]


def _people(rng: random.Random) -> str:
    return " ".join(rng.sample(NAMES, 3))


def _initials(name: str) -> list[str]:
    letters = [one[0] for one in name.split()]
    return ["".join(letters), "".join(f"{one}." for one in letters)]


def _sums(xs: list[int]) -> str:
    return ", ".join(str(sum(xs[: at + 1])) for at in range(len(xs)))


def _gap(xs: list[int]) -> int:
    ordered = sorted(xs)
    return max(b - a for a, b in pairwise(ordered))


def _temperatures(rng: random.Random) -> Series:
    return Series(rng.randint(-5, 35) for _ in range(5))


def _ran(rng: random.Random) -> tuple[int, int, int]:
    """Kilometres, minutes and seconds that give whole seconds for each kilometre."""
    km = rng.choice((5, 8, 10, 12, 21))
    return km, *divmod(km * rng.randint(250, 400), 60)


def _quarter(day: str) -> str:
    return str((int(day[5:7]) + 2) // 3)


def _weekday(day: str) -> str:
    return datetime.date.fromisoformat(day).strftime("%A")


FAMILY_NEEDS: tuple[ReplayNeed, ...] = (
    ReplayNeed("boxes", ("I have {n} eggs and boxes of {k}. How many boxes do I need for all of them?", "{n} bottles go into crates of {k}. How many crates are needed?",
                         "How many boxes that hold {k} each does it take for {n} eggs?"),
               {"n": whole(100, 900), "k": pick(6, 8, 10, 12)}, lambda n, k: math.ceil(n / k)),
    ReplayNeed("caps", ("Write '{t}' with the first letter of every word in upper case", "Capitalize the first letter of each word in '{t}'",
                        "Put '{t}' in title case"),
               {"t": words(4, 4, WORDS)}, lambda t: t.title(), "plain"),
    ReplayNeed("discount", ("A jacket costs {p} euros. It is reduced by {a}% and then by another {b}%. What does it cost now?", "First {a} percent off, then {b} percent off the reduced price: what remains of {p}?",
                            "A coat is {p} euros. What is the price after {a}% off and a further {b}% off that?"),
               {"p": whole(50, 400), "a": pick(10, 15, 20), "b": pick(5, 10, 25, 30)}, lambda p, a, b: round(p * (1 - a / 100) * (1 - b / 100), 2)),
    ReplayNeed("fuel", ("How much do I pay for fuel on {d} km at {u} l/100km and {c} per litre?", "My car uses {u} liters per 100 km and fuel costs {c} per liter. What does a {d} km trip cost?",
                        "A trip of {d} km, {u} litres for 100 km, {c} a litre: what does the fuel cost?"),
               {"d": whole(300, 800, 10), "u": pick(5.2, 6.4, 7.1), "c": pick(1.62, 1.79, 1.85)}, lambda d, u, c: round(d * u / 100 * c, 2)),
    ReplayNeed("gap", ("What is the largest gap between neighbours when {xs!r} is sorted?", "Sort {xs} and tell me the biggest difference between two that follow each other.",
                       "Put {xs} in order: what is the largest difference between two neighbours?"),
               {"xs": several(1, 300, 6, 6)}, lambda xs: _gap(xs)),
    ReplayNeed("initials", ("Give me the initials of '{name}'", "What are the initials of {name}?", "Which initials does '{name}' have?"),
               {"name": _people}, lambda name: _initials(name), "plain"),
    ReplayNeed("mask", ("Show card number {c} with every digit but the last four as *", "Mask all but the last 4 digits of {c} with stars",
                        "Replace all digits of {c} except the last four by *"),
               {"c": _digits(16)}, lambda c: "*" * 12 + c[-4:], "plain"),
    ReplayNeed("median", ("What is the median of {xs}?", "Find the middle value of {xs!r}.", "Give me the median of the numbers {xs}."),
               {"xs": several(100, 900, 4, 6)}, lambda xs: statistics.median(xs)),
    ReplayNeed("ones", ("Count the 1 bits of {n}.", "How many ones are in the binary form of {n}?", "Write {n} in binary: how many digits are 1?"),
               {"n": whole(1000, 90000)}, lambda n: bin(n).count("1")),
    ReplayNeed("overlap", ("I am busy {a[0]}-{a[1]}, my colleague {b[0]}-{b[1]}. For how many minutes are we both busy?", "One meeting is from {a[0]} to {a[1]} and another from {b[0]} to {b[1]}. How many minutes do they overlap?",
                           "How many minutes do {a[0]}-{a[1]} and {b[0]}-{b[1]} have in common?"),
               {"a": _span(560, 800), "b": _span(560, 800)}, lambda a, b: _overlap(a, b)),
    ReplayNeed("pace", ("{r[0]} km took me {r[1]} min {r[2]} s. What is that in seconds per km?", "I ran {r[0]} km in {r[1]} minutes and {r[2]} seconds. How many seconds per kilometer is that?",
                        "My time for {r[0]} km was {r[1]} minutes {r[2]} seconds. How many seconds did one km take?"),
               {"r": _ran}, lambda r: (r[1] * 60 + r[2]) / r[0]),
    ReplayNeed("quarter", ("In which quarter of the year is {d}?", "Which quarter does the date {d} belong to?", "What quarter is {d} in?"),
               {"d": _day}, lambda d: _quarter(d), "plain"),
    ReplayNeed("recipe", ("A recipe for {a} people needs {g} grams of flour. How much flour for {b} people?", "{g} g of rice serve {a}. How many grams do I need for {b} guests?",
                          "For {a} people I take {g} g of pasta. How many grams for {b} people?"),
               {"a": whole(2, 8), "g": whole(200, 900, 50), "b": whole(3, 14)}, lambda a, g, b: round(g / a * b, 2)),
    ReplayNeed("rows", ("{t}\nWhich person has most points?", "{t}\nWho has the highest points?", "{t}\nName the one with the most points."),
               {"t": _table}, lambda t: _most(t), "plain"),
    ReplayNeed("save", ("Starting with {s} and adding {m} every month, how many months until I reach {g}?", "I have {s} euros and save {m} a month. After how many full months do I have at least {g}?",
                        "With {s} to begin with and {m} put aside each month, after how many months do I have {g}?"),
               {"s": whole(0, 500, 50), "m": whole(60, 200, 10), "g": whole(1500, 3500, 100)}, lambda s, m, g: math.ceil((g - s) / m)),
    ReplayNeed("second", ("Of the numbers {xs!r}, which one is second highest?", "What is the second largest number in {xs}?", "Which number comes second from the top in {xs}?"),
               {"xs": several(1, 200, 7, 7)}, lambda xs: sorted(xs)[-2]),
    ReplayNeed("snake", ("Turn '{t}' into snake case", "Write {t} in snake_case.", "What is '{t}' in snake case?"),
               {"t": _camel}, lambda t: re.sub(r"([A-Z])", r"_\1", t).lower(), "plain"),
    ReplayNeed("temp", ("Convert {xs} degrees Celsius to Fahrenheit and give me the mean", "What is the average in Fahrenheit of the Celsius temperatures {xs!r}?",
                        "Mean of the Celsius values {xs} expressed in Fahrenheit?"),
               {"xs": _temperatures}, lambda xs: round(statistics.fmean(xs) * 1.8 + 32, 4)),
    ReplayNeed("tip", ("A dinner cost {p:.2f}, we add {t}% tip and split between {n} people. How much does each pay?", "Split a bill of {p:.2f} plus {t} percent tip among {n}. What is one share?",
                       "The bill is {p:.2f}. With {t}% tip, what does each of {n} people owe?"),
               {"p": lambda rng: rng.randint(200, 800) / 5, "t": pick(10, 15, 20), "n": whole(2, 6)}, lambda p, t, n: round(p * (1 + t / 100) / n, 2)),
    ReplayNeed("total", ("Give me the running total of {xs}", "Cumulative sums of {xs!r}, please.", "Running sums of {xs}?"),
               {"xs": several(-12, 60, 5, 5)}, lambda xs: _sums(xs), "plain"),
    ReplayNeed("train", ("A flight departs at {c} and lasts {h} h {m} min. What time does it land?", "I start cooking at {c}; the roast needs {h} hours {m} minutes. When is it done?",
                         "My train left at {c} and took {h} hours and {m} minutes. When did it arrive?"),
               {"c": lambda rng: _clock(rng.randrange(360, 960)), "h": whole(1, 4), "m": whole(2, 58)}, lambda c, h, m: _clock(_minutes(c) + h * 60 + m), "plain"),
    ReplayNeed("vowels", ('Count the vowels in "{t}".', "How many vowels are in '{t}'?", "What is the number of vowels in '{t}'?"),
               {"t": words(1, 3, WORDS)}, lambda t: sum(letter in "aeiou" for letter in t)),
    ReplayNeed("wall", ("A room is {a} m by {b} m and {h} m high. One liter of paint covers {k} square meters. How many liters do I need for the four walls?",
                        "Four walls of a {a} x {b} m room, {h} m high: how many litres of paint at {k} square metres a litre?",
                        "How many liters of paint do the four walls of a room of {a} by {b} m and {h} m height take, at {k} square meters a liter?"),
               {"a": whole(3, 8), "b": whole(3, 8), "h": pick(2.4, 2.5, 2.6, 3), "k": whole(7, 10)}, lambda a, b, h, k: 2 * (a + b) * h / k),
    ReplayNeed("weekday", ("Which weekday is {d}?", "What day of the week does {d} fall on?", "{d} is which day of the week?"),
               {"d": _day}, lambda d: _weekday(d), "plain"),
)
