"""What the library has already is not built a second time."""

import re
from pathlib import Path

from hammerstone.core.answers import Proof
from hammerstone.core.tools import Status
from tests.integration.engine import (
    PERCENT_CODE,
    PERCENT_SOLUTION,
    PERCENT_TESTS,
    Script,
    percent_script,
    scripted_engine,
)

REQUEST = "What is 17.5% of 240?"


def _other_words(name: str) -> Script:
    def said(text: str) -> str:
        text = text.replace("percentage_of", name).replace("number", "whole")
        return text.replace("percent", "share").replace("17.5, 240", "50, 8")

    return Script(
        solution=said(PERCENT_SOLUTION),
        tests=PERCENT_TESTS.replace("percentage_of", name),
        code=said(PERCENT_CODE),
        foretell="4",
    )


async def test_code_that_behaves_like_a_proved_tool_is_that_tool(tmp_path: Path) -> None:
    async with scripted_engine(percent_script(), tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(REQUEST))
    script = _other_words("share_of_whole")
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask("Build a tool that computes a given share of a number: 50 of 8")
        after = await hs.proofs.wait(answer)
        names = [tool.name for tool in await hs.tools.list()]
    assert names == ["percentage_of"]
    assert (answer.result, after.tool, after.proof) == (4, "percentage_of", Proof.PROVED)
    assert set(script.asked) == {"solution"}  # nothing was paid for a second proof


async def test_an_agreeing_build_is_evidence_for_an_experimental_tool(tmp_path: Path) -> None:
    doubtful = re.sub(r"== [0-9.]+", "== 12345", PERCENT_TESTS)  # they contradict everything
    async with scripted_engine(percent_script(tests=doubtful), tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(REQUEST))
        assert (await hs.tools.get("percentage_of")).status is Status.EXPERIMENTAL
    async with scripted_engine(_other_words("share_of_whole"), tmp_path) as hs:
        answer = await hs.ask("Build a tool that computes a given share of a number: 50 of 8")
        await hs.proofs.wait(answer)
        (tool,) = await hs.tools.list()
        known = await hs.tools.assessments(tool.version.id)
    assert (tool.name, tool.status) == ("percentage_of", Status.VERIFIED)
    assert known[-1].evidence["agreeing_build"]
