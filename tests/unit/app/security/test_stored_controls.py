"""Controls whose state is in the database."""

from datetime import UTC, datetime

import pytest

from hammerstone.app.security.control import ControlState
from hammerstone.app.security.stored_controls import (
    StoredState,
    audit,
    maturity,
    stop_switch,
    stored_controls,
    versions,
)
from hammerstone.core.people import AuditEntry
from hammerstone.guard.maturity import MaturityPolicy
from hammerstone.storage.files.check import VersionCheck
from hammerstone.storage.stores.control.stops import Stop

OK, WEAK, OFF = ControlState
AT = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


def test_an_unused_library_has_nothing_to_mend() -> None:
    assert {one.state for one in stored_controls(StoredState())} == {OK}


def test_damaged_versions_are_counted() -> None:
    found = versions(StoredState(versions=VersionCheck(checked=7, damaged=2)))
    assert found.state is OFF and found.detail.startswith("2 of 7") and "db check" in found.fix


def test_the_switch_says_who_pressed_it() -> None:
    one = Stop("run", "r1", AT, "ada")
    assert "1 runs or sessions" in stop_switch(StoredState(stops=(one,))).detail
    everything = stop_switch(StoredState(stops=(one, Stop("all", "", AT, "bob"))))
    assert everything.state is OK and "pressed by bob at 2026-03-04 05:06" in everything.detail


@pytest.mark.parametrize(
    ("policy", "state", "fix"),
    [
        (MaturityPolicy(level=1), OK, ""),
        (MaturityPolicy(level=4), OK, ""),
        (MaturityPolicy(level=5), WEAK, "level=4"),
        (MaturityPolicy(ask_for_heavy=False), WEAK, "maturity ask_for_heavy=true --why"),
        (
            MaturityPolicy(ask_for_connectors=False, ask_for_heavy=False),
            WEAK,
            "ask_for_connectors=true ask_for_heavy=true",
        ),
    ],
)
def test_what_is_done_without_asking_is_weak(
    policy: MaturityPolicy, state: ControlState, fix: str
) -> None:
    found = maturity(StoredState(maturity=policy))
    assert found.state is state and fix in found.fix


def test_the_audit_list_names_the_last_change() -> None:
    last = AuditEntry(AT, "ada", "owner", "policy", "fit", "127.0.0.1")
    assert "2026-03-04 05:06 UTC by ada" in audit(StoredState(last_change=last)).detail
