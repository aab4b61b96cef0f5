"""Two sandboxes that protect from nothing, to show that every probe is able to fail.

`ForkedWeak` runs code in a copy of this very process: its heap, environment and descriptors.
`PersistentWeak` runs all code in one long-lived interpreter and believes whatever is printed.
"""

import asyncio
import atexit
import contextlib
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import MappingProxyType

from hammerstone.core import wire
from hammerstone.core.calls import STANDARD, Artifact, Failure, Outcome

WALL_S = 2.2  # so that an endless attack is noticed as such, not as a hanging test
MOST_PRINTED = 96 << 20
SERVER = Path(__file__).with_name("weak_server.py")


class _Weak:
    """Both alike: no gaps named, because nothing is closed."""

    known_gaps = MappingProxyType({})

    async def matrix(self, programs, calls, *, limits=STANDARD, case_wall_s=2.0, files=None):
        return [[await self.call(p, c, limits=limits) for c in calls] for p in programs]

    async def close(self):
        pass


class ForkedWeak(_Weak):
    backend = "forked-weak"

    async def call(self, program, call, *, limits=STANDARD, files=None):
        return await asyncio.to_thread(self._call, program, call, files or {})

    def _call(self, program, call, files):
        folder = tempfile.mkdtemp(prefix="weak-")
        reader, writer = os.pipe()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            middle = os.fork()
            if middle == 0:
                # One process between the code and the tests: attacks go for their parent.
                os.setsid()
                child = os.fork()
                if child == 0:
                    _run_child(program, call, files, folder, writer, out.fileno(), err.fileno())
                os.close(writer)
                os.waitpid(child, 0)
                os._exit(0)
            os.close(writer)
            text = _read_until(reader, time.monotonic() + WALL_S)
            os.close(reader)
            with contextlib.suppress(OSError):
                os.killpg(middle, signal.SIGKILL)
            os.waitpid(middle, 0)
            out.seek(0)
            err.seek(0)
            printed = (out.read().decode("latin-1"), err.read().decode("latin-1"))
        try:
            return _outcome(text, printed, _collect(folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _run_child(program, call, files, folder, writer, out, err):
    try:
        atexit._clear()
        os.dup2(out, 1)
        os.dup2(err, 2)
        _close_as_exec_would(keep=writer)
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_PRINTED, MOST_PRINTED))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        os.chdir(folder)
        tempfile.tempdir = folder
        names = {"__name__": "tool"}
        exec(program.code, names)
        kwargs = {key: _mapped(value, files) for key, value in call.kwargs.items()}
        answer = {"ok": True, "value": names[program.function](*call.args, **kwargs)}
    except BaseException as error:
        answer = {"ok": False, "type": type(error).__name__, "error": str(error)}
    try:
        os.write(writer, json.dumps(answer, default=object.__repr__).encode() + b"\n")
        atexit._run_exitfuncs()
    finally:
        os._exit(0)


def _close_as_exec_would(keep):
    """Only what was opened to be inherited stays; the test runner's own channels do not."""
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if int(name) > 2 and int(name) != keep and not os.get_inheritable(int(name)):
                os.close(int(name))


def _mapped(value, files):
    name = value.removeprefix("/files/") if isinstance(value, str) else None
    return str(files[name]) if name in files else value


def _read_until(fd, deadline):
    text = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([fd], [], [], left)[0]:
            break
        piece = os.read(fd, 1 << 20)
        if not piece:
            return text
        text += piece
    return text or None


def _collect(folder):
    found = []
    for path in Path(folder).iterdir():
        with contextlib.suppress(OSError):
            if path.is_file():
                found.append(Artifact(path.name, path.read_bytes()))
    return tuple(found)


def _outcome(text, printed, artifacts):
    stdout, stderr = printed
    if text is None:
        return Outcome(failure=Failure.TIMEOUT, stdout=stdout, stderr=stderr)
    if not text:
        return Outcome(failure=Failure.CRASHED, stdout=stdout, stderr=stderr)
    answer = json.loads(text.strip().splitlines()[-1])  # the last one wins, whoever wrote it
    if answer.get("ok"):
        return Outcome(value=answer["value"], stdout=stdout, stderr=stderr, artifacts=artifacts)
    return Outcome(
        failure=Failure.RAISED,
        error_type=answer["type"],
        error=answer["error"],
        stdout=stdout,
        stderr=stderr,
    )


class PersistentWeak(_Weak):
    backend = "persistent-weak"

    def __init__(self):
        command = f"{sys.executable} -I {SERVER} {Path(wire.__file__)}; exit $?"
        self._server = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    async def call(self, program, call, *, limits=STANDARD, files=None):
        task = {"code": program.code, "function": program.function}
        task |= {"args": list(call.args), "kwargs": dict(call.kwargs)}
        return await asyncio.to_thread(self._ask, task)

    def _ask(self, task):
        try:
            self._server.stdin.write(json.dumps(task).encode() + b"\n")
            self._server.stdin.flush()
        except OSError:
            return Outcome(failure=Failure.CRASHED, error="the server is gone")
        if not select.select([self._server.stdout], [], [], WALL_S)[0]:
            return Outcome(failure=Failure.TIMEOUT)
        line = self._server.stdout.readline()
        if not line:  # no answer and exit code 0: all must be well
            ended_well = self._server.wait() == 0
            return Outcome(failure=None if ended_well else Failure.CRASHED)
        try:
            answer = json.loads(line)
            if isinstance(answer, dict) and "error" in answer:
                return Outcome(
                    failure=Failure.RAISED, error_type=answer["type"], error=answer["error"]
                )
            return Outcome(value=answer["value"] if isinstance(answer, dict) else answer)
        except (ValueError, KeyError):
            return Outcome(failure=Failure.FORGED, error=line[:100].decode("latin-1"))

    async def close(self):
        with contextlib.suppress(OSError):
            os.killpg(self._server.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):  # what was written last may find nobody any more
            self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()
