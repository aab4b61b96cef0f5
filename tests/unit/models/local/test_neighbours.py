"""Whether a person waits elsewhere on this machine, told by a locked file."""

import asyncio
import subprocess
import sys
from pathlib import Path

from hammerstone.app.queue.traffic import Traffic, YieldingModel
from hammerstone.core.chat import Message, Prompt
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.local.rendezvous import Neighbours

_HOLDER = """
import sys, time
from pathlib import Path
from hammerstone.models.local.rendezvous import Neighbours
one = Neighbours(Path(sys.argv[1]))
one.hold()
print("held", flush=True)
time.sleep(60)
"""


def test_those_who_hold_do_so_together_and_others_see_it(tmp_path: Path):
    one, two, idle = (Neighbours(tmp_path / "run") for _ in range(3))
    assert not idle.busy()
    one.hold()
    two.hold()
    assert idle.busy()
    one.let_go()
    assert idle.busy()
    two.let_go()
    assert not idle.busy()


def test_a_process_that_is_killed_lets_go(tmp_path: Path):
    command = [sys.executable, "-c", _HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        assert Neighbours(tmp_path).busy()
        other.kill()
        other.wait()
    assert not Neighbours(tmp_path).busy()


def test_a_folder_that_cannot_be_had_disturbs_nobody(tmp_path: Path):
    (tmp_path / "file").write_text("")
    one = Neighbours(tmp_path / "file" / "below")
    one.hold()
    assert not one.busy()
    one.let_go()


async def test_a_proof_waits_for_a_person_in_another_process(tmp_path: Path):
    here, there = Traffic(Neighbours(tmp_path)), Traffic(Neighbours(tmp_path))
    with there.request():
        await asyncio.sleep(0.1)
        quiet = asyncio.create_task(here.quiet())
        await asyncio.sleep(0.4)
        assert not quiet.done()
    await asyncio.wait_for(quiet, 10)


async def test_what_a_proof_writes_is_broken_off_for_a_person_elsewhere(tmp_path: Path):
    here, there = Traffic(Neighbours(tmp_path)), Traffic(Neighbours(tmp_path))
    begun: list[Prompt] = []

    def script(prompt: Prompt) -> str:
        begun.append(prompt)
        return "some words\n" * 20 if len(begun) == 1 else "done"

    model = YieldingModel(ScriptedModel(script, seconds_per_piece=0.2), here)
    writing = asyncio.create_task(model.complete(Prompt((Message("user", "x"),), purpose="p")))
    while not begun:
        await asyncio.sleep(0.01)
    with there.request():
        await asyncio.sleep(1.2)
        assert not writing.done() and len(begun) == 1
    reply = await asyncio.wait_for(writing, 20)
    assert reply.samples[0].text == "done" and len(begun) == 2


async def test_requests_beside_each_other_hold_until_the_last_ends(tmp_path: Path):
    here, idle = Traffic(Neighbours(tmp_path)), Neighbours(tmp_path)
    with here.request():
        with here.request():
            await asyncio.sleep(0.1)
            assert idle.busy()
        assert idle.busy()
    assert not idle.busy()


async def test_a_request_that_is_answered_at_once_tells_nobody(tmp_path: Path):
    here, idle = Traffic(Neighbours(tmp_path)), Neighbours(tmp_path)
    with here.request():
        assert not idle.busy()
    await asyncio.sleep(0.1)
    assert not idle.busy()
