"""Library tools inside the real frameworks."""

import json
from pathlib import Path

import pytest

from hammerstone.serve.adapters.langchain import langchain_tools
from hammerstone.serve.adapters.llamaindex import llamaindex_tools
from hammerstone.serve.adapters.openai import openai_result, openai_tools
from tests.integration.engine import percent_script, proved, scripted_engine


async def test_openai_definitions_and_the_calls_a_model_makes(tmp_path: Path) -> None:
    from openai.types.chat import ChatCompletionMessageToolCall, ChatCompletionToolParam
    from pydantic import TypeAdapter

    async with scripted_engine(percent_script(), tmp_path) as hs:
        await proved(hs)
        tools = await openai_tools(hs)
        TypeAdapter(list[ChatCompletionToolParam]).validate_python(tools)
        assert tools[0]["function"]["name"] == "percentage_of"
        call = ChatCompletionMessageToolCall.model_validate(
            {
                "id": "c1",
                "type": "function",
                "function": {
                    "name": "percentage_of",
                    "arguments": json.dumps({"percent": 10, "number": 70}),
                },
            }
        )
        assert (
            await openai_result(hs, call)
            == {
                "role": "tool",
                "tool_call_id": "c1",
                "content": "7",
            }
            or (await openai_result(hs, call))["content"] == "7.0"
        )
        broken = {"id": "c2", "function": {"name": "percentage_of", "arguments": "{"}}
        assert (await openai_result(hs, broken))["content"].startswith("error")
        unknown = {"id": "c3", "function": {"name": "nothing", "arguments": "{}"}}
        assert "there is no tool" in (await openai_result(hs, unknown))["content"]


async def test_langchain_tools_run_in_the_sandbox(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await proved(hs)
        (tool,) = await langchain_tools(hs)
        assert tool.name == "percentage_of" and "percent" in tool.args
        assert await tool.ainvoke({"percent": 10, "number": 70}) == pytest.approx(7)
        told = await tool.ainvoke({"percent": "ten", "number": 70})
        assert "cannot be called with these values" in told


async def test_llamaindex_tools_run_in_the_sandbox(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await proved(hs)
        (tool,) = await llamaindex_tools(hs)
        assert tool.metadata.name == "percentage_of"
        assert "percent" in tool.metadata.get_parameters_dict()["properties"]
        output = await tool.acall(percent=10, number=70)
        assert output.raw_output == pytest.approx(7)
