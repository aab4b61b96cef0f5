"""A trainer is somebody's command: it may hang, fill the disk, fail, and leave children."""

import asyncio
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.learn.finetuning.trainer import MARK, TrainerCommand, TrainerResult
from hammerstone.learn.policies import FineTuningPolicy

POLICY = FineTuningPolicy(trainer_s=20.0, trainer_bytes=1 << 30, spare_bytes=0)


async def trained(folder: Path, code: str, **limits: float) -> TrainerResult:
    command = shlex.join([sys.executable, "-c", code])
    policy = replace(POLICY, **limits)  # type: ignore[arg-type]
    return await TrainerCommand(command, policy).train(folder / "examples", folder / "out")


def marked() -> list[str]:
    """Processes of trainers that are still there."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                held = (entry / "environ").read_bytes()
            except OSError:
                continue
            if MARK.encode() in held:
                found.append(entry.name)
    return found


async def test_the_file_it_leaves_is_its_product(tmp_path: Path) -> None:
    code = (
        "import os;print('loss 0.1');"
        "assert os.environ['HAMMERSTONE_TRAIN'].endswith('train.jsonl');"
        "assert 'OPENAI_API_KEY' not in os.environ;"
        "open(os.path.join(os.environ['HAMMERSTONE_OUT'],'a.gguf'),'wb').write(b'GGUF')"
    )
    result = await trained(tmp_path, code)
    assert result.product == tmp_path / "out" / "a.gguf" and "loss 0.1" in result.said


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise SystemExit(3)", "ended with 3"),
        ("pass", "left 0 GGUF files"),
        ("open('a.gguf','w');open('b.gguf','w')", "left 2 GGUF files"),
    ],
)
async def test_what_goes_wrong_is_told(tmp_path: Path, code: str, why: str) -> None:
    result = await trained(tmp_path, code)
    assert result.product is None and why in result.why


async def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    for command in ("/no/such/trainer", "'unbalanced"):
        result = await TrainerCommand(command, POLICY).train(tmp_path, tmp_path / "out")
        assert result.product is None and "cannot be started" in result.why


async def test_one_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    code = (
        "import os,signal,subprocess,sys,time;"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "subprocess.Popen([sys.executable,'-c','import time;time.sleep(60)'],"
        "start_new_session=True);"
        "open('a.gguf','w');time.sleep(60)"
    )
    began = time.monotonic()
    result = await trained(tmp_path, code, trainer_s=1.5)
    assert result.product is None and "longer than 1.5 s" in result.why
    assert time.monotonic() - began < 30 and not marked()


async def test_one_that_fills_the_disk_is_ended(tmp_path: Path) -> None:
    code = (
        "import time\nwith open('a.gguf','wb') as f:\n"
        "    while True:\n        f.write(bytes(1 << 18)); f.flush(); time.sleep(0.01)"
    )
    result = await trained(tmp_path, code, trainer_bytes=4 << 20)
    assert result.product is None and "wrote more than" in result.why
    assert not marked()


async def test_a_disk_that_is_nearly_full_ends_it(tmp_path: Path) -> None:
    result = await trained(tmp_path, "import time;time.sleep(60)", spare_bytes=1 << 60)
    assert result.product is None and "free on the disk" in result.why


async def test_cancelling_ends_it_too(tmp_path: Path) -> None:
    work = asyncio.create_task(trained(tmp_path, "import time;time.sleep(60)"))
    await asyncio.sleep(1.0)
    assert marked()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not marked()
