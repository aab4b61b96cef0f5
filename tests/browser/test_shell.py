"""The frame around the pages: focus, keys, tabs, a finger's reach, and a server that is gone."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from tests.integration.serving import Served, serve

SMALL = """() => [...document.querySelectorAll('a, button, select, input')]
    .filter((one) => one.checkVisibility() && !one.classList.contains('skip'))
    .map((one) => [one.closest('nav') ? 44 : 24, one.getBoundingClientRect(), one])
    .filter(([least, box]) => box.height < least - 3 || box.width < 21)
    .map(([, box, one]) => `${box.width}x${box.height} ${one.outerHTML.slice(0, 120)}`)"""


async def test_focus_follows_from_page_to_page(page: Page, served: Served) -> None:
    await page.goto(f"{served.address}#/library")
    await expect(page.locator("h1")).to_have_text("Library")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("main")).to_be_focused()
    assert page.url.endswith("#/library")
    await page.get_by_role("link", name="Memory").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_have_text("Memory")
    await expect(page.locator("h1")).to_be_focused()
    await page.get_by_role("link", name="Chat", exact=True).focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("textarea")).to_be_focused()  # what takes the focus itself keeps it


async def test_tabs_are_moved_through_with_arrows(page: Page, tmp_path: Path) -> None:
    async with Hammerstone.open(Settings(data_dir=tmp_path, embedder="off")) as hs:
        await hs.library.seed()
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/library/median")
        tabs = page.get_by_role("tab")
        await expect(tabs.first).to_have_attribute("tabindex", "0")
        await tabs.first.focus()
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tab", name="Try it")).to_be_focused()
        await expect(page.get_by_role("tabpanel", name="Try it")).to_contain_text("Run")
        await page.keyboard.press("End")
        await expect(page.get_by_role("tabpanel", name="Versions")).to_be_visible()
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tabpanel", name="What it does")).to_be_visible()
        assert await page.locator("[role=tab][tabindex='0']").count() == 1
    finally:
        served.stop()


async def test_everything_can_be_hit_with_a_finger(browser: Browser, served: Served) -> None:
    page = await browser.new_page(viewport={"width": 400, "height": 800})
    for where in ("library", "graph", "traces", "learning", "memory", "settings", "people"):
        await page.goto(f"{served.address}#/{where}")
        await expect(page.locator("h1")).to_be_visible()
        await page.wait_for_load_state("networkidle")
        assert await page.evaluate(SMALL) == [], where
        names = await page.locator("nav a").all_inner_texts()
        assert all(name.strip() for name in names if name != names[0]), names
    await page.close()


async def test_a_server_that_is_gone_is_said_in_words(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path)
    await page.goto(f"{served.address}#/traces")
    await expect(page.locator("h1")).to_have_text("Traces")
    served.stop()
    bar = page.locator(".lostbar")
    await expect(bar).to_contain_text("Hammerstone does not answer", timeout=20_000)
    await expect(bar).to_contain_text("Trying again in")
    again = serve(tmp_path, port=served.port)
    try:
        await expect(bar).to_have_count(0, timeout=30_000)
    finally:
        again.stop()


async def test_a_policy_is_changed_with_a_switch_and_its_history_is_in_words(
    page: Page, served: Served
) -> None:
    await page.goto(f"{served.address}#/settings")
    await page.get_by_label("Find a policy").fill("known result again")
    switch = page.get_by_role("switch", name="Give a known result again")
    await expect(switch).to_be_checked()
    await switch.focus()
    await page.keyboard.press("Space")
    change = page.get_by_role("button", name="Change", exact=True)
    await expect(change).to_be_disabled()
    await page.get_by_label("Why do you change it?").fill("to measure")
    await change.click()
    await expect(page.locator(".policy .status")).to_have_text("1 changed")
    await page.get_by_role("button", name="Earlier versions").click()
    versions = page.locator(".policy table")
    await expect(versions).to_contain_text("without running the tool: off")
    await expect(versions).to_contain_text("without running the tool: on to off")
    stored = await (await page.request.get(f"{served.address}api/policies")).json()
    assert stored["cache"]["values"]["enabled"] is False
    await page.get_by_label("Find a policy").fill("cache_ttl")
    await expect(page.locator(".policy")).to_contain_text("also called cache_ttl")
