"""The page Learning shows how far the confidence of the own tools holds."""

from pathlib import Path

from playwright.async_api import Page, expect

from hammerstone.core.settings import Settings
from tests.integration.cli.test_calibration_command import lived_in
from tests.integration.serving import serve


async def test_the_confidence_is_shown_beside_what_came_out(page: Page, tmp_path: Path) -> None:
    await lived_in(Settings(data_dir=tmp_path))  # type: ignore[call-arg]
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/learning")
        await expect(page.locator("h2", has_text="Is the confidence right?")).to_be_visible()
        told = "Of 10 examined tools 8 turned out right and 2 wrong"
        await expect(page.locator("p", has_text=told)).to_be_visible()
        row = page.locator("tr", has_text="90% to 100%")
        await expect(row.locator("meter")).to_have_count(1)
        await expect(row).to_contain_text("74%")
        await expect(page.locator("p", has_text="own-model")).to_contain_text("lowered at first")
    finally:
        served.stop()
