# ruff: noqa: E501
"""How well near-duplicates are told from near misses, on a seeded library.

    python -m evals.duplicates [--json]

Same: every starter tool under another name, with other parameter names in reverse order and
another description, and rewrites by hand. Different: tools one would mistake for a starter
tool, such as a geometric mean. Prints precision and recall of the behaviour check.
"""

import ast
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace

from evals.measured import measured
from hammerstone.core.calls import Call
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, CaseKind, Spec
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import seconds_of
from hammerstone.evaluation.chapters.findings import (
    case,
    higher,
    share,
)
from hammerstone.judging.named_inputs import arguments_of
from hammerstone.library.tools.duplicates import Duplicates
from hammerstone.library.tools.seeding import starter_tools

NUMBERS: JsonObject = {"type": "array", "items": {"type": "number"}}
NUMBER: JsonObject = {"type": "number"}
WHOLE: JsonObject = {"type": "integer"}
TEXT: JsonObject = {"type": "string"}
DAY: JsonObject = {"type": "string", "format": "date"}
YES: JsonObject = {"type": "boolean"}

# name, description, parameters, returns, code, calls; then the starter tool it repeats, or None
REWRITES = [
    ("average", "Average of a list of numbers", {"values": NUMBERS}, NUMBER,
     "import statistics\ndef average(values):\n    return statistics.fmean(values)",
     ["average([1, 2, 3])", "average([5])", "average([2, 9])"], "mean"),
    ("middle_value", "The middle value of a list", {"items": NUMBERS}, NUMBER,
     "import statistics\ndef middle_value(items):\n    return statistics.median(items)",
     ["middle_value([1, 2, 3])", "middle_value([4, 1])", "middle_value([7])"], "median"),
    ("leap", "Does a year have 366 days?", {"y": WHOLE}, YES,
     "import calendar\ndef leap(y):\n    return calendar.isleap(y)",
     ["leap(2000)", "leap(1900)", "leap(2023)"], "is_leap_year"),
    ("prime_test", "Check a number for primality", {"n": WHOLE}, YES,
     "def prime_test(n):\n    return n > 1 and all(n % k for k in range(2, int(n ** 0.5) + 1))",
     ["prime_test(7)", "prime_test(8)", "prime_test(1)"], "is_prime"),
    ("date_difference", "Number of days from one date to another", {"a": DAY, "b": DAY}, WHOLE,
     "from datetime import datetime\ndef date_difference(a, b):\n"
     "    f = '%Y-%m-%d'\n    return (datetime.strptime(b, f) - datetime.strptime(a, f)).days",
     ["date_difference('2024-01-01', '2024-02-01')", "date_difference('2024-03-05', '2024-03-01')"],
     "days_between"),
    ("backwards", "Reverse a string", {"s": TEXT}, TEXT,
     "def backwards(s):\n    return ''.join(reversed(s))",
     ["backwards('abc')", "backwards('')", "backwards('x y')"], "reverse_text"),
    ("month_length", "Number of days of a month", {"month": WHOLE, "year": WHOLE}, WHOLE,
     "import calendar\ndef month_length(month, year):\n    return calendar.monthrange(year, month)[1]",
     ["month_length(2, 2024)", "month_length(4, 2023)", "month_length(1, 2000)"], "days_in_month"),
    ("gcd_of", "Greatest common divisor", {"values": {"type": "array", "items": WHOLE}}, WHOLE,
     "from functools import reduce\nimport math\ndef gcd_of(values):\n    return reduce(math.gcd, values)",
     ["gcd_of([4, 6])", "gcd_of([9, 27, 3])", "gcd_of([5, 7])"], "greatest_common_divisor"),
    # near misses
    ("geometric_mean", "The geometric mean of numbers", {"numbers": NUMBERS}, NUMBER,
     "import math\ndef geometric_mean(numbers):\n    return math.prod(numbers) ** (1 / len(numbers))",
     ["geometric_mean([1, 4])", "geometric_mean([2, 8])", "geometric_mean([3])"], None),
    ("trimmed_mean", "Mean without the smallest and largest", {"numbers": NUMBERS}, NUMBER,
     "def trimmed_mean(numbers):\n    rest = sorted(numbers)[1:-1]\n    return sum(rest) / len(rest)",
     ["trimmed_mean([1, 2, 9])", "trimmed_mean([4, 5, 6, 100])"], None),
    ("lower_median", "The lower median of numbers", {"numbers": NUMBERS}, NUMBER,
     "def lower_median(numbers):\n    return sorted(numbers)[(len(numbers) - 1) // 2]",
     ["lower_median([1, 2, 3])", "lower_median([5, 1, 9])"], None),
    ("variance", "The sample variance of numbers", {"numbers": NUMBERS}, NUMBER,
     "import statistics\ndef variance(numbers):\n    return statistics.variance(numbers)",
     ["variance([1, 2, 3])", "variance([4, 4, 4, 8])"], None),
    ("julian_leap_year", "Whether a year is a leap year in the Julian calendar", {"year": WHOLE},
     YES, "def julian_leap_year(year):\n    return year % 4 == 0",
     ["julian_leap_year(2024)", "julian_leap_year(2023)", "julian_leap_year(1996)"], None),
    ("odd", "Whether a whole number is odd", {"number": WHOLE}, YES,
     "def odd(number):\n    return number % 2 == 1",
     ["odd(3)", "odd(5)", "odd(4)", "odd(7)"], None),
    ("days_apart", "How many days two dates are apart, never negative", {"start": DAY, "end": DAY},
     WHOLE, "from datetime import date\ndef days_apart(start, end):\n"
     "    return abs((date.fromisoformat(end) - date.fromisoformat(start)).days)",
     ["days_apart('2024-01-01', '2024-02-01')", "days_apart('2024-01-01', '2024-01-03')"], None),
    ("days_counted", "How many days from one date to another, both counted",
     {"start": DAY, "end": DAY}, WHOLE, "from datetime import date\ndef days_counted(start, end):\n"
     "    return (date.fromisoformat(end) - date.fromisoformat(start)).days + 1",
     ["days_counted('2024-01-01', '2024-02-01')", "days_counted('2024-01-01', '2024-01-01')"], None),
    ("us_week", "The week number of a date, weeks beginning on Sunday", {"day": DAY}, WHOLE,
     "from datetime import date\ndef us_week(day):\n"
     "    return int(date.fromisoformat(day).strftime('%U'))",
     ["us_week('2024-03-01')", "us_week('2024-06-15')", "us_week('2023-01-01')"], None),
    ("price_rise", "A price raised by a percentage", {"price": NUMBER, "percent_off": NUMBER}, NUMBER,
     "def price_rise(price, percent_off):\n    return round(price / (1 - percent_off / 100), 2)",
     ["price_rise(80, 20)", "price_rise(50, 50)", "price_rise(10, 0)"], None),
    ("relative_change", "By which share a value rose, as a fraction", {"old": NUMBER, "new": NUMBER},
     NUMBER, "def relative_change(old, new):\n    return (new - old) / abs(old)",
     ["relative_change(80, 100)", "relative_change(50, 25)"], None),
    ("symmetric_change", "Percentage difference of two values from their mean",
     {"old": NUMBER, "new": NUMBER}, NUMBER,
     "def symmetric_change(old, new):\n    return abs(new - old) / ((old + new) / 2) * 100",
     ["symmetric_change(80, 100)", "symmetric_change(50, 25)"], None),
    ("simple_interest", "What an amount grows to with simple interest",
     {"principal": NUMBER, "annual_rate_percent": NUMBER, "years": NUMBER}, NUMBER,
     "def simple_interest(principal, annual_rate_percent, years):\n"
     "    return round(principal * (1 + annual_rate_percent / 100 * years), 2)",
     ["simple_interest(100, 5, 1)", "simple_interest(1000, 3, 2)"], None),
    ("split_words", "How many words a text has, split at spaces", {"text": TEXT}, WHOLE,
     "def split_words(text):\n    return len(text.split(' '))",
     ["split_words('a b c')", "split_words('one')", "split_words('to be or')"], None),
    ("count_any_case", "How often a piece occurs in a text, in any case",
     {"text": TEXT, "part": TEXT}, WHOLE,
     "def count_any_case(text, part):\n    return text.lower().count(part.lower())",
     ["count_any_case('banana', 'a')", "count_any_case('hello', 'l')"], None),
    ("strict_palindrome", "Whether a text reads the same backwards to the letter", {"text": TEXT},
     YES, "def strict_palindrome(text):\n    return text == text[::-1]",
     ["strict_palindrome('noon')", "strict_palindrome('abc')", "strict_palindrome('level')"], None),
    ("circle_circumference", "The circumference of a circle", {"radius": NUMBER}, NUMBER,
     "import math\ndef circle_circumference(radius):\n    return 2 * math.pi * radius",
     ["circle_circumference(1)", "circle_circumference(2)", "circle_circumference(0)"], None),
    ("sphere_surface", "The surface of a sphere", {"radius": NUMBER}, NUMBER,
     "import math\ndef sphere_surface(radius):\n    return 4 * math.pi * radius ** 2",
     ["sphere_surface(1)", "sphere_surface(2)"], None),
    ("nearest_rank", "The percentile of numbers by nearest rank",
     {"numbers": NUMBERS, "percent": NUMBER}, NUMBER,
     "import math\ndef nearest_rank(numbers, percent):\n    ordered = sorted(numbers)\n"
     "    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]",
     ["nearest_rank([1, 2, 3, 4, 5], 50)", "nearest_rank([1, 2, 3], 100)"], None),
    ("manhattan", "The distance of two points along a grid",
     {"x1": NUMBER, "y1": NUMBER, "x2": NUMBER, "y2": NUMBER}, NUMBER,
     "def manhattan(x1, y1, x2, y2):\n    return abs(x1 - x2) + abs(y1 - y2)",
     ["manhattan(0, 0, 3, 4)", "manhattan(1, 1, 1, 2)"], None),
    ("distinct_factors", "The different prime factors of a number", {"number": WHOLE},
     {"type": "array", "items": WHOLE},
     "def distinct_factors(number):\n    return [p for p in range(2, number + 1) if number % p == 0"
     " and all(p % q for q in range(2, p))]",
     ["distinct_factors(30)", "distinct_factors(7)", "distinct_factors(15)"], None),
    ("product", "The product of whole numbers", {"numbers": {"type": "array", "items": WHOLE}}, WHOLE,
     "import math\ndef product(numbers):\n    return math.prod(numbers)",
     ["product([4, 5])", "product([3, 7])", "product([2, 3, 5])"], None),
]  # fmt: skip


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self.names.get(node.arg, node.arg), node.annotation)


