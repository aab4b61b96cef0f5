"""Everything that decodes what a guest, a page, an archive or a client sent, ready to be fuzzed.

Each has a strategy for what may come, a few large inputs that were made to be slow, and the
errors that are its proper answer; whatever else it raises is a fault.
"""

import asyncio
import socket
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
from hypothesis import strategies as st

from evals.fuzz_inputs import (
    ARCHIVES,
    BOMB,
    BOMBS,
    CHARSETS,
    CONVERSATION,
    DOCUMENT,
    FIELDS,
    HEADERS,
    HTML,
    JSON,
    LARGE_BODIES,
    LARGE_HTML,
    LARGE_JSON,
    MEGABYTE,
    MESSAGES,
    PYTHON,
    RESPONSES,
    SEARCHES,
    TEXT,
    ZIP_BOMB,
    repeated,
)
from hammerstone.connectors.connector import ServiceDown
from hammerstone.connectors.http import HttpConnector
from hammerstone.connectors.page_text import page_text
from hammerstone.connectors.web import PageReader, WebSearch
from hammerstone.core import intake, wire
from hammerstone.core.calls import STANDARD, Failure
from hammerstone.core.errors import HammerstoneError, NotFound
from hammerstone.core.people import Caller
from hammerstone.core.settings import HttpService, Settings
from hammerstone.library.policies import POLICIES, Policies
from hammerstone.library.skills.bundle import read_bundle
from hammerstone.library.skills.skill import SkillPolicy
from hammerstone.library.tools.folder.pytest_text import read_suite
from hammerstone.sandbox.backend import GuestEnd
from hammerstone.sandbox.guest import protocol
from hammerstone.sandbox.guest_session import Deadlines, GuestSession
from hammerstone.sandbox.stage import safe_name as artifact_name
from hammerstone.serve.api.archives import unpack
from hammerstone.serve.api.doors import AccessChecks
from hammerstone.serve.api.files import safe_name as upload_name
from hammerstone.serve.api.live import Watcher
from hammerstone.serve.api.people import CALLER
from hammerstone.serve.api.runs import LiveRuns
from hammerstone.synthesis.examine.suites.cases import BadCase, read_assert

PLACE = "93.184.216.34"  # where every name leads here: nothing is looked up or connected to


@dataclass(frozen=True)
class Decoder:
    """One way in: who sends it, what may come, and how it is read."""

    name: str
    sender: str  # guest, page, archive, client, model
    inputs: st.SearchStrategy[Any]
    read: Callable[[Any], Awaitable[object]]
    proper: tuple[type[Exception], ...] = (HammerstoneError,)
    large: Sequence[Any] = ()


async def _value(content: bytes) -> object:
    return wire.decode(await intake.read_apart(intake.read_wire, content))


class _Saying:
    """A guest that says what it is told, in pieces."""

    files_at, tmp_at = "/files", "/tmp"

    def __init__(self, frames: Sequence[tuple[bytes, bytes]], tail: bytes) -> None:
        self._frames, self._tail, self._pieces = frames, tail, list[bytes]()

    async def send(self, data: bytes) -> None:
        nonce = protocol.HEADER.unpack(data[: protocol.HEADER.size])[0]
        said = b"".join(protocol.pack(nonce, kind, body) for kind, body in self._frames)
        said += self._tail
        self._pieces = [said[at : at + 65_536] for at in range(0, len(said), 65_536)]

    async def receive(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""

    async def end(self) -> GuestEnd:
        return GuestEnd()


async def _conversation(given: tuple[Sequence[tuple[bytes, bytes]], bytes]) -> object:
    guest = _Saying(*given)
    said = await GuestSession(guest, STANDARD, 3).hold(b"{}", Deadlines(20, 20, 20))
    failures = {outcome.failure for outcome in [*said.outcomes, said.problem] if outcome}
    if Failure.LOST in failures:
        raise AssertionError("a guest made the host believe that the sandbox failed")
    return said


async def _name(name: str) -> object:
    for safe in (artifact_name(name), upload_name(name)):
        if len(safe.encode()) > 255 or "/" in safe or "\0" in safe or safe in ("", ".", ".."):
            raise AssertionError(f"no name for a file: {safe!r}")
    return name


async def _page(source: str) -> object:
    return await intake.read_apart(page_text, source)


async def _text(given: tuple[str, bytes]) -> object:
    kind = f"text/html; charset={given[0]}"
    return await intake.read_apart(intake.read_text, given[1], kind)


def _transport(given: dict[str, Any]) -> httpx.MockTransport:
    async def pieces() -> Any:
        yield given["body"]

    def answer(_request: httpx.Request) -> httpx.Response:
        kept = {"content-type": given["kind"], "content-encoding": given["packing"]}
        kept |= {"location": given["target"]} if 300 <= given["status"] < 400 else {}
        headers = [(k.encode(), v.encode("latin-1", "replace")) for k, v in kept.items() if v]
        return httpx.Response(given["status"], headers=headers, content=pieces())

    return httpx.MockTransport(answer)


def _found(*_: Any, **__: Any) -> list[Any]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PLACE, 80))]


async def _read_page(given: dict[str, Any]) -> object:
    asyncio.get_running_loop().getaddrinfo = _resolved  # type: ignore[method-assign]
    reader = PageReader(transport=_transport(given))
    return await reader.call("read", {"url": given["address"]})


async def _resolved(*_: Any, **__: Any) -> list[Any]:
    return _found()


