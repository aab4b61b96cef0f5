"""Versions, names and the active pointer: who stands where, and what brings a tool back."""

from dataclasses import replace

import pytest

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.tools import Assessment, Status
from hammerstone.library.tools.registry import ActivationReason
from tests.unit.library.tools.conftest import DOUBLE, REASON, Library, new_version, value_case

TRIPLE = DOUBLE.replace("double", "triple").replace("2", "3")
OTHER_DOUBLE = "def double(n):\n    return n + n\n"


async def test_a_registered_tool_is_found_at_once(library: Library) -> None:
    tool = await library.add(new_version())
    assert (tool.name, tool.version.number, tool.status, tool.confidence) == (
        "double", 1, Status.VERIFIED, 0.9,
    )  # fmt: skip
    assert await library.found("twice a number") == ["double"]
    assert (await library.registry.find("double")) == tool
    assert await library.registry.find("nothing") is None
    with pytest.raises(NotFound, match="there is no tool 'nothing'"):
        await library.registry.get("nothing")
    assert [tool.name for tool in await library.registry.list()] == ["double"]


async def test_an_edit_becomes_the_active_version(library: Library) -> None:
    await library.add(new_version())
    before = await library.registry.revision()
    tool = await library.add(new_version(code=OTHER_DOUBLE))
    assert (tool.version.number, tool.version.code) == (2, OTHER_DOUBLE)
    assert await library.registry.revision() > before
    assert [one.number for one in await library.registry.versions("double")] == [1, 2]
    assert (await library.registry.version("double", 1)).code == DOUBLE
    with pytest.raises(NotFound, match="double has no version 3"):
        await library.registry.version("double", 3)
    moves = await library.registry.history("double")
    assert len(moves) == 2


async def test_a_restored_version_is_active_again(library: Library) -> None:
    await library.add(new_version())
    await library.add(new_version(code=OTHER_DOUBLE))
    tool = await library.registry.restore("double", 1, who="ada")
    assert (tool.version.number, tool.version.code) == (1, DOUBLE)


async def test_a_new_tool_with_a_taken_name_gets_a_free_one(library: Library) -> None:
    await library.add(new_version())
    other = new_version(code=OTHER_DOUBLE, kind="string")
    second = await library.add(other, as_new_tool=True)
    assert second.name == second.version.spec.name == "double_2"
    assert second.version.code == f"{OTHER_DOUBLE.rstrip()}\n\n\ndouble_2 = double\n"
    third = await library.add(new_version(kind="boolean"), as_new_tool=True)
    assert third.name == "double_3"
    assert (await library.registry.get("double")).version.code == DOUBLE


@pytest.mark.parametrize(
    ("standing", "status", "code"),
    [
        (Status.EXPERIMENTAL, Status.VERIFIED, OTHER_DOUBLE),
        (Status.VERIFIED, Status.VERIFIED, DOUBLE),
        (Status.VERIFIED, Status.EXPERIMENTAL, DOUBLE),
        (Status.VERIFIED, Status.TRUSTED, DOUBLE),  # both are proved
    ],
)
async def test_one_that_promises_the_same_joins_and_leads_only_if_it_stands_higher(
    library: Library, standing: Status, status: Status, code: str
) -> None:
    await library.add(new_version(status=standing))
    joined = await library.add(new_version(code=OTHER_DOUBLE, status=status), as_new_tool=True)
    assert (joined.name, joined.version.code) == ("double", code)
    assert len(await library.registry.versions("double")) == 2


async def test_out_of_use_and_back(library: Library) -> None:
    await library.add(new_version())
    retired = await library.registry.retire("double", who="ada", reason="wrong", uses=3)
    assert (retired.status, retired.confidence) == (Status.RETIRED, 0.9)
    assert await library.found("twice a number") == []
    assert await library.registry.list() == []
    assert [one.name for one in await library.registry.list(include_retired=True)] == ["double"]
    back = await library.registry.unretire("double", who="ada")
    assert (back.status, back.confidence) == (Status.VERIFIED, 0.9)
    assert await library.found("twice a number") == ["double"]
    known = await library.registry.assessments(back.version.id)
    assert [one.status for one in known] == [Status.VERIFIED, Status.RETIRED, Status.VERIFIED]
    assert known[1].evidence == {"who": "ada", "reason": "wrong", "uses": 3}
    assert known[2].evidence == {"who": "ada", "reason": "back from retired"}
    with pytest.raises(BadRequest, match="double is verified, there is nothing to bring back"):
        await library.registry.unretire("double", who="ada")


