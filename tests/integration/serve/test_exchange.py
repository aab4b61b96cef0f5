"""What leaves as a file comes back as one, and nothing else does."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import percent_script

HERE = "http://127.0.0.1:8321"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path / "one") as one:
        yield one


def opened(folder: Path) -> TestClient:
    settings = Settings(data_dir=folder, embedder="off")
    app = create_app(settings, models=OneModel(ScriptedModel(percent_script())))
    return TestClient(app, base_url=HERE)


def zipped(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_a_library_goes_to_another_machine_and_is_proved_there(
    client: TestClient, tmp_path: Path
) -> None:
    client.post("/api/ask", json={"text": "What is 17.5% of 240?", "wait": True})
    packed = client.get("/api/export/library").content
    names = zipfile.ZipFile(io.BytesIO(packed)).namelist()
    assert "percentage_of/tool.py" in names and "percentage_of/test_percentage_of.py" in names
    with opened(tmp_path / "other") as other:
        other.put("/api/files/library.zip", content=packed)
        body = {"file": "library.zip"}
        told = other.post("/api/import/library", json=body).json()
        assert told["tools"][0]["action"] == "new tool" and other.get("/api/tools").json() == []
        done = other.post("/api/import/library", json={**body, "dry_run": False}).json()
        assert [one["action"] for one in done["tools"]] == ["new tool"], done
        call = {"arguments": {"percent": 10, "number": 50}}
        assert other.post("/api/tools/percentage_of/run", json=call).json()["result"] == 5
        again = other.post("/api/import/library", json={**body, "dry_run": False}).json()
        assert [one["action"] for one in again["tools"]] == ["unchanged"]


@pytest.mark.parametrize(
    "content",
    [
        b"not a zip file",
        zipped(**{"../evil/tool.py": "x"}),
        zipped(**{"/etc/passwd": "x"}),
        zipped(**{"tool/other.sh": "x"}),
        zipped(**{"tool/tool.py": "x" * (1 << 21)}),
        zipped(),
    ],
)
def test_what_is_no_library_is_refused(client: TestClient, content: bytes) -> None:
    client.put("/api/files/library.zip", content=content)
    told = client.post("/api/import/library", json={"file": "library.zip", "dry_run": False})
    assert told.status_code == 422 and told.json()["error"]["code"] == "bad_request"
    assert client.get("/api/tools").json() == []


def test_policies_are_carried_over_and_can_be_undone(client: TestClient) -> None:
    document = client.get("/api/export/policies").json()
    document["policies"]["fit"]["high"] = 0.9
    told = client.post("/api/import/policies", json=document).json()
    assert told == {"dry_run": True, "changed": {"fit": {"high": 0.9}}}
    assert client.get("/api/policies").json()["fit"]["values"]["high"] == 0.8
    body = {**document, "dry_run": False, "why": "as on the other machine"}
    assert client.post("/api/import/policies", json=body).json()["changed"]
    assert client.get("/api/policies").json()["fit"]["values"]["high"] == 0.9
    (row,) = client.get("/api/policies/fit/history").json()
    assert row["why"] == "as on the other machine"
    for wrong in ({"none": {"high": 1}}, {"fit": {"none": 1}}, {"fit": {"high": "much"}}):
        body = {"policies": wrong, "dry_run": False}
        assert client.post("/api/import/policies", json=body).status_code in (404, 422)


def test_the_sandbox_is_proved_on_demand_and_the_doctor_says_what_is_missing(
    client: TestClient,
) -> None:
    proof = client.post("/api/sandbox/check").json()
    assert proof["holds"] and proof["total"] > 3
    assert all({"name", "tries", "contained", "detail"} <= set(one) for one in proof["probes"])
    found = {one["name"]: one for one in client.get("/api/doctor").json()}
    assert found["database"]["ok"] and "python" in found
