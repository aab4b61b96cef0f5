"""Descriptions of functions whose author wrote none, with a scripted model and the real sandbox."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import Settings
from hammerstone.core.solutions import Solution
from hammerstone.models.fakes import ScriptedModel
from hammerstone.sandbox import open_sandbox
from hammerstone.synthesis.solutions.description import describe
from hammerstone.synthesis.solutions.own_call import OwnCall
from hammerstone.synthesis.solutions.plain import PlainFunction, plain_function
from tests.integration.engine import scripted_engine
from tests.integration.proofs.tasks import answered, proof_script, solution, task

BARE_TIP = "def tip(bill, percent):\n    return round(bill * percent / 100, 2)\n"
SAID = {"description": "The tip on a bill.", "percent": "number"}


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    opened = await open_sandbox(Settings(data_dir=tmp_path / "data"))
    yield opened
    await opened.close()


def function(code: str, **arguments: Json) -> PlainFunction:
    made = plain_function(Solution(code, "f", "f()"), OwnCall(arguments, None, None))
    assert isinstance(made, PlainFunction)
    return made


def model(**reply: str) -> ScriptedModel:
    return ScriptedModel([json.dumps(reply)])


def types(made: PlainFunction) -> dict[str, Json]:
    return {p.name: p.hint.get("type") for p in made.head.parameters}


async def test_a_whole_number_becomes_a_number_where_the_function_takes_fractions(
    sandbox: Sandbox,
) -> None:
    bare = function("def f(hours, rate):\n    return hours * rate\n", hours=3, rate=12)
    said = model(description="Pay  for\nhours.", hours="number", rate="number")
    made = await describe(bare, "Pay for 3 hours at 12?", said, sandbox)
    assert made.head.description == "Pay for hours."
    assert types(made) == {"hours": "number", "rate": "number"}


async def test_what_counts_stays_whole_whatever_is_said(sandbox: Sandbox) -> None:
    bare = function("def f(n, x):\n    return [x for _ in range(n)]\n", n=2, x=3)
    made = await describe(bare, "x", model(description="d", n="number", x="integer"), sandbox)
    assert types(made) == {"n": "integer", "x": "integer"}


async def test_whole_numbers_in_a_list_are_asked_about_together(sandbox: Sandbox) -> None:
    bare = function("def f(values):\n    return sum(values)\n", values=[1, 2])
    made = await describe(bare, "x", model(description="d", values="number"), sandbox)
    assert made.head.parameters[0].hint["items"] == {"type": "number"}


async def test_what_the_author_wrote_stays_and_costs_nothing(sandbox: Sandbox) -> None:
    own = function('def f(n: int) -> int:\n    """Twice a number."""\n    return 2 * n\n', n=2)
    nobody = ScriptedModel([])
    assert await describe(own, "x", nobody, sandbox) == own
    assert not nobody.prompts


@pytest.mark.parametrize("line", ["no JSON", "{}", BudgetExceeded("spent")])
async def test_without_a_usable_reply_nothing_is_changed(
    sandbox: Sandbox, line: str | Exception
) -> None:
    bare = function("def f(n):\n    return n\n", n=2)
    assert await describe(bare, "x", ScriptedModel([line]), sandbox) == bare


async def test_the_tool_of_a_bare_solution_is_described_and_typed(tmp_path: Path) -> None:
    script = proof_script(description=json.dumps(SAID))
    async with scripted_engine(script, tmp_path) as hs:
        answer = await answered(hs)
        winner = solution(BARE_TIP, "tip(86.40, 15)", 12.96)
        await hs.proofs.put(task(hs, winner))
        await hs.proofs.wait(answer)
        tool = await hs.tools.get("tip")
    assert tool.version.spec.description == SAID["description"]
    assert tool.version.spec.parameters["properties"]["percent"]["type"] == "number"  # type: ignore[index,call-overload]
    assert '"""The tip on a bill."""' in tool.version.code
    assert script.asked.count("description") == 1
