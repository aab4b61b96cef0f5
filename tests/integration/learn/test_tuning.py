"""Decisions that are asked, labelled and tuned on, in the real engine; nothing is half applied."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.decisions import LabelQuestion, PersonLabel, SearchDecision
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.feedback import FeedbackKind
from hammerstone.core.settings import Settings
from hammerstone.library.policies import FitPolicy
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import services_of

MEDIAN = "What is the median of [12, 7, 30, 22]?"
PERCENT = "What is 17.5% of 240?"


def silent(_prompt: object) -> str:
    raise AssertionError("no model is needed")


def settings_of(folder: Path) -> Settings:
    return Settings(data_dir=folder, embedder="off", user="ada", starter_tools=True)


@pytest.fixture
async def hs(tmp_path: Path) -> AsyncIterator[Hammerstone]:
    models = OneModel(ScriptedModel(silent))
    async with Hammerstone.open(settings_of(tmp_path), models=models) as engine:
        yield engine


async def logged(hs: Hammerstone) -> SearchDecision:
    await hs.ask(MEDIAN)
    (label,) = await hs.labels.list()
    return label.decision


async def test_what_search_saw_and_chose_is_kept_with_the_run(hs: Hammerstone) -> None:
    made = await logged(hs)
    assert (made.chosen, made.band, made.user) == ("median", "high", "ada")
    assert made.candidates[0].name == "median"
    assert made.weights["high"] == FitPolicy().high


async def test_a_signal_labels_the_decision_and_a_persons_word_outweighs_it(
    hs: Hammerstone,
) -> None:
    made = await logged(hs)
    await hs.ask(PERCENT)
    before = next(one for one in await hs.labels.list() if one.decision.id == made.id)
    assert [one.kind for one in before.signals] == [FeedbackKind.UNOPPOSED]
    assert before.right is True
    after = await hs.labels.set(made.id, False, tool="mean")
    assert (after.right, after.tool, after.contradicted) == (False, "mean", True)
    assert made.id not in {one.decision.id for one in await hs.labels.queue()}
    with pytest.raises(BadRequest):
        await hs.labels.set(made.id, True, tool="mean")
    with pytest.raises(BadRequest):
        await hs.labels.set(made.id, True, what="weather")
    with pytest.raises(NotFound):
        await hs.labels.set(made.id, False, tool="no_such_tool")
    with pytest.raises(NotFound):
        await hs.labels.set(made.id, True, user="bob")


async def fill(hs: Hammerstone, count: int = 120) -> None:
    """Decisions of which the sure ones were wrong: trusting less would have helped."""
    made, db = await logged(hs), services_of(hs).records.db
    now = services_of(hs).records.clock.now()
    new = [
        replace(
            made,
            id=f"n{number}-0",
            run_id=f"n{number}",
            session_id=f"s{number}",
            at=now - timedelta(minutes=200 - number),
            probability=0.85 if number % 2 else 0.97,
        )
        for number in range(count)
    ]
    await db.decisions.append(new)
    for number, one in enumerate(new):
        right = number % 2 == 0
        await db.decisions.label(
            PersonLabel(one.id, LabelQuestion.TOOL, f"p{number}", right, now, "", one.session_id)
        )


async def test_better_bands_are_proposed_and_put_in_force_by_the_gate(hs: Hammerstone) -> None:
    await fill(hs)
    (tried,) = await hs.tuning.run(["bands"], dry_run=True)
    assert tried.outcome.proposal is not None
    assert hs.policies.get(FitPolicy) == FitPolicy()  # a dry run changes nothing
    assert await hs.tuning.past() == []
    (done,) = await hs.tuning.run(["bands"])
    assert done.decided is not None
    assert done.decided.in_force, done.told
    assert 0.85 < hs.policies.get(FitPolicy).high <= 0.97
    (study,) = await hs.tuning.past("bands")
    assert study["state"] == "ended"
    assert len(await hs.tuning.trials(str(study["id"]))) == study["trials"]
    (entry,) = [one for one in await hs.learning.ledger.lessons() if one.target == "fit"]
    await hs.learning.gate.undo(entry.id, who="ada", why="as before")
    assert hs.policies.get(FitPolicy) == FitPolicy()


async def test_a_knob_under_experiment_is_not_touched(hs: Hammerstone) -> None:
    class Running:
        async def in_use(self, name: str) -> str:
            return "an experiment" if name.startswith("fit.") else ""

    await fill(hs)
    hs.tuning.use = Running()
    bands, fusion = await hs.tuning.run(["bands", "fusion"])
    assert bands.outcome.finding == "in use"
    assert fusion.outcome.finding != "in use"
    with pytest.raises(NotFound):
        await hs.tuning.run(["weather"])


async def test_every_job_says_what_would_change_and_why(hs: Hammerstone) -> None:
    await fill(hs)
    done = await hs.learning.run(dry_run=True)
    told = {job["job"]: job for job in done["jobs"]}  # type: ignore[index,union-attr]
    assert set(told) == {
        *("upkeep", "mining", "promotion", "repair", "tuning", "experiments"),
        *("judging", "monitor"),
    }
    changes = told["tuning"]["report"]["changes"]  # type: ignore[index,call-overload]
    assert any("policy fit" in str(change) for change in changes)
    assert hs.policies.get(FitPolicy) == FitPolicy()


def test_labels_jobs_and_tuning_by_http(tmp_path: Path) -> None:
    app = create_app(settings_of(tmp_path), models=OneModel(ScriptedModel(silent)))
    with TestClient(app, base_url="http://127.0.0.1:8321") as client:
        client.post("/api/ask", json={"text": MEDIAN, "wait": True})
        (row,) = client.get("/api/labels").json()
        assert (row["chosen"], row["right"]) == ("median", None)
        said = client.post(f"/api/labels/{row['decision']}", json={"right": True}).json()
        assert said["right"] is True
        assert client.get("/api/labels").json() == []
        assert len(client.get("/api/labels", params={"every": True}).json()) == 1
        wrong = client.post(f"/api/labels/{row['decision']}", json={"right": True, "tool": "mean"})
        assert wrong.status_code == 422
        assert client.post("/api/labels/none-0", json={"right": True}).status_code == 404
        names = [job["name"] for job in client.get("/api/jobs").json()]
        jobs = ["upkeep", "mining", "promotion", "repair", "tuning", "experiments"]
        assert names == [*jobs, "judging", "monitor"]
        done = client.post("/api/tuning", json={"knobs": ["bands"], "dry_run": True}).json()
        assert done[0]["finding"] == "too few"
        assert client.get("/api/tuning").json()["knobs"][0]["knob"] == "fusion"
        assert client.post("/api/tuning", json={"knobs": ["x"]}).status_code == 404
