"""A process that is killed while somebody is asked for leave: the question stays, nothing ran,
and once it is decided the request goes on, or the same words get the leave."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from hammerstone.core.approvals import Approval
from hammerstone.run.request import AskOptions
from tests.integration.engine import Script, scripted_engine, services_of

WAITER = """
import asyncio, sys
from pathlib import Path
from hammerstone.core.tools import Effect
from hammerstone.run.request import AskOptions
from tests.integration.engine import Script, add_tool, scripted_engine
from tests.integration.eager import eager

CODE = "def keep_number(n: float) -> float:\\n    return n\\n"

async def main():
    async with scripted_engine(Script(arguments='{"n": 4}'), Path(sys.argv[1])) as hs:
        await eager(hs)
        number = {"n": {"type": "number"}}
        await add_tool(hs, CODE, "Keep a number.", number, {"type": "number"}, Effect.WRITES)

        async def asked(approval):
            print("waiting", flush=True)
            await asyncio.sleep(600)

        await hs.ask("keep the number 4", session="s", options=AskOptions(on_approval=asked))

asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["goes on", "asked again"])
async def test_the_question_survives_and_a_yes_counts(tmp_path: Path, how: str):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WAITER,
        str(tmp_path),
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    assert line == b"waiting\n"
    process.send_signal(signal.SIGKILL)
    await process.wait()

    async def nobody(approval: Approval) -> None:
        raise AssertionError("the leave that was given is used instead")

    async with scripted_engine(Script(arguments='{"n": 4}'), tmp_path) as hs:
        db = services_of(hs).records.db
        assert await db.executions.list(tool="keep_number") == []
        (waiting,) = await hs.approvals.list("local")
        assert waiting.kind == "write"
        (broken,) = await hs.waking.broken_off("local")
        assert broken.waits and await hs.wake() == []
        await hs.approvals.give(waiting.id, who="local")
        options = AskOptions(on_approval=nobody)
        if how == "goes on":
            (answer,) = await hs.wake(options=options)
            assert answer.run_id == broken.run_id
        else:
            answer = await hs.ask("keep the number 4", session="s", options=options)
        assert answer.result == 4
        assert len(await db.executions.list(tool="keep_number")) == 1
