"""Several people share one installation: who comes in, as what, and who may do what."""

import time
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hammerstone.app.books.peoplebook import PeopleBook
from hammerstone.core.people import Right
from hammerstone.core.settings import Settings
from hammerstone.serve.api.app import create_app
from hammerstone.serve.api.rights import ANY, OPERATIONS, SOCKET, all_routes
from tests.integration.serve.sharing import HERE, shared

# What holds for everybody, each with a body that an owner's request gets through with.
GOVERNED: list[tuple[str, str, Any]] = [
    ("PUT", "/api/policies/fit", {"values": {"high": 0.9}, "why": "test"}),
    ("POST", "/api/policies/fit/restore", {"number": 1}),
    ("POST", "/api/import/policies", {"policies": {}}),
    ("POST", "/api/import/library", {"file": "x.zip"}),
    ("POST", "/api/tools/none/restore", {"version": 1}),
    ("POST", "/api/stops", {"scope": "all"}),
    ("DELETE", "/api/stops?scope=all", None),
    ("POST", "/api/learn", {"dry_run": True}),
    ("POST", "/api/ledger/none/undo", {}),
    ("POST", "/api/proposals/none", {"approve": True}),
    ("GET", "/api/people", None),
    ("POST", "/api/people", {"name": "eve"}),
    ("DELETE", "/api/people/eve", None),
    ("GET", "/api/people/audit", None),
]


def test_every_route_has_a_right_and_the_table_names_no_other(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path, embedder="off"))
    with TestClient(app, base_url=HERE):
        served: set[tuple[str, str]] = set()
        for route in all_routes(app.router.routes):
            path, methods = getattr(route, "path", ""), getattr(route, "methods", None)
            kinds = methods or ({SOCKET} if path == "/ws" else {ANY})
            served |= {(kind, path) for kind in kinds if kind != "HEAD"}
    assert served == set(OPERATIONS)
    changing = {key for key, one in OPERATIONS.items() if one.right in (Right.GOVERN, Right.PEOPLE)}
    noted = {key for key in changing if key[0] != "GET" and key[1] != "/api/sandbox/check"}
    assert all(OPERATIONS[key].change for key in noted)


def test_only_an_owner_governs_and_every_attempt_is_on_the_list(tmp_path: Path) -> None:
    with shared(tmp_path) as app:
        for name in ("member", "guest", "owner"):
            app.add(name, name)
        for method, path, body in GOVERNED:
            for name in ("member", "guest"):
                told = app.call(name, method, path, json=body)
                assert told.status_code == 403, (name, method, path, told.text)
                assert told.json()["error"]["code"] == "refused"
            told = app.call("owner", method, path, json=body)
            assert told.status_code != 403, (method, path, told.text)
        audit = app.get("local", "/api/people/audit").json()
        refused = [one for one in audit if one["outcome"] == "refused"]
        changes = [one for one in GOVERNED if one[0] != "GET"]
        assert len(refused) == 2 * len(changes)
        done = {(one["who"], one["what"], one["target"]) for one in audit if one not in refused}
        assert ("owner", "changed a policy", "policies/fit") in done
        assert ("owner", "stopped", "all") in done
        assert ("owner", "let somebody in", "eve as member") in done
        assert ("owner", "revoked a token", "eve") in done
        assert all(one["place"] for one in audit)
        assert not any(token in str(audit) for token in app.tokens.values())


def test_a_guest_asks_and_leaves_no_tool_behind(tmp_path: Path) -> None:
    with shared(tmp_path, starter_tools=False) as app:
        app.add("gus", "guest")
        app.add("mia", "member")
        asked = {"text": "What is 17.5% of 240?", "wait": True}
        answer = app.post("gus", "/api/ask", asked).json()
        assert (answer["result"], answer["proof"]) == (42, "none")
        assert app.get("gus", "/api/tools").json() == []
        assert app.get("gus", "/api/proofs").json() == []
        assert app.get("gus", f"/api/traces/{answer['trace_id']}").status_code == 200
        build = app.post("gus", "/api/ask", {"text": "Build a tool that doubles a number"})
        assert build.status_code == 403
        right = app.post("gus", f"/api/runs/{answer['run_id']}/feedback", {"right": True})
        assert right.status_code == 403
        assert app.post("mia", "/api/ask", asked).json()["tool"] == "percentage_of"
        call = {"arguments": {"percent": 10, "number": 50}}
        assert app.post("gus", "/api/tools/percentage_of/run", call).json()["result"] == 5


def test_a_token_is_shown_once_and_stored_only_as_a_hash(tmp_path: Path) -> None:
    with shared(tmp_path) as app:
        added = app.add("ada", "member", days=30)
        listed = app.get("local", "/api/people").json()
        assert [one["name"] for one in listed] == ["local", "ada"]
        assert added["token"] not in str(listed) and listed[1]["expires_at"]
        again = app.post("local", "/api/people", {"name": "ada"})
        assert again.status_code == 422 and "in already" in again.text
        assert app.get("ada", "/api/settings").json()["role"] == "member"
        assert app.get("local", "/api/people").json()[1]["last_used_at"]
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("hammerstone.db*"))
    assert added["token"].encode() not in stored and b"ada" in stored


