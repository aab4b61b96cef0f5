"""A process killed at each step of a proof: the next one finishes it, with one tool, told once."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from hammerstone.core.answers import Answer, Proof
from tests.integration.engine import scripted_engine, services_of
from tests.integration.proofs.test_proofs import misread_script

pytestmark = pytest.mark.usefixtures("proved_folder")

STEPS = ("claimed", "specified", "examined", "registered", "told")
PROVER = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.integration.engine import scripted_engine
from tests.integration.proofs.tasks import answered
from tests.integration.proofs.test_proofs import misread, misread_script

async def main():
    async with scripted_engine(misread_script(), Path(sys.argv[1])) as hs:
        await hs.policies.change("proving", {"lease_s": 600.0}, who="test", why="short")
        await answered(hs, value=99.36)
        await hs.proofs.put(misread(hs))

        async def tell(kind, text, data):
            if data.get("step") == sys.argv[2]:
                if sys.argv[3] == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                print("there", flush=True)
                await asyncio.sleep(600)

        await hs.proofs.worker.do_next(notify=tell)
        print("never reached", flush=True)

asyncio.run(main())
"""


async def start(data: Path, step: str, how: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROVER,
        str(data),
        step,
        how,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "src:."},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def finished_by_another(data: Path) -> None:
    """The proof is done, exactly once, by a process that knows nothing of the first."""
    async with scripted_engine(misread_script(), data) as hs:
        answer = Answer(text="99.36", result=99.36, session_id="s", run_id="run")
        after = await hs.proofs.wait(answer)
        await hs.proofs.work_off()  # what is left after everybody was told
        tools = [tool.name for tool in await hs.tools.list()]
        events = await services_of(hs).records.db.events.of_run("run")
        messages = await hs.sessions.messages("s", hs.settings.user)
        (proof,) = await hs.proofs.list()
    assert (after.proof, after.result, tools) == (Proof.PROVED, 12.96, ["total"])
    assert [str(event.kind) for event in events] == ["proof", "correction"]
    assert [m.text.partition(":")[0] for m in messages[2:]] == ["Correction"]
    assert proof.state in ("done", "proving")  # a lease that nobody gave back may still last


@pytest.mark.parametrize("step", STEPS)
async def test_the_next_process_finishes_what_was_killed(step: str, tmp_path: Path) -> None:
    process = await start(tmp_path, step, "kill")
    out, errors = await asyncio.wait_for(process.communicate(), 100)
    assert process.returncode == -signal.SIGKILL, out.decode() + errors.decode()

    async with scripted_engine(misread_script(), tmp_path) as hs:
        (owed,) = await hs.proofs.list()
        assert owed.state in ("waiting", "done")  # nobody is at it, whatever its lease says
    await finished_by_another(tmp_path)


async def test_ctrl_c_gives_the_proof_back_at_once(tmp_path: Path) -> None:
    process = await start(tmp_path, "examined", "wait")
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 100)
    assert line == b"there\n"
    process.send_signal(signal.SIGINT)
    await asyncio.wait_for(process.communicate(), 60)

    async with scripted_engine(misread_script(), tmp_path) as hs:
        (job,) = await services_of(hs).records.db.jobs.list("proof")
        assert (job.holder, job.attempts) == ("", 0)  # nothing is waited for, nothing counted
    await finished_by_another(tmp_path)
