"""From a failed call to what becomes of it: the gate and the database are real, the model is
scripted, and the code runs in this process."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Call, FailureKind, Program
from hammerstone.core.json_types import JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.core.tools import Case, CaseKind, Effect, Status
from hammerstone.learn.policies import RepairPolicy
from hammerstone.learn.promotion.proposals import ProposalKind, ProposalState
from hammerstone.learn.repair.tool_repairer import (
    RepairOutcome,
    RepairResult,
    ToolRepairer,
    Workbench,
)
from hammerstone.models.fakes.scripted import ScriptedModel
from hammerstone.storage.stores.learning.analyses import AnalysisRow, Confirmation
from tests.unit.learn.workshop import Workshop, version_of, workshop
from tests.unit.own_code import OwnCodeSandbox

# Wrong for the value 0 alone.
BROKEN = "def inverse(value):\n    if value < 0:\n        return 0\n    return 1 / value\n"
FIXED = BROKEN.replace("value < 0", "value == 0")
SUITE = (
    Case(CaseKind.VALUE, Call(source="inverse(4)"), 0.25),
    Case(CaseKind.VALUE, Call(source="inverse(2)"), 0.5),
    Case(CaseKind.VALUE, Call(source="inverse(1)"), 1.0),
)


class Bench:
    """A workshop with one tool, whose repairs are written by `reply`."""

    def __init__(self, shop: Workshop, policy: RepairPolicy, reply: str) -> None:
        self.shop, self.policy, self.reply = shop, policy, reply
        self.sandbox = OwnCodeSandbox()
        self.budgets: list[Any] = []

    async def open_sandbox(self) -> Any:
        return self.sandbox

    def coder(self, policy: RepairPolicy, allowance: Any) -> ScriptedModel | None:
        self.budgets.append(allowance)
        if not self.reply:
            return None
        return ScriptedModel(lambda prompt: f"```python\n{self.reply}```")

    @property
    def repairer(self) -> ToolRepairer:
        shop = self.shop
        return ToolRepairer(
            Workbench(shop.db, shop.registry, shop.gate, self.open_sandbox, self.coder,
                      lambda: self.policy, shop.clock)
        )  # fmt: skip

    async def add(self, code: str = BROKEN, **change: Any) -> None:
        new = version_of("inverse", code, suite=SUITE)
        spec = replace(new.spec, **change.pop("spec", {}))
        await self.shop.add(replace(new, spec=spec, **change))

    async def look(self, value: Any = 0, session: str = "s1", **more: Any) -> RepairResult:
        tool = await self.shop.registry.get("inverse")
        failed = FailedCall(
            tool=tool, arguments={"value": value}, failure=None, error="ZeroDivisionError",
            request="1/0", session_id=session, user="ada", run_id=f"run-{session}", **more,
        )  # fmt: skip
        return await self.repairer.look_into(failed)

    async def analyses(self) -> list[AnalysisRow]:
        return await self.shop.db.analyses.list("inverse", limit=100)

    async def code(self) -> str:
        return (await self.shop.registry.get("inverse")).version.code


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with workshop(tmp_path) as made:
        yield made


def bench(shop: Workshop, reply: str = FIXED, **policy: Any) -> Bench:
    return Bench(shop, RepairPolicy(**policy), reply)


async def test_a_switch_turns_it_off(shop: Workshop) -> None:
    one = bench(shop, enabled=False)
    await one.add()
    found = await one.look()
    assert (found.outcome, found.tool) == (RepairOutcome.OFF, None)
    assert await one.analyses() == [] and one.sandbox.ran == []


async def test_a_call_that_works_after_all_is_no_bug(shop: Workshop) -> None:
    one = bench(shop)
    await one.add()
    found = await one.look(value=4)
    assert found.outcome is FailureKind.TRANSIENT and found.tool is None
    (kept,) = await one.analyses()
    assert (kept.signature, kept.outcome) == ("", "transient")


async def test_one_session_is_mended_for_its_call_only(shop: Workshop) -> None:
    one = bench(shop, sessions=2, promote=0.0)
    await one.add()
    found = await one.look()
    assert found.outcome is RepairOutcome.THIS_CALL_ONLY
    assert found.tool is not None and found.tool.status is Status.EXPERIMENTAL
    assert (await one.sandbox.call(_program(found.tool.version.code), _call(0))).ok
    assert await one.code() == BROKEN  # the library keeps what it had
    (kept,) = await one.analyses()
    assert (kept.session_id, kept.tool, kept.kind) == ("s1", "inverse", "bug")
    assert kept.details["run"] == "run-s1" and kept.details["error"] == "ZeroDivisionError"


async def test_a_second_session_is_evidence_enough_for_the_gate(shop: Workshop) -> None:
    one = bench(shop, sessions=2, promote=0.0)
    await one.add()
    await one.look(session="s1")
    found = await one.look(session="s2")
    (row,) = await shop.db.proposals.list(kind=ProposalKind.REPAIR, limit=10)
    assert row.title.startswith("inverse repaired: ")
    assert set(await shop.db.proposals.sessions(row.id)) == {"s1", "s2"}
    assert found.proposal == row.id
    assert (found.outcome, row.status) == (RepairOutcome.REPAIRED, ProposalState.PROBATION)
    assert found.tool is not None and found.tool.status is Status.VERIFIED
    assert await one.code() == found.tool.version.code != BROKEN
    provenance = found.tool.version.provenance
    assert provenance["repaired_from"] != found.tool.version.id
    assert len(found.tool.version.suite) == len(SUITE) + 1


async def test_no_fix_is_tried_only_so_often(shop: Workshop) -> None:
    one = bench(shop, reply="def inverse(value):\n    return None\n", attempts=2, promote=1.0)
    await one.add("def inverse(value):\n    return 1 / value + int(str(value - 1) * 3) * 0\n")
    first = await one.look(value="x")
    assert first.outcome is not RepairOutcome.REPAIRED
    outcomes = [(await one.look(session=f"s{n}")).outcome for n in range(3)]
    assert outcomes == [
        RepairOutcome.FAILED, RepairOutcome.QUARANTINED, RepairOutcome.QUARANTINED
    ]  # fmt: skip
    rows = await shop.db.proposals.list(
        kind=ProposalKind.REPAIR, statuses=[ProposalState.QUARANTINED], limit=10
    )
    assert [row.title[:30] for row in rows] == ["inverse cannot be repaired: Ze"]


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"spec": {"effect": Effect.WRITES}}, RepairOutcome.LEFT),
        ({"provenance": {"composite": "c1"}}, RepairOutcome.PARTS),
    ],
)
async def test_what_is_not_tried_again(
    shop: Workshop, change: JsonObject, outcome: RepairOutcome
) -> None:
    one = bench(shop)
    await one.add(**change)
    found = await one.look()
    assert (found.outcome, found.tool, one.budgets) == (outcome, None, [])
    assert await one.code() == BROKEN


async def test_a_stated_value_needs_no_second_session(shop: Workshop) -> None:
    one = bench(shop, sessions=5, promote=0.0)
    await one.add()
    said = Confirmation("inverse", {"value": 0}, 0, True, "s1", "ada", shop.clock.now())
    await shop.db.analyses.confirm(said)
    found = await one.look(expected=Case(CaseKind.VALUE, _call(0), 0, origin="user"))
    assert found.outcome is RepairOutcome.REPAIRED
    rows = await shop.db.proposals.list(kind=ProposalKind.REPAIR, limit=10)
    assert len(rows) == 1


async def test_whoever_asks_gets_the_tool_or_nothing(shop: Workshop) -> None:
    one = bench(shop, sessions=2, promote=0.0)
    await one.add()
    tool = await shop.registry.get("inverse")
    failed = FailedCall(tool, {"value": 0}, None, "no", "1/0", "s1", "ada", "run1")
    allowance: Any = object()
    mended = await one.repairer.mend(failed, allowance)
    assert mended is not None and mended.name == "inverse"
    assert one.budgets == [allowance]
    fine = FailedCall(tool, {"value": 4}, None, "no", "1/4", "s1", "ada", "run1")
    assert await one.repairer.mend(fine, allowance) is None


def _call(value: Any) -> Call:
    return Call(kwargs={"value": value})


def _program(code: str) -> Any:
    return Program(code, "inverse")
