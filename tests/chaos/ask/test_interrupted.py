"""Ctrl-C and kill in every phase of a request: the next start is clean."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from evals.faulty_endpoint import FaultyEndpoint
from evals.provider_protocols import Asked
from tests.forked_commands import ForkedCommand
from tests.integration.engine import PERCENT_CODE, PERCENT_SOLUTION, PERCENT_TESTS

pytestmark = pytest.mark.usefixtures("proved_folder")

REQUEST = "What is 17.5% of 240?"
PHASES = {"first solution": 0, "more solutions": 2, "proof": 5}


def answer(asked: Asked) -> str:
    if asked.system.startswith("You answer requests by writing Python"):
        return PERCENT_SOLUTION
    if asked.system.startswith("You write tests"):
        return PERCENT_TESTS
    return PERCENT_CODE if asked.system.startswith("You write correct") else "42"


async def start(endpoint: FaultyEndpoint, data: Path, *words: str) -> ForkedCommand:
    env = {
        **os.environ,
        "HAMMERSTONE_DATA_DIR": str(data),
        "OPENAI_BASE_URL": f"{endpoint.url}/v1",
        "OPENAI_MODEL": "m",
        "OPENAI_API_KEY": "k",
        "HAMMERSTONE_EMBEDDER": "off",
    }
    return await asyncio.to_thread(ForkedCommand, words, env)


async def finish(process: ForkedCommand) -> tuple[int, str, str]:
    return await asyncio.to_thread(process.finish, 90)


async def answered(endpoint: FaultyEndpoint, data: Path) -> None:
    code, out, errors = await finish(await start(endpoint, data, "ask", "--json", REQUEST))
    assert code == 0, errors
    assert json.loads(out)["result"] == 42
    code, out, errors = await finish(await start(endpoint, data, "db", "check"))
    assert code == 0, out + errors


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
async def test_a_request_that_is_stopped_leaves_a_clean_start(
    phase: str, sent: signal.Signals, tmp_path: Path
) -> None:
    endpoint = FaultyEndpoint(answer)
    async with endpoint.running():
        endpoint.faults.extend([""] * PHASES[phase] + ["hang"])
        process = await start(endpoint, tmp_path, "ask", "--wait", REQUEST)
        for _ in range(900):
            if len(endpoint.asked) > PHASES[phase]:
                break
            await asyncio.sleep(0.1)
        process.send_signal(sent)
        code, _, errors = await finish(process)
        assert "Traceback" not in errors
        if sent is signal.SIGINT:  # once the answer is there, stopping its proof is no failure
            assert code in ((0, 130) if phase == "proof" else (130,)), errors
        endpoint.faults.clear()
        await answered(endpoint, tmp_path)


async def test_two_processes_at_once_share_one_data_directory(tmp_path: Path) -> None:
    endpoint = FaultyEndpoint(answer)
    async with endpoint.running():
        both = await asyncio.gather(
            *[start(endpoint, tmp_path, "ask", "--json", REQUEST) for _ in range(2)]
        )
        for code, out, errors in await asyncio.gather(*map(finish, both)):
            assert code == 0, errors
            assert json.loads(out)["result"] == 42
        code, out, _ = await finish(await start(endpoint, tmp_path, "prove", "--json"))
        assert code == 0 and json.loads(out)
        code, out, _ = await finish(await start(endpoint, tmp_path, "tools", "list", "--json"))
        assert code == 0 and len(json.loads(out)) == 1
        await answered(endpoint, tmp_path)
