"""`hammerstone demo`: what it sets up works, comes once, and goes again."""

import json
import os
from pathlib import Path

import pytest

from hammerstone.core.triggers import DeliveryState
from tests.forked_commands import run_command
from tests.integration.engine import percent_script, scripted_engine
from tests.integration.triggers.setting_off import call

pytestmark = pytest.mark.usefixtures("proved_folder")

OFF = {"HAMMERSTONE_EMBEDDER": "off", "HAMMERSTONE_MODEL": "compatible:none"}


def run(data: Path, *words: str) -> str:
    done = run_command(*words, env={**os.environ, **OFF, "HAMMERSTONE_DATA_DIR": str(data)})
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_a_folder_a_schedule_and_a_webhook_to_try(tmp_path: Path) -> None:
    place = tmp_path / "demo"
    told = run(tmp_path, "demo", "--folder", str(place))
    typed = [line.strip() for line in told.splitlines() if line.startswith("     ")]
    assert typed[0] == "hammerstone serve" and typed[-1] == "hammerstone demo --remove"
    assert f"{place}/inbox/list.txt" in told
    again = json.loads(run(tmp_path, "demo", "--json"))
    assert again["folder"] == str(place), "the folder that is watched, not another one"
    names = {"demo-folder", "demo-schedule", "demo-webhook"}
    assert set(again["triggers"]) == names
    (send,) = [line for line in typed if "triggers send" in line]
    assert 'demo-webhook \'{"percent": 17.5, "number": 240}\'' in send
    async with scripted_engine(percent_script(), tmp_path) as hs:
        rows = {row.name: row for row in await hs.triggers.book.list()}
        assert set(rows) == names
        assert rows["demo-schedule"].config["files"] == [str(place / "journal.txt")]
        assert rows["demo-folder"].destination.target == str(place / "answers")
        secret = hs.triggers._door._credentials.get("demo-webhook", "secret")
        assert (await call(hs, secret, name="demo-webhook")).status == 202
        (done,) = await hs.triggers.work_off()
        assert (done.state, done.value) == (DeliveryState.DONE, {"value": 42.0})
    assert set(json.loads(run(tmp_path, "demo", "--remove", "--json"))["removed"]) == names
    assert json.loads(run(tmp_path, "triggers", "list", "--json")) == []
    assert (place / "journal.txt").is_file()
