"""One session is one unit: whatever its requests, its person and the clocks."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.experiments import Experiment, ExperimentMetric, ExperimentPlan, TrialVariant
from hammerstone.core.json_types import Json
from hammerstone.core.run_record import RunRecord, ToolVersion
from hammerstone.learn.experiments.units import SessionUnit, bounded_shares, session_units
from hammerstone.learn.policies import ExperimentPolicy
from hammerstone.storage.stores.runs.runs import RecordedRun

START = datetime(2026, 3, 1, tzinfo=UTC)
EXPERIMENT = Experiment(
    "e1",
    "t",
    (TrialVariant("as it is"), TrialVariant("b", {"fit.high": 0.9})),
    ExperimentPlan(),
    START,
    "a",
)
POLICY = ExperimentPolicy()


def fact(
    session: str, hours: float, *, user: str = "ada", status: str = "done", **more: Json
) -> RecordedRun:
    variants = {"e1": str(more.pop("variant", "b"))}
    verdicts = tuple(str(more.pop("verdict")).split()) if "verdict" in more else ()
    record = RunRecord(variants=variants, **more).to_json()  # type: ignore[arg-type]
    at = START + timedelta(hours=hours)
    return RecordedRun(f"{session}{hours}", session, user, status, at, record, verdicts)


async def units(*facts: RecordedRun, now_hours: float = 1000.0) -> list[SessionUnit]:
    async def each() -> AsyncIterator[RecordedRun]:
        for one in facts:
            yield one

    return await session_units(EXPERIMENT, each(), POLICY, START + timedelta(hours=now_hours))


async def test_a_session_of_fifty_requests_weighs_as_much_as_one_of_one() -> None:
    many = [fact("many", n / 10, model_calls=4) for n in range(50)]
    found = await units(*many, fact("one", 1.0, model_calls=0))
    assert [(u.session_id, u.values[ExperimentMetric.MODEL_CALLS]) for u in found] == [
        ("many", 4.0),
        ("one", 0.0),
    ]


async def test_success_needs_an_answer_that_nobody_called_wrong() -> None:
    found = await units(
        fact("s", 1.0),
        fact("s", 1.1, status="failed"),
        fact("s", 1.2, verdict="good"),
        fact("s", 1.3, verdict="neutral wrong"),
    )
    assert found[0].values[ExperimentMetric.SUCCESS] == 0.5
    assert found[0].values[ExperimentMetric.CONFIRMED] == 0.25


async def test_reuse_is_an_answer_by_a_tool_or_the_cache_without_a_model() -> None:
    tool = (ToolVersion("mean", "v"),)
    found = await units(
        fact("s", 1.0, tools=tool),  # type: ignore[arg-type]
        fact("s", 1.1, cached=True),
        fact("s", 1.2, tools=tool, model_calls=1),  # type: ignore[arg-type]
        fact("s", 1.3),
    )
    assert found[0].values[ExperimentMetric.REUSE] == 0.5
    assert found[0].values[ExperimentMetric.CACHED] == 0.25


async def test_a_session_counts_when_its_day_is_over_with_what_it_did_until_then() -> None:
    facts = [fact("s", 1.0, tokens=10), fact("s", 30.0, tokens=1000)]
    assert await units(*facts, now_hours=24.5) == []
    (unit,) = await units(*facts, now_hours=25.5)
    assert unit.values[ExperimentMetric.TOKENS] == 10 and unit.day == 1


async def test_runs_outside_of_the_experiment_do_not_count() -> None:
    other = RecordedRun("r", "s", "ada", "done", START, RunRecord(variants={"e2": "b"}).to_json())
    before = RecordedRun("r", "t", "ada", "done", START, None)
    assert await units(other, before) == []


async def test_a_clock_that_is_behind_or_ahead_makes_no_negative_day() -> None:
    behind, ahead = fact("behind", -5.0), fact("ahead", 990.0)
    found = await units(behind, fact("right", 2.0), ahead)
    assert [(unit.session_id, unit.day) for unit in found] == [("behind", 1), ("right", 1)]
    assert [unit.day for unit in found] == sorted(unit.day for unit in found)


def unit(user: str, number: int) -> SessionUnit:
    return SessionUnit(f"{user}{number}", user, "b", 0, {})


@pytest.mark.parametrize(("others", "most"), [(0, 1.0), (1, 0.5), (20, 0.2)])
def test_one_person_has_at_most_a_bounded_share(others: int, most: float) -> None:
    people = [f"p{n}" for n in range(others)]
    arriving: list[SessionUnit] = []
    for number in range(100):
        arriving += [unit(person, number) for person in people]
        arriving += [unit("gamer", 10 * number + k) for k in range(10)]
    kept = bounded_shares(arriving, 0.2)
    share = sum(one.user == "gamer" for one in kept) / len(kept)
    assert share <= most + 0.02
    assert all(sum(one.user == person for one in kept) >= 40 for person in people)


def test_a_person_with_five_requests_counts() -> None:
    arriving = [unit("often", n) for n in range(5)] + [unit("seldom", n) for n in range(5)]
    kept = bounded_shares(arriving, 0.2)
    assert sum(one.user == "seldom" for one in kept) == 5
