"""Whether the starter set is used where it fits, and only there.

    python -m evals.starter_fit [--set instant|quick|full] [--json]

Requests that a starter tool answers, and near misses that none does, through the real search and
the calibrated gate on a seeded library. A near miss in the high band would be answered by the
wrong tool; in the middle band a model reads the tool's promise first.
"""

from collections.abc import AsyncGenerator

from evals.measured import measured
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    case,
    higher,
    lower,
    share,
)

ANSWERED = {
    "What is 17.5 percent of 240?": "percentage_of",
    "How many days are between 2024-03-01 and 2024-12-24?": "days_between",
    "What weekday was 1969-07-20?": "weekday_name",
    "Convert 26.2 miles to km": "convert_length",
    "How much is 100 degrees Fahrenheit in Celsius?": "convert_temperature",
    "What is the median of 3, 9, 4, 1 and 7?": "median",
    "Standard deviation of 2, 4, 4, 4, 5, 5, 7, 9": "standard_deviation",
    "Is 7919 a prime number?": "is_prime",
    "How many words are in 'the quick brown fox jumps'?": "count_words",
    "Write 2024 in Roman numerals": "to_roman",
    "Monthly payment of a 200000 loan at 6 percent over 360 months": "loan_payment",
    "Make a URL slug of 'Crème Brûlée Recipe'": "slugify",
    "Which email addresses are in this text: write to ada@example.org": "extract_emails",
    "Was 1900 a leap year?": "is_leap_year",
    "What is the area of a circle with radius 3?": "circle_area",
}
NEAR_MISSES = (
    "What is the harmonic mean of 2, 4 and 8?",
    "How many hours are between 09:15 and 17:45?",
    "Convert 12 knots to kilometres per hour",
    "How many syllables does 'banana' have?",
    "Which is the 25th Fibonacci number?",
    "What is the volume of a sphere with radius 3?",
    "What is the perimeter of a circle with radius 3?",
    "How many months are between 2024-01-15 and 2024-11-15?",
    "What is the variance of 1, 2, 3, 4?",
    "Is 28 a perfect number?",
    "Encrypt 'attack at dawn' with a Vigenère cipher and the key LEMON",
    "What is the simple interest on 1000 at 5 percent for 3 years?",
    "Convert 3 acres to square metres",
    "Which phone numbers are in this text: call 555-0100?",
    "How many sentences does this text have: Hi. How are you?",
    "What is the area of a trapezoid with sides 3 and 5 and height 4?",
    "On which date is Easter in 2025?",
    "What is the geometric mean of 1, 3 and 9?",
    "Sort the words of 'delta alpha charlie' alphabetically",
    "What is 2024 in Chinese numerals?",
    "What are the quarterly payments of a bond of 1000 with a 4 percent coupon?",
    "Convert 80 kilograms to newtons",
    "How many consonants are in 'strawberry'?",
    "What is the tax on an income of 50000 with brackets at 10000 and 40000?",
    "Convert this JSON to YAML: {\"a\": 1}",
    "What is the z-score of 7 among 1, 5, 7, 9?",
    "How old is the universe?",
    "Translate 'good morning' to French",
    "Make a bar chart of 1, 2, 3",
    "What is the weather in Paris?",
)  # fmt: skip


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every request as a case: found and trusted where a tool fits, not run where none does."""
    outcomes: list[CaseOutcome] = []
    asked = [*ANSWERED.items(), *((text, "") for text in NEAR_MISSES)]
    async with context.product() as hs:

        async def find(request: tuple[str, str]) -> CaseOutcome:
            text, expected = request
            hits = await hs.search.find(text, limit=5)
            fit = await hs.search.fit(text, hits)
            best = hits[0].name if hits else ""
            fits = best == expected and fit.band != "low"
            right = fits if expected else fit.band != "high"
            unchecked = fit.band == "high" and best != expected
            return case(
                text[:80], right, tags=("answered" if expected else "near miss", str(fit.band)),
                asked=text, given=f"{best}, {fit.probability:.0%}, {fit.band} band",
                wanted=expected or "no tool without a check",
                numbers={"fit": fit.probability, "wrong_unchecked": float(unchecked)},
            )  # fmt: skip

        async for outcome in context.each(asked, lambda one: one[0][:80], find):
            outcomes.append(outcome)
            yield outcome
    answered = [one for one in outcomes if "answered" in one.tags]
    yield higher(
        "answered by the right tool", share(sum(o.passed for o in answered), len(answered))
    )
    wrong = sum(one.numbers["wrong_unchecked"] for one in outcomes)
    yield lower("run by a wrong tool without a check", wrong, "count", target=0)


if __name__ == "__main__":
    measured("starter_fit")
