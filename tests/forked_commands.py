"""`hammerstone` in processes of their own, forked from one that has loaded the product already.

Loading it takes two seconds of processor time, and a hundred tests start a command or several. What
they test is real: arguments, environment, folder, descriptors, terminal, signals and exit code.
The installed command itself, from the start of an interpreter, is what the tests of the
installation, of the tutorial, of imports and of completion run.
"""

import asyncio
import atexit
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import hammerstone

_LOADED = (
    "hammerstone.app.health.doctor",
    "hammerstone.app.hammerstone",
    "hammerstone.models.providers.provider_catalog",
    "hammerstone.sandbox.bubblewrap.opening",
    "hammerstone.serve.cli.main",
    "prompt_toolkit",
    "pydantic_ai.models.openai",
    "pydantic_ai.providers.openai",
    "rich.console",
)
_REQUEST_BYTES = 1 << 20
_server: "_Server | None" = None


class _Server:
    """The process from which commands are forked; it ends with this one."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _REQUEST_BYTES)
        self._turn = threading.Lock()
        root = Path(__file__).parents[1]
        env = {k: v for k, v in os.environ.items() if not k.startswith("HAMMERSTONE_")}
        source = Path(hammerstone.__file__).parents[1]  # a changed copy, where mutants are tried
        paths = [str(source), str(root), *filter(None, [env.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked_commands", str(theirs.fileno())],
            env={**env, "PYTHONPATH": os.pathsep.join(paths)},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()

    def fork(self, request: dict[str, Any], fds: Sequence[int]) -> int:
        """The id of the new process; the last descriptor is told how it ends."""
        with self._turn:
            socket.send_fds(self._control, [json.dumps(request).encode()], list(fds))
            return int(self._control.recv(64))

    def end(self) -> None:
        self._control.close()
        self._process.wait(10)


def end_server() -> None:
    """At the end of the process's tests."""
    global _server
    if _server is not None:
        _server.end()
        _server = None


class ForkedCommand:
    """`hammerstone` with these words; what it prints is kept unless it has a terminal."""

    def __init__(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        text: str = "",
        terminal: int | None = None,
        cwd: Path | None = None,
    ) -> None:
        global _server
        _server = _server or _Server()
        self.returncode: int | None = None
        self._kept = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr")]
        os.pwrite(self._kept[0], text.encode(), 0)
        self._told, tell = os.pipe()
        request = {
            "words": list(words),
            "env": dict(env),
            "cwd": str(cwd or Path.cwd()),
            "terminal": terminal is not None,
        }
        fds = self._kept if terminal is None else [terminal] * 3
        try:
            self.pid = _server.fork(request, [*fds, tell])
        finally:
            os.close(tell)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal; raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("hammerstone", timeout or 0)
            self.returncode = os.waitstatus_to_exitcode(int(os.read(self._told, 64)))
            os.close(self._told)
        return self.returncode

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def finish(self, timeout: float) -> tuple[int, str, str]:
        """The exit code and what was printed on the two channels."""
        try:
            code = self.wait(timeout)
            printed = [os.pread(fd, os.fstat(fd).st_size, 0).decode() for fd in self._kept[1:]]
        finally:
            self.close()
        return code, printed[0], printed[1]

    def close(self) -> None:
        """End it, if it has not ended."""
        self.send_signal(signal.SIGKILL)
        self.wait()
        while self._kept:
            os.close(self._kept.pop())


def run_command(
    *words: str, env: Mapping[str, str], text: str = "", timeout: float = 100
) -> subprocess.CompletedProcess[str]:
    """`hammerstone` with these words from start to end."""
    code, out, errors = ForkedCommand(words, env, text).finish(timeout)
    return subprocess.CompletedProcess(words, code, out, errors)


def _serve(control: socket.socket) -> dict[str, Any]:
    """Forks for each request; returns in the new process alone, with what it is to run."""
    control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _REQUEST_BYTES)
    ends: dict[int, tuple[int, int]] = {}  # pidfd to pid and who is told
    while True:
        for fd in select.select([control, *ends], [], [])[0]:
            if fd in ends:
                pid, tell = ends.pop(fd)
                _, status = os.waitpid(pid, 0)
                os.write(tell, str(status).encode())
                os.close(fd)
                os.close(tell)
                continue
            message, fds, _, _ = socket.recv_fds(control, _REQUEST_BYTES, 4)
            if not message:
                os._exit(0)
            request = json.loads(message)
            pid = os.fork()
            if pid == 0:
                _become(request, fds)
                return request
            for given in fds[:3]:
                os.close(given)
            ends[os.pidfd_open(pid)] = (pid, fds[3])
            control.send(str(pid).encode())


def _become(request: dict[str, Any], fds: list[int]) -> None:
    """This process as a shell would have started it."""
    os.setsid()
    for number, fd in enumerate(fds[:3]):
        os.dup2(fd, number)
    os.closerange(3, 256)
    if request["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["hammerstone", *request["words"]]
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    line_by_line = os.isatty(1)
    sys.stdout = open(1, "w", 1 if line_by_line else -1, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr


def _load() -> None:
    """What a command needs, and the statements that make a database."""
    for name in _LOADED:
        importlib.import_module(name)
    import pytest

    from hammerstone.serve.cli.main import command_line
    from hammerstone.storage import Database
    from tests.made_databases import make_databases_quickly

    command_line()

    async def make(folder: str) -> None:
        await (await Database.open_url(f"sqlite:///{folder}/hammerstone.db")).close()

    importlib.import_module("hammerstone.storage.migrate")
    make_databases_quickly(pytest.MonkeyPatch())
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(make(folder))
    gc.collect()
    gc.freeze()


def _run() -> None:
    """The command, and what an interpreter does after it but for taking itself apart."""
    from hammerstone.serve.cli.main import main

    code: Any = 0
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    _run()
