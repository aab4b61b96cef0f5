"""A person deletes a session, and what was learned from it goes along where asked."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import percent_script, services_of
from tests.integration.held import HeldModel
from tests.integration.learn.test_composites import library

HERE = "http://127.0.0.1:8321"
ASKED = {"text": "What is 17.5% of 240?"}


def opened(folder: Path, model: ScriptedModel | None = None, user: str = "ada") -> TestClient:
    settings = Settings(data_dir=folder, embedder="off", user=user)
    app = create_app(settings, models=OneModel(model or ScriptedModel(percent_script())))
    return TestClient(app, base_url=HERE)


@pytest.mark.parametrize(("lessons", "status"), [(False, "verified"), (True, "retired")])
async def test_lessons_go_along_only_where_asked(
    tmp_path: Path, lessons: bool, status: str
) -> None:
    async with library(tmp_path) as hs:
        for session in ("s0", "s1"):
            await services_of(hs).records.db.sessions.create("ada", session)
        await hs.learning.run()
    with opened(tmp_path) as client:
        asked = {"lessons": str(lessons).lower()}
        done = client.delete("/api/sessions/s0", params=asked).json()["done"]
        assert done[0].startswith("the session")
        assert client.get("/api/tools/summary_then_taxed").json()["status"] == status
        assert [one["id"] for one in client.get("/api/sessions").json()] == ["s1"]


def test_what_was_said_and_traced_is_gone_and_the_tool_stays(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        answer = client.post("/api/ask", json={**ASKED, "wait": True}).json()
        path = f"/api/sessions/{answer['session_id']}"
        assert client.delete(path).status_code == 200
        for gone in (path, f"/api/traces/{answer['trace_id']}", f"/api/runs/{answer['run_id']}"):
            assert client.get(gone).status_code == 404, gone
        assert client.get("/api/tools/percentage_of").status_code == 200
        assert client.delete(path).status_code == 404


def test_nobody_deletes_somebody_elses_session_or_one_that_is_at_work(tmp_path: Path) -> None:
    held = HeldModel(percent_script())
    with opened(tmp_path, held) as client:
        started = client.post("/api/runs", json=ASKED).json()
        busy = client.delete(f"/api/sessions/{started['session_id']}")
        assert busy.status_code == 422 and "being answered" in busy.text
        held.released.set()
        client.post(f"/api/runs/{started['run_id']}/cancel")
    with opened(tmp_path, user="bob") as client:
        assert client.delete(f"/api/sessions/{started['session_id']}").status_code == 404
