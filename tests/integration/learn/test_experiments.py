"""An experiment through the doors: requests really use their variant, and their record says so."""

from pathlib import Path

from hammerstone.core.chat import Prompt
from hammerstone.core.run_record import RunRecord
from hammerstone.prompts import shipped_text
from tests.integration.engine import (
    PERCENT_SOLUTION,
    Script,
    percent_script,
    scripted_engine,
    services_of,
)

MARK = "Be brief about it."
OTHER = shipped_text("solve").replace("## system\n", f"## system\n{MARK}\n", 1)


class Listening:
    """A model's solution, and whether the other prompt was sent for it."""

    def __init__(self) -> None:
        self.marked: list[bool] = []

    def __call__(self, prompt: Prompt) -> str:
        self.marked.append(any(MARK in message.text for message in prompt.messages))
        return PERCENT_SOLUTION


async def test_each_session_has_its_variants_prompt_and_policy(tmp_path: Path) -> None:
    assert MARK in OTHER
    heard = Listening()
    async with scripted_engine(percent_script(solution=heard), tmp_path) as hs:
        changes = {"other": {"prompt/solve": OTHER, "fit.high": 0.91}}
        made = await hs.experiments.start("both", changes, who="ada")
        by_variant = {made.variant_of(f"s{n}").name: f"s{n}" for n in range(30)}
        assert set(by_variant) == {"as it is", "other"}
        for variant, session in by_variant.items():
            heard.marked.clear()
            answer = await hs.ask("What is 17.5% of 240?", session=session)
            assert answer.result == 42 and not answer.cached  # another variant's is not given
            assert set(heard.marked) == {variant == "other"}
            await hs.traces.list()
            row = await services_of(hs).records.db.runs.get(answer.run_id)
            record = RunRecord.from_json(row.record)
            assert record is not None and record.variants == {made.id: variant}
        shipped, other = [
            RunRecord.from_json(row.record).prompts["solve"].hash  # type: ignore[union-attr]
            for variant in ("as it is", "other")
            for row in await services_of(hs).records.db.runs.of_session(by_variant[variant])
        ]
        assert shipped != other
        await hs.experiments.stop(made.id, who="ada", why="seen enough")
        heard.marked.clear()
        await hs.ask("What is 18.5% of 240?", session=by_variant["other"])
        assert not any(heard.marked)


async def test_the_same_words_in_the_same_variant_are_remembered(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        made = await hs.experiments.start("one", {"b": {"fit.high": 0.9}}, who="ada")
        sessions = [f"s{n}" for n in range(30) if made.variant_of(f"s{n}").name == "b"]
        await hs.ask("What is 17.5% of 240?", session=sessions[0])
        again = await hs.ask("What is 17.5% of 240?", session=sessions[1])
    assert again.cached


async def test_experiments_and_metrics_over_http(tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    from hammerstone.core.settings import Settings
    from hammerstone.models.fakes import ScriptedModel
    from hammerstone.models.one import OneModel
    from hammerstone.serve.api.app import create_app

    settings = Settings(data_dir=tmp_path, embedder="off")
    app = create_app(settings, models=OneModel(ScriptedModel(Script())))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        body = {"title": "one", "variants": {"b": {"fit.high": 0.9}}, "metric": "tokens"}
        made = client.post("/api/experiments", json=body)
        assert made.status_code == 201 and made.json()["guards"] == ["success"]
        assert client.post("/api/experiments", json=body).status_code == 422
        bad = {**body, "variants": {"b": {"fit.middle": 7}}}
        assert client.post("/api/experiments", json=bad).status_code == 422
        id = made.json()["id"]
        assert client.get("/api/experiments").json()[0]["id"] == id
        shown = client.get(f"/api/experiments/{id}").json()
        assert shown["report"]["variants"][0]["low"] is None and shown["looks"] == []
        why = {"why": "enough"}
        assert client.post(f"/api/experiments/{id}/stop", json=why).json()["reason"] == "enough"
        assert client.post(f"/api/experiments/{id}/stop").status_code == 422
        assert client.get("/api/experiments/none").status_code == 404
        change = {"values": {"value": 60.0}, "why": "trying"}
        assert client.put("/api/policies/cache_ttl", json=change).json()["ttl_s"] == 60.0
        assert client.get("/api/policies/cache_ttl").json() == {"ttl_s": 60.0}
        assert client.get("/api/policies/cache/diff").json()["fields"] == {
            "ttl_s": {"old": 3600.0, "new": 60.0}
        }
        assert client.post("/api/policies/cache/rollback").json()["ttl_s"] == 3600.0
        assert client.post("/api/policies/search/rollback").status_code == 404
        numbers = client.get("/api/analytics/learning?days=7").json()
        assert len(numbers["days"]) == 7 and numbers["person"] == settings.user
        assert client.get("/api/analytics/learning?everybody=true").json()["person"] is None
        assert 'hammerstone_learning{metric="requests"} 0' in client.get("/metrics").text