async def test_a_better_tool_is_another_one_that_is_there(library: Library) -> None:
    await library.add(new_version())
    for better in ("double", "nothing"):
        with pytest.raises(BadRequest, match=f"'{better}' is not another tool"):
            await library.registry.deprecate("double", better, who="ada", reason="x")
    await library.add(new_version("triple", TRIPLE))
    gone = await library.registry.deprecate("double", "triple", who="ada", reason="x")
    assert gone.status is Status.DEPRECATED
    assert await library.found("twice a number") == ["triple"]


async def test_the_same_version_again_comes_back_on_probation(library: Library) -> None:
    await library.add(new_version())
    await library.registry.retire("double", who="ada", reason="wrong")
    tool = await library.add(new_version())
    assert (tool.status, tool.version.number) == (Status.EXPERIMENTAL, 1)


@pytest.mark.parametrize(
    ("first", "second", "after"),
    [
        (Status.EXPERIMENTAL, Status.VERIFIED, Status.VERIFIED),
        (Status.VERIFIED, Status.EXPERIMENTAL, Status.VERIFIED),
    ],
)
async def test_the_same_version_again_only_rises(
    library: Library, first: Status, second: Status, after: Status
) -> None:
    await library.add(new_version(status=first))
    tool = await library.add(new_version(status=second))
    assert (tool.status, tool.version.number) == (after, 1)


async def test_a_restored_version_that_was_retired_stands_as_before(library: Library) -> None:
    await library.add(new_version())
    await library.registry.retire("double", who="ada", reason="wrong")
    tool = await library.registry.restore("double", 1, who="ada")
    assert (tool.status, tool.confidence) == (Status.VERIFIED, 0.9)


async def test_an_assessment_gets_its_time(library: Library) -> None:
    tool = await library.add(new_version())
    library.clock.forward(60)
    changed = await library.registry.assess(
        "double", Assessment(tool.version.id, Status.TRUSTED, 0.99, {"who": "ada"})
    )
    assert (changed.status, changed.confidence) == (Status.TRUSTED, 0.99)
    known = await library.registry.assessments(tool.version.id)
    assert known[-1].at == library.clock.now() != known[0].at
    assert await library.registry.assessed([tool.version.id, "x"]) == {
        tool.version.id: (Status.TRUSTED, 0.99)
    }


async def test_shipped_tools_take_free_names_and_follow_their_origin(library: Library) -> None:
    shipped = [
        new_version(provenance={"origin": "starter"}),
        new_version("triple", TRIPLE, provenance={"origin": "starter"}),
    ]
    reason = ActivationReason("shipped", "package", "starter")
    added = await library.registry.register_shipped(shipped, reason)
    assert [tool.name for tool in added] == ["double", "triple"]
    assert await library.registry.register_shipped(shipped, reason) == []
    newer = new_version(code=OTHER_DOUBLE, provenance={"origin": "starter"})
    (again,) = await library.registry.register_shipped([newer], reason)
    assert again.version.code == OTHER_DOUBLE
    assert (await library.registry.get("double")).version.id == again.version.id
    # What was ever there is not added again, and another origin keeps its name.
    assert await library.registry.register_shipped(shipped, reason) == []
    theirs = new_version(code=OTHER_DOUBLE + "\n", provenance={"origin": "elsewhere"})
    assert await library.registry.register_shipped([theirs], reason) == []
    await library.registry.retire("triple", who="ada", reason="x")
    edited = new_version("triple", TRIPLE + "\n", provenance={"origin": "starter"})
    assert await library.registry.register_shipped([edited], reason) == []
    assert sorted(await library.found("twice a number")) == ["double"]


def test_a_reason_is_stored_whole() -> None:
    reason = replace(REASON, evidence={"cases": 3})
    assert reason.to_json() == {
        "kind": "registered", "who": "ada", "reason": "test", "evidence": {"cases": 3},
    }  # fmt: skip


def test_renaming_keeps_the_function_under_its_own_name() -> None:
    new = new_version(suite=(value_case("double(2)", 4),))
    assert new.renamed("double") is new
    other = new.renamed("twice")
    assert other.spec.name == "twice"
    assert other.code.endswith("\n\n\ntwice = double\n")
    assert other.id != new.id
