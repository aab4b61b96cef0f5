"""The quiet question under an answer: seen once, answered, dismissed."""

from pathlib import Path

from playwright.async_api import Page, expect

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from tests.browser.conftest import ask
from tests.integration.asked_tools import (
    REQUEST,
    add_asked,
    add_double,
    agreeing,
    kept_question,
)
from tests.integration.serving import serve


async def test_a_tool_asks_under_an_answer_and_is_proved(page: Page, tmp_path: Path) -> None:
    settings, model = (
        Settings(data_dir=tmp_path, embedder="off"),
        OneModel(ScriptedModel(agreeing())),
    )
    async with Hammerstone.open(settings, models=model) as hs:
        await add_double(hs)
        await add_asked(hs, kept_question())
        await add_asked(hs, kept_question("round_up_2(3.41)"), "round_up_2", confidence=0.5)
    served = serve(tmp_path, ScriptedModel(agreeing()))
    try:
        await ask(page, served.address, REQUEST)
        await expect(page.locator(".result.big")).to_have_text("8", timeout=60_000)
        card = page.locator(".toolquestion")
        await expect(card).to_contain_text("What should round_up(3.41) give?", timeout=30_000)
        await expect(card.locator(".choices > button")).to_have_text(["4", "3.5"])
        focused = await page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert focused == "Your request"  # what is being typed is no answer
        await page.screenshot(path=tmp_path / "question.png")
        await card.locator("input").fill("four")
        await card.locator("text=Say so").click()
        await expect(card.locator(".problem")).to_contain_text("does not give such a value")
        await page.screenshot(path=tmp_path / "refused.png")
        await card.locator(".choices > button >> nth=0").click()
        await expect(card).to_contain_text("round_up is verified now", timeout=60_000)
        await page.screenshot(path=tmp_path / "told.png")
        await card.locator("[aria-label=Close]").click()
        await expect(card).to_have_count(0)
        await page.fill("textarea", REQUEST)
        await page.keyboard.press("Enter")
        await expect(page.locator(".result.big")).to_have_count(2, timeout=60_000)
        await page.wait_for_timeout(500)
        await expect(card).to_have_count(0)  # one a day
    finally:
        served.stop()
