"""What may be reached and changed outside, and what leaves in traces."""

from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.security import door_controls
from hammerstone.app.security.control import ControlState
from hammerstone.app.security.door_controls import (
    inner_addresses,
    rules_of_programs,
    scrubbing,
    sent_traces,
    writing_connectors,
)
from hammerstone.app.security.stored_controls import StoredState
from hammerstone.core.settings import Settings
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.library.memory.memory import Memory
from hammerstone.tracing import scrub

OK, WEAK, OFF = ControlState
SERVICES = {
    "wiki": {"url": "https://wiki.example.org"},
    "shop": {"url": "http://127.0.0.1:9/", "methods": ["get", "POST"]},
}


def settings(tmp_path: Path, **more: Any) -> Settings:
    return Settings(data_dir=tmp_path, **more)


def test_connectors_that_may_write_are_named_and_weak_when_nobody_is_asked(tmp_path: Path) -> None:
    assert writing_connectors(settings(tmp_path), StoredState()).detail == "none"
    some = settings(tmp_path, http_services=SERVICES, mcp_servers={"mail": {"command": "mail"}})
    asked = writing_connectors(some, StoredState())
    assert asked.state is OK and asked.detail.startswith("shop, mail:")
    autonomous = StoredState(maturity=MaturityPolicy(level=5))
    assert writing_connectors(some, autonomous).state is WEAK


@pytest.mark.parametrize(
    ("more", "state", "word"),
    [
        ({}, OK, "no pages"),
        ({"page_hosts": ["intranet"]}, OK, "no pages"),
        ({"read_pages": True}, OK, "public"),
        ({"read_pages": True, "page_hosts": ["intranet"]}, WEAK, "intranet"),
        ({"http_services": SERVICES}, OK, "set up: shop"),
    ],
)
def test_exceptions_for_inner_addresses_are_told(
    more: dict[str, Any], state: ControlState, word: str, tmp_path: Path
) -> None:
    found = inner_addresses(settings(tmp_path, **more))
    assert found.state is state and word in found.detail


def test_a_rule_of_a_program_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rules_of_programs(settings(tmp_path)).state is OK
    monkeypatch.setattr(Memory, "not_kept", staticmethod(lambda _: ""))
    assert rules_of_programs(settings(tmp_path)).state is OFF


def test_scrubbing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scrubbing().state is OK
    real = scrub.Scrubber
    monkeypatch.setattr(door_controls, "Scrubber", lambda: real(kinds=frozenset()))
    assert scrubbing().state is OFF


@pytest.mark.parametrize(
    ("address", "state"),
    [
        (None, OK),
        ("http://localhost:4318", OK),
        ("http://127.0.0.1:4318", OK),
        ("https://traces.example.org", OK),
        ("http://traces.example.org", WEAK),
    ],
)
def test_traces_go_elsewhere_only_encrypted(
    address: str | None, state: ControlState, tmp_path: Path
) -> None:
    assert sent_traces(settings(tmp_path, otlp_endpoint=address)).state is state


def test_each_of_them_is_looked_at(tmp_path: Path) -> None:
    found = door_controls.outside_controls(settings(tmp_path), StoredState())
    assert len(found) == 5 and {one.state for one in found} == {OK}
