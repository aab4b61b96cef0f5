"""A model endpoint on loopback that speaks four providers' protocols, and fails on demand.

It understands OpenAI's chat completions (which Ollama and most others speak too), Anthropic's
messages and Gemini's generateContent, each as one answer or as a stream. `faults` is a queue of
what to do wrong, one entry a request; an empty queue answers properly.
"""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from evals.provider_protocols import Asked, Protocol, protocol_for

HTML = "<html><body><h1>502 Bad Gateway</h1></body></html>"
WORDS_PER_ENDLESS_STEP = 200


@dataclass
class FaultyEndpoint:
    """`answer` makes the text from what was asked; tokens are words here."""

    answer: Callable[[Asked], str] = lambda asked: f"you said {asked.text}"
    faults: deque[str] = field(default_factory=deque)
    always: str = ""
    seconds_per_word: float = 0.0
    prompt_cache: bool = True
    refuse_schema: bool = False

    asked: list[Asked] = field(default_factory=list)
    words_sent: int = 0
    broken_off: int = 0  # answers whose reader went away
    _port: int = 0
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["FaultyEndpoint"]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in list(self._open):
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            while await self._one_request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.broken_off += 1
        except asyncio.CancelledError:
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _one_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        line = await reader.readline()
        if not line:
            return False
        method, path, _ = line.decode().split(" ", 2)
        headers: dict[str, str] = {}
        while (line := await reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        protocol = protocol_for(path)
        if method != "POST" or protocol is None:
            await _send(writer, 404, {"error": {"message": "no such route"}})
            return True
        asked = protocol.read(path, json.loads(body), headers)
        self.asked.append(asked)
        fault = self.always or (self.faults.popleft() if self.faults else "")
        if self.refuse_schema and asked.schema is not None:
            await _send(writer, 400, {"error": {"message": "response_format is not supported"}})
            return True
        if fault and not await self._misbehave(fault, protocol, asked, writer):
            return False
        if not fault:
            await self._answer(protocol, asked, reader, writer)
        return True

    async def _answer(
        self,
        protocol: Protocol,
        asked: Asked,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        break_after: int | None = None,
    ) -> None:
        text = self.answer(asked)
        pieces = _words(text)
        finish = "stop"
        if len(pieces) > asked.max_tokens:
            pieces, finish = pieces[: asked.max_tokens], "length"
        cached = asked.prompt_tokens // 2 if self.prompt_cache and len(self.asked) > 1 else 0
        if not asked.stream:
            await _send(writer, 200, protocol.whole(asked, "".join(pieces), finish, cached))
            return
        await _start_stream(writer)
        for event in protocol.opening(asked, cached):
            await _chunk(writer, event)
        for number, piece in enumerate(pieces):
            if break_after is not None and number >= break_after:
                writer.transport.abort()
                raise ConnectionResetError
            await _chunk(writer, protocol.piece(asked, piece))
            self.words_sent += 1
            if self.seconds_per_word:
                await asyncio.sleep(self.seconds_per_word)
            if reader.at_eof():
                raise ConnectionResetError
        for event in protocol.closing(asked, len(pieces), finish, cached):
            await _chunk(writer, event)
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _misbehave(
        self, fault: str, protocol: Protocol, asked: Asked, writer: asyncio.StreamWriter
    ) -> bool:
        """Do one thing wrong; False when the connection is spent."""
        if fault in ("500", "503"):
            await _send(writer, int(fault), {"error": {"message": "overloaded"}})
        elif fault == "401":
            await _send(writer, 401, {"error": {"message": "invalid key"}})
        elif fault == "404":
            await _send(writer, 404, {"error": {"message": "model not found"}})
        elif fault == "429":
            await _send(writer, 429, {"error": {"message": "slow down"}})
        elif fault.startswith("429 after "):
            wait = fault.rpartition(" ")[2]
            await _send(writer, 429, {"error": {"message": "slow down"}}, {"retry-after": wait})
        elif fault == "hang":
            await asyncio.sleep(3600)
        elif fault == "refuse connection":
            writer.transport.abort()
            return False
        elif fault == "truncate":
            await _start_stream(writer)
            for event in [*protocol.opening(asked, 0), protocol.piece(asked, "half an ans")]:
                await _chunk(writer, event)
            self.words_sent += 3
            writer.transport.abort()
            return False
        elif fault == "html":
            await _send(writer, 200, HTML, {"content-type": "text/html"})
        elif fault == "half json":
            await _start_stream(writer)
            await _chunk(writer, 'data: {"choices": [{"index": 0, "del\n\n')
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        elif fault == "other schema":
            await _send(writer, 200, {"results": [{"generated": "hello"}], "ok": True})
        elif fault == "endless":
            await self._endless(protocol, asked, writer)
        else:
            raise ValueError(f"unknown fault {fault!r}")
        return True

    async def _endless(
        self, protocol: Protocol, asked: Asked, writer: asyncio.StreamWriter
    ) -> None:
        await _start_stream(writer)
        for event in protocol.opening(asked, 0):
            await _chunk(writer, event)
        while True:
            await _chunk(writer, protocol.piece(asked, "more " * WORDS_PER_ENDLESS_STEP))
            self.words_sent += WORDS_PER_ENDLESS_STEP
            await asyncio.sleep(0.005)


def _words(text: str) -> list[str]:
    return [word if index == 0 else f" {word}" for index, word in enumerate(text.split(" "))]


async def _start_stream(writer: asyncio.StreamWriter) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    await writer.drain()


async def _chunk(writer: asyncio.StreamWriter, event: str) -> None:
    data = event.encode()
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def _send(
    writer: asyncio.StreamWriter, status: int, body: Any, headers: dict[str, str] | None = None
) -> None:
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    extra = {"content-type": "application/json", **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in extra.items())
    writer.write(
        f"HTTP/1.1 {status} X\r\n{lines}content-length: {len(data)}\r\n\r\n".encode() + data
    )
    await writer.drain()
