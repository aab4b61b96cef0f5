"""A real server and a real browser: Debian's chromium, driven by Playwright."""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.integration.serving import Served, serve

expect.set_options(timeout=20_000)  # a busy machine is slow; a condition that holds costs nothing

_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    one = serve(tmp_path / "data")
    yield one
    one.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One event loop for all of these tests, because the browser that they share lives in it."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """The browser of a process, started once: it costs more than most tests do with it."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("cannot run here: chromium is missing (apt-get install chromium)")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=path, args=list(_QUIET))
        yield opened
        await opened.close()


@pytest_asyncio.fixture(loop_scope="session")
async def browser(chromium: Browser) -> AsyncIterator[Browser]:
    """The browser without what a test before left open in it."""
    yield chromium
    for context in [*chromium.contexts]:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
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
