"""The page People: letting somebody in, the token shown once, revoking, what was changed."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tests.integration.serving import serve


async def enter(page: Page, address: str, token: str) -> None:
    await page.goto(f"{address}#/people")
    await page.fill("input[type=password]", token)
    await page.keyboard.press("Enter")


async def test_an_owner_lets_somebody_in_and_sends_them_away(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    served = serve(tmp_path / "data", token="s3cret")
    try:
        await enter(page, served.address, "s3cret")
        await expect(page.locator("h1")).to_have_text("People")
        await page.get_by_label("Name").fill("ada")
        await page.get_by_label("Role").select_option("guest")
        await page.get_by_role("button", name="Let in").click()
        shown = page.locator("[role=status] code")
        await expect(shown).to_contain_text("hs_")
        token = await shown.inner_text()
        row = page.locator("tr", has_text="ada").first
        await expect(row).to_contain_text("guest")

        other = await browser.new_page()
        await enter(other, served.address, token)
        await expect(other.locator("main")).to_contain_text("Only an owner")
        await expect(other.locator("nav")).not_to_contain_text("People")

        await row.get_by_role("button", name="End the token").click()
        await page.locator("dialog").get_by_role("button", name="End it").click()
        await expect(row).to_contain_text("revoked")
        await expect(page.locator("main")).to_contain_text("let somebody in")
        await other.reload()
        await expect(other.locator("main")).to_contain_text("this token was revoked")
    finally:
        served.stop()
