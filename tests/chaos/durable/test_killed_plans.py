"""A plan of several steps, one of which changes something outside: killed anywhere, no step that
was paid for is paid again, and nothing outside is done twice."""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.approvals import Approval
from hammerstone.core.chat import Prompt
from hammerstone.core.settings import McpServer, Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.run.request import AskOptions
from tests.integration.engine import Script, add_tool, services_of, solution_of

REQUEST = (
    "Find the prime factors of 12, then write the word hello into the diary, "
    "then tell the mean of 3, 4 and 5"
)
WHOLE = Counter(solution=2, connector=1, arguments=1)  # what the plan pays for without a kill
FACTORS = """
def prime_factors(number: int) -> list:
    found, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found
"""
MEAN = "def mean_of(numbers: list) -> float:\n    return sum(numbers) / len(numbers)"
SERVER = '''
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("diary")


@server.tool()
def write(text: str) -> str:
    """Write a word into the diary."""
    with open(sys.argv[1], "a") as diary:
        diary.write(text + "\\n")
    return "written"


server.run()
'''
DYING = """
import asyncio, os, signal, sys
from pathlib import Path
from hammerstone.guard.journal import StepJournal
from hammerstone.run.answer.record import RunRecorder
from hammerstone.run.request import AskOptions
from tests.chaos.durable.test_killed_plans import REQUEST, planning

def die():
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    folder, at = Path(sys.argv[1]), sys.argv[2]
    keep = StepJournal.keep

    async def dies(journal, place, *given, **more):
        of_call = place[0].startswith("call ")
        begins = of_call and given[0].get("begun")
        if of_call and not begins and at == "the service has written":
            die()
        await keep(journal, place, *given, **more)
        if begins and at == "the write is announced":
            die()
        if of_call and not begins and at == "the write is journaled":
            die()

    StepJournal.keep = dies
    finish = RunRecorder.finish

    async def ends(recorder, *given, **more):
        if at == "the answer is recorded":
            die()
        return await finish(recorder, *given, **more)

    RunRecorder.finish = ends

    async def allowed(approval):
        with open(folder / "asked", "a") as asked:
            asked.write(approval.id + "\\n")
        return True

    async with planning(folder, "solution" if at == "a step is solved" else "") as hs:
        await hs.ask(REQUEST, session="s", options=AskOptions(run_id="r", on_approval=allowed))

asyncio.run(main())
"""


@asynccontextmanager
async def planning(folder: Path, dies_at: str = "") -> AsyncIterator[Hammerstone]:
    """An engine with a tool for the first step, a diary outside for the second, and a model for
    the third, which ends the process at the reply to a prompt of this kind."""
    script = Script(
        connector=json.dumps({"service": "diary.write"}),
        arguments=json.dumps({"text": "hello"}),
        solution=solution_of(MEAN, "mean_of([3, 4, 5])"),
    )

    def line(prompt: Prompt) -> Any:
        with (folder / "paid").open("a") as paid:
            paid.write(prompt.purpose + "\n")
        if prompt.purpose == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return script(prompt)

    file = folder / "diary_server.py"
    file.write_text(SERVER)
    given: dict[str, Any] = {"command": sys.executable, "args": [str(file), str(folder / "diary")]}
    settings = Settings(
        data_dir=folder / "data",
        embedder="off",
        starter_tools=False,
        mcp_servers={"diary": McpServer.model_validate(given)},
    )
    async with Hammerstone.open(settings, models=OneModel(ScriptedModel(line))) as hs:
        if not await hs.tools.taken(["prime_factors"]):
            number = {"number": {"type": "integer", "description": "the number"}}
            listed = {"type": "array", "items": {"type": "integer"}}
            await add_tool(hs, FACTORS, "Find the prime factors of a number", number, listed)
        yield hs


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


async def killed(folder: Path, at: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        DYING,
        str(folder),
        at,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
    )
    assert await asyncio.wait_for(process.wait(), 110) == -signal.SIGKILL


UNKNOWN = ("the write is announced", "the service has written")


@pytest.mark.parametrize(
    ("at", "written"),
    [
        ("a step is solved", 1),
        ("the write is announced", 0),
        ("the service has written", 1),
        ("the write is journaled", 1),
        ("the answer is recorded", 1),
    ],
)
async def test_a_plan_goes_on_and_writes_at_most_once(tmp_path: Path, at: str, written: int):
    await killed(tmp_path, at)
    asked: list[Approval] = []

    async def allowed(approval: Approval) -> bool:
        asked.append(approval)
        return True

    async with planning(tmp_path) as hs:
        (answer,) = await hs.wake("s", options=AskOptions(on_approval=allowed))
        steps = await services_of(hs).records.db.steps.of_run("r")

    assert lines(tmp_path / "diary") == ["hello"] * written
    assert len(asked) + len(lines(tmp_path / "asked")) == 1, "leave was asked for twice"
    flying = 1 if at == "a step is solved" else 0
    assert Counter(lines(tmp_path / "paid")) - WHOLE == Counter(solution=flying) - Counter()
    assert [step.result for step in (steps[0], steps[2])] == [[2, 2, 3], 4]
    if at in UNKNOWN:  # nobody knows, so it is not done and the answer says so
        assert [step.status for step in steps] == ["done", "failed", "done"]
        assert "It may have done so" in steps[1].error and "It may have done so" in answer.text
    else:
        assert [step.status for step in steps] == ["done"] * 3 and answer.status == "done"
