"""Who would be let in at the server's address, and what is kept of tokens."""

from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.security.control import ControlState
from hammerstone.app.security.door_controls import authentication, mcp_clients, tokens
from hammerstone.app.security.stored_controls import StoredState
from hammerstone.core.settings import Settings

LONG = "0123456789abcdef0123456789abcdef"
OK, WEAK, OFF = ControlState


def settings(tmp_path: Path, **more: Any) -> Settings:
    return Settings(data_dir=tmp_path, **more)


@pytest.mark.parametrize(
    ("more", "people", "state"),
    [
        ({"host": "0.0.0.0"}, (), OFF),
        ({"host": "::"}, (), OFF),
        ({"host": "192.168.1.5"}, (), OFF),
        ({"host": "0.0.0.0"}, ("ada",), WEAK),
        ({"host": "0.0.0.0", "tokens": {"bob": LONG}}, (), WEAK),
        ({"host": "0.0.0.0", "token": LONG}, (), WEAK),
        ({}, (), WEAK),
        ({"host": "localhost"}, ("ada",), OK),
        ({"host": "::1", "token": LONG}, (), OK),
        ({"tokens": {"bob": LONG}}, (), OK),
    ],
)
def test_an_address_that_others_reach_needs_a_token(
    more: dict[str, Any], people: tuple[str, ...], state: ControlState, tmp_path: Path
) -> None:
    found = authentication(settings(tmp_path, **more), StoredState(people=people))
    assert found.state is state
    assert bool(found.fix) is (state is not OK)


def test_a_missing_token_at_a_public_address_says_what_to_set(tmp_path: Path) -> None:
    found = authentication(settings(tmp_path, host="0.0.0.0", port=80), StoredState())
    assert "0.0.0.0:80" in found.detail and "HAMMERSTONE_TOKEN" in found.fix


@pytest.mark.parametrize(
    ("more", "unhashed", "state", "word"),
    [
        ({}, (), OK, "hashes"),
        ({"token": LONG}, (), OK, "in clear where you set it"),
        ({"token": "short"}, (), WEAK, "shorter"),
        ({"tokens": {"bob": "short"}}, (), WEAK, "shorter"),
        ({"tokens": {"bob": LONG}}, (), WEAK, "1 stand in the settings"),
        ({"token": "short"}, ("eve",), OFF, "eve"),
    ],
)
def test_tokens_can_neither_be_read_nor_guessed(
    more: dict[str, Any], unhashed: tuple[str, ...], state: ControlState, word: str, tmp_path: Path
) -> None:
    found = tokens(settings(tmp_path, **more), StoredState(unhashed=unhashed))
    assert found.state is state and word in found.detail
    assert LONG not in str(found)


def test_a_client_that_may_write_is_named(tmp_path: Path) -> None:
    assert mcp_clients(settings(tmp_path, mcp_clients={"*": "ask"})).state is OK
    found = mcp_clients(settings(tmp_path, mcp_clients={"editor": "WRITE", "*": "tools"}))
    assert found.state is WEAK and "editor" in found.detail and "*" not in found.detail
