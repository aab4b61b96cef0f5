"""Experiments on policies and prompts: a program names them, the suite measures them."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.seams import Sandbox
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
from hammerstone.learn.harness.harness_loop import LOG
from hammerstone.learn.harness.harness_track import HarnessTrack, HarnessWorkbench
from hammerstone.learn.promotion.evidence import ScorePair
from hammerstone.learn.prompting.prompt_track import PromptWorkbench
from hammerstone.learn.tuning.knob import NOBODY, KnobUse
from hammerstone.library.prompting.prompt_shelf import PromptShelf
from hammerstone.models.fakes import ScriptedModel
from tests.unit.learn.workshop import Workshop, workshop

BETTER = "```\nSay what kind of request it is, plainly.\n```"


class Suite:
    """Cases that come out right below a threshold, or with a word in the prompt `kind`."""

    def __init__(self, *, slow: bool = False, lost: bool = False, most: int = 10**6) -> None:
        self.slow, self.lost, self.most, self.tests = slow, lost, most, 0

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        if not trial.empty:
            self.most -= 1
            if self.most < 0:
                raise BudgetExceeded("the purse is empty")
            if self.slow:
                await asyncio.sleep(60)
        return tuple(CaseScore(one, self._score(trial)) for one in cases)

    def _score(self, trial: Trial) -> float:
        high = trial.policies.get("fit", {}).get("high", 0.8)
        assert isinstance(high, float)
        return float(high < 0.5 or "plainly" in trial.prompts.get("kind", ""))

    async def test(self, trial: Trial) -> HiddenResult:
        self.tests += 1
        after = 0.0 if self.lost else self._score(trial)
        pairs = tuple(ScorePair(f"h{n}", 0.0, after) for n in range(12))
        start = ScoreInterval(0.0, 0.0, 0.2, 12)
        return HiddenResult(pairs, (), start, ScoreInterval(after, 0.7, 1.0, 12))


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with workshop(tmp_path) as made:
        await made.policies.change("maturity", {"level": 5}, who="test", why="test")
        yield made


def program(tmp_path: Path, surface: str, notes: str, seconds: int = 5) -> Path:
    folder = tmp_path / "program"
    folder.mkdir(exist_ok=True)
    head = f"goal: more right\nsurface: {surface}\nmetric: the suite\nseconds: {seconds}"
    (folder / "program.md").write_text(f"{head}\nexperiments: 6\n\n{notes}\n")
    return folder


async def tried(
    shop: Workshop,
    folder: Path,
    suite: Suite,
    *,
    knobs: KnobUse = NOBODY,
    review: bool = False,
) -> TrackResult:
    async def no_sandbox() -> Sandbox:
        raise AssertionError("settings are no code")

    shelf = PromptShelf(shop.db, shop.policies, shop.clock)
    model = ScriptedModel(lambda _: BETTER)
    settings = PromptWorkbench(shop.gate, shop.policies, shelf, lambda _: model, knobs)
    bench = HarnessWorkbench(settings, no_sandbox, folder)
    cases = tuple(TrackCase(f"c{n}", f"request {n}") for n in range(6))
    purse = TrackPurse(TrackBudget())
    task = TrackTask(
        "t", "own", cases[:4], cases[4:], (), suite, purse, program=folder, review=review
    )
    return await HarnessTrack(bench).try_change(task)


async def test_a_number_that_helps_is_in_force_and_the_log_says_how(
    shop: Workshop, tmp_path: Path
) -> None:
    folder, suite = program(tmp_path, "policies", "Only fit.high is of interest."), Suite()
    result = await tried(shop, folder, suite)
    assert result.outcome is TrackOutcome.KEPT, result.account
    stored = shop.policies.stored("fit")
    assert stored is not None and stored["high"] == result.change["values"]["high"] < 0.5  # type: ignore[index]
    log = (folder / LOG).read_text()
    assert (
        "Start: 0.000 on 6 cases; at the end 1.000, 1 of" in log and "fit.high: 0.8 becomes" in log
    )
    assert "No difference." in log and suite.tests == 1
    await shop.gate.undo(result.proposal, who="anna")
    assert "high" not in (shop.policies.stored("fit") or {})


async def test_a_text_that_helps_is_kept_as_a_version_and_review_waits(
    shop: Workshop, tmp_path: Path
) -> None:
    folder = program(tmp_path, "prompts", "Change prompt/kind only.")
    result = await tried(shop, folder, Suite(), review=True)
    assert result.outcome is TrackOutcome.WAITING, result.account
    assert shop.policies.stored("prompt/kind") is None
    assert "plainly" in await shop.gate.preview(result.proposal)
    shelf = PromptShelf(shop.db, shop.policies, shop.clock)
    assert len(await shelf.versions("kind")) == 2


async def test_what_loses_on_hidden_cases_is_reverted(shop: Workshop, tmp_path: Path) -> None:
    result = await tried(shop, program(tmp_path, "policies", "fit.high"), Suite(lost=True))
    assert result.outcome is TrackOutcome.REVERTED and not shop.policies.stored("fit")


async def test_one_that_takes_too_long_is_reverted(shop: Workshop, tmp_path: Path) -> None:
    folder, suite = program(tmp_path, "policies", "fit.high", seconds=1), Suite(slow=True)
    folder.joinpath("program.md").write_text(
        folder.joinpath("program.md").read_text().replace("experiments: 6", "experiments: 1")
    )
    result = await tried(shop, folder, suite)
    assert result.outcome is TrackOutcome.REVERTED and "longer than 1 s" in result.account[0]
    assert suite.tests == 0


async def test_a_budget_that_ends_leaves_the_log_of_what_was_tried(
    shop: Workshop, tmp_path: Path
) -> None:
    folder = program(tmp_path, "policies", "fit.same_wording")
    result = await tried(shop, folder, Suite(most=1))
    assert result.outcome is TrackOutcome.REVERTED
    assert "The budget ended" in result.account[1]
    assert "0 of 1 changes kept" in (folder / LOG).read_text()


class Busy:
    async def in_use(self, name: str) -> str:
        return "the experiment tone"


@pytest.mark.parametrize(
    ("surface", "notes", "why"),
    [
        ("policies", "anything", "names no number"),
        ("policies", "fit.high and search.rerank", "several policies"),
        ("policies", "gate.alpha", "no score buys"),
        ("policies", "maturity.level", "no score buys"),
        ("policies", "fit.nothing", "has no nothing"),
        ("prompts", "prompt/kind prompt/solve", "several prompts"),
    ],
)
async def test_a_program_that_cannot_be_followed_is_refused(
    shop: Workshop, tmp_path: Path, surface: str, notes: str, why: str
) -> None:
    result = await tried(shop, program(tmp_path, surface, notes), Suite())
    assert result.outcome is TrackOutcome.REFUSED and why in result.account[0]


async def test_a_knob_in_an_experiment_is_left_alone(shop: Workshop, tmp_path: Path) -> None:
    folder = program(tmp_path, "policies", "fit.high")
    result = await tried(shop, folder, Suite(), knobs=Busy())
    assert result.outcome is TrackOutcome.REFUSED
    assert "fit.high is in use: the experiment tone" in result.account[0]
    assert not (folder / LOG).exists() and json.dumps(result.change) == "{}"
