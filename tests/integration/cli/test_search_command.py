"""`hammerstone search` as a person runs it."""

import json
from pathlib import Path

from hammerstone.core.settings import Settings
from hammerstone.library.policies import Policies
from hammerstone.library.search import PastOutcome, ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from tests.integration.cli.test_commands import run
from tests.unit.library.search.conftest import TOOLS, register

OFF = {"HAMMERSTONE_EMBEDDER": "off", "HAMMERSTONE_MODEL": "compatible:none"}


async def test_what_is_found_why_and_whether_it_fits(tmp_path: Path) -> None:
    db = await Database.open(Settings(data_dir=tmp_path))
    search = ToolSearch(db, HashedEmbedder(), Policies(db))
    for each in TOOLS:
        await register(db, search, each)
    await search.learn("how big is my sail", "triangle_area", PastOutcome.CHOSEN, "local")
    await search.close()
    await db.close()
    query = "Compute the area of a triangle with base 3 and height 4"
    found = json.loads(run("search", query, "--json", data=tmp_path, **OFF).stdout)
    assert found["hits"][0]["name"] == "triangle_area"
    assert "words" in found["hits"][0]["explanation"]
    assert found["fit"]["band"] in ("high", "middle", "low")
    assert 0 < found["fit"]["probability"] < 1
    assert "switched off" in found["words_only"]
    shown = run("search", query, data=tmp_path, **OFF).stdout
    assert "triangle_area" in shown
    assert "How likely triangle_area fits: " in shown
    filtered = run("search", query, "--effect", "writes", "--json", data=tmp_path, **OFF)
    assert json.loads(filtered.stdout)["hits"] == []
    wrong = run("search", query, "--status", "odd", data=tmp_path, **OFF)
    assert wrong.returncode == 2
    refused = json.loads(run("search", "refit", "--json", data=tmp_path, **OFF).stdout)
    assert refused["kept"] is False
    assert "not enough to learn from" in refused["reason"]
    nothing = run("search", "forget", data=tmp_path, **OFF)
    assert nothing.returncode == 2
    back = json.loads(run("search", "forget", "--gate", "--json", data=tmp_path, **OFF).stdout)
    assert back == {"requests": 0, "gate": True}


def test_an_empty_library_says_so(tmp_path: Path) -> None:
    done = run("search", "anything at all", data=tmp_path, **OFF)
    assert done.returncode == 0
    assert "Nothing in the library comes close" in done.stdout
