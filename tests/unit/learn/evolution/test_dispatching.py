"""Tracks tried one after the other: in order, within the purse, and never beyond what they may."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.errors import BudgetExceeded, ModelNonsense, Stopped
from hammerstone.learn.evolution.dispatching import (
    Dispatcher,
    DispatchServices,
    cost_json,
)
from hammerstone.learn.evolution.tracks.constraints import PROTECTED, ConstraintSnapshot, forbidden
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackCost
from hammerstone.learn.evolution.tracks.track import TrackName, TrackOutcome, TrackResult

PROMPT, SKILL, KNOWLEDGE = TrackName.PROMPT, TrackName.SKILL, TrackName.KNOWLEDGE
NOTHING, KEPT = TrackOutcome.NOTHING, TrackOutcome.KEPT


class OneTrack:
    """A track that does what a test says, and notes that it was asked."""

    def __init__(self, name: TrackName, does: Callable[[Any], TrackResult]) -> None:
        self.name, self.does, self.asked = name, does, 0

    async def try_change(self, task: Any) -> TrackResult:
        self.asked += 1
        return self.does(task)


class Stored:
    """Policies, proposals and the gate of one test."""

    def __init__(self, row: Any = None) -> None:
        self.values: dict[str, Any] = {"gate": {"alpha": 0.05}}
        self.row, self.proposals, self.undone, self.refused = row, self, [], []

    def stored(self, name: str) -> Any:
        return self.values.get(name)

    async def load(self) -> None: ...

    async def find(self, proposal: str) -> Any:
        return self.row

    async def undo(self, proposal: str, **how: Any) -> None:
        self.undone.append((proposal, how["why"]))

    async def refuse(self, proposal: str, **how: Any) -> None:
        self.refused.append((proposal, how["why"]))


class Purse:
    seconds_left: float | None = None
    used_up = False
    left = TrackBudget(tokens=9_000, seconds=90.0)

    def __init__(self) -> None:
        self.cost = TrackCost()

    def cases_left(self) -> float:
        return 7.4


def result(outcome: TrackOutcome, name: TrackName = PROMPT, proposal: str = "") -> TrackResult:
    return TrackResult(name, outcome, ("tried",), proposal)


async def tried(
    *tracks: OneTrack, order: tuple[TrackName, ...] = (), stored: Stored | None = None,
    failures: tuple[Any, ...] = (), purse: Purse | None = None, busy: str = "",
) -> list[TrackResult]:  # fmt: skip
    kept = cast(Any, stored or Stored())
    dispatcher = Dispatcher(DispatchServices(kept, kept, kept), cast(Any, tracks))
    if busy:

        async def in_use(name: str) -> str:
            return busy

        dispatcher.use_knobs(cast(Any, SimpleNamespace(in_use=in_use)))
    heard: list[str] = []
    task = SimpleNamespace(purse=purse or Purse(), failures=failures, say=heard.append)
    told: list[TrackResult] = []

    async def tell(one: TrackResult) -> None:
        told.append(one)

    advice = cast(Any, SimpleNamespace(tracks=order or tuple(track.name for track in tracks)))
    found = await dispatcher.dispatch(advice, cast(Any, task), tell)
    assert told == found and len(heard) == 2 * len(found)
    assert heard[0].endswith("begins; 90 s and 9,000 tokens are left, enough for about 7 cases.")
    return found


async def test_tracks_are_tried_in_order_until_one_helps() -> None:
    tracks = [
        OneTrack(PROMPT, lambda _: result(NOTHING)),
        OneTrack(SKILL, lambda _: result(KEPT, SKILL)),
        OneTrack(KNOWLEDGE, lambda _: result(KEPT, KNOWLEDGE)),
    ]
    found = await tried(*tracks)
    assert [(one.track, one.outcome) for one in found] == [(PROMPT, NOTHING), (SKILL, KEPT)]
    assert [track.asked for track in tracks] == [1, 1, 0]


async def test_each_result_has_what_it_alone_cost() -> None:
    purse = Purse()
    costs = iter([TrackCost(10, 2.0, 0.5, 1, 3), TrackCost(20, 4.0, 1.0, 2, 6)])

    def spends(task: Any) -> TrackResult:
        task.purse.cost = next(costs)
        return result(NOTHING)

    found = await tried(OneTrack(PROMPT, spends), OneTrack(SKILL, spends), purse=purse)
    assert [one.cost for one in found] == [TrackCost(10, 2.0, 0.5, 1, 3)] * 2
    assert cost_json(purse.cost) == {
        "tokens": 20, "seconds": 4.0, "usd": 1.0, "model_calls": 2, "cases": 6,
    }  # fmt: skip


async def test_nothing_is_tried_when_nothing_is_left() -> None:
    purse, track = Purse(), OneTrack(PROMPT, lambda _: result(NOTHING))
    purse.used_up = True
    found = await tried(track, track, purse=purse)
    assert [one.outcome for one in found] == [TrackOutcome.SPENT]
    assert track.asked == 0


async def test_a_track_that_is_not_there_is_refused_and_the_next_one_tried() -> None:
    found = await tried(OneTrack(SKILL, lambda _: result(NOTHING, SKILL)), order=(PROMPT, SKILL))
    assert [one.outcome for one in found] == [TrackOutcome.REFUSED, NOTHING]
    assert found[0].account == (f"{PROMPT} is not installed here",)


async def test_a_prompt_in_an_experiment_is_not_changed() -> None:
    track = OneTrack(PROMPT, lambda _: result(KEPT))
    failures = tuple(SimpleNamespace(prompt=name) for name in ("solve", "", "kind", "solve"))
    (found,) = await tried(track, failures=failures, busy="experiment 3")
    assert (found.outcome, track.asked) == (TrackOutcome.REFUSED, 0)
    assert found.account == (
        "prompt/kind is in use: experiment 3. Try again when that has ended.",
        "prompt/solve is in use: experiment 3. Try again when that has ended.",
    )


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (BudgetExceeded("the tokens are used up"), TrackOutcome.SPENT, "the tokens are used up."),
        (TimeoutError(), TrackOutcome.SPENT, "the time was up."),
        (ModelNonsense("no reply"), TrackOutcome.BROKEN, "it could not go on: no reply"),
        (ZeroDivisionError("x" * 400), TrackOutcome.BROKEN, "it broke: ZeroDivisionError: xx"),
    ],
)
async def test_what_a_track_did_not_expect_is_its_result(
    error: Exception, outcome: TrackOutcome, words: str
) -> None:
    def fails(task: Any) -> TrackResult:
        raise error

    (found,) = await tried(OneTrack(PROMPT, fails))
    assert (found.track, found.outcome) == (PROMPT, outcome)
    assert found.account[0].startswith(words) and len(found.account[0]) <= 300


async def test_a_stop_ends_everything() -> None:
    def stops(task: Any) -> TrackResult:
        raise Stopped("stopped")

    with pytest.raises(Stopped):
        await tried(OneTrack(PROMPT, stops))


def proposed(status: str, kind: str = "policy", target: str = "gate", **change: Any) -> Any:
    return SimpleNamespace(id="p-1", kind=kind, target=target, change=change, status=status)


@pytest.mark.parametrize("status", ["promoted", "waiting", "proposed", "rejected"])
async def test_what_only_a_person_may_change_is_taken_back(status: str) -> None:
    stored = Stored(proposed(status))
    (found,) = await tried(OneTrack(PROMPT, lambda _: result(KEPT, PROMPT, "p-1")), stored=stored)
    assert found.outcome is TrackOutcome.REFUSED
    why = "the policy gate belongs to the hard constraints"
    assert found.account[:2] == ("tried", why)
    assert stored.undone == ([("p-1", why)] if status == "promoted" else [])
    assert stored.refused == ([("p-1", why)] if status in ("waiting", "proposed") else [])
    assert ("it was taken back" in found.account) == (status == "promoted")


async def test_a_proposal_within_the_limits_stays() -> None:
    stored = Stored(proposed("promoted", target="search"))
    (found,) = await tried(OneTrack(PROMPT, lambda _: result(KEPT, PROMPT, "p-1")), stored=stored)
    assert found.outcome is KEPT and stored.undone == stored.refused == []


async def test_a_protected_policy_that_changed_is_noticed() -> None:
    stored = Stored()

    def changes(task: Any) -> TrackResult:
        stored.values["gate"] = {"alpha": 0.5}
        return result(KEPT)

    (found,) = await tried(OneTrack(PROMPT, changes), stored=stored)
    assert found.outcome is TrackOutcome.REFUSED
    assert found.account[1:] == ("the policy gate was changed, which only a person may do",)


@pytest.mark.parametrize("name", PROTECTED)
def test_protected_policies_are_no_targets(name: str) -> None:
    assert name in forbidden("policy", name, {})
    assert forbidden("prompt", name, {}) == ""
    assert forbidden("prompt", "solve", {"budget": 0}) == "budgets are not traded for score"
    stored = Stored()
    before = ConstraintSnapshot.of(cast(Any, stored))
    assert before.broken_by(before) == []
    stored.values[name] = {"other": 1}
    (broken,) = before.broken_by(ConstraintSnapshot.of(cast(Any, stored)))
    assert f" {name} " in broken
