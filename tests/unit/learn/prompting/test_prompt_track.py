"""The prompt track: from failures to a text that the gate uses, or not."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.core.errors import BudgetExceeded, ModelUnavailable
from hammerstone.learn.evolution.judges.causes import FailureClass, FailureFinding, RootCause
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    HiddenResult,
    ScoreInterval,
    TrackCase,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
)
from hammerstone.learn.promotion.evidence import ScorePair
from hammerstone.learn.prompting.prompt_track import PromptTrack, PromptWorkbench, blamed_prompt
from hammerstone.learn.tuning.knob import NOBODY, KnobUse
from hammerstone.library.prompting.prompt_shelf import PromptShelf
from hammerstone.models.fakes import ScriptedModel
from hammerstone.prompts import instructions
from tests.unit.learn.workshop import Workshop, workshop

BETTER = "```\nSay what kind of request it is, plainly.\n```\n- Say it plainly and in one word."
KIND = FailureFinding("r", FailureClass.PROMPT, RootCause.INSTRUCTIONS, "misread", prompt="kind")


class Suite:
    """Cases that come out right when the instructions say `plainly`."""

    def __init__(self, hidden: int = 12, *, helps: bool = True, fails: str = "") -> None:
        self.hidden, self.helps, self.fails = hidden, helps, fails
        self.tests = self.scored = 0

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        if self.fails == "model":
            raise ModelUnavailable("it is down")
        if self.fails == "budget":
            raise BudgetExceeded("the purse is empty")
        self.scored += len(cases)
        good = not trial.empty and "plainly" in instructions(trial.prompts["kind"])
        return tuple(CaseScore(one, float(good), good, given="x") for one in cases)

    async def test(self, trial: Trial) -> HiddenResult:
        self.tests += 1
        if self.fails == "late":
            raise BudgetExceeded("the purse is empty")
        after = float(self.helps)
        pairs = tuple(ScorePair(f"h{n}", 0.0, after) for n in range(self.hidden))
        before = ScoreInterval(0.0, 0.0, 0.2, self.hidden)
        return HiddenResult(pairs, (), before, replace(before, mean=after))


def task(suite: Suite, count: int = 20, **more: object) -> TrackTask:
    cases = tuple(TrackCase(f"c{n}", f"request {n}", expect=n) for n in range(count))
    half = count // 2
    made = TrackTask(
        "t", "own", cases[:half], cases[half:], (KIND,), suite, TrackPurse(TrackBudget())
    )
    return replace(made, **more)  # type: ignore[arg-type]


class Busy:
    async def in_use(self, name: str) -> str:
        return f"an experiment on {name}"


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with workshop(tmp_path) as made:
        await made.policies.change("maturity", {"level": 5}, who="test", why="test")
        yield made


def track(shop: Workshop, knobs: KnobUse = NOBODY) -> PromptTrack:
    shelf = PromptShelf(shop.db, shop.policies, shop.clock)
    model = ScriptedModel(lambda _: BETTER)
    return PromptTrack(PromptWorkbench(shop.gate, shop.policies, shelf, lambda _: model, knobs))


async def tried(shop: Workshop, suite: Suite, **more: object) -> TrackResult:
    return await track(shop).try_change(task(suite, **more))  # type: ignore[arg-type]


def in_force(shop: Workshop) -> str:
    stored = shop.policies.stored("prompt/kind")
    return instructions(str(stored["text"])) if stored else ""


async def test_what_wins_on_hidden_cases_is_in_force_and_has_a_score(shop: Workshop) -> None:
    suite = Suite()
    result = await tried(shop, suite)
    assert result.outcome is TrackOutcome.KEPT and result.proposal
    assert "plainly" in in_force(shop) and suite.tests == 1
    shelf = PromptShelf(shop.db, shop.policies, shop.clock)
    (score,) = await shelf.scores("kind")
    assert score.score == 1.0 and score.suite == "own" and score.cases == 12


async def test_what_does_not_win_there_is_reverted(shop: Workshop) -> None:
    result = await tried(shop, Suite(helps=False))
    assert result.outcome is TrackOutcome.REVERTED and not in_force(shop)


async def test_review_leaves_it_to_a_person(shop: Workshop) -> None:
    result = await tried(shop, Suite(), review=True)
    assert result.outcome is TrackOutcome.WAITING and not in_force(shop)
    await shop.gate.approve(result.proposal, who="ada")
    assert "plainly" in in_force(shop)


async def test_three_cases_prove_nothing_and_wait_for_a_person(shop: Workshop) -> None:
    result = await tried(shop, Suite(hidden=1), count=3)
    assert result.outcome is TrackOutcome.WAITING and not in_force(shop)
    assert any("too few" in line for line in result.account)
    assert any("plain rewrite" in line for line in result.account)


async def test_a_search_leaves_enough_for_the_hidden_cases(shop: Workshop) -> None:
    clock = [0.0]
    purse = TrackPurse(TrackBudget(seconds=100.0), now=lambda: clock[0])
    clock[0] = 40.0
    for _ in range(16):
        purse.count_case()  # 2.5 seconds each, so that the rest reaches for 19 with a change
    few = task(Suite(), 6, purse=purse, hidden=12)
    result = await track(shop).try_change(few)
    assert result.outcome is not TrackOutcome.SPENT
    assert few.trials.scored <= 6 + 7 and few.trials.tests == 1  # type: ignore[attr-defined]
    none = task(Suite(), purse=purse, hidden=19)
    result = await track(shop).try_change(none)
    assert result.outcome is TrackOutcome.SPENT and "19 hidden cases" in result.account[-1]
    assert none.trials.scored == 0  # type: ignore[attr-defined]


async def test_without_a_case_to_search_on_nothing_is_tried(shop: Workshop) -> None:
    result = await track(shop).try_change(replace(task(Suite()), train=(), validation=()))
    assert result.outcome is TrackOutcome.NOTHING


async def test_a_knob_that_is_in_use_is_refused(shop: Workshop) -> None:
    result = await track(shop, Busy()).try_change(task(Suite()))
    assert result.outcome is TrackOutcome.REFUSED and "prompt/kind" in result.account[0]


@pytest.mark.parametrize(
    ("fails", "outcome"),
    [("model", TrackOutcome.BROKEN), ("budget", TrackOutcome.SPENT), ("late", TrackOutcome.SPENT)],
)
async def test_what_ends_it_early_changes_nothing(
    shop: Workshop, fails: str, outcome: TrackOutcome
) -> None:
    result = await tried(shop, Suite(fails=fails))
    assert result.outcome is outcome and not in_force(shop)
    assert bool(result.proposal) == (fails == "late")  # the best so far waits for a person
    if result.proposal:
        row = await shop.db.proposals.get(result.proposal)
        assert row.status == "waiting"


async def test_a_prompt_changed_meanwhile_is_left_alone(shop: Workshop) -> None:
    class Meddling(Suite):
        async def test(self, trial: Trial) -> HiddenResult:
            shelf = PromptShelf(shop.db, shop.policies, shop.clock)
            changed = trial.prompts["kind"].replace("plainly", "oddly")
            await shelf.own.set("kind", changed, who="ada", why="mine")
            return await super().test(trial)

    result = await tried(shop, Meddling())
    assert result.outcome is TrackOutcome.REVERTED and "oddly" in in_force(shop)


async def test_a_prompt_without_instructions_is_refused(shop: Workshop) -> None:
    other = replace(KIND, prompt="solve_again")
    result = await track(shop).try_change(replace(task(Suite()), failures=(other,)))
    assert result.outcome is TrackOutcome.REFUSED


def test_the_prompt_that_most_failures_concern_is_blamed() -> None:
    outage = replace(KIND, kind=FailureClass.OTHER, prompt="chat")
    assert blamed_prompt([KIND, outage, outage]) == "kind"
    assert blamed_prompt([outage]) == "solve"
    assert blamed_prompt([replace(KIND, prompt="no such prompt")]) == "solve"
