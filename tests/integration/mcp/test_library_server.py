"""The library over MCP, seen by the official client in both protocol modes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.library.tools.registry import Registry
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.mcp.mcp_server import LibraryServer
from tests.integration.engine import Script, add_tool, percent_script, proved
from tests.integration.mcp.servers import MODES, listening


@asynccontextmanager
async def served(
    tmp_path: Path, script: Script, **settings: Any
) -> AsyncIterator[tuple[Hammerstone, LibraryServer]]:
    chosen = Settings(data_dir=tmp_path, embedder="off", **settings)
    async with Hammerstone.open(chosen, models=OneModel(ScriptedModel(script))) as hs:
        library = LibraryServer(hs)
        async with library.watching():
            yield hs, library


@pytest.mark.parametrize("mode", MODES)
async def test_a_tool_built_by_asking_appears_and_can_be_called(tmp_path: Path, mode: Any) -> None:
    async with served(tmp_path, percent_script()) as (hs, library):
        told: list[str] = []

        async def progress(_done: float, _total: float | None, message: str | None) -> None:
            told.append(message or "")

        async with Client(library.server, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                "ask",
                "build_tool",
                "search_tools",
                "feedback",
            ]
            asked = {"request": "What is 17.5% of 240?"}
            answer = await client.call_tool("ask", asked, progress_callback=progress)
            assert not answer.is_error
            assert answer.structured_content is not None
            assert answer.structured_content["result"] == 42
            assert answer.structured_content["proof"] == "pending"
            assert any("solution 1" in text for text in told)
            await hs.proofs.work_off()
            tools = {
                tool.name: tool for tool in (await client.list_tools(cache_mode="bypass")).tools
            }
            offered = tools["percentage_of"]
            assert offered.input_schema["properties"]["percent"]["type"] == "number"
            assert offered.annotations is not None and offered.annotations.read_only_hint
            called = await client.call_tool("percentage_of", {"percent": 10, "number": 50})
            assert called.structured_content == {"result": 5}


@pytest.mark.parametrize("mode", MODES)
async def test_changes_are_announced_to_old_and_new_clients(tmp_path: Path, mode: Any) -> None:
    async with served(tmp_path, percent_script()) as (hs, library):
        heard = asyncio.Event()
        async with listening(library.server, mode, heard):
            await proved(hs)
            await asyncio.wait_for(heard.wait(), 60)


@pytest.mark.parametrize("mode", MODES)
async def test_wrong_arguments_and_unknown_tools_are_told_not_raised(
    tmp_path: Path, mode: Any
) -> None:
    async with served(tmp_path, percent_script()) as (hs, library):
        await proved(hs)
        async with Client(library.server, mode=mode) as client:
            for name, arguments in (
                ("percentage_of", {"percent": "ten"}),
                ("percentage_of", {"percent": 1, "number": 2, "more": 3}),
                ("nothing_like_it", {}),
                ("ask", {"request": ""}),
                ("ask", {"request": 5}),
            ):
                told = await client.call_tool(name, arguments)
                assert told.is_error, (name, arguments)


async def test_a_client_tells_what_the_person_thinks_of_an_answer(tmp_path: Path) -> None:
    script = percent_script(fix="no idea")
    async with served(tmp_path, script) as (hs, library), Client(library.server) as client:
        await proved(hs)
        nobody = await client.call_tool("feedback", {"right": True, "run": "none"})
        assert nobody.is_error
        await client.call_tool("percentage_of", {"percent": 10, "number": 80})
        said = await client.call_tool("feedback", {"right": False, "expected": 9})
        assert not said.is_error
        assert said.structured_content["tool"] == "percentage_of"
        assert "9 is right, not 8" in str(said.structured_content["text"])
        for wrong in ({}, {"right": "yes"}, {"right": True, "run": 5}):
            assert (await client.call_tool("feedback", wrong)).is_error


async def test_a_client_sees_only_what_it_was_granted(tmp_path: Path) -> None:
    grants = {"careful": "tools", "shut": "off"}
    async with served(tmp_path, percent_script(), mcp_clients=grants) as (hs, library):
        await proved(hs)
        for name, seen in (
            ("careful", ["percentage_of"]),
            ("shut", []),
            ("other", ["ask", "build_tool", "search_tools", "feedback", "percentage_of"]),
        ):
            info = types.Implementation(name=name, version="1")
            async with Client(library.server, mode="legacy", client_info=info) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == seen
                if name != "other":
                    refused = await client.call_tool("ask", {"request": "What is 3% of 9?"})
                    assert refused.is_error


async def test_a_library_is_listed_by_pages_and_a_tool_called_like_a_door_has_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Registry.page

    async def small(registry: Registry, after: str = "", most: int = 2) -> Any:
        return await page(registry, after, most)

    monkeypatch.setattr(Registry, "page", small)
    async with served(tmp_path, percent_script(), starter_tools=False) as (hs, library):
        for name in ("ask", "five", "six", "seven", "zero"):
            code = f"def {name}(n: float) -> float:\n    return n + {len(name)}\n"
            number = {"type": "number"}
            await add_tool(hs, code, f"A number and {name}.", {"n": number}, number)
        async with Client(library.server, mode="legacy") as client:
            pages: list[list[str]] = []
            cursor = None
            while cursor is not None or not pages:
                listed = await client.list_tools(cursor=cursor)
                pages.append([tool.name for tool in listed.tools])
                cursor = listed.next_cursor
            assert pages == [
                ["ask", "build_tool", "search_tools", "feedback", "library_ask", "five"],
                ["seven", "six"],
                ["zero"],
            ]
            for called, result in (("library_ask", 4), ("zero", 5)):
                answer = await client.call_tool(called, {"n": 1})
                assert answer.structured_content == {"result": result}
            for unknown in ("library_five", "none", ""):
                assert (await client.call_tool(unknown, {"n": 1})).is_error
