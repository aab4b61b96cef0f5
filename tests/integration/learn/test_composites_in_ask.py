"""Composites through `ask`: the request that a chain was learned from is one call afterwards."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.json_types import JsonObject
from hammerstone.core.settings import Settings
from hammerstone.library.workflows import OwnRequests, workflow_of
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from tests.integration.engine import add_tool, services_of

NUMBERS: JsonObject = {"type": "array", "items": {"type": "number"}}
TOTAL = "def total_of(numbers):\n    return sum(numbers)\n"
TAXED = "def add_tax(amount, percent):\n    return round(amount * (100 + percent) / 100, 2)\n"
CHAIN = "Sum up the total of the numbers {numbers}, then add {percent} percent tax to the result"
COMPOSITE = "total_of_then_add_tax"


def request(number: int) -> str:
    return CHAIN.format(numbers=[number, number + 5, 7], percent=10 + number)


@pytest.fixture
async def learned(tmp_path: Path) -> AsyncIterator[Hammerstone]:
    """An engine whose people asked for a chain until it became a tool. No model is there."""

    def silent(_prompt: object) -> str:
        raise AssertionError("no model is needed")

    settings = Settings(data_dir=tmp_path, embedder="off", starter_tools=False)
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(silent))) as hs:
        about = "The total of numbers: sums them up."
        await add_tool(hs, TOTAL, about, {"numbers": NUMBERS}, {"type": "number"})
        number: JsonObject = {"type": "number"}
        percent: JsonObject = {"type": "number", "description": "in percent"}
        about = "Add tax in percent to an amount."
        await add_tool(hs, TAXED, about, {"amount": number, "percent": percent}, number)
        # By words alone, among two tools, search is hardly ever sure.
        likely: JsonObject = {"high": 0.4, "middle": 0.2}
        await hs.policies.change("fit", likely, who="test", why="test")
        for turn in range(4):
            answer = await hs.ask(request(turn), session=f"s{turn % 2}")
            assert [step["tool"] for step in answer.steps] == ["total_of", "add_tax"], answer
        await hs.policies.change("mining", {"settle_s": 0.0}, who="test", why="test")
        await hs._answerer.settle()
        await hs.learning.run()
        yield hs


async def test_the_request_of_a_chain_is_one_call_of_its_composite(learned: Hammerstone) -> None:
    answer = await learned.ask(request(30), session="new")
    assert (answer.tool, answer.result, answer.steps) == (COMPOSITE, 100.8, ())
    assert answer.call == f"{COMPOSITE}(numbers=[30, 35, 7], percent=40)"
    assert answer.cost.model_calls == 0

    named = await learned.ask(f"{COMPOSITE} of [100, 200] with 10 percent", session="named")
    assert (named.tool, named.result) == (COMPOSITE, 330.0)
    part = await learned.ask("total_of [100, 200]", session="part")
    assert (part.tool, part.result) == ("total_of", 300)

    shown: Any = await learned.preview.of(request(31), learned.settings.user)
    (step,) = shown["plan"]["steps"]
    assert step["tool"] == COMPOSITE and step["said"] == {"numbers": [31, 36, 7], "percent": 41}
    other = "Sum up the total of the numbers [1, 2], then add 10 percent tax to the amount 50"
    plan: Any = (await learned.preview.of(other, learned.settings.user))["plan"]
    assert COMPOSITE not in [each["tool"] for each in plan["steps"]]


async def test_a_composite_knows_how_sure_it_is_and_which_requests_are_its_own(
    learned: Hammerstone,
) -> None:
    tool = await learned.tools.get(COMPOSITE)
    known = await learned.tools.assessments(tool.version.id)
    assert known[-1].evidence == {"replayed": 4, "right": 4, "different": 4}
    assert tool.confidence == pytest.approx(5 / 6)
    workflow = workflow_of(tool.version)
    assert workflow is not None and workflow.confidence == tool.confidence

    taught: list[tuple[str, str, str]] = []

    class Search:
        async def learn(self, request: str, tool: str, lesson: object, tenant: str) -> None:
            taught.append((request, tool, tenant))

        async def unlearn(self, request: str, tool: str, tenant: str) -> None:
            taught.append((request, f"not {tool}", tenant))

    own = OwnRequests(Search(), services_of(learned).records.db)  # type: ignore[arg-type]
    await own.take_over(await learned.tools.get(COMPOSITE))
    user = learned.settings.user
    for turn in range(4):
        for tool in ("not total_of", "not add_tax", COMPOSITE):
            assert (request(turn), tool, user) in taught
    taught.clear()
    await own.take_over(await learned.tools.get("total_of"))
    assert taught == []
