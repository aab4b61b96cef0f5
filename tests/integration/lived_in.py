"""A library after some use: tools, sessions, traces, a workflow that became a tool, a repair.

Everything here happens in the real engine with a real sandbox; only the model is scripted.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import update

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Case, CaseKind
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.storage.schema import traces
from tests.integration.engine import Script, add_tool, services_of, solution_of

VOWELS_CODE = """def count_vowels(text: str) -> int:
    \"\"\"Count the vowels in a text; capital letters count too.\"\"\"
    return sum(letter in "aeiou" for letter in text.lower())
"""
VOWELS_TESTS = """```python
assert count_vowels("banana") == 3
assert count_vowels("") == 0
assert count_vowels("Rhythm") == 0
assert count_vowels("AEIOU") == 5
assert count_vowels("Hammerstone") == 4
```"""
MEAN_RATING = '''def mean_rating(stars):
    """The mean of some ratings; 0 where nobody has rated."""
    if len(stars) < 0:
        return 0
    return round(sum(stars) / len(stars), 2)
'''
MENDED = MEAN_RATING.replace("< 0", "< 1")
CHAIN = "Find the prime factors of {number}, then compute the mean of them"
OTHER_CHAINS = (
    "Extract the numbers from 'tea 3, milk 4, bread 9', then compute the median of them",
    "Extract the numbers from 'tea 3, milk 4, bread 9', then compute the mean of them",
    "Find the prime factors of 60, then compute the median of them",
)
SESSIONS = {
    "vowels": ("Build a tool that counts the vowels in a text. count_vowels('banana') -> 3",),
    "dates": (
        "How many days are between 2026-01-15 and 2026-03-01?",
        "Is 2028 a leap year?",
        "What is the weekday name of 2026-11-15?",
    ),
    "shop": (
        "What is the median of [12, 7, 30, 22]?",
        "What is 17.5% of 240?",
        "What is 17.5% of 240?",
        "Convert 100 km to miles",
    ),
}


def script() -> Script:
    """What the model says to everything that is asked of a lived-in library."""
    return Script(
        solution=solution_of(VOWELS_CODE, "count_vowels('Hammerstone')"),
        tests=VOWELS_TESTS,
        code=f"```python\n{VOWELS_CODE}```",
        foretell="4",
        arguments='{"text": "Hammerstone"}',
        fix=f"```python\n{MENDED}```",
    )


async def mended_tool(hs: Hammerstone) -> None:
    """A tool with a bug that two people meet, and that is mended with proof: a lesson."""
    # Put there as it is: adding it properly would find the bug.
    stars = {"type": "array", "items": {"type": "number"}, "description": "the ratings"}
    await add_tool(
        hs,
        MEAN_RATING,
        "The mean of some ratings; 0 where nobody has rated.",
        {"stars": stars},
        {"type": "number"},
        suite=(_case("mean_rating([1, 2, 3])", 2.0), _case("mean_rating([4])", 4.0)),
    )
    await hs.policies.change("repair", {"edits": 150, "probes": 20}, who="ada", why="be quick")
    for session in ("ratings", "more ratings"):
        await hs.run_tool("mean_rating", {"stars": []}, session=session)
    await hs.traces.list()  # waits until everything is recorded
    mending = await hs.learning.repair("mean_rating")
    assert mending.outcome == "repaired", mending


def _case(source: str, expected: float) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected, origin="ada")


async def learned_workflow(hs: Hammerstone) -> None:
    """Two steps that several people ask for in a row, until they become one tool."""
    await hs.policies.change("mining", {"settle_s": 0.0}, who="ada", why="learn at once")
    for number, text in enumerate(OTHER_CHAINS):
        await hs.ask(text, session=f"numbers {number}")
    for number, session in ((12, "factors"), (18, "factors"), (50, "primes"), (45, "primes")):
        answer = await hs.ask(CHAIN.format(number=number), session=session)
        assert answer.strategy == "composition", answer
    await hs.traces.list()
    await hs.learning.run()


async def some_weeks(hs: Hammerstone) -> None:
    """All of it, with a few requests of every kind."""
    await hs.library.seed()
    # Without an embedder search is seldom sure; a person would have one.
    sure: JsonObject = {"high": 0.15, "middle": 0.15}
    await hs.policies.change("fit", sure, who="ada", why="there is no embedder here")
    await learned_workflow(hs)
    await mended_tool(hs)
    for session, texts in SESSIONS.items():
        for text in texts:
            answer = await hs.ask(text, session=session)
            assert answer.status == "done", answer
            await hs.proofs.wait(answer)
    for statement in ("Always round prices to two decimals", "I live in Vienna"):
        hs.memory.remember(hs.settings.user, statement, "a conversation")
    await hs.traces.list()
    await _spread(hs, timedelta(days=6))


async def _spread(hs: Hammerstone, over: timedelta) -> None:
    """Put the requests as far apart as they would be: it all took place within a minute."""
    now, rows = datetime.now(UTC), await hs.traces.list(limit=1000)
    async with services_of(hs).records.db.access.writing() as connection:
        for place, row in enumerate(rows):
            at = now - over * place / len(rows)
            lasted = (row.ended_at or row.started_at) - row.started_at
            moved = {"started_at": at, "ended_at": at + lasted}
            await connection.execute(update(traces).where(traces.c.id == row.id).values(moved))


async def furnish(folder: Path) -> None:
    settings = Settings(data_dir=folder, embedder="off")
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(script()))) as hs:
        await some_weeks(hs)
