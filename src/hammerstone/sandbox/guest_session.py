"""The host's side of one conversation with a guest: a task in, outcomes out."""

import asyncio
import json
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hammerstone.core import intake
from hammerstone.core.calls import Artifact, Call, Failure, Limits, Outcome, Program, ResourceUse
from hammerstone.sandbox.backend import Guest, GuestEnd
from hammerstone.sandbox.guest import protocol
from hammerstone.sandbox.guest.missing_files import LONGEST, MOST
from hammerstone.sandbox.stage import safe_name

_LITERAL = r"""(["'])/{}(?=["'/])"""
_TMP_LITERAL = re.compile(_LITERAL.format("tmp"))
_FILES_LITERAL = re.compile(_LITERAL.format("files"))
# What a guest may say about its own calls; that it was lost or late only the host can say.
_OWN_FAILURES = {
    Failure.RAISED,
    Failure.LOAD,
    Failure.MEMORY,
    Failure.OUTPUT,
    Failure.CRASHED,
}
LOAD_WALL_S = 10.0  # for importing what a module imports, before the first call of a matrix


@dataclass(slots=True)
class Conversation:
    """What was said: outcomes of the first calls, and why there are no more."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    loaded: bool = False
    unusable: Outcome | None = None  # the module cannot be loaded: holds for every call
    done: bool = False
    problem: Outcome | None = None  # what stopped the call after the last outcome


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds for everything, for loading, and for one call."""

    total_s: float
    load_s: float
    call_s: float


def encode_task(
    program: Program, calls: Sequence[Call], limits: Limits, guest: Guest, *, artifacts: bool
) -> bytes:
    """The task's JSON; raises ValueError for arguments that are not in wire form."""
    body = {
        "code": _source_at(guest, program.code),
        "function": program.function,
        "calls": [
            {
                "args": [_at(guest.files_at, item) for item in call.args],
                "kwargs": {key: _at(guest.files_at, item) for key, item in call.kwargs.items()},
                "source": None if call.source is None else _source_at(guest, call.source),
            }
            for call in calls
        ],
        "limits": {name: getattr(limits, name) for name in limits.__slots__},
        "tmp": guest.tmp_at,
        "artifacts": artifacts,
    }
    return json.dumps(body).encode()


def _at(folder: str, value: Any) -> Any:
    """`value` with paths in /files as the guest sees them, where /files cannot be arranged.

    Only a text that is such a path: "/files/" further inside one may be part of an address.
    """
    if folder == "/files":
        return value
    if isinstance(value, str):
        return folder + value.removeprefix("/files") if value.startswith("/files/") else value
    if isinstance(value, list):
        return [_at(folder, item) for item in value]
    if isinstance(value, dict):
        return {key: _at(folder, item) for key, item in value.items()}
    return value


def _source_at(guest: Guest, source: str) -> str:
    """Code with /tmp and /files, where they start a literal, as the guest sees them."""
    for folder, literal, usual in (
        (guest.tmp_at, _TMP_LITERAL, "/tmp"),  # noqa: S108 - as the guest sees it
        (guest.files_at, _FILES_LITERAL, "/files"),
    ):
        if folder != usual:
            source = literal.sub(lambda quote, at=folder: f"{quote[1]}{at}", source)
    return source