def disguised(spec: Spec, code: str, suite: tuple[Case, ...]) -> tuple[Spec, str, list[Case]]:
    """The same tool with other names, parameters in reverse order, and another description."""
    properties = {**spec.takes.schemas}
    names = {name: f"input_{number}" for number, name in enumerate(properties, start=1)}
    names[spec.name] = "_".join(["other", *reversed(spec.name.split("_"))])
    tree = _Renamed(names).visit(ast.parse(code))
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == spec.name)
    function.name = names[spec.name]
    backwards = not function.args.defaults
    if backwards:
        function.args.args.reverse()
    order = list(reversed(properties)) if backwards else list(properties)
    required = spec.parameters.get("required")
    assert isinstance(required, list)
    cases: list[Case] = []
    for known in suite:
        given = arguments_of(known, spec)
        if given is not None:
            call = Call(kwargs={names[name]: value for name, value in given.items()})
            cases.append(replace(known, call=call))
    returned = str(spec.returns.get("description", "the result")).capitalize()
    changed = replace(
        spec,
        name=names[spec.name],
        description=f"{returned}: {spec.description.partition(':')[0].lower()}",
        parameters={
            "type": "object",
            "properties": {names[name]: properties[name] for name in order},
            "required": [names[str(name)] for name in required],
        },
    )
    return changed, ast.unparse(ast.fix_missing_locations(tree)), cases


