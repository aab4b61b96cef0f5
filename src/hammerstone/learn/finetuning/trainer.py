"""A trainer: a command that a person configured, given files, bounded in time and disk.

It runs with the person's own rights: it is theirs, not a model's. It gets the paths of the
examples and of a folder for its product in its environment, and nothing of ours beside that.
"""

import asyncio
import os
import shlex
import shutil
import signal
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.formatting import size
from hammerstone.learn.finetuning.examples import HELD_OUT, TRAIN
from hammerstone.learn.policies import FineTuningPolicy

MARK = "HAMMERSTONE_TRAINER_RUN"
_LOOK_S, _GRACE_S = 0.2, 3.0
_SAID = 2_000  # characters of its output that are kept
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class TrainerResult:
    """What a trainer left: its product, or why there is none; `said` is the end of its output.
    `late`: it was ended because its time was up."""

    product: Path | None
    why: str = ""
    said: str = ""
    seconds: float = 0.0
    late: bool = False


class TrainerCommand:
    """Runs the configured command once."""

    def __init__(self, command: str, policy: FineTuningPolicy) -> None:
        self._command = command
        self._policy = policy

    async def train(self, examples: Path, out: Path, base: Path | None = None) -> TrainerResult:
        """Its product, a GGUF file in `out`. Whatever it started is ended before this returns."""
        await asyncio.to_thread(out.mkdir, parents=True, exist_ok=True)
        began, mark = time.monotonic(), uuid.uuid4().hex
        log = out / "trainer.log"
        try:
            words = shlex.split(self._command)
            with log.open("wb") as said:
                process = await asyncio.create_subprocess_exec(
                    *words,
                    cwd=out,
                    env=_environment(examples, out, base, mark),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            return TrainerResult(None, f"the trainer cannot be started: {error}")
        try:
            why = await self._watch(process, out, began)
        finally:
            await _end(process, mark)
        seconds = time.monotonic() - began
        return self._product(process.returncode, why, out, log, seconds)

    async def _watch(self, process: asyncio.subprocess.Process, out: Path, began: float) -> str:
        """Wait for its end; why it has to be ended before, if so."""
        while process.returncode is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _LOOK_S)
            if time.monotonic() - began > self._policy.trainer_s:
                return f"the trainer took longer than {self._policy.trainer_s:g} s"
            written = folder_bytes(out)
            if written > self._policy.trainer_bytes:
                return f"the trainer wrote more than {size(self._policy.trainer_bytes)}"
            if shutil.disk_usage(out).free < self._policy.spare_bytes:
                return f"less than {size(self._policy.spare_bytes)} are free on the disk"
        return ""

    def _product(
        self, code: int | None, why: str, out: Path, log: Path, seconds: float
    ) -> TrainerResult:
        said = _ending(log)
        made = sorted(path for path in out.rglob("*.gguf") if path.is_file())
        if not why and code != 0:
            why = f"the trainer ended with {code}"
        if not why and len(made) != 1:
            why = f"the trainer left {len(made)} GGUF files where one is expected"
        late = seconds > self._policy.trainer_s
        return TrainerResult(None if why else made[0], why, said, seconds, late)


def _environment(examples: Path, out: Path, base: Path | None, mark: str) -> dict[str, str]:
    known: Mapping[str, str] = os.environ
    return {
        **{name: known[name] for name in _KEPT if name in known},
        "HAMMERSTONE_TRAIN": str(examples / TRAIN),
        "HAMMERSTONE_HELD_OUT": str(examples / HELD_OUT),
        "HAMMERSTONE_OUT": str(out),
        "HAMMERSTONE_BASE_MODEL": str(base or ""),
        MARK: mark,
    }


async def _end(process: asyncio.subprocess.Process, mark: str) -> None:
    """End the trainer and all it started, also what has left its group; ask first, then insist."""
    for sign, wait_s in ((signal.SIGTERM, _GRACE_S), (signal.SIGKILL, _GRACE_S)):
        left = marked_processes(mark)
        if process.returncode is not None and not left:
            return
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sign)
        end = time.monotonic() + wait_s
        while time.monotonic() < end and (marked_processes(mark) or process.returncode is None):
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(process.wait()), _LOOK_S)
            await asyncio.sleep(_LOOK_S / 4)


def marked_processes(mark: str) -> list[int]:
    """The processes that have our mark in their environment, as children of a trainer have."""
    wanted = f"{MARK}={mark}".encode()
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def folder_bytes(folder: Path) -> int:
    """What the files of a folder take; those that go meanwhile count nothing."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            if path.is_file() and not path.is_symlink():
                total += path.stat().st_size
    return total


def _ending(log: Path) -> str:
    with suppress(OSError), log.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _SAID))
        return file.read().decode("utf-8", "replace")
    return ""
