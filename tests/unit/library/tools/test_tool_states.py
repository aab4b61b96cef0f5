"""What is in force of a tool, as it is written to the ledger and read back."""

import json

import pytest

from hammerstone.core.tools import Status
from hammerstone.library.tools.tool_notes import ToolMove, ToolState

PROVED = (Status.VERIFIED, 0.97)
OLDER = (Status.DEPRECATED, None)


@pytest.mark.parametrize(
    ("version", "standings", "status"),
    [
        ("b", {"a": OLDER, "b": PROVED}, Status.VERIFIED),
        ("a", {"a": OLDER, "b": PROVED}, Status.DEPRECATED),
        ("c", {"a": OLDER, "b": PROVED}, None),  # active, and not one that the change concerns
        ("b", {"b": None}, None),  # it is gone
        (None, {"a": OLDER}, None),
        (None, {}, None),
    ],
)
def test_the_active_version_says_how_a_tool_stands(version, standings, status):
    state = ToolState(version, standings)
    assert state.status is status
    written = json.loads(json.dumps(state.to_json()))
    assert ToolState.from_json(written) == state
    assert ToolState.from_json(written).status is status


MOVED = ToolState("b", {"a": OLDER, "b": PROVED})


@pytest.mark.parametrize(
    ("after", "nothing"),
    [
        (MOVED, True),
        (ToolState("b", {"b": PROVED}), True),  # what it says of is as it was
        (ToolState("a", {"a": OLDER, "b": PROVED}), False),
        (ToolState("b", {"b": (Status.VERIFIED, 0.5)}), False),
        (ToolState("b", {"a": PROVED}), False),
        (ToolState("b", {"c": PROVED}), False),
        (ToolState("b", {"c": None}), True),
        (ToolState(None, {}), False),
    ],
)
def test_a_move_is_one_where_something_is_different(after, nothing):
    move = ToolMove("mean", MOVED, after)
    assert move.nothing is nothing
    written = json.loads(json.dumps(move.to_json()))
    assert ToolMove.from_json(written) == move
    assert (written["tool"], written["before"], written["after"]) == ("mean", "b", after.version)


def test_a_move_of_before_states_were_kept_is_none():
    assert ToolMove.from_json({"tool": "mean", "before": "a", "after": "b"}) is None
