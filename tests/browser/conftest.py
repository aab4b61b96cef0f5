"""A real server and a real browser: Debian's chromium, driven by Playwright."""

import asyncio
import os
import shutil
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.async_api import Browser, Page, async_playwright

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app
from tests.integration.engine import percent_script

_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Served:
    """The application on a free port, in a thread of its own."""

    address: str
    server: uvicorn.Server
    thread: threading.Thread
    port: int

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


def serve(data_dir: Path, model: ScriptedModel | None = None, port: int = 0, **more: Any) -> Served:
    settings = Settings(data_dir=data_dir, embedder="off", **more)
    app = create_app(settings, models=OneModel(model or ScriptedModel(percent_script())))
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    number = listener.getsockname()[1]
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < deadline and thread.is_alive(), "the server did not start"
        time.sleep(0.02)
    return Served(f"http://127.0.0.1:{number}/", server, thread, number)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    one = serve(tmp_path / "data")
    yield one
    one.stop()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("cannot run here: chromium is missing (apt-get install chromium)")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=path, args=list(_QUIET))
        yield opened
        await opened.close()


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page whose errors, and whose requests to anywhere else, fail the test."""
    opened = await browser.new_page(viewport={"width": 1280, "height": 850})
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))

    def watch(request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            wrong.append(f"asked {request.url}")

    opened.on("request", watch)
    yield opened
    assert wrong == []


async def ask(page: Page, address: str, text: str = "What is 17.5% of 240?") -> None:
    """Open the page and send a request."""
    await page.goto(address)
    await page.fill("textarea[aria-label='Your request']", text)
    await page.keyboard.press("Enter")


async def eventually(check: Any, within_s: float = 20.0) -> None:
    deadline = time.monotonic() + within_s
    while not await check():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.05)
