"""Who else on the machine can read what is kept, and what a project's settings hold."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hammerstone.app.security.control import ControlState
from hammerstone.app.security.file_controls import (
    Reach,
    data_folder,
    project_file,
    reach,
    settings_file,
)
from hammerstone.core.settings import Settings

OK, WEAK, OFF = ControlState


@pytest.fixture
def passable() -> Iterator[Path]:
    """A folder that every account can get to, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def made(folder: Path, mode: int) -> Settings:
    folder.mkdir(exist_ok=True)
    folder.chmod(mode)
    return Settings(data_dir=folder)


@pytest.mark.parametrize(
    ("mode", "state"),
    [(0o700, OK), (0o755, OFF), (0o701, OFF), (0o704, OFF), (0o777, OFF)],
)
def test_a_data_folder_that_others_enter_is_told(
    mode: int, state: ControlState, passable: Path
) -> None:
    folder = passable / "my data"
    found = data_folder(made(folder, mode))
    assert found.state is state
    assert found.fix == ("" if state is OK else f"chmod 700 '{folder}'")


def test_a_folder_below_a_closed_one_is_closed(passable: Path) -> None:
    closed = passable / "home"
    closed.mkdir(mode=0o700)
    assert data_folder(made(closed / "data", 0o755)).state is OK


def test_a_folder_that_is_not_there_is_neither_made_nor_blamed(tmp_path: Path) -> None:
    assert data_folder(Settings(data_dir=tmp_path / "none")).state is OK
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="cannot run here: needs root to give a folder away")
def test_a_folder_of_another_account_or_group_is_told(passable: Path) -> None:
    folder = passable / "data"
    settings = made(folder, 0o770)
    os.chown(folder, 0, 65534)
    assert reach(folder) is Reach.GROUP and data_folder(settings).state is WEAK
    os.chown(folder, 65534, 65534)
    assert data_folder(settings).state is OFF and "belongs to" in data_folder(settings).detail


@pytest.mark.parametrize(
    ("text", "mode", "state"),
    [
        ('model = "local"', 0o600, OK),
        ('model = "local"', 0o644, WEAK),
        ('token = "hunter2-hunter2-hunter2"', 0o600, OK),
        ('token = "hunter2-hunter2-hunter2"', 0o644, OFF),
    ],
)
def test_own_settings_that_others_read_are_worse_with_a_secret_in_them(
    text: str, mode: int, state: ControlState, passable: Path
) -> None:
    settings = made(passable, 0o755)
    assert settings_file(settings).state is OK
    file = passable / "hammerstone.toml"
    file.write_text(text)
    file.chmod(mode)
    found = settings_file(settings)
    assert found.state is state and "hunter2" not in str(found)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('model = "local"\nport = 9000', ""),
        ('[service]\nretries = 3\npassword = "Tr0ub4dor-and-3"', "service.password"),
        ('note = "postgresql://ada:s3cr3t-w0rd@db.example.org/main"', "note"),
        ("this is no TOML", ""),
    ],
)
def test_a_secret_in_the_projects_settings_is_named_and_not_shown(
    text: str, named: str, tmp_path: Path
) -> None:
    (tmp_path / "hammerstone.toml").write_text(text)
    found = project_file(Settings(data_dir=tmp_path / "data"), tmp_path)
    assert found.state is (OFF if named else OK)
    assert named in found.detail
    assert "Tr0ub4dor" not in str(found) and "s3cr3t" not in str(found)


def test_own_settings_are_not_taken_for_a_projects(tmp_path: Path) -> None:
    (tmp_path / "hammerstone.toml").write_text('token = "hunter2-hunter2-hunter2"')
    assert project_file(Settings(data_dir=tmp_path), tmp_path).state is OK
