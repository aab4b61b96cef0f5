"""The address that is printed can be opened at once."""

import socket
from pathlib import Path

import pytest

from hammerstone.core.errors import SettingsError
from hammerstone.core.settings import Settings
from hammerstone.serve.api.server import opened_door


def test_a_browser_that_is_early_is_let_in_and_a_taken_port_is_said(tmp_path: Path) -> None:
    with opened_door(Settings(data_dir=tmp_path, port=0)) as door:
        port = door.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        with pytest.raises(SettingsError, match="cannot listen"):
            opened_door(Settings(data_dir=tmp_path, port=port))
