"""Tools that do the same are found by what they do, and become one."""

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, CaseKind, Spec, Status, Tool
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from tests.integration.engine import services_of

NUMBERS: JsonObject = {"type": "array", "items": {"type": "number"}}
MEAN = "def mean(numbers):\n    return sum(numbers) / len(numbers)"
AVERAGE = "import statistics\ndef average(values):\n    return statistics.fmean(values)"
MEDIAN = "import statistics\ndef median(numbers):\n    return statistics.median(numbers)"


def spec(name: str, description: str, **parameters: JsonObject) -> Spec:
    schema: JsonObject = {
        "type": "object",
        "properties": dict(parameters),
        "required": list(parameters),
    }
    return Spec(name, description, schema, {"type": "number"})


def case(source: str, expected: float) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected, origin="user")


async def add(
    hs: Hammerstone, promise: Spec, code: str, *cases: Case, status: Status = Status.VERIFIED
) -> Tool:
    new = NewVersion(promise, code, cases, (), status, 0.9, {}, {})
    return await hs.tools.register(new, ActivationReason("registered", "test", "test"))


async def mean(hs: Hammerstone) -> Tool:
    promise = spec("mean", "The mean, the average of numbers", numbers=NUMBERS)
    return await add(hs, promise, MEAN, case("mean([1, 2, 3])", 2.0), case("mean([4, 8])", 6.0))


async def find(hs: Hammerstone, promise: Spec, code: str, *cases: Case) -> str | None:
    services = services_of(hs)
    sandbox = await services.workshop.sandbox()
    found = await services.catalogue.duplicates.find_match(promise, code, cases, sandbox)
    return found.tool.name if found else None


async def test_another_name_for_the_same_is_found(hs: Hammerstone):
    await mean(hs)
    promise = spec("average", "The average of a list of numbers", values=NUMBERS)
    assert await find(hs, promise, AVERAGE, case("average([1, 2])", 1.5)) == "mean"


async def test_what_only_looks_the_same_is_not(hs: Hammerstone):
    await mean(hs)
    promise = spec("median", "The middle, a kind of average of numbers", numbers=NUMBERS)
    # On its own suite it cannot be told from the mean: inputs of the other and made-up ones can.
    assert await find(hs, promise, MEDIAN, case("median([1, 2, 3])", 2.0)) is None
    always = "def mean_two(numbers):\n    return 2.0"
    same_words = spec("mean_two", "The mean, the average of numbers", numbers=NUMBERS)
    assert await find(hs, same_words, always, case("mean_two([1, 2, 3])", 2.0)) is None
    text = spec("mean_text", "The mean, the average of numbers", numbers={"type": "string"})
    assert await find(hs, text, "def mean_text(numbers):\n    return 1.0") is None


async def test_parameters_in_another_order_are_recognised(hs: Hammerstone):
    number: JsonObject = {"type": "number"}
    promise = spec("share", "A percentage of a number", percent=number, number=number)
    code = "def share(percent, number):\n    return percent * number / 100 + percent * 0"
    await add(hs, promise, code.replace("percent * 0", "number / 50"), case("share(5, 10)", 0.7))
    swapped = spec("part", "A percentage of a number", base=number, rate=number)
    twin = "def part(base, rate):\n    return rate * base / 100 + base / 50"
    assert await find(hs, swapped, twin, case("part(10, 5)", 0.7)) == "share"
    assert await find(hs, swapped, twin.replace("/ 50", "/ 51"), case("part(0, 5)", 0.0)) is None


async def test_two_that_do_the_same_become_one_with_both_suites(hs: Hammerstone):
    await mean(hs)
    promise = spec("average", "The average of numbers", values=NUMBERS)
    await add(
        hs,
        promise,
        AVERAGE,
        case("average([10, 20])", 15.0),
        case("average([1, 2, 3])", 2.0),
        status=Status.EXPERIMENTAL,
    )
    (pair,) = await hs.library.duplicates()
    assert {pair.tool, pair.duplicate} == {"mean", "average"}
    kept = await hs.library.merge("average", "mean")
    assert (kept.name, kept.version.number, len(kept.version.suite)) == ("mean", 2, 3)
    gone = await hs.tools.get("average")
    assert gone.status is Status.DEPRECATED
    known = await hs.tools.assessments(gone.version.id)
    assert known[-1].evidence["better"] == "mean"
    assert (await hs.run_tool("average", {"values": [1, 3]})).result == 2  # still by name
    assert [hit.name for hit in await hs.search.find("average of numbers")] == ["mean"]
    assert await hs.library.duplicates() == []


async def test_two_that_differ_are_not_merged(hs: Hammerstone):
    await mean(hs)
    promise = spec("median", "The median of numbers", numbers=NUMBERS)
    await add(hs, promise, MEDIAN, case("median([1, 2, 9])", 2.0))
    with pytest.raises(BadRequest, match="do not give the same results"):
        await hs.library.merge("mean", "median")
