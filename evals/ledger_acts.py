"""What people do in the week of `ledger_week`, beside asking; the model is a script."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call
from hammerstone.core.chat import Prompt
from hammerstone.core.tools import Case, CaseKind, Spec, Status
from hammerstone.library.skills.bundle import Bundle
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.storage import Database, Execution

DIGITS = (
    "def digit_sum(number: int) -> int:\n    return sum(int(one) for one in str(abs(number)))\n"
)
SOLUTION = (
    f"```python\n# given: 4711\n# asked: its digit sum\n{DIGITS}\nanswer = digit_sum(4711)\n```"
)
TESTS = """```python
assert digit_sum(4711) == 13
assert digit_sum(0) == 0
assert digit_sum(-12) == 3
assert digit_sum(999) == 27
assert digit_sum(10) == 1
```"""
MIDDLE = '''def middle_value(values):
    """The mean of a list of numbers; 0 for an empty list."""
    if len(values) < 0:
        return 0
    return sum(values) / len(values)
'''
FRAGILE = "def fragile(key):\n    return {'a': 1, 'b': 2, 'c': 3}[key]\n"
SHOUT = "def {name}(text):\n    return text.upper() + '!'\n"
SUMMARY = "def summary(numbers):\n    return {'total': sum(numbers), 'count': len(numbers)}\n"
TAXED = "def taxed(amount, rate):\n    return round(amount * (100 + rate) / 100, 2)\n"
SKILL = """---
name: weekly-report
description: Writes the weekly report. Use when {when}.
---
{body}
"""


def script(prompt: Prompt) -> str:
    """What the model says, by what it is asked for."""
    said = {
        "solution": SOLUTION,
        "code": f"```python\n{DIGITS}```",
        "tests": TESTS,
        "foretell": "13",
        "arguments": json.dumps({"number": 4711}),
        "fix": f"```python\n{MIDDLE.replace('< 0', '< 1')}```",
        "description": "{}",
    }
    return said.get(prompt.purpose, "")


def database(hs: Hammerstone) -> Database:
    return hs._wiring.services.records.db  # pyright: ignore[reportPrivateUsage]


Act = Callable[[Hammerstone, Path], Awaitable[object]]


def acts() -> list[Act]:
    """What people do beside asking, in order."""
    return [
        lambda hs, _: set_policy(hs, "search", past_requests=6),
        lambda hs, _: hs.tools.retire("to_csv", who="ada", reason="nobody needs it"),
        lambda hs, _: add_skill(hs, "asked for a report", "Write it."),
        build,
        lambda hs, _: set_policy(hs, "fit", high=0.85),
        lambda hs, _: add(hs, "shout", SHOUT.format(name="shout"), text="string"),
        edit,
        lambda hs, _: set_policy(hs, "search", past_requests=4),
        lambda hs, _: add(hs, "cry_out", SHOUT.format(name="cry_out"), text="string"),
        lambda hs, _: hs.library.merge("shout", "cry_out"),
        mend,
        lambda hs, _: add_skill(hs, "the week ends", "Write it well."),
        lambda hs, _: hs.tools.unretire("to_csv", who="ben"),
        lambda hs, _: hs.policies.restore("search", 1, who="ada"),
        fall,
        compose,
        lambda hs, _: hs.tools.deprecate("mode_values", "median", who="ben", reason="rarely asked"),
        examine,
        lambda hs, _: hs.tools.restore("is_leap_year", 1, who="ada"),
        lambda hs, _: hs.search.forget("to_roman", "ada"),
        lambda hs, _: hs.skills.remove("weekly-report"),
    ]


async def set_policy(hs: Hammerstone, name: str, **values: Any) -> None:
    await hs.policies.change(name, dict(values), who="ada", why="a try")


async def add_skill(hs: Hammerstone, when: str, body: str) -> None:
    text = SKILL.format(when=when, body=body)
    files = {"SKILL.md": text.encode()}
    bundle = Bundle(folder="weekly-report", files=files, source="a folder")
    await hs.skills.add(bundle, replace=True)


async def add(hs: Hammerstone, name: str, code: str, **kinds: str) -> None:
    spec, calls = _spec(name, **kinds), CASES[name]
    suite = tuple(Case(CaseKind.VALUE, Call(source=f"{name}({g})"), v) for g, v in calls)
    await hs.library.add(spec, code, suite)


def _spec(name: str, **kinds: str) -> Spec:
    properties: Any = {parameter: {"type": kind} for parameter, kind in kinds.items()}
    takes: Any = {"type": "object", "properties": properties, "required": list(kinds)}
    return Spec(name, f"The {name} of a thing.", takes, {})


CASES: dict[str, list[tuple[str, Any]]] = {
    **{n: [("'a'", "A!"), ("'bc'", "BC!"), ("''", "!")] for n in ("shout", "cry_out")},
    "middle_value": [("[1, 2, 3]", 2.0), ("[4]", 4.0), ("[0, 1]", 0.5)],
    "summary": [("[1, 2]", {"total": 3, "count": 2}), ("[5]", {"total": 5, "count": 1})],
    "taxed": [("100, 10", 110.0), ("50, 20", 60.0), ("10, 0", 10.0)],
}


async def build(hs: Hammerstone, _: Path) -> None:
    """A request that no tool answers: it is solved, and the tool behind it is proved."""
    await hs.proofs.wait(await hs.ask("What is the digit sum of 4711?"))


async def edit(hs: Hammerstone, folder: Path) -> None:
    await hs.library.export(folder, ["is_leap_year"])
    file = folder / "is_leap_year" / "tool.py"
    file.write_text(file.read_text() + "\n# By hand.\n")
    await hs.library.sync(folder)


async def mend(hs: Hammerstone, _: Path) -> None:
    """A tool with a bug fails in two sessions, and is repaired."""
    await add(hs, "middle_value", MIDDLE, values="array")
    few: Any = {"edits": 60, "probes": 10}
    await hs.policies.change("repair", few, who="ada", why="a small machine")
    for session in ("mend one", "mend two"):
        await hs.run_tool("middle_value", {"values": []}, session=session)
    await hs.learning.repair("middle_value")


async def fall(hs: Hammerstone, _: Path) -> None:
    """A tool that fails by its own fault goes out of use by itself."""
    given = NewVersion(
        _spec("fragile", key="string"), FRAGILE, (), (), Status.VERIFIED, None, {}, {}
    )
    await hs.tools.register(given, ActivationReason("added", "ada", "given"))
    await hs.policies.change("repair", {"enabled": False}, who="ada", why="to see it fall")
    for number in range(4):
        await hs.run_tool("fragile", {"key": "z"}, session=f"fall {number}")


async def compose(hs: Hammerstone, _: Path) -> None:
    """Two tools that people use one after the other become one."""
    await add(hs, "summary", SUMMARY, numbers="array")
    await add(hs, "taxed", TAXED, amount="number", rate="number")
    start = datetime.now(UTC) - timedelta(days=1)
    for number in range(4):
        await _chain(hs, number, start + timedelta(seconds=number))
    await hs.learning.run()


async def _chain(hs: Hammerstone, number: int, at: datetime) -> None:
    db, run, session = database(hs), f"chain{number}", f"chain {number % 2}"
    numbers, rate = [number, number + 5, 7], 10 + number
    total = sum(numbers)
    steps: list[tuple[str, Any, Any, Any]] = [
        ("summary", {"numbers": numbers}, {"total": total, "count": 3}, {"numbers": "request"}),
        (
            "taxed",
            {"amount": total, "rate": rate},
            round(total * (100 + rate) / 100, 2),
            {"amount": {"step": 0, "path": ["total"]}, "rate": "request"},
        ),
    ]
    await db.runs.start(run, session, "ada", "tax the total", "trace", at)
    for place, (tool, given, result, sources) in enumerate(steps):
        version, id = (await hs.tools.get(tool)).version.id, f"{run}-{place}"
        row = Execution(id, run, session, place, tool, version, given, result, True, at)
        await db.executions.add(replace(row, sources=sources))
    await db.runs.finish(run, "done", None, at)


async def examine(hs: Hammerstone, _: Path) -> None:
    if await hs.tools.find("digit_sum") is not None:
        await hs.examining.reexamine("digit_sum", ["digit_sum(8) == 8"])
