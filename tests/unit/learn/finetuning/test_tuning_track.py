"""The fine-tuning track: refusals, a product that wins, and products that are discarded."""

import shlex
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hammerstone.core.changes import ProposalKind
from hammerstone.core.errors import BudgetExceeded, ModelUnavailable, NotFound
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    HiddenResult,
    ScoreInterval,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
)
from hammerstone.learn.finetuning.examples import ChatTurn, TrainingRun
from hammerstone.learn.finetuning.tuning_track import (
    FineTuningTrack,
    GeneralSuite,
    TuningWorkbench,
)
from hammerstone.learn.ledger.changes import GateParts, appliers
from hammerstone.learn.promotion.evidence import ScorePair
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.library.prompting.own_adapters import OwnAdapters
from hammerstone.models.local.adapters import AdapterShelf
from tests.unit.learn.workshop import Workshop, workshop
from tests.unit.models.local.test_adapters import gguf


@dataclass
class Trials:
    """Old and new with these means; `error` is raised instead."""

    before: float = 0.0
    after: float = 1.0
    error: Exception | None = None
    cases: int = 12
    graded: int = 12

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        raise AssertionError("only hidden cases are looked at")

    async def test(self, trial: Trial) -> HiddenResult:
        if self.error is not None:
            raise self.error
        assert Path(str(trial.settings["adapter"])).is_file()
        pairs = tuple(ScorePair(str(n), self.before, self.after) for n in range(self.graded))
        first = ScoreInterval(self.before, 0.0, 1.0, self.graded)
        return HiddenResult(pairs, (), first, replace(first, mean=self.after))


@dataclass
class Place:
    shop: Workshop
    adapters: OwnAdapters
    gate: ChangeGate
    folder: Path

    async def tried(
        self,
        suite: Trials | None = None,
        general: Trials | NotFound | None = None,
        *,
        examples: int = 520,
        approved: str = "ada",
        trainer: str | None = None,
        asked: Sequence[str] = (),
        purse: TrackPurse | None = None,
    ) -> TrackResult:
        async def runs() -> AsyncIterator[TrainingRun]:
            for n in range(examples):
                asked = (ChatTurn("user", f"Double {n}."),)
                yield TrainingRun(str(n), "base", 0.9, asked, f"answer = {2 * n}")

        async def suites() -> Sequence[str]:
            return asked

        async def wide(task: TrackTask) -> GeneralSuite | None:
            if isinstance(general, Exception):
                raise general
            return general or Trials(0.6, 0.58)

        made = gguf(self.folder / "made.gguf")
        command = shlex.join(["cp", str(made), "out.gguf"]) if trainer is None else trainer
        bench = TuningWorkbench(
            self.gate, self.shop.policies, self.adapters, runs, suites, "base", made, command,
            wide,
        )  # fmt: skip
        task = TrackTask(
            "t", "own", (), (), (), suite or Trials(), purse or TrackPurse(TrackBudget()),
            hidden=12, approved_by=approved,
        )  # fmt: skip
        return await FineTuningTrack(bench).try_change(task)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with workshop(tmp_path) as shop:
        await shop.policies.change("maturity", {"level": 5}, who="test", why="test")
        adapters = OwnAdapters(AdapterShelf(tmp_path / "data"), shop.db, shop.clock)
        parts = GateParts(adapters=adapters)
        known = appliers(shop.registry, shop.policies, shop.db, parts)
        gate = ChangeGate(shop.db, shop.policies, known, shop.clock)
        yield Place(shop, adapters, gate, tmp_path)


async def test_what_wins_is_put_in_use_and_can_be_undone(place: Place) -> None:
    result = await place.tried()
    assert result.outcome is TrackOutcome.KEPT
    name = place.adapters.active
    assert name.startswith("tuned-") and place.adapters.list()[0].purposes
    await place.gate.undo(result.proposal, who="ada")
    assert place.adapters.active == "shipped"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"approved": ""}, "approval"),
        ({"trainer": ""}, "No trainer"),
        ({"examples": 499}, "500 examples are needed"),
        ({"asked": [f"double {n}" for n in range(21)]}, "499 examples, "),
        ({"general": Trials(cases=11)}, "11 different cases, and 12 are needed"),
        ({"general": NotFound("there is no suite 'wide'")}, "no suite 'wide'. Nothing is trained"),
    ],
)
async def test_it_refuses_without_what_it_needs(place: Place, options: dict, why: str) -> None:
    result = await place.tried(**{"trainer": "false", **options})
    assert result.outcome is TrackOutcome.REFUSED and why in " ".join(result.account)


@pytest.mark.parametrize(
    ("suite", "general"),
    [
        (Trials(1.0, 0.0), None),
        (Trials(0.5, 0.5), None),
        (None, Trials(0.60, 0.54)),
        (None, Trials(0.0, 0.0, graded=11)),
    ],
)
async def test_what_does_not_win_is_discarded(
    place: Place, suite: Trials | None, general: Trials | None
) -> None:
    result = await place.tried(suite, general)
    assert result.outcome is TrackOutcome.REVERTED
    assert place.adapters.active == "shipped" and place.adapters.list() == []


async def test_a_loss_of_five_points_is_allowed(place: Place) -> None:
    assert (await place.tried(None, Trials(0.60, 0.55))).outcome is TrackOutcome.KEPT


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (BudgetExceeded("empty"), TrackOutcome.SPENT),
        (ModelUnavailable("down"), TrackOutcome.BROKEN),
    ],
)
async def test_what_ends_it_early_leaves_nothing(
    place: Place, error: Exception, outcome: TrackOutcome
) -> None:
    result = await place.tried(Trials(error=error))
    assert result.outcome is outcome and place.adapters.list() == []


@pytest.mark.parametrize("code", ["raise SystemExit(1)", "open('a.gguf','w').write('no')"])
async def test_a_trainer_that_fails_is_told(place: Place, code: str) -> None:
    result = await place.tried(trainer=shlex.join([sys.executable, "-c", code]))
    assert result.outcome is TrackOutcome.REVERTED and "Discarded" in result.account[-1]


async def test_a_trainer_has_the_time_that_its_proof_leaves(place: Place) -> None:
    now = 0.0
    purse = TrackPurse(TrackBudget(seconds=1000.0), lambda: now)
    for _ in range(60):
        purse.count_case()
    now = 999.5 / 1.75  # the proof's 36 cases take 0.75 of that, and half a second is left
    waits = shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])
    result = await place.tried(trainer=waits, purse=purse)
    assert result.outcome is TrackOutcome.REVERTED
    assert "took longer than" in result.account[-1] and "--seconds" in result.account[-1]
    now = 700.0
    result = await place.tried(purse=purse)
    assert result.outcome is TrackOutcome.SPENT and "nothing is trained" in result.account[-1]


async def test_a_person_puts_one_in_use_and_it_stands_in_the_ledger(place: Place) -> None:
    place.adapters.shelf.add(gguf(place.folder / "a.gguf"), "own")
    assert await place.adapters.activate("own", who="ada", why="mine") == "shipped"
    (row,) = await place.shop.db.proposals.list(kind=ProposalKind.ADAPTER)
    assert row.status == "promoted" and place.adapters.active == "own"
    await place.gate.undo(row.id, who="ada")
    assert place.adapters.active == "shipped"
