"""Runs one task inside the sandbox: load the module, make the calls, send what came out.

Every backend starts it the same way once the process is confined: `serve(channel)` in a forked
child, or as a program, `python -I -S -B <guest>/start.py`, see `start.py`. It decides nothing:
values go out, the verdict is the host's.
"""

import json
import linecache
import math
import os
import resource
import struct
import sys
import traceback
import types
from collections.abc import Mapping
from typing import Any, BinaryIO

from hammerstone.core import wire
from hammerstone.sandbox.guest import protocol
from hammerstone.sandbox.guest.capture import Capture, send_artifacts
from hammerstone.sandbox.guest.missing_files import MissingFiles
from hammerstone.sandbox.guest.state import ProcessState, reseed

MODULE = "tool"
FILE = "tool.py"
ERROR_CHARS = 2000
OPEN_FILES = 256


def read_task(source: int) -> tuple[bytes, dict[str, Any]]:
    """The nonce and the task, read from a descriptor."""
    header = read_exactly(source, protocol.HEADER.size)
    nonce, kind, length = protocol.HEADER.unpack(header)
    if kind != protocol.TASK:
        raise protocol.ProtocolBreach(f"expected a task, not {kind!r}")
    return nonce, json.loads(read_exactly(source, length))


def read_exactly(fd: int, size: int) -> bytes:
    """So many bytes from a descriptor; raises EOFError when they do not come."""
    parts = bytearray()
    while len(parts) < size:
        piece = os.read(fd, min(size - len(parts), 1 << 20))
        if not piece:
            raise EOFError("the host closed the channel")
        parts += piece
    return bytes(parts)


def set_own_limits(limits: Mapping[str, float]) -> None:
    """Lower this process's limits for good, beneath the cgroup's; children inherit them."""
    cpu_s = math.ceil(limits["wall_s"]) + 1  # the wall clock ends it earlier, half a core at most
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: int(limits["file_bytes"]),
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for name, value in wanted.items():
        _, hard = resource.getrlimit(name)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (allowed, allowed))


