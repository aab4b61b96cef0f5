"""Evolution over HTTP: a round with a program, what it came to, and what cannot be asked."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from hammerstone.core.settings import load_settings
from hammerstone.evaluation.evolving.product_bench import ProductBench
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.evolution.evolving import answering, times_suite

HERE = "http://127.0.0.1:8321"


@pytest.fixture
def folder(proved_folder: Path) -> Path:
    times_suite(proved_folder)
    return proved_folder


def opened(folder: Path) -> TestClient:
    settings = load_settings(data_dir=folder, embedder="off", starter_tools=False)
    app = create_app(settings, models=OneModel(ScriptedModel(answering("a + b"))))
    return TestClient(app, base_url=HERE)


def test_a_round_with_a_program_is_run_listed_and_sampled(folder: Path) -> None:
    (folder / "program.md").write_text(
        "goal: more right\nsurface: policies\nmetric: the suite\nexperiments: 1\n\nfit.high\n"
    )
    with opened(folder) as client:
        hs: Any = client.app.state.engine  # type: ignore[attr-defined]
        copies = ProductBench(hs, lambda: OneModel(ScriptedModel(answering("a + b"))))
        hs.evolution.use_bench(copies)
        body = {"suite": "times", "program": str(folder), "tracks": ["harness"], "seconds": 300}
        made = client.post("/api/evolution/rounds", json=body).json()
        assert made["state"] == "done" and made["average"] == 0.0
        [attempt] = made["attempts"]
        assert (attempt["track"], attempt["outcome"]) == ("harness", "reverted")
        assert "0 of 1 changes kept" in (folder / "experiments.md").read_text()
        assert len(made["verdicts"]) == 14
        assert (
            client.get(f"/api/evolution/rounds/{made['id']}").json()["account"] == made["account"]
        )
        assert [row["id"] for row in client.get("/api/evolution/rounds").json()] == [made["id"]]
        assert len(client.get("/api/evolution/attempts").json()) == 1
        assert client.get("/api/evolution/scores/times").json()[0]["average"] == 0.0
        assert client.get("/api/evolution/verdicts").json() == []  # those of cases are the round's
        looked = client.post("/api/evolution/watch/times").json()
        assert (
            looked["finding"] == "too low" and "hammerstone evolve run times" in looked["followed"]
        )
        samples = client.get("/api/evolution/samples").json()
        said = client.post(f"/api/evolution/samples/{samples[0]['id']}", json={"right": False})
        assert said.status_code == 200
        assert len(client.get("/api/evolution/samples").json()) == len(samples) - 1
        chosen = client.put("/api/evolution/preset", json={"name": "innovate"}).json()
        assert chosen["preset"] == "innovate" and chosen["tracks"]["harness"]


def test_a_suite_that_is_not_there_is_not_watched(folder: Path) -> None:
    with opened(folder) as client:
        assert client.post("/api/evolution/watch/none").status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"suite": "none"}, 404),
        ({"suite": "times", "seconds": -1}, 422),
        ({"suite": "times", "tracks": ["magic"]}, 422),
        ({}, 422),
    ],
)
def test_what_cannot_be_asked_is_refused(folder: Path, body: dict[str, Any], status: int) -> None:
    with opened(folder) as client:
        assert client.post("/api/evolution/rounds", json=body).status_code == status