def test_an_ended_token_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with shared(tmp_path) as app:
        app.add("ada", "member", days=1)
        app.add("bob", "member")
        assert app.get("ada", "/health").status_code == 200
        app.call("local", "DELETE", "/api/people/bob")
        told = app.get("bob", "/health")
        assert (told.status_code, told.json()["error"]["code"]) == (401, "token_revoked")
        book: Any = app.client.app.state.engine.people  # type: ignore[attr-defined]
        late = book._clock.now().replace(year=2100)
        monkeypatch.setattr(type(book._clock), "now", lambda _self: late)
        told = app.get("ada", "/health")
        assert (told.status_code, told.json()["error"]["code"]) == (401, "token_expired")
        assert "expired" in told.json()["error"]["message"]
        assert app.client.get("/health", headers={"authorization": "Bearer hs_x"}).json()["error"][
            "code"
        ] == ("unauthorized")


def test_a_revoked_token_ends_an_open_socket(tmp_path: Path) -> None:
    with shared(tmp_path) as app:
        app.add("ada", "member")
        with app.client.websocket_connect(f"ws{HERE[4:]}/ws", headers=app.of("ada")) as socket:
            socket.send_json({"resume": "none"})
            assert socket.receive_json()["error"]["code"] == "not_found"
            app.call("local", "DELETE", "/api/people/ada")
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_json()
            assert closed.value.reason == "this token was revoked"


def test_two_owners_work_at_once_and_each_has_their_own(tmp_path: Path) -> None:
    with shared(tmp_path) as app:
        app.add("ada", "owner")
        app.post("local", "/api/memory", {"text": "I like tea"})
        assert "tea" not in app.get("ada", "/api/memory").text
        for name, high in (("local", 0.9), ("ada", 0.8)):
            change = {"values": {"high": high}, "why": name}
            put = app.call(name, "PUT", "/api/policies/fit", json=change)
            assert put.status_code == 200
        history = app.get("ada", "/api/policies/fit/history").json()
        assert [(row["who"], row["value"]["high"]) for row in history] == [
            ("local", 0.9),
            ("ada", 0.8),
        ]
        app.add("bob", "member")
        assert app.call("ada", "DELETE", "/api/people/bob").status_code == 200


def test_tokens_of_the_settings_go_on_working(tmp_path: Path) -> None:
    with shared(tmp_path, tokens={"mia": "mia's", "local": "not used"}) as app:
        app.tokens["mia"] = "mia's"
        assert app.get("mia", "/api/settings").json()["role"] == "member"
        assert app.get("local", "/api/settings").json()["role"] == "owner"
        assert app.get("mia", "/api/people").status_code == 403
        listed = {one["name"]: one for one in app.get("local", "/api/people").json()}
        assert listed["mia"]["created_by"] == "the settings"
        assert app.call("local", "DELETE", "/api/people/mia").status_code == 422
        assert app.post("local", "/api/people", {"name": "mia"}).status_code == 422


def test_the_door_closes_when_the_first_person_is_let_in(tmp_path: Path) -> None:
    """Without a token the owner is whoever sits at the machine, until somebody else comes."""
    app = create_app(Settings(data_dir=tmp_path, embedder="off"))
    with TestClient(app, base_url=HERE) as client:
        assert client.get("/api/settings").json()["role"] == "owner"
        alone = client.post("/api/people", json={"name": "bob"})
        assert alone.status_code == 422 and "owner" in alone.json()["error"]["hint"]
        token = client.post("/api/people", json={"name": "local", "role": "owner"}).json()["token"]
        deadline = time.monotonic() + 5
        while client.get("/api/settings").status_code != 401:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        owner = {"authorization": f"Bearer {token}"}
        added = client.post("/api/people", json={"name": "bob"}, headers=owner)
        assert added.status_code == 201
        last = client.delete("/api/people/local", headers=owner)
        assert last.status_code == 422 and "only owner" in last.text
        assert client.get("/").status_code == 200  # the page holds no data


def test_a_member_stops_what_is_theirs_and_sees_no_other(tmp_path: Path) -> None:
    with shared(tmp_path) as app:
        for name in ("ada", "bob"):
            app.add(name, "member")
        session = app.post("ada", "/api/ask", {"text": "What is 17.5% of 240?"}).json()
        own = {"scope": "session", "target": session["session_id"], "why": "adas reason"}
        assert app.post("bob", "/api/stops", own).status_code == 404
        assert app.post("ada", "/api/stops", own).status_code == 201
        assert app.get("bob", "/api/stops").json() == []
        assert len(app.get("ada", "/api/stops").json()) == 1


def test_a_database_that_is_away_lets_nobody_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hammerstone.core.errors import StorageError

    async def away(*_: object) -> None:
        raise StorageError("the database does not answer", hint="is it running?")

    with shared(tmp_path) as app:
        app.add("ada", "member")
        monkeypatch.setattr(PeopleBook, "by_token", away)
        told = app.get("ada", "/api/tools")
        assert (told.status_code, told.json()["error"]["hint"]) == (503, "is it running?")
        assert app.get("local", "/api/tools").status_code == 200
