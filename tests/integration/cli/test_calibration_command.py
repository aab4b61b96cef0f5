"""`hammerstone eval calibration` and its route: how far the own tools' confidence holds."""

import asyncio
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner, Result

from hammerstone.core.settings import Settings, load_settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.serve.cli.main import app
from hammerstone.storage import Database
from hammerstone.synthesis.examine.belief.own_calibration import (
    EMBEDDED_MODEL_NAME,
    EMBEDDED_WITH_ADAPTER,
)
from tests.integration.engine import percent_script
from tests.storage.test_outcomes import BUILT, Library


@pytest.fixture(autouse=True)
def own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HAMMERSTONE_EMBEDDER", "off")
    monkeypatch.chdir(tmp_path)


def calibration(*words: str) -> Result:
    done = CliRunner().invoke(app, ["eval", "calibration", *words])
    assert done.exit_code == 0, done.exception
    return done


async def lived_in(settings: Settings) -> None:
    """Ten tools at 0.9 of a model of one's own: eight confirmed, two with another value stated."""
    db = await Database.open(settings)
    library = Library(db)
    for number in range(10):
        about = {**BUILT, "model": "own-model"}
        tool = await library.built(f"tool_{number}", confidence=0.9, provenance=about)
        await library.used(tool)
        await library.said(tool, 4 if number < 8 else 5, right=True)
    await db.close()


def test_an_empty_library_says_so(tmp_path: Path) -> None:
    assert "No tool has been built here yet" in calibration().stdout
    empty = json.loads(calibration("--json").stdout)
    assert (empty["tools"], empty["ece"], empty["reliability"]) == (0, None, [])
    assert empty["model"] == EMBEDDED_WITH_ADAPTER
    assert empty["fitted_for"] == EMBEDDED_MODEL_NAME
    (adjustment,) = empty["adjustments"]
    assert (adjustment["cautious"], adjustment["shift"], adjustment["slope"]) == (False, 0.0, 1.0)
    assert not (tmp_path / "reports").exists()


def test_the_curve_is_printed_plotted_and_served(tmp_path: Path) -> None:
    asyncio.run(lived_in(load_settings()))

    told = calibration("--report", str(tmp_path / "curve")).stdout
    assert "Of 10 examined tools 8 turned out right and 2 wrong" in told
    assert "█" in told and "0.9 to 1.0" in told
    assert f"fitted for {EMBEDDED_MODEL_NAME}, so it starts cautious; 10 tools judged" in told
    assert (tmp_path / "curve" / "reliability.png").stat().st_size > 1000

    found = json.loads(calibration("--json").stdout)
    assert (found["right"], found["wrong"], found["unknown"], found["enough"]) == (8, 2, 0, True)
    (one,) = found["reliability"]
    assert one["confidence"] == pytest.approx(0.9)
    assert one["share"] == pytest.approx(5.6 / 7.6, abs=1e-3)
    assert found["ece"] == pytest.approx(0.9 - 5.6 / 7.6, abs=1e-3)
    assert list(found["by_model"]) == ["own-model"]
    adjusted = {each["model"]: each for each in found["adjustments"]}
    assert adjusted["own-model"]["cautious"] and adjusted["own-model"]["judged"] == 10
    assert adjusted[EMBEDDED_WITH_ADAPTER]["judged"] == 0

    served = create_app(load_settings(), models=OneModel(ScriptedModel(percent_script())))
    with TestClient(served, base_url="http://127.0.0.1:8321") as client:
        answer = client.get("/api/calibration")
    assert answer.status_code == 200
    assert answer.json()["reliability"] == found["reliability"]
    assert "tool_1" not in answer.text and "ada" not in answer.text
