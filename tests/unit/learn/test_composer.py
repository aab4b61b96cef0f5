"""Ripe patterns that become composites: which are tried, what comes of them, what steps back."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.changes import IN_FORCE, ProposalKind, ProposalState
from hammerstone.core.dataflow import FromRequest, FromStep
from hammerstone.core.tools import Effect, Status, Tool
from hammerstone.learn.composites import composer
from hammerstone.learn.composites.bindings import Instance
from hammerstone.learn.composites.build import CompositeAttempt
from hammerstone.learn.composites.composer import CompositeBuilder, PatternResult, _inside
from hammerstone.learn.policies import MiningPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.gate import GateDecision
from hammerstone.library.tools.registry import NewVersion
from hammerstone.library.workflows import Workflow, WorkflowStep
from hammerstone.storage.stores.library.patterns import PatternRow
from tests.unit.run.made_runs import make_tool

NOW = datetime(2026, 3, 1, tzinfo=UTC)
STEPS = (
    WorkflowStep("total", {"n": FromRequest("n")}, "v-total-1"),
    WorkflowStep("tax", {"n": FromStep(0)}, "v-tax-1"),
)
WORKFLOW = Workflow("w1", "total_then_tax", STEPS, 4, 1.0, 0.9)
NEW = NewVersion(
    spec=make_tool("total_then_tax").version.spec,
    code="def total_then_tax(n): ...",
    suite=(),
    rejected=(),
    status=Status.VERIFIED,
    confidence=0.9,
    evidence={},
    provenance={},
)
EVIDENCE = ProposalEvidence(saved_calls=1.0, saved_s=0.5)


def pattern(*steps: str, often: int = 4, whole: int = 0) -> PatternRow:
    return PatternRow("p", steps, often, whole, often, often, often, 3, 1.0, NOW, NOW)


class Shop:
    """The database, the registry and the gate, all of which note what they are asked."""

    def __init__(self, *tools: Tool, ripe: tuple[PatternRow, ...] = (), known: Any = ()) -> None:
        self.db = self.proposals = self.sessions = self.runs = self.workflows = self
        self.access = SimpleNamespace(clock=SimpleNamespace(now=lambda: NOW))
        self._tools = {tool.name: tool for tool in tools}
        self.ripe, self.known = ripe, known
        self.before: Any = None
        self.decided = GateDecision("d1", ProposalState.PROMOTED, "it helps")
        self.attempt = CompositeAttempt(WORKFLOW, NEW, EVIDENCE)
        self.several = False
        self.did: list[Any] = []
        self.recipes: list[Any] = []

    async def list(self, **about: Any) -> Any:
        if about.get("kind") == ProposalKind.COMPOSITE:
            assert about["statuses"] == IN_FORCE
            return self.known
        assert about["limit"] == 1 and about["statuses"] == IN_FORCE
        return [SimpleNamespace(id=f"change of {about['target']}")]

    async def several_people(self) -> bool:
        return self.several

    async def find(self, name: str) -> Any:
        if name in self._tools:
            return self._tools[name]
        if name.startswith("run"):
            return SimpleNamespace(request=f"words of {name} " + "x" * 400)
        return self.before if len(name) == 12 else None

    async def put(self, row: Any) -> None:
        self.did.append(row)

    async def propose(self, proposal: Any) -> GateDecision:
        self.did.append(proposal)
        return self.decided

    async def undo(self, id: str, **how: Any) -> None:
        self.did.append((id, how))


TOTAL, TAX = make_tool("total"), make_tool("tax")
INSTANCES = [Instance("s1", "run1", ()), Instance("s2", "run2", ()), Instance("s2", "run2", ())]


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> Any:
    def of(shop: Shop, **numbers: Any) -> CompositeBuilder:
        async def ripe(_: Any) -> list[Any]:
            return list(shop.ripe)

        async def load(*_: Any) -> list[Instance]:
            return INSTANCES

        async def build(instances: Any, recipe: Any, sandbox: Any) -> CompositeAttempt:
            shop.recipes.append(recipe)
            return shop.attempt

        monkeypatch.setattr(composer.PatternBook, "ripe", ripe)
        monkeypatch.setattr(composer, "load", load)
        monkeypatch.setattr(composer, "build", build)
        me, policy = cast(Any, shop), replace(MiningPolicy(), **numbers)
        return CompositeBuilder(me, me, me, me, policy)

    return of


PAIR = pattern("total", "tax")


async def test_a_ripe_pattern_is_proposed_with_what_speaks_for_it(builder: Any) -> None:
    shop = Shop(TOTAL, TAX, ripe=(PAIR,))
    (result,) = await builder(shop).run()
    assert result == PatternResult(("total", "tax"), "built", "it helps", "total_then_tax", "d1")
    row, proposal = shop.did
    assert (row.id, row.name, row.first_tool, row.active, row.at) == (
        "w1", "total_then_tax", "total", False, NOW,
    )  # fmt: skip
    assert row.document == WORKFLOW.to_json()
    assert [len(words) for words in row.requests] == [300, 300]
    assert row.requests[0].startswith("words of run1 ")
    assert (proposal.kind, proposal.target) == (ProposalKind.COMPOSITE, "total_then_tax")
    assert proposal.title == "total > tax as one tool"
    assert proposal.sessions == {"s1": "run1", "s2": "run2"}
    assert proposal.rests_on == ("change of total", "change of tax")
    assert proposal.value == {"saved_calls": 1.0, "saved_s": 0.5, "cost_s": 0.0}
    assert proposal.change["new_tool"] is True and proposal.evidence is EVIDENCE
    (recipe,) = shop.recipes
    assert (recipe.support, recipe.success, recipe.alone) == (4, 1.0, True)
    assert recipe.parts == {"total": TOTAL.version, "tax": TAX.version}


async def test_where_several_people_ask_nothing_is_taken_for_fixed(builder: Any) -> None:
    shop = Shop(TOTAL, TAX, ripe=(PAIR,))
    shop.several = True
    await builder(shop).run()
    assert shop.recipes[0].alone is False


@pytest.mark.parametrize(
    ("standing", "before", "outcome"),
    [
        (ProposalState.PROMOTED, False, "built"),
        (ProposalState.PROBATION, False, "built"),
        (ProposalState.WAITING, False, "waiting"),
        (ProposalState.PROMOTED, True, "known"),
        (ProposalState.WAITING, True, "refused"),
    ],
)
async def test_what_the_gate_makes_of_it(
    builder: Any, standing: ProposalState, before: bool, outcome: str
) -> None:
    shop = Shop(TOTAL, TAX, ripe=(PAIR,))
    shop.decided = replace(shop.decided, standing=standing)
    shop.before = object() if before else None
    (result,) = await builder(shop).run()
    assert (result.outcome, result.reason, result.proposal) == (outcome, "it helps", "d1")


async def test_a_dry_run_only_says_what_it_would_do(builder: Any) -> None:
    shop = Shop(TOTAL, TAX, ripe=(PAIR,))
    (result,) = await builder(shop).run(dry_run=True)
    assert (result.outcome, result.tool, shop.did) == ("would be built", "total_then_tax", [])
    assert result.to_json() == {
        "steps": ["total", "tax"], "outcome": "would be built", "reason": "",
        "tool": "total_then_tax", "proposal": "",
    }  # fmt: skip


@pytest.mark.parametrize(("least", "outcome"), [(0.5, "built"), (0.6, "refused")])
async def test_a_composite_that_saves_too_little_time_is_not_built(
    builder: Any, least: float, outcome: str
) -> None:
    (result,) = await builder(Shop(TOTAL, TAX, ripe=(PAIR,)), min_saved_s=least).run()
    assert result.outcome == outcome
    assert (result.reason == "each use would save less than 0.6 s") is (outcome == "refused")


def provenance(tool: Tool, **made: Any) -> Tool:
    return replace(tool, version=replace(tool.version, provenance=made))


@pytest.mark.parametrize(
    ("tax", "why"),
    [
        (make_tool("other"), "tax is not in use"),
        (make_tool("tax", status=Status.RETIRED), "tax is not in use"),
        (provenance(TAX, composite={}), "tax is a composite itself"),
        (make_tool("tax", effect=Effect.WRITES), "tax writes: each time needs its own leave"),
    ],
)
async def test_parts_that_cannot_be_put_together(builder: Any, tax: Tool, why: str) -> None:
    shop = Shop(TOTAL, tax, ripe=(PAIR,))
    assert await builder(shop).run() == [PatternResult(("total", "tax"), "refused", why)]
    assert shop.recipes == shop.did == []


@pytest.mark.parametrize(
    ("attempt", "why"),
    [
        (CompositeAttempt(problem="too few runs"), "too few runs"),
        (CompositeAttempt(WORKFLOW, None, problem="no code"), "no code"),
        (
            CompositeAttempt(replace(WORKFLOW, confidence=0.1), NEW),
            "it is not clear enough where each value comes from",
        ),
    ],
)
async def test_what_cannot_be_built_is_refused(
    builder: Any, attempt: CompositeAttempt, why: str
) -> None:
    shop = Shop(TOTAL, TAX, ripe=(PAIR,))
    shop.attempt = attempt
    assert await builder(shop).run() == [PatternResult(("total", "tax"), "refused", why)]
    assert shop.did == []


async def test_what_saves_less_time_than_the_policy_wants_is_refused(builder: Any) -> None:
    shop = Shop(TOTAL, TAX, ripe=(PAIR,))
    (result,) = await builder(shop, min_saved_s=1.0).run()
    assert (result.outcome, shop.did) == ("refused", [])
    (result,) = await builder(shop, min_saved_s=0.5).run()
    assert result.outcome == "built"


TRIPLE = pattern("total", "tax", "tip", often=3)


async def tried(
    builder: Any, *ripe: PatternRow, known: tuple[str, ...] = (), **numbers: Any
) -> Any:
    rows = [SimpleNamespace(title=f"{title} as one tool") for title in known]
    shop = Shop(TOTAL, TAX, make_tool("tip"), ripe=ripe, known=rows)
    return [result.steps for result in await builder(shop, **numbers).run(dry_run=True)]


async def test_the_longest_comes_first_and_its_parts_are_left_alone(builder: Any) -> None:
    assert await tried(builder, PAIR, TRIPLE) == [TRIPLE.steps]
    assert await tried(builder, PAIR, TRIPLE, known=("total > tax > tip",)) == []
    assert await tried(builder, TRIPLE, known=("total > tax",)) == [TRIPLE.steps]
    apart = pattern("total", "tip")
    assert await tried(builder, apart, TRIPLE) == [TRIPLE.steps, apart.steps]


async def test_a_part_that_people_run_by_itself_is_tried_too(builder: Any) -> None:
    enough = MiningPolicy().frequency
    alone = replace(PAIR, whole=enough)
    assert await tried(builder, alone, TRIPLE) == [TRIPLE.steps, PAIR.steps]
    assert await tried(builder, replace(PAIR, whole=enough - 1), TRIPLE) == [TRIPLE.steps]


async def test_of_equal_length_the_most_frequent_comes_first(builder: Any) -> None:
    rare, often = pattern("total", "tip", often=2), pattern("tax", "tip", often=9)
    assert await tried(builder, often, rare) == [often.steps, rare.steps]
    assert await tried(builder, rare, often) == [often.steps, rare.steps]


async def test_only_so_many_new_ones_are_tried_at_once(builder: Any) -> None:
    one, two = pattern("total", "tip"), pattern("tax", "tip")
    assert await tried(builder, one, two, per_round=1) == [one.steps]
    assert await tried(builder, PAIR, one, two, per_round=1, known=("total > tax",)) == [one.steps]


async def test_a_part_of_one_that_was_refused_is_tried(builder: Any) -> None:
    shop = Shop(TOTAL, TAX, ripe=(PAIR, TRIPLE))  # there is no tip
    results = await builder(shop).run(dry_run=True)
    assert [(one.steps, one.outcome) for one in results] == [
        (TRIPLE.steps, "refused"),
        (PAIR.steps, "would be built"),
    ]


@pytest.mark.parametrize(
    ("steps", "longer", "inside"),
    [("ab", "abc", True), ("bc", "abc", True), ("ac", "abc", False), ("abc", "ab", False),
     ("abc", "abc", True), ("c", "abc", True)],
)  # fmt: skip
def test_a_part_stands_in_one_piece(steps: str, longer: str, inside: bool) -> None:
    assert _inside(tuple(steps), tuple(longer)) is inside


def whole(**parts: str) -> Tool:
    return provenance(make_tool("total_then_tax"), composite=WORKFLOW.to_json(), parts=parts)


ROW = SimpleNamespace(id="c1", target="total_then_tax", reverse=None, title="")


@pytest.mark.parametrize(
    ("tools", "why"),
    [
        ((TOTAL, TAX), ""),
        ((TOTAL, make_tool("tax", number=2)), "its part tax has a new version"),
        ((TOTAL,), "its part tax is not in use any more"),
        ((TOTAL, make_tool("tax", status=Status.RETIRED)), "its part tax is not in use any more"),
    ],
)
async def test_a_composite_steps_back_when_a_part_changed(
    builder: Any, tools: tuple[Tool, ...], why: str
) -> None:
    made = whole(total="v-total-1", tax="v-tax-1")
    shop = Shop(made, *tools, known=(ROW,))
    done = await builder(shop).step_back()
    how = {"who": "learning", "why": why, "cascade": True, "to": ProposalState.ROLLED_BACK}
    assert shop.did == ([("c1", how)] if why else [])
    told = PatternResult(("total", "tax"), "was switched off", why, "total_then_tax", "c1")
    assert done == ([told] if why else [])
    shop.did = []
    dry = await builder(shop).step_back(dry_run=True)
    assert [one.outcome for one in dry] == (["would be switched off"] if why else [])
    assert shop.did == []


async def test_a_composite_that_is_out_of_use_stays_so(builder: Any) -> None:
    gone = replace(whole(tax="v-tax-9"), status=Status.RETIRED)
    assert await builder(Shop(gone, TAX, known=(ROW,))).step_back() == []
    assert await builder(Shop(TAX, known=(ROW,))).step_back() == []


async def test_a_composite_is_found_by_the_name_it_got(builder: Any) -> None:
    row = SimpleNamespace(id="c1", target="other", reverse={"tool": "total_then_tax"}, title="")
    done = await builder(Shop(whole(tax="v-tax-9"), TAX, known=(row,))).step_back()
    assert [one.tool for one in done] == ["total_then_tax"]
