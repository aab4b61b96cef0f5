"""The search door shows what a request finds: the same hits, the same number, the same plan."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from hammerstone.core.json_types import JsonObject
from hammerstone.serve.mcp.mcp_server import LibraryServer
from tests.integration.engine import Script, Watched, add_tool, scripted_engine, solution_of

CODE = "def percentage_of(percent, number):\n    return percent * number / 100\n"
NUMBER: JsonObject = {"type": "number", "description": "in percent"}
OTHER: JsonObject = {"type": "number"}


@pytest.mark.parametrize("request_text", ["What percentage of a number?", "17 percentage of 240"])
async def test_the_door_and_the_request_say_the_same(request_text: str, tmp_path: Path) -> None:
    script = Script(solution=solution_of(CODE, "percentage_of(17, 240)"), arguments="{}")
    async with scripted_engine(script, tmp_path) as hs:
        about = "A percentage of a number."
        await add_tool(hs, CODE, about, {"percent": NUMBER, "number": OTHER}, OTHER)
        await hs.policies.change("fit", {"high": 0.3, "middle": 0.1}, who="test", why="test")
        shown: Any = await hs.preview.of(request_text, hs.settings.user)
        assert not script.asked and await hs.sessions.list(hs.settings.user) == []
        library = LibraryServer(hs)
        async with Client(library.server) as client:
            told = await client.call_tool("search_tools", {"request": request_text})
        watched = Watched()
        await hs.ask(request_text, session="s", on_event=watched)
    (found,) = [event for event in watched.events if event.kind == "tool_found"]
    assert found.data["tool"] == shown["hits"][0]["name"] == "percentage_of"
    assert shown["fit"]["probability"] == round(float(str(found.data["probability"])), 4)
    assert shown["plan"]["steps"][0]["fit"] == shown["fit"]["probability"]
    assert told.structured_content is not None
    assert told.structured_content["fit"] == shown["fit"]
