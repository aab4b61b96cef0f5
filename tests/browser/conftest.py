"""A real server and a real browser: Debian's chromium, driven by Playwright."""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright

from tests.integration.serving import Served, serve

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
