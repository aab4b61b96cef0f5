"""Tools that do the same: found by what they return, merged into the better one."""

from typing import cast

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, Effect, Status
from hammerstone.library.tools.duplicates.duplicate_search import Duplicates
from hammerstone.library.tools.duplicates.merging import merge
from hammerstone.library.tools.registry import NewVersion
from tests.unit.library.tools.conftest import DOUBLE, Library, new_version, value_case
from tests.unit.own_code import OwnCodeSandbox

SUM = "def twofold(x):\n    return x + x\n"
SUM_SUITE = (value_case("twofold(3)", 6), value_case("twofold(7)", 14))


def twofold(**more: object) -> NewVersion:
    given = {"suite": SUM_SUITE, "parameters": ("x",), **more}
    return new_version("twofold", cast(str, given.pop("code", SUM)), **given)  # type: ignore[arg-type]


@pytest.fixture
def duplicates(library: Library) -> Duplicates:
    return Duplicates(library.registry, library.search, library.policies)


@pytest.fixture
def sandbox() -> Sandbox:
    return cast(Sandbox, OwnCodeSandbox())


async def match(duplicates: Duplicates, new: NewVersion, sandbox: Sandbox, besides: str = ""):  # type: ignore[no-untyped-def]
    return await duplicates.find_match(
        new.spec, new.code, new.suite, sandbox, besides=besides or None
    )


async def test_the_same_behaviour_in_other_words(
    library: Library, duplicates: Duplicates, sandbox: Sandbox
) -> None:
    await library.add(new_version())
    found = await match(duplicates, twofold(), sandbox)
    assert (found.tool.name, found.parameters) == ("double", {"x": "n"})
    assert found.agreed >= 5
    assert found.similarity is None  # search works with words alone
    assert await match(duplicates, twofold(), sandbox, besides="double") is None


@pytest.mark.parametrize(
    "new",
    [
        twofold(code="def twofold(x):\n    return x + x + 1\n"),
        twofold(code="def twofold(x):\n    return x + x if x < 1000 else 0\n",
                suite=(*SUM_SUITE, value_case("twofold(1001)", 0))),
        twofold(kind="string"),
        twofold(spec={"effect": Effect.READS}),
        twofold(parameters=("x", "y")),
        twofold(code="def twofold(x):\n    return 1 / 0\n"),
    ],
)  # fmt: skip
async def test_another_behaviour_is_another_tool(
    library: Library, duplicates: Duplicates, sandbox: Sandbox, new: NewVersion
) -> None:
    await library.add(new_version())
    assert await match(duplicates, new, sandbox) is None


async def test_nothing_is_compared_when_it_is_switched_off_or_out_of_use(
    library: Library, duplicates: Duplicates, sandbox: Sandbox
) -> None:
    await library.add(new_version())
    await library.policies.change("duplicates", {"enabled": False}, who="ada", why="test")
    assert await match(duplicates, twofold(), cast(Sandbox, None)) is None
    await library.policies.change("duplicates", {"enabled": True}, who="ada", why="test")
    await library.registry.retire("double", who="ada", reason="x")
    assert await match(duplicates, twofold(), sandbox) is None


async def test_an_input_is_run_once(
    library: Library, duplicates: Duplicates, sandbox: Sandbox
) -> None:
    tool = await library.add(new_version())
    new = twofold()
    await duplicates.compare(new.spec, new.code, new.suite, tool, sandbox)
    ran = [repr(call.kwargs) for call in cast(OwnCodeSandbox, sandbox).ran]
    assert len(ran) == len(set(ran))
    for number in (2, 3, 5, 7):  # the inputs of both suites, for both tools
        assert repr({"x": number}) in ran
        assert repr({"n": number}) in ran


async def test_the_better_tool_stays_with_the_cases_of_both(
    library: Library, duplicates: Duplicates, sandbox: Sandbox
) -> None:
    one = await library.add(new_version(confidence=0.95))
    suite = (*SUM_SUITE, value_case("twofold(2)", 4), value_case("twofold(9)", 19),
             Case(CaseKind.RAISES, Call(source="twofold(None)"), "TypeError"),
             Case(CaseKind.PROPERTY, Call(source="twofold(8)"), check="result > 8"))  # fmt: skip
    other = await library.add(twofold(suite=suite, confidence=0.9, provenance={"run": "r7"}))
    kept = await merge(
        other, one, duplicates=duplicates, registry=library.registry, sandbox=sandbox, who="ada"
    )
    assert kept.name == "double"
    taken = kept.version.suite[len(one.version.suite) :]
    # known here: 2; wrong: 9; no plain case: 8
    assert [case.call.kwargs for case in taken] == [{"n": 3}, {"n": 7}, {"n": None}]
    assert (kept.status, kept.confidence) == (Status.VERIFIED, 0.95)
    assert kept.version.provenance["merged_from"] == "twofold"
    assert kept.version.provenance["runs"] == ["r7"]
    gone = await library.registry.get("twofold")
    assert gone.status is Status.DEPRECATED
    history = await library.registry.history("double")
    assert len(history) == 2


async def test_nothing_to_take_over_makes_no_version(
    library: Library, duplicates: Duplicates, sandbox: Sandbox
) -> None:
    one = await library.add(new_version(status=Status.TRUSTED, confidence=0.5))
    suite = (value_case("twofold(2)", 4), value_case("twofold(5)", 10))
    other = await library.add(twofold(suite=suite, confidence=0.99))
    kept = await merge(
        one, other, duplicates=duplicates, registry=library.registry, sandbox=sandbox, who="ada"
    )
    assert kept is one  # a higher standing counts more than certainty
    assert len(await library.registry.versions("double")) == 1


async def test_tools_that_differ_are_not_merged(
    library: Library, duplicates: Duplicates, sandbox: Sandbox
) -> None:
    one = await library.add(new_version())
    other = await library.add(
        twofold(code="def twofold(x):\n    return x + 2\n", suite=(value_case("twofold(2)", 4),))
    )
    with pytest.raises(BadRequest, match="double and twofold do not give the same results"):
        await merge(
            one, other, duplicates=duplicates, registry=library.registry, sandbox=sandbox, who="a"
        )
    assert (await library.registry.get("twofold")).status is Status.VERIFIED
    assert one.version.code == DOUBLE
