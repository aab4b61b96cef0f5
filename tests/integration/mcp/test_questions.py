"""The person behind a client is asked, in both protocol modes and over a real connection."""

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from hammerstone.core.tools import Effect
from hammerstone.models.fakes import ScriptedModel
from tests.integration.eager import eager
from tests.integration.engine import Script, add_tool, solution_of
from tests.integration.mcp.servers import MODES, beside
from tests.integration.serving import Served, serve

CODE = "def square(n: int) -> int:\n    return n * n"
TESTS = "```python\nassert square(2) == 4\nassert square(5) == 25\nassert square(0) == 0\n```"
ASKED = {"description": "square(n). square(3) -> 9 and square(3) -> 10"}
DOUBLE = "def double(n: float) -> float:\n    return n * 2\n"
NUMBER: Any = {"n": {"type": "number", "description": "a number"}}


class Person:
    """Answers every question in the same way, and keeps what was asked."""

    def __init__(self, **content: Any) -> None:
        self._content = content
        self.asked: list[types.ElicitRequestFormParams] = []

    async def __call__(self, _ctx: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params)
        action = "accept" if self._content else "decline"
        return types.ElicitResult(action=action, content=self._content or None)


def building(folder: Path) -> Served:
    script = Script(
        solution=solution_of(CODE, "square(3)"),
        code=f"```python\n{CODE}\n```",
        tests=TESTS,
        foretell="9",
    )
    return serve(folder, ScriptedModel(script))


async def offered(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]


@pytest.mark.parametrize("mode", MODES)
async def test_a_person_says_which_result_is_right(tmp_path: Path, mode: Any) -> None:
    served = building(tmp_path)
    person = Person(answer="9")
    try:
        address = f"{served.address}mcp"
        async with Client(address, mode=mode, elicitation_callback=person) as client:
            answer = await client.call_tool("build_tool", ASKED)
            assert not answer.is_error, answer
            (asked,) = person.asked
            assert "What should square(3) return?" in asked.message
            assert asked.requested_schema["properties"]["answer"]["enum"] == ["9", "10"]
            async with asyncio.timeout(90):  # it is proved behind the answer
                while "square" not in await offered(client):
                    await asyncio.sleep(0.2)
            called = await client.call_tool("square", {"n": 7})
            assert called.structured_content == {"result": 49}
    finally:
        served.stop()


@pytest.mark.parametrize("mode", MODES)
async def test_who_declines_or_cannot_be_asked_gets_an_answer_all_the_same(
    tmp_path: Path, mode: Any
) -> None:
    served = building(tmp_path)
    try:
        address = f"{served.address}mcp"
        for person in (Person(), None):
            async with Client(address, mode=mode, elicitation_callback=person) as client:
                told = await client.call_tool("build_tool", ASKED)
                assert told.content and (told.is_error or told.structured_content)
    finally:
        served.stop()


@pytest.mark.parametrize("mode", MODES)
async def test_leave_to_write_is_asked_of_clients_that_may_write(tmp_path: Path, mode: Any) -> None:
    async with beside(tmp_path) as hs:
        await eager(hs)
        await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"}, Effect.WRITES)
    grants = {"*": "ask", "writer": "write"}
    model = ScriptedModel(Script(arguments='{"n": 4}'))
    served = serve(tmp_path, model, mcp_clients=grants)
    try:
        for name, asked, result in (("reader", 0, None), ("writer", 1, 8)):
            person = Person(answer=True)
            info = types.Implementation(name=name, version="1")
            async with Client(
                f"{served.address}mcp", mode=mode, elicitation_callback=person, client_info=info
            ) as client:
                got = await client.call_tool("ask", {"request": "double the number 4"})
            assert len(person.asked) == asked, got
            assert (got.structured_content or {}).get("result") == result, got
    finally:
        served.stop()


async def test_an_answer_that_nobody_waits_for_is_refused(tmp_path: Path) -> None:
    served = serve(tmp_path)
    try:
        async with Client(f"{served.address}mcp", mode="auto") as client:
            answered = {"answer": types.ElicitResult(action="accept", content={"answer": "9"})}
            told = await client.session.call_tool(
                "ask",
                {"request": "x"},
                input_responses=answered,
                request_state="made up",
            )
            assert isinstance(told, types.CallToolResult) and told.is_error
    finally:
        served.stop()


async def test_a_yes_that_is_sent_again_is_not_a_yes_to_the_next(tmp_path: Path) -> None:
    async with beside(tmp_path) as hs:
        await eager(hs)
        await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"}, Effect.WRITES)
    model = ScriptedModel(Script(arguments='{"n": 4}', fit='{"fits": true}'))
    served = serve(tmp_path, model, mcp_clients={"*": "write"})
    yes: Any = {"answer": types.ElicitResult(action="accept", content={"answer": True})}
    request = {"request": "double the number 4", "session": "s"}
    try:
        async with Client(
            f"{served.address}mcp", mode="auto", elicitation_callback=Person(answer=True)
        ) as client:

            async def ask(**more: Any) -> Any:
                allowed = {"allow_input_required": True}
                return await client.session.call_tool("ask", request, **allowed, **more)

            first = await ask()
            done = await ask(input_responses=yes, request_state=first.request_state)
            assert done.structured_content["result"] == 8
            second = await ask()
            assert second.request_state != first.request_state
            again = await ask(input_responses=yes, request_state=first.request_state)
            assert again.is_error and "no run waits" in again.content[0].text
    finally:
        served.stop()
