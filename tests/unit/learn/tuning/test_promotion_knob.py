"""When a pattern becomes a tool: what each run knew of its chains, and what a composite saves."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from hammerstone.learn.policies import MiningPolicy, TuningPolicy
from hammerstone.learn.tuning.promotion_knob import PromotionKnob, RunChains
from hammerstone.library.policies import Policies
from hammerstone.storage.stores.library.patterns import FinishedRun, LoggedCall

NOW = datetime(2026, 3, 1, tzinfo=UTC)
POLICIES = Policies(cast(Any, None), (TuningPolicy, MiningPolicy))


class Log:
    """Runs with the tools that each called; `!` marks a call that failed."""

    def __init__(self, *runs: tuple[str, str]) -> None:
        self.patterns = self
        self.asked: list[Any] = []
        self._runs = runs

    async def finished_runs(self, since: Any, until: datetime, most: int) -> list[FinishedRun]:
        self.asked += [since, until, most]
        return [
            FinishedRun(f"r{n}", session, f"user of {session}", "done", NOW + timedelta(hours=n))
            for n, (session, _) in enumerate(self._runs)
        ]

    async def calls_of(self, ids: list[str]) -> dict[str, list[LoggedCall]]:
        found: dict[str, list[LoggedCall]] = {}
        for n, (_, tools) in enumerate(self._runs):
            found[f"r{n}"] = [
                LoggedCall(f"r{n}", place, name.rstrip("!"), not name.endswith("!"), 0.1, {})
                for place, name in enumerate(tools.split(), 1)
            ]
        return {id: found[id] for id in ids if found[id]}


def knob(*runs: tuple[str, str]) -> PromotionKnob:
    return PromotionKnob(cast(Any, Log(*runs)), POLICIES)


async def known(*runs: tuple[str, str]) -> list[Any]:
    return [(case.id, case.data.known) for case in await knob(*runs).cases(NOW)]


async def test_each_run_knows_what_was_before_it() -> None:
    pair = ("a", "b")
    assert await known(("s", "a b"), ("s", "a b!"), ("t", "a b"), ("t", "a b")) == [
        ("r0", ((pair, 0, 0, 0),)),
        ("r1", ((pair, 1, 1, 1),)),
        ("r2", ((pair, 2, 1, 1),)),
        ("r3", ((pair, 3, 2, 2),)),
    ]


async def test_a_run_of_single_calls_is_no_case() -> None:
    assert await known(("s", "a"), ("s", ""), ("s", "a b")) == [("r2", ((("a", "b"), 0, 0, 0),))]


async def test_a_case_says_whose_run_it_was_and_when() -> None:
    log = Log(("s", "a b"))
    (case,) = await PromotionKnob(cast(Any, log), POLICIES).cases(NOW)
    assert (case.id, case.group, case.at, case.user) == ("r0", "s", NOW, "user of s")
    assert log.asked == [None, NOW, TuningPolicy().most]


def score(*chains: tuple[int, int, int, int], often: float = 3, well: float = 0.8) -> float:
    """The worth of a run by length, times, good ones and sessions of its chains."""
    data = RunChains(tuple((("t",) * length, *counts) for length, *counts in chains))  # type: ignore[misc]
    case = cast(Any, type("Case", (), {"data": data}))
    return float(knob().scores({"frequency": often, "success": well}, [case])[0])


NEEDED = MiningPolicy().sessions
COST = TuningPolicy().idle_composite


@pytest.mark.parametrize(
    ("chain", "worth"),
    [
        ((2, 3, 3, NEEDED), 1.0),  # a composite of two saves one call
        ((4, 3, 3, NEEDED), 3.0),
        ((2, 10, 8, NEEDED), 1.0),  # just as often well as asked
        ((2, 10, 7, NEEDED), 0.0),
        ((2, 3, 3, NEEDED - 1), -COST),  # becomes ripe with this run
        ((2, 2, 2, NEEDED), -COST),
        ((2, 2, 2, NEEDED - 1), -COST),
        ((2, 1, 1, NEEDED), 0.0),
        ((2, 2, 2, NEEDED - 2), 0.0),
        ((2, 2, 0, NEEDED), 0.0),
        ((2, 9, 7, NEEDED), -COST),  # eight of ten are enough, seven of nine were not
    ],
)
def test_what_a_chain_is_worth_to_a_run(chain: tuple[int, int, int, int], worth: float) -> None:
    assert score(chain) == worth


def test_the_longest_ripe_chain_counts_and_every_new_one_costs() -> None:
    ripe, new = (2, 3, 3, NEEDED), (2, 2, 2, NEEDED)
    assert score(ripe, (3, 5, 5, NEEDED)) == 2.0
    assert score((3, 5, 5, NEEDED), ripe) == 2.0
    assert score(ripe, new, new) == 1.0 - 2 * COST
    assert score() == 0.0


def test_the_numbers_that_are_tried() -> None:
    one = knob()
    assert one.present() == {
        "frequency": MiningPolicy().frequency,
        "success": MiningPolicy().success,
    }
    grid = [(values["frequency"], values["success"]) for values in one.grid()]
    assert len(grid) == len(set(grid)) == 25
    assert min(grid) == (2, 0.6) and max(grid) == (8, 1.0)
    assert one.bounds() == {"frequency": (2, 20), "success": (0.5, 1.0)}
    assert one.sound({"frequency": 3.4, "success": 0.8349}) == {"frequency": 3, "success": 0.83}
    assert (one.name, one.policy) == ("promotion", "mining")
