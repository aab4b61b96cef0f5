"""Whatever a client sends gets a clear answer, and the server goes on."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from hammerstone.core.errors import BadRequest
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from hammerstone.serve.api.archives import unpack
from hammerstone.serve.api.files import safe_name
from tests.integration.engine import percent_script

HERE = "http://127.0.0.1:8321"
SOCKET = f"ws{HERE[4:]}/ws"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path) as one:
        yield one


def opened(folder: Path, **more: bool) -> TestClient:
    settings = Settings(data_dir=folder, embedder="off", **more)
    app = create_app(settings, models=OneModel(ScriptedModel(percent_script())))
    return TestClient(app, base_url=HERE)


def test_a_binary_frame_and_other_nonsense_are_answered_and_the_socket_stays(
    client: TestClient,
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_bytes(b"\x00\xff")
        assert "binary" in socket.receive_json()["error"]["message"]
        for text in ("[", "[]", "1", '{"text": 1}', "[" * 5000, '{"text": "\\ud800"}', "NaN"):
            socket.send_text(text)
            assert socket.receive_json()["error"]["code"] == "bad_request"
        socket.send_text(json.dumps({"a": [[]] * 60_000}))
        assert "containers" in socket.receive_json()["error"]["hint"]
        socket.send_json({"text": "What is 17.5% of 240?"})
        assert socket.receive_json()["type"] == "run_started"


@pytest.mark.parametrize(
    "name",
    ["漢" * 120 + ".csv", "漢" * 130, "e\u0301" * 300 + ".xlsx", "a" * 500 + ".csv", "漢.csv"],
)
def test_a_long_name_is_shortened_and_keeps_its_ending(client: TestClient, name: str) -> None:
    answer = client.put(f"/api/files/{name}", content=b"a,b\n")
    assert answer.status_code == 201, answer.text
    kept = answer.json()["name"]
    assert len(kept.encode()) <= 200 and len(kept) <= 120
    assert "." not in name or kept.endswith(name[name.rindex(".") :])
    assert [one["name"] for one in client.get("/api/files").json()] == [kept]
    assert safe_name(kept) == kept


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_does_not_read_the_api_by_get(client: TestClient, site: str) -> None:
    asked = {"sec-fetch-site": site}
    for path in ("/api/tools", "/health", "/api/settings", "/api/export/library"):
        answer = client.get(path, headers=asked)
        assert answer.status_code == 403 and answer.json()["error"]["code"] == "refused"
    assert client.get("/", headers=asked).status_code == 200  # a link to the page is fine
    for own in ("same-origin", "none"):
        assert client.get("/api/tools", headers={"sec-fetch-site": own}).status_code == 200


def test_an_origin_that_is_no_address_is_another_site(client: TestClient) -> None:
    assert client.get("/health", headers={"origin": "http://["}).status_code == 403


@pytest.mark.parametrize(
    ("policy", "values"),
    [
        ("maturity", {"level": 99}),
        ("maturity", {"level": 0}),
        ("request_budget", {"tokens": -5}),
        ("request_budget", {"usd": -0.01}),
        ("approvals", {"keep_s": 1e300}),
        ("traces", {"keep_days": 1e9}),
        ("traces", {"keep_success_share": 1.5}),
        ("cache", {"max_rows": 10**30}),
    ],
)
def test_a_number_out_of_range_is_refused(
    client: TestClient, policy: str, values: dict[str, float]
) -> None:
    before = client.get("/api/policies").json()[policy]["values"]
    answer = client.put(f"/api/policies/{policy}", json={"values": values, "why": "test"})
    assert answer.status_code == 422 and " to " in answer.json()["error"]["message"]
    body = {"policies": {"search": {"learn": False}, policy: values}, "dry_run": False}
    assert client.post("/api/import/policies", json=body).status_code == 422
    after = client.get("/api/policies").json()
    assert after[policy]["values"] == before
    assert after["search"]["values"]["learn"] is True  # nothing of the document was taken


def test_a_number_from_before_there_were_bounds_counts_as_never_set(tmp_path: Path) -> None:
    with opened(tmp_path) as client:
        body = {"values": {"level": 3}, "why": "test"}
        assert client.put("/api/policies/maturity", json=body).status_code == 200
    change(tmp_path, "UPDATE policies SET value = '{\"level\":99}' WHERE name = 'maturity'")
    with opened(tmp_path) as client:
        assert client.get("/api/policies").json()["maturity"]["values"]["level"] == 4


def change(folder: Path, statement: str) -> None:
    """Change the database past the program, while nobody else has it open."""
    (file,) = folder.glob("*.db")
    with sqlite3.connect(file) as connection:
        assert connection.execute(statement).rowcount == 1
    connection.close()


@pytest.mark.parametrize(
    ("column", "content"),
    [
        ("code", "def add_days(date, days):\n    return 'evil'\n"),
        ("spec", '{"name": "add_days"'),
        ("spec", "[]"),
        ("suite", '"none"'),
        ("created_at", "never"),
    ],
)
def test_a_changed_tool_is_one_clear_error_and_the_rest_works(
    tmp_path: Path, column: str, content: str
) -> None:
    with opened(tmp_path, starter_tools=True) as client:
        count = len(client.get("/api/tools").json())
        assert count > 50
    quoted = content.replace("'", "''")
    change(tmp_path, f"UPDATE versions SET {column} = '{quoted}' WHERE tool = 'add_days'")
    with opened(tmp_path, starter_tools=True) as client:
        assert len(client.get("/api/tools").json()) in (count - 1, count)
        call = {"arguments": {"date": "2026-01-01", "days": 1}}
        answer = client.post("/api/tools/add_days/run", json=call)
        assert answer.status_code == 503, answer.text
        assert answer.json()["error"]["code"] == "tool_damaged"
        assert "add_days" in answer.json()["error"]["message"]
        other = client.post("/api/tools/is_leap_year/run", json={"arguments": {"year": 2024}})
        assert other.json()["result"] is True


def zipped(files: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", packing) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_an_archive_that_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    bomb = zipped({f"tool_{number}/tool.py": bytes(1 << 20) for number in range(200)})
    assert len(bomb) < 1 << 20
    with pytest.raises(BadRequest, match="more than"):
        unpack(bomb, tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.py")) <= 64 << 20


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_plain_zip_files_are_read(tmp_path: Path, packing: int) -> None:
    with pytest.raises(BadRequest, match="packed"):
        unpack(zipped({"a/tool.py": b"x"}, packing), tmp_path)


def test_an_archive_with_any_byte_changed_is_readable_or_a_bad_request(tmp_path: Path) -> None:
    good = zipped({"a/tool.py": b"def a(): ...\n" * 9, "a/tool.toml": b"name = 'a'\n" * 9})
    for place in range(len(good)):
        torn = bytearray(good)
        torn[place] ^= 0xFF
        try:
            unpack(bytes(torn), tmp_path)
        except BadRequest:
            continue
