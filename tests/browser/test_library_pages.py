"""A library that is larger than a page: more on request, and hits that no page has shown yet."""

from pathlib import Path

from playwright.async_api import Page, Route, expect

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from tests.browser.conftest import serve

SMALL = 5


async def test_more_tools_on_request_and_every_hit(page: Page, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, embedder="off", starter_tools=True)
    async with Hammerstone.open(settings) as hs:
        names = [tool.name for tool in await hs.tools.list()]
    assert len(names) > 2 * SMALL

    async def small(route: Route) -> None:
        await route.continue_(url=f"{route.request.url}?limit={SMALL}")

    await page.route("**/api/tools", small)  # the server says how it goes on from there
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/library")
        cards = page.locator(".grid .card h2")
        await expect(cards).to_have_text(names[:SMALL])
        await page.get_by_role("button", name="Show more").click()
        await expect(cards).to_have_text(names[: 2 * SMALL])
        last = names[-1]
        await page.get_by_label("Search tools").fill(last.replace("_", " "))
        await expect(cards.filter(has_text=last)).to_have_count(1)
    finally:
        served.stop()
