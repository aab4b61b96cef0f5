"""What the library has already is not built a second time."""

import json
from pathlib import Path

from hammerstone.core.tools import Status
from tests.integration.engine import (
    PERCENT_CODE,
    PERCENT_SPEC,
    PERCENT_TESTS,
    Script,
    percent_script,
    scripted_engine,
)

REQUEST = "What is 17.5% of 240?"
PARAMETERS = [
    {"name": "share", "type": "number", "description": "how many percent"},
    {"name": "whole", "type": "number", "description": "the whole"},
]


def _other_words(name: str, **more: str) -> Script:
    spec = PERCENT_SPEC | {"name": name, "parameters": PARAMETERS}
    code = PERCENT_CODE.replace("percentage_of", name).replace("percent", "share")
    lines = {
        "spec": json.dumps(spec),
        "arguments": '{"share": 50, "whole": 8}',
        "tests": PERCENT_TESTS.replace("percentage_of", name),
        "code": code.replace("number", "whole"),
        "fit": '{"fits": false}',
    }
    return Script(**(lines | more))


async def test_a_spec_with_the_same_telling_words_is_the_same_tool(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.ask(REQUEST)
    script = percent_script(
        spec=json.dumps(PERCENT_SPEC | {"name": "calculate_percentage_of"}), fit='{"fits": false}'
    )
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("Work out 17.5 per cent out of the total 240")
        names = [tool.name for tool in await hs.tools.list()]
    assert (answer.tool, answer.result) == ("percentage_of", 42)
    assert names == ["percentage_of"]
    assert "code" not in script.asked


async def test_code_that_behaves_like_a_tool_is_that_tool(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.ask(REQUEST)
    async with scripted_engine(_other_words("share_of_whole"), tmp_path) as hs:
        answer = await hs.ask("Build a tool that computes a given share of a number: 50 of 8")
        names = [tool.name for tool in await hs.tools.list()]
    assert names == ["percentage_of"]
    assert answer.tool == "percentage_of" and answer.result in (4, None)


async def test_an_agreeing_build_is_evidence_for_an_experimental_tool(tmp_path: Path) -> None:
    doubtful = PERCENT_TESTS.replace("== 2", "== 9").replace("== 5", "== 8").replace("== 7", "== 1")
    async with scripted_engine(percent_script(tests=doubtful), tmp_path) as hs:
        await hs.ask(REQUEST)
        assert (await hs.tools.get("percentage_of")).status is Status.EXPERIMENTAL
    async with scripted_engine(_other_words("share_of_whole"), tmp_path) as hs:
        await hs.ask("Build a tool that computes a given share of a number: 50 of 8")
        (tool,) = await hs.tools.list()
        known = await hs.tools.assessments(tool.version.id)
    assert (tool.name, tool.status) == ("percentage_of", Status.VERIFIED)
    assert known[-1].evidence["agreeing_build"]
