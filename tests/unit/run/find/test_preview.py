"""What a request would find, shown: hits, fit, plan and skill, with nothing recorded."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.library.search import Band, Filters, Fit, Hit
from hammerstone.run.find.discover import Discovery
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.find.preview import RequestPreview
from hammerstone.storage import RevisionSnapshot
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import make_tool

SEEN = RevisionSnapshot(None, 4, 3, 2, 1, documents=False, stops=False)
HITS = tuple(Hit(f"t{n}", 0.9, 0.9, 0.8, 0.7) for n in range(6))


class Shop:
    """Everything that a preview asks, with what it was asked."""

    def __init__(self, plan: Plan, found: Discovery, skill: float | None = None) -> None:
        self.plan, self.found = plan, found
        self.db = self.revisions = self.policies = self.search = self.skills = self
        self.clock, self.words_only = HandClock(), "no model"
        self.policy = SimpleNamespace(fit=0.6)
        self._skill = skill
        self.asked: list[Any] = []

    async def take(self, session: str) -> RevisionSnapshot:
        self.asked.append(("take", session))
        return SEEN

    async def load(self, revision: int) -> None:
        self.asked.append(("load", revision))

    async def look(self, run: Any, text: str, **options: Any) -> Discovery:
        assert (run.request.text, run.request.user, run.seen) == (text, "ada", SEEN)
        await run.say("searching", "nobody hears it")
        self.asked.append(options)
        return self.found

    async def plan_for(self, run: Any, text: str, words: str) -> Plan:
        assert text == words
        return self.plan

    async def find(self, words: str, user: str, limit: int) -> list[Any]:
        assert (user, limit) == ("ada", 1)
        hit = SimpleNamespace(probability=self._skill, to_json=lambda: {"skill": words})
        return [] if self._skill is None else [hit]

    async def of(self, **options: Any) -> Any:
        me = cast(Any, self)
        return await RequestPreview(me, me, me, me, me).of("double 5", "ada", **options)


FIT = Fit(0.91234, Band.HIGH, None)
FOUND = Discovery(make_tool(), 0.9, Band.HIGH, HITS, FIT)
SURE = Plan(Strategy.SINGLE, (PlanStep("1", "double 5", "double", fit=0.91236),), "it fits")
UNSURE = Plan(
    Strategy.SINGLE, (PlanStep("1", "double 5", "double", fit=0.7, beside_solution=True),)
)
ALONE = Plan(Strategy.SOLVING, (PlanStep("1", "double 5", unfit=True, fit=0.9),))
TWO = Plan(Strategy.SOLVING, (PlanStep("1", "a"), PlanStep("2", "b", beside_solution=True)))


async def test_a_preview_shows_the_hits_the_fit_and_the_plan() -> None:
    shop = Shop(SURE, FOUND)
    shown = await shop.of(limit=2)
    assert [hit["name"] for hit in shown["hits"]] == ["t0", "t1"]
    assert shown["hits"][0]["explanation"] == HITS[0].explanation
    assert shown["fit"] == {"probability": 0.9123, "band": "high", "signals": None}
    assert shown["plan"] == {
        "strategy": "single",
        "why": "it fits",
        "steps": [
            {
                "text": "double 5",
                "tool": "double",
                "fit": 0.9124,
                "beside_solution": False,
                "said": {},
            }
        ],
    }
    assert (shown["query"], shown["skill"], shown["words_only"]) == ("double 5", None, "no model")
    assert shop.asked == [("take", ""), ("load", 4), {"limit": 5, "filters": None}]


async def test_more_hits_are_looked_for_where_more_are_shown() -> None:
    shop = Shop(SURE, FOUND)
    assert len((await shop.of(limit=6))["hits"]) == 6
    assert shop.asked[-1]["limit"] == 6


async def test_with_filters_there_is_no_plan() -> None:
    shop = Shop(ALONE, FOUND, skill=0.9)
    only = Filters(names=frozenset({"t0"}))
    shown = await shop.of(filters=only)
    assert (shown["plan"], shown["skill"]) == (None, None)
    assert shop.asked[-1] == {"limit": 5, "filters": only}


async def test_where_nothing_was_found_nothing_fits() -> None:
    shown = await Shop(ALONE, Discovery(None, 0.0)).of()
    assert shown["hits"] == []
    assert shown["fit"] == {"probability": 0.0, "band": "low", "signals": None}
    assert shown["plan"]["steps"][0]["fit"] is None


@pytest.mark.parametrize(
    ("plan", "skill", "shown"),
    [
        (SURE, 0.99, False),  # a certain tool
        (TWO, 0.99, False),  # several steps
        (UNSURE, 0.7, True),  # as likely as the tool
        (UNSURE, 0.69, False),
        (ALONE, 0.6, True),
        (ALONE, 0.59, False),
        (ALONE, None, False),
    ],
)
async def test_the_skill_that_would_be_used(plan: Plan, skill: float | None, shown: bool) -> None:
    told = (await Shop(plan, FOUND, skill).of())["skill"]
    assert told == ({"skill": "double 5"} if shown else None)