class Harness:
    """One task: `run` sends every frame of the answer."""

    def __init__(self, nonce: bytes, task: dict[str, Any], sink: BinaryIO) -> None:
        self._nonce = nonce
        self._task = task
        self._sink = sink
        self._tmp: str = task.get("tmp", "/tmp")  # noqa: S108 - private to this sandbox
        self._cap = int(task["limits"]["output_bytes"])
        self._code: types.CodeType | None = None
        self._missing = MissingFiles() if task.get("artifacts") else None

    def run(self, stdout: Capture, stderr: Capture) -> None:
        if not self._load(stdout, stderr):
            return
        calls = self._task["calls"]
        state = ProcessState(self._tmp) if len(calls) > 1 else None
        harmed = ""
        for position, call in enumerate(calls):
            if state is not None and position:
                state.refresh()
                self._module = self._execute()
            self._one_call(call, stdout, stderr)
            if state is not None and position + 1 < len(calls):
                harmed = state.harm()
                if harmed:
                    break
        self._send(protocol.DONE, json.dumps({"harmed": harmed}).encode())

    def _load(self, stdout: Capture, stderr: Capture) -> bool:
        source = self._task["code"]
        linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
        try:
            self._code = compile(source, FILE, "exec", dont_inherit=True)
            self._module = self._execute()
            if not callable(getattr(self._module, self._task["function"], None)):
                raise AttributeError(f"the module has no function {self._task['function']}")
        except BaseException as error:
            sys.stderr.write(_traceback(error))
            self._send_printed(stdout, stderr)
            self._send_failure("memory" if isinstance(error, MemoryError) else "load", error)
            return False
        self._send(protocol.LOADED)
        return True

    def _execute(self) -> types.ModuleType:
        """The module, executed afresh: no global survives from call to call."""
        module = types.ModuleType(MODULE)
        module.__file__ = FILE
        sys.modules[MODULE] = module
        assert self._code is not None
        exec(self._code, module.__dict__)  # noqa: S102 - this is what the sandbox is for
        return module

    def _packed(self, value: Any) -> tuple[bytes, str, BaseException | None]:
        """A value as bytes for the host, or what failed and why."""
        try:
            payload = json.dumps(wire.encode(value), allow_nan=False).encode()
        except MemoryError as error:
            return b"", "memory", error
        except BaseException as error:
            return b"", "output", error
        if len(payload) > self._cap:
            too_large = f"the result has {len(payload)} bytes, allowed are {self._cap}"
            return b"", "output", ValueError(too_large)
        return payload, "", None

    def _one_call(self, call: dict[str, Any], stdout: Capture, stderr: Capture) -> None:
        failure, problem, value = "", None, None
        try:
            value = self._invoke(call)
        except MemoryError as error:
            failure, problem = "memory", error
        except SystemExit as error:
            failure, problem = "crashed", error
        except BaseException as error:
            failure, problem = "raised", error
            sys.stderr.write(_traceback(error))
        payload = b""
        if problem is None:
            payload, failure, problem = self._packed(value)
        too_much = self._send_printed(stdout, stderr)
        if too_much:
            failure = "output"
            problem = ValueError(f"{too_much} is larger than the {self._cap} bytes allowed")
        if problem is None and self._task.get("artifacts"):
            send_artifacts(self._tmp + "/out", self._task["limits"], self._nonce, self._sink)
        if self._missing is not None and self._missing.names:
            self._send(protocol.MISSING, json.dumps(self._missing.names).encode())
        if problem is None:
            self._send(protocol.VALUE, payload)
        else:
            self._send_failure(failure, problem)

    def _invoke(self, call: dict[str, Any]) -> Any:
        if call.get("source") is not None:
            return eval(  # noqa: S307 - this is what the sandbox is for
                compile(call["source"], "call", "eval", dont_inherit=True), self._module.__dict__
            )
        args = [wire.decode(item) for item in call["args"]]
        kwargs = {key: wire.decode(item) for key, item in call["kwargs"].items()}
        return getattr(self._module, self._task["function"])(*args, **kwargs)

    def _send_printed(self, stdout: Capture, stderr: Capture) -> str:
        """Send what was printed; the name of a stream that printed too much."""
        too_much = ""
        for name, kind, capture in (
            ("stdout", protocol.STDOUT, stdout),
            ("stderr", protocol.STDERR, stderr),
        ):
            text, more = capture.take(self._cap)
            if text:
                self._send(kind, text)
            if more:
                too_much = name
        return too_much

    def _send_failure(self, failure: str, error: BaseException) -> None:
        text = _text_of(error)
        body = {"failure": failure, "type": type(error).__name__[:200], "error": text}
        self._send(protocol.FAILED, json.dumps(body).encode())

    def _send(self, kind: bytes, payload: bytes = b"") -> None:
        self._sink.write(protocol.pack(self._nonce, kind, payload))
        self._sink.flush()


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:ERROR_CHARS]
    except BaseException as worse:
        return f"<no text: {type(worse).__name__}>"


def _traceback(error: BaseException) -> str:
    """The traceback from the tool's own first frame on."""
    try:
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename not in (FILE, "call"):
            frames = frames.tb_next
        lines = traceback.format_exception(type(error), error, frames, limit=-20, chain=False)
        return "".join(lines)[-8000:]
    except BaseException:
        return f"{type(error).__name__}\n"


def serve(source: int, sink: int, stdout: int | None = None, stderr: int | None = None) -> None:
    """Answer the one task that arrives on `source`, then end the process without cleaning up.

    `stdout` and `stderr` are files that the host holds too; without them what is printed goes to
    unlinked files in the temporary folder, and is lost if the process is killed.
    """
    try:
        nonce, task = read_task(source)
        set_own_limits(task["limits"])
        reseed()
        os.makedirs(task.get("tmp", "/tmp") + "/out", exist_ok=True)  # noqa: S108
        os.chdir(task.get("tmp", "/tmp"))  # noqa: S108
        with open(sink, "wb", closefd=False) as out:
            Harness(nonce, task, out).run(Capture(1, stdout), Capture(2, stderr))
    except (EOFError, OSError, protocol.ProtocolBreach, struct.error):
        os._exit(3)
    os._exit(0)
