"""Runs of tests on a changed copy of the source, each in a fork of a process that is warm.

The process has loaded pytest and the packages that the product uses, but nothing of the product, so
a run costs the import of the copy and the tests alone. It reads one job a line (`tests`, `limit_s`,
`output`) and answers with one line: the exit code of pytest, or `timeout`.
"""

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PLUGINS = ("pytest_asyncio.plugin", "pytest_timeout", "evals.line_tests")
TIMEOUT = "timeout"
_WARM = ("aiosqlite", "alembic", "fastapi", "httpx", "hypothesis", "jsonschema", "numpy", "psycopg",
         "pydantic", "pydantic_settings", "pytest", "rich",
         "sqlalchemy.ext.asyncio", "stamina", "structlog", "typer", "yaml")  # fmt: skip


class WarmRuns:
    """The warm process, seen from outside."""

    def __init__(self, source: Path) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(source), str(ROOT))),
            "PYTHONPYCACHEPREFIX": str(source.parent / "bytecode"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._source = source
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evals.mutant_runs", str(source)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment,
        )  # fmt: skip

    def run(self, tests: list[str], limit_s: float, output: Path) -> int | str:
        """The exit code of pytest, or `timeout`."""
        assert self._process.stdin and self._process.stdout
        job = {"tests": tests, "limit_s": limit_s, "output": str(output)}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the process that runs the tests has ended")
        return json.loads(answer)

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def _child(job: dict[str, Any], source: str) -> None:
    os.setsid()
    output = os.open(job["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    code: int = 3
    try:
        import pytest

        plugins = [part for name in PLUGINS for part in ("-p", name)]
        options = ["-q", "-x", "--no-header", "--tb=line", "-p", "no:cacheprovider"]
        options += ["-o", f"pythonpath={source} {ROOT}", "--timeout", "0"]
        code = int(pytest.main([*plugins, *options, *job["tests"]]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(pid: int, limit_s: float) -> int | str:
    """The exit code, or `timeout`; the time that a busy machine kept it waiting does not count."""
    began = time.monotonic()
    while time.monotonic() - began - _held_up(pid) < limit_s:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return TIMEOUT


def _held_up(pid: int) -> float:
    """The seconds that a process could have run and was not let."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def main() -> None:
    for name in _WARM:
        importlib.import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _child(job, sys.argv[1])
        print(json.dumps(_wait(pid, job["limit_s"])), flush=True)


if __name__ == "__main__":
    main()
