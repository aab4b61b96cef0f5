"""`hammerstone prove`, and proofs that an interrupted command left for the next one."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from evals.faulty_endpoint import FaultyEndpoint
from evals.provider_protocols import Asked
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Proof
from hammerstone.core.settings import Settings
from hammerstone.models.one import OneModel
from hammerstone.serve.cli.learning.prove import prove_on
from tests.integration.engine import Script, scripted_engine, services_of
from tests.integration.held import HeldModel
from tests.integration.proofs.tasks import CODE, TESTS, answered, proof_script, task

COMMAND = str(Path(sys.executable).with_name("hammerstone"))


def says(asked: Asked) -> str:
    if asked.system.startswith("You answer requests by head"):
        return "Answer: 12.96"
    return TESTS if asked.system.startswith("You write tests") else CODE


async def run(url: str, data: Path, *words: str) -> tuple[int, str, str]:
    env = {
        **os.environ,
        "HAMMERSTONE_DATA_DIR": str(data),
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "m",
        "OPENAI_API_KEY": "k",
        "HAMMERSTONE_EMBEDDER": "off",
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        COMMAND, *words, env=env, stdout=pipe, stderr=pipe
    )
    out, errors = await asyncio.wait_for(process.communicate(), 100)
    assert b"Traceback" not in errors
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


async def test_a_stored_proof_is_listed_done_and_its_suite_is_printed(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        # Nothing is known of the endpoint's model yet, so the number stays low with it.
        await hs.policies.change("synthesis", {"verified_at": 0.5}, who="test", why="new model")
        await answered(hs)
        await hs.proofs.put(task(hs))
    endpoint = FaultyEndpoint(says)
    async with endpoint.running():
        url = endpoint.url
        _, out, _ = await run(url, tmp_path, "prove", "--list")
        assert out == "tip  waiting\n"
        code, out, errors = await run(url, tmp_path, "prove")
        assert code == 0 and out.startswith("tip is proved"), errors
        assert "candidate" in errors
        _, out, errors = await run(url, tmp_path, "prove", "--all")
        assert (out, errors.strip()) == ("", "no proof waits")
        code, out, _ = await run(url, tmp_path, "prove", "tip", "--pytest")
        assert code == 0 and "def test_tip_1" in out
        code, out, errors = await run(
            url, tmp_path, "prove", "tip", "-e", "tip(300, 10) == 30", "--json"
        )
        assert code == 0, errors
        assert json.loads(out)["status"] == "verified"
        code, _, errors = await run(url, tmp_path, "prove", "nothing")
        assert code == 4 and "no tool" in errors
        code, _, errors = await run(url, tmp_path, "prove", "--pytest")
        assert code == 2 and "which tool" in errors


async def test_ctrl_c_after_the_answer_gives_the_proof_back_and_is_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = HeldModel(proof_script(), "foretell")
    settings = Settings(data_dir=tmp_path, embedder="off")
    async with Hammerstone.open(settings, models=OneModel(held)) as hs:
        jobs = services_of(hs).records.db.jobs
        answer = await answered(hs)
        await hs.proofs.put(task(hs))
        proving = asyncio.create_task(prove_on(hs))
        for _ in range(600):
            (job,) = await jobs.list("proof")
            if job.holder:
                break
            await asyncio.sleep(0.1)
        assert job.holder
        proving.cancel()  # what asyncio does on Ctrl-C
        await proving
        (job,) = await jobs.list("proof")
        assert (job.holder, job.attempts) == ("", 0)
        assert "goes on with the next command" in capsys.readouterr().err
        held.released.set()
        after = await hs.proofs.wait(answer)
    assert after.proof is Proof.PROVED
