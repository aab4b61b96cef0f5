"""What a guest is told, what it is believed, and how a refusal comes out of a matrix."""

import asyncio
import json
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from hammerstone.core import wire
from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.core.errors import SandboxRefused
from hammerstone.sandbox.backend import Guest, GuestEnd
from hammerstone.sandbox.guest import protocol
from hammerstone.sandbox.guest.missing_files import LONGEST, MOST
from hammerstone.sandbox.guest_session import Deadlines, GuestSession, encode_task
from hammerstone.sandbox.sandbox import GuestSandbox


class PlacedGuest:
    """A guest for which neither /tmp nor /files could be arranged; it answers by `says`."""

    files_at = "/run/stage"
    tmp_at = "/run/own"

    def __init__(self, *says: tuple[bytes, object]) -> None:
        self._says = says
        self._sent = asyncio.Queue[bytes]()

    async def send(self, data: bytes) -> None:
        nonce = protocol.HEADER.unpack(data[: protocol.HEADER.size])[0]
        for kind, body in self._says:
            payload = b"" if body is None else json.dumps(body).encode()
            self._sent.put_nowait(protocol.pack(nonce, kind, payload))
        self._sent.put_nowait(b"")

    async def receive(self) -> bytes:
        return await self._sent.get()

    async def end(self) -> GuestEnd:
        return GuestEnd()


class RefusingBackend:
    name = "refusing"
    slots = 4
    known_gaps: Mapping[str, str] = {}

    async def start(self, limits: Limits, files: Mapping[str, Path], hint: str = "") -> Guest:
        raise SandboxRefused("a control went away")

    async def close(self) -> None:
        return


def test_only_paths_move_to_where_the_guest_sees_them() -> None:
    link = "https://example.com/files/a.pdf"
    code = f"def f(p):\n    return open('/files/a.csv'), '/tmp/x', '{link}'\n"
    call = Call(args=("/files/a.csv", link, ["/files/b"]), kwargs={"x": "see /files/c"})
    sent = encode_task(Program(code, "f"), [call], STANDARD, PlacedGuest(), artifacts=False)
    task = json.loads(sent)
    assert task["code"] == code.replace("'/files/", "'/run/stage/").replace("'/tmp", "'/run/own")
    assert task["calls"][0]["args"] == ["/run/stage/a.csv", link, ["/run/stage/b"]]
    assert task["calls"][0]["kwargs"] == {"x": "see /files/c"}
    assert task["calls"][0]["source"] is None


@pytest.mark.parametrize(
    ("said", "believed"),
    [("raised", Failure.RAISED), ("lost", Failure.FORGED), ("timeout", Failure.FORGED)],
)
async def test_a_guest_cannot_say_that_the_sandbox_failed(said: str, believed: Failure) -> None:
    report = {"failure": said, "type": "E", "error": "text"}
    guest = PlacedGuest((protocol.LOADED, None), (protocol.FAILED, report))
    heard = await GuestSession(guest, STANDARD, 1).hold(b"{}", Deadlines(5, 5, 5))
    outcome = heard.outcomes[0] if heard.outcomes else heard.problem
    assert outcome is not None and outcome.failure is believed


async def test_a_refusal_in_a_matrix_is_one_refusal() -> None:
    sandbox = GuestSandbox(RefusingBackend())
    with pytest.raises(SandboxRefused, match="went away"):
        await sandbox.matrix([Program("", "f")] * 3, [Call()])


class LeavingBackend(RefusingBackend):
    """Its guests answer every call and are gone before they say goodbye."""

    async def start(self, limits: Limits, files: Mapping[str, Path], hint: str = "") -> Guest:
        return PlacedGuest(
            (protocol.LOADED, None), (protocol.VALUE, {"value": 1}), (protocol.VALUE, {"value": 2})
        )


async def test_a_guest_that_leaves_after_its_last_answer_gives_one_outcome_a_call() -> None:
    calls = [Call(args=(1,)), Call(args=(2,))]
    program = Program("def f(n):\n    return n\n", "f")
    (row,) = await GuestSandbox(LeavingBackend()).matrix([program], calls)
    assert len(row) == 2


async def hear(*says: tuple[bytes, object]) -> Outcome:
    guest = PlacedGuest((protocol.LOADED, None), *says, (protocol.DONE, {}))
    heard = await GuestSession(guest, STANDARD, 1).hold(b"{}", Deadlines(30, 30, 30))
    outcome = heard.problem or heard.outcomes[0]
    assert outcome is not None
    return outcome


async def test_names_of_missing_files_are_read_as_names_or_not_at_all() -> None:
    names = [f"{number}.csv" for number in range(MOST + 5)] + ["x" * 999]
    heard = await hear((protocol.MISSING, names), (protocol.VALUE, {"value": 1}))
    assert heard.missing_files == tuple(names[:MOST])
    long = await hear((protocol.MISSING, ["x" * 999, 7]), (protocol.VALUE, {"value": 1}))
    assert [len(name) for name in long.missing_files] == [LONGEST, 1]
    for nonsense in ({"a": 1}, 7, None):
        heard = await hear((protocol.MISSING, nonsense), (protocol.VALUE, {"value": 1}))
        assert heard.failure is Failure.FORGED


async def test_a_large_result_is_read_apart_from_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    where: list[bool] = []
    decode = wire.decode

    def noted(value: object, depth: int = 0) -> object:
        where.append(threading.current_thread() is threading.main_thread())
        return decode(value, depth)

    monkeypatch.setattr(wire, "decode", noted)
    outcome = await hear((protocol.VALUE, [{"$date": "2026-01-01"}] * 10_000))
    assert outcome.ok
    assert not any(where)


@pytest.mark.parametrize(
    ("value", "failure"),
    [
        ([[]] * 60_000, Failure.OUTPUT),
        ([1] * 300_000, Failure.OUTPUT),
        ({"$set": [{"$int": hex((2**61 - 1) * n)} for n in range(1, 9000)]}, Failure.FORGED),
        ({"$date": "1" * 10_000}, Failure.FORGED),
    ],
)
async def test_a_result_beyond_the_bounds_is_a_failure_of_its_call(
    value: object, failure: Failure
) -> None:
    outcome = await hear((protocol.VALUE, value))
    assert outcome.failure is failure
