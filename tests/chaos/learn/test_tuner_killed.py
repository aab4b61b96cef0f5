"""A tuner killed in the middle: nothing is half in force, and the next one goes on where it was."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.decisions import LabelQuestion, PersonLabel
from hammerstone.library.policies import FitPolicy
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from tests.integration.engine import services_of
from tests.integration.learn.test_tuning import fill, settings_of, silent

pytestmark = pytest.mark.usefixtures("proved_folder")

TUNER = """
import asyncio, os, signal, sys
from pathlib import Path
from hammerstone.storage.stores.learning.studies import Studies
from tests.chaos.learn.test_tuner_killed import opened

add, end = Studies.add, Studies.end

def die_at(place):
    if sys.argv[2] == str(place):
        os.kill(os.getpid(), signal.SIGKILL)

async def adding(self, trial):
    await add(self, trial)
    die_at(trial.number)

async def ending(self, id, outcome):
    die_at("searched")
    ended = await end(self, id, outcome)
    die_at("ended")
    return ended

async def main():
    Studies.add, Studies.end = adding, ending
    async with opened(Path(sys.argv[1])) as hs:
        await hs.tuning.run(["bands"])
    print("never reached", flush=True)

asyncio.run(main())
"""


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[Hammerstone]:
    async with Hammerstone.open(settings_of(data), models=OneModel(ScriptedModel(silent))) as hs:
        yield hs


async def killed(data: Path, place: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        TUNER,
        str(data),
        place,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await asyncio.wait_for(process.communicate(), 100)
    assert process.returncode == -signal.SIGKILL, out.decode() + errors.decode()


@pytest.mark.parametrize(("place", "kept"), [("1", 1), ("7", 7), ("searched", None)])
async def test_the_next_tuner_goes_on_with_what_was_tried(
    place: str, kept: int | None, tmp_path: Path
) -> None:
    async with opened(tmp_path) as hs:
        await fill(hs)
        (expected,) = await hs.tuning.run(["bands"], dry_run=True)
    await killed(tmp_path, place)
    async with opened(tmp_path) as hs:
        assert hs.policies.get(FitPolicy) == FitPolicy()
        assert await hs.learning.proposals([]) == []
        (broken,) = await hs.tuning.past("bands")
        before = await hs.tuning.trials(str(broken["id"]))
        assert broken["state"] == "running" and len(before) == (kept or expected.outcome.trials)
        await _decide_more(hs)
        (done,) = await hs.tuning.run(["bands"])
        (study,) = await hs.tuning.past("bands")
        trials = await hs.tuning.trials(str(study["id"]))
        high = hs.policies.get(FitPolicy).high
    assert study["id"] == broken["id"] and trials[: len(before)] == before
    assert [one["number"] for one in trials] == list(range(1, expected.outcome.trials + 1))
    assert (done.outcome.best, done.outcome.cases) == (
        expected.outcome.best,
        expected.outcome.cases,
    )
    assert (
        done.decided is not None and done.decided.in_force and high == expected.outcome.best["high"]
    )


async def test_a_gain_that_was_found_and_not_proposed_is_found_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as hs:
        await fill(hs)
    await killed(tmp_path, "ended")
    async with opened(tmp_path) as hs:
        assert hs.policies.get(FitPolicy) == FitPolicy()
        (done,) = await hs.tuning.run(["bands"])
        assert [one["state"] for one in await hs.tuning.past("bands")] == ["ended", "ended"]
        assert done.decided is not None and done.decided.in_force
        assert len(await hs.learning.proposals([])) == 1


async def _decide_more(hs: Hammerstone) -> None:
    """A labelled decision from after the study began, which it does not look at."""
    records = services_of(hs).records
    known, now = (await hs.labels.list())[0].decision, records.clock.now()
    late = replace(known, id="late-0", run_id="late", at=now)
    await records.db.decisions.append([late])
    said = PersonLabel(late.id, LabelQuestion.TOOL, "ada", True, now, "", late.session_id)
    await records.db.decisions.label(said)
