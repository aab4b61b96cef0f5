"""`doctor --security` with a real sandbox and a real database."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from typer.testing import CliRunner

from hammerstone.app.security import security_controls
from hammerstone.app.security.control import ControlState
from hammerstone.core.people import Person, PersonRole, token_hash
from hammerstone.core.settings import Settings
from hammerstone.sandbox.opening import open_sandbox  # noqa: F401 - so that it is proved once
from hammerstone.serve.cli.main import app
from hammerstone.storage import Database
from hammerstone.storage.schema import versions
from tests.storage.samples import assessment, version

NAMES = [
    *("sandbox", "seccomp", "cgroup limits", "network of guests"),
    *("authentication", "tokens", "MCP clients"),
    *("data folder", "settings file", "project's settings"),
    *("writing connectors", "inner addresses", "rules by programs"),
    *("scrubbing of traces", "traces sent on"),
    *("tool versions", "stop switch", "maturity level", "approvals", "audit list"),
]


@pytest.fixture
def open_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder that every account of the machine may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(folder))
    yield folder
    shutil.rmtree(folder)


def report(*words: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["doctor", "--security", "--json", *words])
    found = json.loads(done.stdout)
    return done.exit_code, {one["name"]: one for one in found["controls"]}


def test_a_fresh_machine_has_nothing_off_and_a_folder_of_its_own(tmp_path: Path) -> None:
    code, found = report()
    assert list(found) == NAMES
    assert [one for one in found.values() if one["state"] == "off"] == [] and code == 0
    assert found["authentication"]["state"] == "weak"
    assert not (tmp_path / "data" / "hammerstone.db").exists()  # looking makes none
    if (tmp_path / "data").exists():
        assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_each_control_is_one_line() -> None:
    done = CliRunner().invoke(app, ["doctor", "--security"])
    lines = done.stdout.splitlines()
    assert len(lines) == len(NAMES) + 3 and done.exit_code == 0
    assert all(
        line.split()[0] in ("ok", "weak") and name in line
        for name, line in zip(NAMES, lines[1:], strict=False)
    )
    (weak,) = (line for line in lines if "authentication" in line)
    assert "try: hammerstone people add local --role owner" in weak


def test_an_open_data_folder_and_a_public_address_without_a_token_are_off(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAMMERSTONE_HOST", "0.0.0.0")
    code, found = report()
    assert code == 1
    assert {name for name, one in found.items() if one["state"] == "off"} == {
        "authentication",
        "data folder",
    }
    assert found["data folder"]["fix"] == f"chmod 700 {open_folder}"


def test_a_key_in_the_projects_settings_ends_the_command_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hammerstone.toml").write_text('openai_api_key = "sk-made-up"')
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["doctor", "--security"])
    assert done.exit_code != 0 and "openai_api_key" in str(done.exception)


async def test_what_is_stored_is_checked(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    db = await Database.open(settings)
    now = datetime.now(UTC)
    for name in ("good", "bad"):
        made = version(name)
        await db.tools.add_version(made, assessment(made))
    async with db.access.writing() as connection:
        await connection.execute(
            update(versions).where(versions.c.tool == "bad").values(code="print('changed')")
        )
    await db.people.put(Person("ada", PersonRole.OWNER, now, "me"), token_hash("hers"))
    await db.people.put(Person("eve", PersonRole.MEMBER, now, "me"), "in clear")
    await db.stops.put("all", "", "ada", "a trial")
    await db.policies.put("maturity", {"level": 5}, "ada", "a trial")
    await db.close()

    found = {one.name: one for one in await security_controls(settings, tmp_path)}
    assert found["tool versions"].detail.startswith("1 of 2")
    assert found["tool versions"].state is found["tokens"].state is ControlState.OFF
    assert "eve" in found["tokens"].detail and "ada" not in found["tokens"].detail
    assert found["authentication"].state is ControlState.OK
    assert "pressed by ada" in found["stop switch"].detail
    assert found["maturity level"].state is ControlState.WEAK


async def test_a_database_that_cannot_be_used_is_off_and_the_rest_is_told(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, database_url="postgresql://nobody@127.0.0.1:1/none")  # type: ignore[arg-type]
    found = {one.name: one for one in await security_controls(settings, tmp_path)}
    assert found["database"].state is ControlState.OFF
    assert found["sandbox"].state is not ControlState.OFF and "tool versions" not in found
