"""Experiments on a copy of the package, in the real sandbox."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hammerstone.app.evolution.own_tracks import package_folder
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.seams import Model
from hammerstone.core.settings import Settings
from hammerstone.learn.evolution.tracks.purse import TrackBudget, TrackPurse
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    HiddenResult,
    TrackOutcome,
    TrackResult,
    TrackTask,
    Trial,
)
from hammerstone.learn.harness.harness_track import LOG, HarnessTrack, HarnessWorkbench
from hammerstone.learn.prompting.prompt_track import PromptWorkbench
from hammerstone.library.prompting.prompt_shelf import PromptShelf
from hammerstone.models.fakes import ScriptedModel
from tests.integration.engine import services_of

OLD = "    return values[counts.index(max(counts))]"
GOOD = "    return sorted(values, key=str)[0]"
STEALS = "    return __import__('json').load(open('/files/cases.jsonl'))"
ANSWER = """
from hammerstone.run.solve.votes import _usual_form

def answer(case):
    return _usual_form(case["values"])
"""


class NoSuite:
    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        raise AssertionError("experiments have a measure of their own")

    async def test(self, trial: Trial) -> HiddenResult:
        raise AssertionError("experiments have a measure of their own")


def folder(tmp_path: Path, surface: str = "run") -> Path:
    """A measure by which the smallest text is right, which the product as it is does not give."""
    made = tmp_path / "program"
    made.mkdir()
    head = (
        f"goal: the smallest form\nsurface: {surface}\nmetric: cases\nseconds: 60\nexperiments: 3"
    )
    (made / "program.md").write_text(f"{head}\n\nrun/solve/votes.py\n")
    rows = [
        {"id": f"c{n}", "given": {"values": [f"b{n}", f"b{n}", f"a{n}"]}, "expect": f"a{n}"}
        for n in range(40)
    ]
    (made / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (made / "answer.py").write_text(ANSWER)
    return made


def said(new: str) -> str:
    return f"An idea.\n```python\n{OLD}\n```\n```python\n{new}\n```"


async def tried(
    settings: Settings, tmp_path: Path, model: Model, place: Path | None, purse: TrackPurse
) -> tuple[TrackResult, str]:
    async with Hammerstone.open(settings) as hs:
        services, gate = services_of(hs), hs.learning.gate
        shelf = PromptShelf(services.records.db, hs.policies, services.records.clock)
        bench = HarnessWorkbench(
            PromptWorkbench(gate, hs.policies, shelf, lambda _: model),
            services.workshop.sandbox,
            package_folder(),
        )
        task = TrackTask("t", "own", (), (), (), NoSuite(), purse, program=place)
        result = await HarnessTrack(bench).try_change(task)
        preview = await hs.learning.gate.preview(result.proposal) if result.proposal else ""
        return result, preview


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    from hammerstone.core.settings import load_settings

    return load_settings(data_dir=tmp_path / "data", starter_tools=False)


async def test_a_change_that_helps_waits_as_a_patch_and_cheats_are_named(
    settings: Settings, tmp_path: Path
) -> None:
    place, before = folder(tmp_path), (package_folder() / "run/solve/votes.py").read_text()
    worse = said("    return values[0] + 'x'")
    model = ScriptedModel([said(STEALS), worse, said(GOOD)])
    result, preview = await tried(settings, tmp_path, model, place, TrackPurse(TrackBudget()))
    assert result.outcome is TrackOutcome.WAITING, result.account
    assert "refused" in result.account[0] and "open" in result.account[0]
    assert "reverted" in result.account[1] and "kept" in result.account[2]
    assert GOOD.strip() in preview and preview.startswith("--- a/src/hammerstone/run/solve")
    assert (package_folder() / "run/solve/votes.py").read_text() == before
    assert "1 of 3 changes kept" in (place / LOG).read_text()


async def test_what_it_cannot_do_is_told(settings: Settings, tmp_path: Path) -> None:
    class Empty(TrackPurse):
        def check(self, tokens: int = 0) -> None:
            raise BudgetExceeded("the time is up")

    model = ScriptedModel(lambda _: said(GOOD))
    plenty = TrackPurse(TrackBudget())
    result, _ = await tried(settings, tmp_path, model, None, plenty)
    assert result.outcome is TrackOutcome.REFUSED
    place = folder(tmp_path)
    result, _ = await tried(settings, tmp_path, model, place, Empty(TrackBudget()))
    assert result.outcome is TrackOutcome.SPENT
    (place / "answer.py").write_text("def answer(case):\n    return missing(case)\n")
    result, _ = await tried(settings, tmp_path, model, place, plenty)
    assert result.outcome is TrackOutcome.REVERTED  # nothing can get better by that measure
