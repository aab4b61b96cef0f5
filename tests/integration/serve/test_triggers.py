"""Triggers over HTTP: the public address, and who may set them up and read what they did."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hammerstone.connectors.webhooks import signed_headers
from tests.integration.serving import Served, serve

OWNER = {"authorization": "Bearer owners-own-token"}
BODY = b'{"percent": 17.5, "number": 240}'


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    one = serve(tmp_path / "data", token="owners-own-token", max_body_bytes=5_000)
    yield one
    one.stop()


def ask(served: Served, method: str, path: str, **more: Any) -> httpx.Response:
    return httpx.request(method, f"{served.address}{path}", timeout=30, **more)


def call(served: Served, secret: str, body: bytes = BODY, id: str = "m1") -> httpx.Response:
    headers = signed_headers(secret, id, int(time.time()), body)
    return ask(served, "POST", "hooks/orders", content=body, headers=headers)


def add(served: Served, **more: Any) -> httpx.Response:
    body = {"name": "orders", "kind": "webhook", "request": "What is {percent}% of {number}?"}
    return ask(served, "POST", "api/triggers", json={**body, **more}, headers=OWNER)


def test_from_a_signed_call_to_its_trace(served: Served) -> None:
    added = add(served)
    assert added.status_code == 201
    secret = added.json()["secret"]
    taken = call(served, secret)
    assert taken.status_code == 202 and taken.json()["id"]
    assert call(served, secret).json() == {"id": taken.json()["id"], "repeat": True}
    assert call(served, "whsec_" + "A" * 44).status_code == 401
    assert call(served, secret, b"not json", "m2").status_code == 400
    assert call(served, secret, json.dumps({"x": "y" * 6_000}).encode(), "m3").status_code == 413
    deadline = time.monotonic() + 60
    rows: list[dict[str, Any]] = []
    while not any(row["state"] == "done" for row in rows):
        assert time.monotonic() < deadline, rows
        time.sleep(0.1)
        rows = ask(served, "GET", "api/triggers/orders/log", headers=OWNER).json()
    (done,) = [row for row in rows if row["state"] == "done"]
    assert done["value"] == {"value": 42.0}
    trace = ask(served, "GET", f"api/traces/{done['trace_id']}", headers=OWNER)
    assert trace.status_code == 200
    history = ask(served, "GET", "api/triggers/orders/history", headers=OWNER).json()
    assert [point["values"] for point in history["points"]] == [{"value": 42.0}]
    shown = ask(served, "GET", "api/triggers/orders", headers=OWNER)
    assert secret not in shown.text and shown.json()["today"]["runs"] == 1


def test_only_an_owner_sets_them_up(served: Served) -> None:
    assert ask(served, "GET", "api/triggers").status_code == 401
    tokens: dict[str, dict[str, str]] = {}
    for name, role in (("bea", "member"), ("gus", "guest")):
        made = ask(served, "POST", "api/people", json={"name": name, "role": role}, headers=OWNER)
        tokens[name] = {"authorization": f"Bearer {made.json()['token']}"}
    assert add(served, user="bea").status_code == 201
    for who in tokens.values():
        body = {"name": "x", "kind": "webhook", "request": "Add {a}"}
        assert ask(served, "POST", "api/triggers", json=body, headers=who).status_code == 403
        assert ask(served, "POST", "api/triggers/orders/pause", headers=who).status_code == 403
        assert ask(served, "DELETE", "api/triggers/orders", headers=who).status_code == 403
    names = {
        who: [one["name"] for one in ask(served, "GET", "api/triggers", headers=header).json()]
        for who, header in tokens.items()
    }
    assert names == {"bea": ["orders"], "gus": []}
    assert ask(served, "GET", "api/triggers/orders/log", headers=tokens["gus"]).status_code == 404
    # What the requests of others came to is not even the owner's to read.
    assert ask(served, "GET", "api/triggers/orders/history", headers=OWNER).status_code == 404
    audit = ask(served, "GET", "api/people/audit", headers=OWNER).json()
    assert {"added a trigger", "paused a trigger"} <= {row["what"] for row in audit}


def test_paused_resumed_and_removed(served: Served) -> None:
    secret = add(served).json()["secret"]
    assert ask(served, "POST", "api/triggers/orders/pause", headers=OWNER).json()["changed"]
    assert call(served, secret).status_code == 409
    assert ask(served, "POST", "api/triggers/orders/resume", headers=OWNER).json()["changed"]
    by_hand = ask(served, "POST", "api/triggers/orders/run", headers=OWNER)
    assert by_hand.status_code == 422 and "works on a payload" in by_hand.text
    assert ask(served, "DELETE", "api/triggers/orders", headers=OWNER).status_code == 200
    assert call(served, secret).status_code == 401
    assert ask(served, "GET", "api/triggers/orders", headers=OWNER).status_code == 404
    assert add(served, kind="schedule", cron="nonsense").status_code == 422
