"""Evolution from the terminal and over HTTP."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.evaluation.evolving.product_bench import ProductBench
from hammerstone.learn.evolution.tracks.track import Trial
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.cli.learning.evolution.evolve import CaseLines
from hammerstone.serve.cli.main import app
from hammerstone.storage.stores.learning.evolution_rounds import AttemptRow, RoundRow
from tests.integration.engine import services_of
from tests.integration.evolution.evolving import answering, evolving, times_suite


def _run(*words: str) -> str:
    found = CliRunner().invoke(app, ["evolve", *words])
    assert found.exit_code == 0, (found.output, found.exception)
    return found.output


async def _one_round(folder: Path) -> str:
    async with evolving(folder, answering("a + b")) as hs:
        return (await hs.evolution.run("times")).id


async def _one_wrong(folder: Path) -> None:
    async with evolving(folder, answering("a + b")) as hs:
        await hs.ask("What is 3 times 4?", session="s")
        await hs.feedback.wrong(12)


def test_what_happened_is_shown_in_words_and_as_json(
    proved_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(proved_folder))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    times_suite(proved_folder)
    assert "No round was run yet" in _run("history")
    id = asyncio.run(_one_round(proved_folder))
    assert json.loads(_run("history", "--json"))[0]["id"] == id
    assert "skill: arithmetic" in _run("show", id[:6])
    status = json.loads(_run("status", "--json"))
    assert status["suites"]["times"]["average"] == 0.0 and status["preset"] == "harden"
    assert "Preset harden" in _run("status")
    samples = json.loads(_run("sample", "--json"))
    assert len(samples) == 5 and samples[0]["asked"].startswith("What is ")
    asked = [int(word) for word in samples[0]["asked"].strip("?").split() if word.isdigit()]
    assert samples[0]["wanted"] == [asked[0] * asked[1]]
    assert str(asked[0] + asked[1]) in samples[0]["given"]
    assert samples[0]["given"] in _run("sample")
    assert "wrong" in _run("sample", str(samples[0]["id"]), "--wrong")
    assert "repair-only is chosen" in _run("preset", "repair-only")
    assert "No notes yet" in _run("notes")
    assert "no request to judge" in _run("judge")
    assert "No request was judged yet" in _run("verdicts")
    asyncio.run(_one_wrong(proved_folder))
    assert '"failed": true' in _run("judge", "--json") or "arithmetic" in _run("judge")
    assert "skill: arithmetic" in _run("verdicts", "--failed")
    assert json.loads(_run("verdicts", "--failed", "--json"))[0]["source"] == "feedback"


async def _one_waiting(folder: Path) -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    async with evolving(folder, answering("a + b")) as hs:
        rounds = services_of(hs).records.db.evolution
        await rounds.start(RoundRow("r1", "times", "ada", "done", now, now))
        await rounds.add_attempt(AttemptRow("r1", "prompt", "waiting", ("It won.",), now, "p1"))


def test_what_waits_is_told_with_how_to_decide(
    proved_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(proved_folder))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    times_suite(proved_folder)
    asyncio.run(_one_waiting(proved_folder))
    assert "hammerstone proposals show p1" in _run("show", "r1")


async def _left_running(folder: Path) -> None:
    async with evolving(folder, answering("a + b")) as hs:
        row = RoundRow("dead", "times", "ada", "running", datetime(2026, 1, 2, tzinfo=UTC))
        await services_of(hs).records.db.evolution.start(row)


def test_a_round_that_was_killed_is_listed(proved_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(proved_folder))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    times_suite(proved_folder)
    asyncio.run(_left_running(proved_folder))
    assert "broken off" in _run("history") and "broken" in _run("show", "dead")


async def test_every_case_is_told_before_it_is_asked(proved_folder: Path):
    times_suite(proved_folder)
    told: list[tuple[int, int, bool]] = []
    async with evolving(proved_folder, answering("a * b")) as hs:
        say = ProductBench(
            hs,
            lambda: OneModel(ScriptedModel(answering("a * b"))),
            lambda number, cases, trial: told.append((number, cases, trial.empty)),
        )
        hs.evolution.use_bench(say)
        await hs.evolution.run("times")
    assert told and told == [(n, len(told), True) for n in range(1, len(told) + 1)]


async def test_a_case_that_takes_long_is_told_until_the_next_one(
    capsys: pytest.CaptureFixture[str],
):
    lines = CaseLines(quiet_s=0.01)
    lines.tell(1, 2, Trial())
    await asyncio.sleep(0.2)
    lines.end()
    await asyncio.sleep(0)
    told = capsys.readouterr().err
    assert told.startswith("case 1 of 2, as it is") and "case 1 of 2 is being asked for" in told
    lines.say("The track prompt begins.")
    await asyncio.sleep(0.2)
    lines.end()
    await asyncio.sleep(0)
    assert "it is being worked on for" in capsys.readouterr().err
    lines.say("The track prompt begins.")
    await asyncio.sleep(0.2)
    lines.end()
    await asyncio.sleep(0)
    assert "it is being worked on for" in capsys.readouterr().err
    await asyncio.sleep(0.05)
    assert capsys.readouterr().err == ""


async def test_cases_that_take_longer_than_what_may_be_spent_are_told(
    capsys: pytest.CaptureFixture[str],
):
    lines = CaseLines()
    lines.limit(0.0)
    lines.tell(1, 20, Trial())
    await asyncio.sleep(0.01)
    lines.tell(2, 20, Trial())
    lines.end()
    assert "left at this pace, and 0 s to spend" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["show", "none"], ["preset", "none"], ["sample", "1"], ["run", "times", "--track", "x"]],
)
def test_what_cannot_be_is_an_error_with_a_hint(words: list[str]):
    assert CliRunner().invoke(app, ["evolve", *words]).exit_code != 0
