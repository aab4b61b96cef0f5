"""Two buttons and a field below an answer: what is right instead, and what came of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from hammerstone.models.fakes import ScriptedModel
from tests.browser.conftest import ask
from tests.integration.engine import percent_script
from tests.integration.serving import Served, serve


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server whose model knows no fix for anything."""
    one = serve(tmp_path / "data", ScriptedModel(percent_script(fix="no idea")))
    yield one
    one.stop()


async def test_wrong_takes_what_is_right_and_says_what_came_of_it(
    page: Page, served: Served
) -> None:
    await ask(page, served.address)
    answer = page.locator(".answer").last
    await expect(answer).to_contain_text("42", timeout=60_000)
    await answer.get_by_role("button", name="wrong").click()
    field = answer.get_by_label("What should it have been?")
    await expect(field).to_be_focused()
    await field.fill("1,042")
    await answer.get_by_role("button", name="Send").click()
    said = answer.locator(".said")
    await expect(said).to_contain_text("1042 is right, not 42", timeout=60_000)
    await page.fill("textarea[aria-label='Your request']", "What is 17.5% of 240?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".answer").last).to_contain_text("1042", timeout=60_000)
    await expect(page.locator(".answer").last).to_contain_text("you said so")


async def test_plain_words_in_the_box_are_feedback(page: Page, served: Served) -> None:
    await ask(page, served.address)
    await expect(page.locator(".answer .feedback")).to_be_visible(timeout=60_000)
    await page.fill("textarea[aria-label='Your request']", "That's right")
    await page.keyboard.press("Enter")
    await expect(page.locator(".answer").last).to_contain_text("42 is right", timeout=60_000)
