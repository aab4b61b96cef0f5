"""The doctor asks the endpoint of a model instead of believing the setting."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from hammerstone.app.health.doctor import HealthFinding, examine
from hammerstone.core.settings import Settings
from hammerstone.models.providers.endpoints import shown_address


@asynccontextmanager
async def listening(status: str) -> AsyncGenerator[int]:
    """A port where every request gets this reply; nothing at all where it is empty."""

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\ncontent-length: 2\r\n\r\n{{}}".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(reply, "127.0.0.1", 0)
    port = int(server.sockets[0].getsockname()[1])
    async with server:
        if not status:
            server.close()
        yield port


async def model_finding(folder: Path, port: int) -> HealthFinding:
    settings = Settings(
        data_dir=folder,
        model="compatible:small",
        embedder="off",
        openai_base_url=f"http://ada:hidden@127.0.0.1:{port}/v1",
        openai_api_key=SecretStr("none"),
    )
    return next(one for one in await examine(settings) if one.name == "model compatible:small")


@pytest.mark.parametrize(
    ("status", "ok", "said"),
    [
        ("200 OK", True, "answers, for all roles"),
        ("404 Not Found", True, "answers, for all roles"),  # not all of them list their models
        ("401 Unauthorized", False, "refuses the key"),
        ("503 Unavailable", False, "answers with an error (503)"),
        ("", False, "nothing answers at http://127.0.0.1:"),
    ],
)
async def test_an_endpoint_is_asked(tmp_path: Path, status: str, ok: bool, said: str) -> None:
    async with listening(status) as port:
        found = await model_finding(tmp_path, port)
    assert found.ok is ok and said in found.detail
    assert bool(found.fix) is not ok
    assert "hidden" not in found.detail


def test_an_address_is_shown_without_its_password() -> None:
    assert shown_address("https://ada:secret@host:8000/v1") == "https://host:8000/v1"
    assert shown_address("http://[broken") == "an address that cannot be read"


async def test_a_misspelt_variable_is_told_with_the_name_that_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAMMERSTONE_DATA", "/elsewhere")
    monkeypatch.setenv("HAMMERSTONE_XYZZY", "1")
    monkeypatch.setenv("HAMMERSTONE_USER", "ada")
    found = await examine(Settings(data_dir=tmp_path, embedder="off"))
    told = [one for one in found if one.name == "variable" and "STRICT" not in one.detail]
    assert [one.fix for one in told] == [
        "unset HAMMERSTONE_DATA, and set HAMMERSTONE_DATA_DIR instead",
        "unset HAMMERSTONE_XYZZY",
    ]
    assert not any(one.needed for one in told)