class GuestSession:
    """Sends one task and collects what comes back until it is done or something stops it."""

    def __init__(self, guest: Guest, limits: Limits, expected: int) -> None:
        self._guest = guest
        self._limits = limits
        self._expected = expected
        # A text that a guest may return is as long as its result may be.
        self._bounds = intake.IntakeBounds(
            max_bytes=limits.output_bytes, max_text=limits.output_bytes
        )
        self._nonce = secrets.token_bytes(protocol.NONCE_BYTES)
        output = limits.output_bytes
        self._reader = protocol.FrameReader(
            self._nonce,
            {
                protocol.LOADED: 0,
                protocol.STDOUT: output,
                protocol.STDERR: output,
                protocol.VALUE: output,
                protocol.FAILED: protocol.SMALL_BYTES,
                protocol.DONE: protocol.SMALL_BYTES,
                protocol.ARTIFACT: limits.artifact_bytes + 1024,
                protocol.MISSING: protocol.SMALL_BYTES,
            },
        )
        self._said = Conversation()
        self._printed: dict[bytes, bytes] = {}
        self._artifacts: list[Artifact] = []
        self._missing: tuple[str, ...] = ()
        self._call_began = 0.0

    async def hold(self, task: bytes, deadlines: Deadlines) -> Conversation:
        """The whole conversation; the guest still has to be ended afterwards."""
        began = self._call_began = time.perf_counter()
        try:
            async with asyncio.timeout(deadlines.total_s):
                await self._guest.send(protocol.pack(self._nonce, protocol.TASK, task))
                while not self._finished():
                    allowed = deadlines.call_s if self._said.loaded else deadlines.load_s
                    left = self._call_began + allowed - time.perf_counter()
                    async with asyncio.timeout(max(0.0, left)):
                        data = await self._guest.receive()
                    if not data:
                        self._reader.close()
                        break
                    for kind, payload in self._reader.feed(data):
                        await self._take(kind, payload)
                        if self._finished():
                            break
        except TimeoutError:
            spent = time.perf_counter() - began
            self._stop(Failure.TIMEOUT, f"no answer within {min(spent, deadlines.total_s):.1f} s")
        except protocol.ProtocolBreach as error:
            self._stop(Failure.FORGED, str(error))
        except protocol.FrameTooLarge as error:
            self._stop(Failure.OUTPUT, f"more than allowed came back: {error}")
        except ConnectionError:
            pass
        return self._said

    def _finished(self) -> bool:
        said = self._said
        return said.done or said.problem is not None or said.unusable is not None

    def _stop(self, failure: Failure, text: str) -> None:
        self._said.problem = self._outcome(failure=failure, error=text)

    async def _take(self, kind: bytes, payload: bytes) -> None:
        said = self._said
        if kind == protocol.LOADED and not said.loaded:
            said.loaded = True
            self._call_began = time.perf_counter()
        elif kind in (protocol.STDOUT, protocol.STDERR) and kind not in self._printed:
            self._printed[kind] = payload
        elif kind == protocol.FAILED and not said.loaded:
            said.unusable = self._failed(payload)
        elif not said.loaded:
            raise protocol.ProtocolBreach("an answer before the module was loaded")
        elif kind == protocol.DONE:
            said.done = True
        elif len(said.outcomes) >= self._expected:
            raise protocol.ProtocolBreach("more answers than calls")
        elif kind == protocol.ARTIFACT:
            self._take_artifact(payload)
        elif kind == protocol.MISSING:
            self._missing = _names(payload)
        elif kind in (protocol.VALUE, protocol.FAILED):
            is_value = kind == protocol.VALUE
            self._next_call(await self._value(payload) if is_value else self._failed(payload))
        else:
            raise protocol.ProtocolBreach(f"frame {kind!r} is out of order")

    def _next_call(self, outcome: Outcome) -> None:
        self._said.outcomes.append(outcome)
        self._printed = {}
        self._artifacts = []
        self._missing = ()
        self._call_began = time.perf_counter()

    def _take_artifact(self, payload: bytes) -> None:
        name, complete, content = payload.partition(b"\0")
        count, size = self._limits.artifact_count, self._limits.artifact_bytes
        total = sum(len(item.content) for item in self._artifacts) + len(content)
        if not complete or len(self._artifacts) >= count or total > size:
            self._stop(Failure.OUTPUT, f"more than {count} output files or {size} bytes in them")
        else:
            taken = {item.name for item in self._artifacts}
            safe = safe_name(name.decode("utf-8", "replace"), taken)
            self._artifacts.append(Artifact(safe, content))

    async def _value(self, payload: bytes) -> Outcome:
        """What the call returned; how long reading it takes is not the call's own time."""
        spent = time.perf_counter() - self._call_began
        try:
            value = await intake.read_apart(intake.read_wire, payload, self._bounds)
        except intake.IntakeTooLarge as error:
            text = f"the result is larger than allowed: {error}"
            return self._outcome(failure=Failure.OUTPUT, error=text)
        except intake.IntakeError as error:
            raise protocol.ProtocolBreach(str(error)) from None
        return self._outcome(value=value, use=ResourceUse(wall_s=spent))

    def _failed(self, payload: bytes) -> Outcome:
        try:
            body: Any = intake.read_json(payload)
            failure = Failure(body["failure"])
            if failure not in _OWN_FAILURES:
                raise ValueError(failure)
            return self._outcome(
                failure=failure, error_type=str(body["type"])[:200], error=str(body["error"])[:4000]
            )
        except (ValueError, KeyError, TypeError):
            raise protocol.ProtocolBreach("a failure report that cannot be read") from None

    def _outcome(self, **fields: Any) -> Outcome:
        use = fields.pop("use", ResourceUse(wall_s=time.perf_counter() - self._call_began))
        return Outcome(
            stdout=self._printed.get(protocol.STDOUT, b"").decode("utf-8", "replace"),
            stderr=self._printed.get(protocol.STDERR, b"").decode("utf-8", "replace"),
            use=use,
            artifacts=tuple(self._artifacts),
            missing_files=self._missing,
            **fields,
        )


def _names(payload: bytes) -> tuple[str, ...]:
    try:
        found: Any = intake.read_json(payload)
        return tuple(str(name)[:LONGEST] for name in found[:MOST])
    except (ValueError, TypeError, KeyError):
        raise protocol.ProtocolBreach("names that cannot be read") from None


def explain_end(said: Conversation, end: GuestEnd, limits: Limits) -> Outcome:
    """The outcome of the call that the guest did not answer."""
    problem = said.problem
    if problem is None:
        if end.lost:
            problem = Outcome(failure=Failure.LOST, error=end.detail or "the sandbox died")
        else:
            problem = Outcome(failure=Failure.CRASHED, error=_death(end.status))
    if end.out_of_memory and problem.failure is not Failure.LOST:
        text = f"more than {limits.memory_bytes >> 20} MB of memory"
        problem = replace(problem, failure=Failure.MEMORY, error=text)
    printed = end.stdout[: limits.output_bytes].decode("utf-8", "replace")
    complaints = end.stderr[: limits.output_bytes].decode("utf-8", "replace")
    if len(end.stdout) > limits.output_bytes or len(end.stderr) > limits.output_bytes:
        problem = replace(problem, failure=Failure.OUTPUT, error="printed more than allowed")
    return replace(problem, stdout=problem.stdout or printed, stderr=problem.stderr or complaints)


def _death(status: int | None) -> str:
    if status is None:
        return "the code ended without a result"
    if status & 0x7F:
        return f"died by signal {status & 0x7F} without answering"
    return f"exited with {status >> 8} without answering"
