"""`hammerstone prove`, and proofs that an interrupted command left for the next one."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from evals.faulty_endpoint import FaultyEndpoint
from evals.provider_protocols import Asked
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Proof
from hammerstone.core.settings import Settings
from hammerstone.models.one import OneModel
from hammerstone.serve.cli.learning.prove import prove_on
from tests.forked_commands import run_command
from tests.integration.engine import Script, scripted_engine, services_of
from tests.integration.held import HeldModel
from tests.integration.proofs.tasks import CODE, TESTS, answered, proof_script, task

pytestmark = pytest.mark.usefixtures("proved_folder")


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
    done = await asyncio.to_thread(lambda: run_command(*words, env=env))
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


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
        assert code == 0 and out.startswith("Proved: tip is in the library"), errors
        assert "proving tip" in errors and "programs compared" in errors
        _, out, errors = await run(url, tmp_path, "prove", "--all")
        assert (out, errors.strip()) == ("", "No proof waits.")
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
        proving = asyncio.create_task(prove_on(hs, answer))
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
        assert "Left for later" in capsys.readouterr().err
        held.released.set()
        after = await hs.proofs.wait(answer)
    assert after.proof is Proof.PROVED