def pairs() -> Iterator[tuple[Spec, str, list[Case], str | None]]:
    """Tools and the name of the starter tool that each is, if any."""
    for files in starter_tools():
        yield (*disguised(files.spec, files.code, files.suite), files.name)
    for name, description, parameters, returns, code, calls, same in REWRITES:
        schema: JsonObject = {
            "type": "object",
            "properties": dict(parameters),
            "required": list(parameters),
        }
        cases = [Case(CaseKind.VALUE, Call(source=call)) for call in calls]
        yield Spec(name, description, schema, returns), code, cases, same


async def _compared(context: MeasurementContext) -> AsyncGenerator[CaseOutcome, None]:
    sandbox = await context.sandbox()
    async with context.product() as hs:
        duplicates = Duplicates(hs.tools, hs.search, hs.policies)

        async def compare(pair: tuple[Spec, str, list[Case], str | None]) -> CaseOutcome:
            spec, code, cases, same = pair
            found = await duplicates.find_match(spec, code, cases, sandbox)
            name = found.tool.name if found else None
            return case(spec.name, name == same, given=name, wanted=same)

        async for outcome in context.each(list(pairs()), lambda pair: pair[0].name, compare):
            yield outcome


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each pair as a case: found where it is the same, left alone where it is not."""
    outcomes: list[CaseOutcome] = []
    async for outcome in _compared(context):
        outcomes.append(outcome)
        yield outcome
    told = [one for one in outcomes if one.given]
    same = [one for one in outcomes if one.wanted]
    caught = sum(one.passed for one in same)
    yield higher("of what is called a duplicate, is one", share(caught, len(told)), target=0.99)
    yield higher("duplicates found", share(caught, len(same)))
    yield seconds_of("one comparison", outcomes)


if __name__ == "__main__":
    measured("duplicates")
