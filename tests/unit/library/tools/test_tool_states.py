"""What is in force of a tool, as it is written to the ledger and read back."""

import json

import pytest

from hammerstone.core.tools import Status
from hammerstone.library.tools.tool_states import ToolState

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