async def _ask_service(given: tuple[dict[str, Any], Any, Any, Any]) -> object:
    response, path, query, body = given
    service = HttpService(url="https://api.example/v1", methods=["POST"])
    connector = HttpConnector("shop", service, transport=_transport(response))
    return await connector.call("post", {"path": path, "query": query, "body": body})


async def _search(given: tuple[str, bytes]) -> object:
    provider, body = given
    settings = Settings(search_provider=provider, search_api_key="x")  # type: ignore[arg-type]
    transport = _transport({**BOMB, "packing": "", "body": body})
    return await WebSearch(settings, transport=transport).call("search", {"query": "x"})


async def _tools_archive(content: bytes) -> object:
    with tempfile.TemporaryDirectory() as folder:
        return await asyncio.to_thread(unpack, content, Path(folder))


async def _skill_archive(content: bytes) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "skill.zip")
        path.write_bytes(content)
        return await asyncio.to_thread(read_bundle, path, SkillPolicy())


def _no_files(*_: Any) -> list[Path]:
    return []


class _Socket:
    """As much of a WebSocket as its handler uses."""

    def __init__(self) -> None:
        state = SimpleNamespace(
            runs=LiveRuns(_Deaf()),  # type: ignore[arg-type]
            files=SimpleNamespace(paths=_no_files),
            engine=SimpleNamespace(sessions=_NoSessions()),
        )
        self.app, self.scope = SimpleNamespace(state=state), {CALLER: Caller("ann")}

    async def send_text(self, text: str) -> None:
        text.encode()


class _NoSessions:
    async def run(self, run_id: str, _user: str) -> Any:
        run_id.encode()  # as a database does
        raise NotFound("there is no such run")


class _Deaf:
    async def ask(self, *_: Any, **__: Any) -> Any:
        raise HammerstoneError("nobody answers here")


async def _message(text: str | None) -> object:
    watcher = Watcher(_Socket())  # type: ignore[arg-type]
    try:
        return await watcher._handle(text)
    finally:
        tasks = [*watcher._watching.values(), *(run.task for run in watcher._runs.of("ann"))]
        await asyncio.wait([task for task in tasks if task], timeout=5) if tasks else None
        for task in tasks:
            if task is not None and task.done() and not task.cancelled() and task.exception():
                raise task.exception()  # type: ignore[misc]


class _NobodyElse:
    """People of an installation where tokens come from the settings alone."""

    async def by_token(self, _token: str) -> None:
        return None

    async def any_active(self) -> bool:
        return False


async def _doors(headers: list[tuple[str, str]]) -> object:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(_message: Any) -> None:
        return

    checks = AccessChecks(app, Settings(tokens={"ann": "s3cret"}))  # type: ignore[arg-type]
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    engine = SimpleNamespace(people=_NobodyElse())
    served = SimpleNamespace(
        state=SimpleNamespace(engine=engine), router=SimpleNamespace(routes=[])
    )
    scope = {"type": "http", "method": "GET", "path": "/api/x", "headers": raw, "app": served}
    return await checks({**scope, "client": ("127.0.0.1", 1)}, receive, send)


async def _policy(given: tuple[str, dict[str, Any]]) -> object:
    policies = Policies(None)  # type: ignore[arg-type] - nothing is stored
    policies.check(*given)
    return None


async def _asserted(text: str) -> object:
    return read_assert(text, "f")


async def _suite(text: str) -> object:
    return read_suite(text, "f")


DECODERS = (
    Decoder("value", "guest", DOCUMENT, _value, (intake.IntakeError,), LARGE_JSON),
    Decoder(
        "conversation",
        "guest",
        CONVERSATION,
        _conversation,
        (),
        [([(b"L", b""), (b"V", body)], b"") for body in LARGE_JSON if len(body) < MEGABYTE],
    ),
    Decoder("file name", "guest", TEXT, _name, large=repeated("漢", "/", "\0", "a.", size=50_000)),
    Decoder("page text", "page", HTML, _page, (), LARGE_HTML),
    Decoder(
        "charset", "page", st.tuples(CHARSETS, st.binary(max_size=300)), _text, (), LARGE_BODIES
    ),
    Decoder("page", "page", RESPONSES, _read_page, (HammerstoneError, ServiceDown), BOMBS),
    Decoder(
        "service", "page", st.tuples(RESPONSES, st.one_of(TEXT, JSON), JSON, JSON), _ask_service
    ),
    Decoder(
        "search",
        "page",
        st.tuples(SEARCHES, DOCUMENT),
        _search,
        large=[("searxng", body) for body in LARGE_JSON],
    ),
    Decoder("tools archive", "archive", ARCHIVES, _tools_archive, large=[ZIP_BOMB]),
    Decoder("skill archive", "archive", ARCHIVES, _skill_archive, large=[ZIP_BOMB]),
    Decoder(
        "message",
        "client",
        MESSAGES,
        _message,
        large=[body.decode("utf-8", "replace") for body in LARGE_JSON],
    ),
    Decoder("headers", "client", HEADERS, _doors, ()),
    Decoder(
        "policy",
        "client",
        st.tuples(
            st.sampled_from([kind.name for kind in POLICIES]),
            st.dictionaries(FIELDS, JSON, max_size=3),
        ),
        _policy,
    ),
    Decoder(
        "assert",
        "model",
        PYTHON,
        _asserted,
        (BadCase,),
        ["assert " + "(" * 5000, "assert f(1)" + "+f(1)" * 3000],
    ),
    Decoder("test file", "model", PYTHON, _suite, (), ["(" * 100_000]),
)
