"""A function of an evaluation, called in a process of its own.

What takes memory, forks, blocks or sets the environment is measured apart from the evaluation
that records it. Arguments and result are JSON; what the function prints goes to stderr.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from importlib import import_module
from inspect import iscoroutine
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOLD = 400  # letters of what went wrong


class MeasuringFailed(Exception):
    """The function raised; the text is the last line of what it said."""


async def own_process(function: Callable[..., Any], **arguments: Any) -> Any:
    """What `function` returns, called in a new process that ends with this task."""
    with tempfile.TemporaryDirectory(prefix="own-process-") as folder:
        result, log = Path(folder, "result"), Path(folder, "log")
        place = f"{function.__module__}:{function.__name__}"
        command = [sys.executable, "-m", "evals.own_process", place, json.dumps(arguments)]
        paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        with log.open("wb") as said:
            process = await asyncio.create_subprocess_exec(
                *command, str(result), cwd=ROOT, env=environment,
                stdout=said, stderr=said, start_new_session=True,
            )  # fmt: skip
            try:
                await process.wait()
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if not result.exists():
            said = log.read_text("utf-8", errors="replace").strip().split("\n")
            raise MeasuringFailed(f"{place} ended with {process.returncode}: {said[-1][:TOLD]}")
        return json.loads(result.read_text("utf-8"))


def main(place: str, arguments: str, result: str) -> None:
    module, _, name = place.partition(":")
    found = getattr(import_module(module), name)(**json.loads(arguments))
    if iscoroutine(found):
        found = asyncio.run(found)
    Path(result).write_text(json.dumps(found, default=_plain), "utf-8")


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
