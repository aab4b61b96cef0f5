"""Hints name the command as the person can type it."""

import sys

import pytest

from hammerstone.serve.cli import output


@pytest.mark.parametrize(
    ("started", "on_path", "shown"),
    [
        (".venv/bin/hammerstone", None, ".venv/bin/hammerstone tools list"),
        ("/x/hammerstone/__main__.py", None, f"{sys.executable} -m hammerstone tools list"),
        (".venv/bin/hammerstone", "/usr/bin/hammerstone", "hammerstone tools list"),
        ("-c", None, "hammerstone tools list"),
    ],
)
def test_a_hint_can_be_typed_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, started: str, on_path: str | None, shown: str
) -> None:
    monkeypatch.setattr(sys, "argv", [started])
    monkeypatch.setattr(output.shutil, "which", lambda _name: on_path)
    assert output.as_typed("hammerstone tools list") == shown
    assert output.as_typed("set HAMMERSTONE_TOKEN") == "set HAMMERSTONE_TOKEN"
