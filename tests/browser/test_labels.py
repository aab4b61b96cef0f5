"""The page Learning asks whether the tool was right, and shows tuning and jobs."""

from pathlib import Path

from playwright.async_api import Page, expect

from tests.integration.serving import serve


async def test_a_decision_is_labelled_and_leaves_the_list(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path)
    try:
        asked = {"text": "What is 17.5% of 240?", "wait": True}
        await page.request.post(f"{served.address}api/ask", data=asked)
        await page.goto(f"{served.address}#/learning")
        await expect(page.locator("h2", has_text="Was it the right tool?")).to_be_visible()
        rows = await (await page.request.get(f"{served.address}api/labels")).json()
        for row in rows:
            await page.get_by_label(f"{row['chosen']} was right for").first.click()
            await expect(page.locator("[role=status]", has_text="Noted")).to_be_visible()
        await expect(page.locator("p", has_text="No decision is open")).to_be_visible()
        for job in ("upkeep", "mining", "promotion", "repair", "tuning"):
            await expect(page.locator("td", has_text=job).first).to_be_visible()
        await page.click("text=What would help?")
        told = page.locator("[role=status]", has_text="What tuning would do now")
        await expect(told).to_contain_text("are needed", timeout=30_000)
    finally:
        served.stop()
