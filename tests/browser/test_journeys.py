"""What people do with the page, from the first answer to a lost connection."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import ask
from tests.integration.engine import percent_script
from tests.integration.held import HeldModel
from tests.integration.serving import Served, serve


async def test_a_newcomer_gets_an_answer_and_sees_how(page: Page, served: Served) -> None:
    await ask(page, served.address)
    await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    await expect(page.locator(".timeline summary")).to_contain_text("Search › Solve › Solutions")
    await page.click("text=Show how")
    await expect(page.locator(".why")).to_contain_text("written for the request")
    proved = page.locator("a:has-text('percentage_of v1')").first
    await expect(proved).to_be_visible(timeout=60_000)  # from here on nothing changes by itself
    for count in (2, 3):
        await page.fill("textarea", "What is 17.5% of 240?")
        await page.keyboard.press("Enter")
        await expect(page.locator(".result.big")).to_have_count(count, timeout=30_000)
    await expect(page.locator(".sureness").last).to_contain_text("answered before")
    await page.click("a:has-text('percentage_of v1') >> nth=0")
    await expect(page.locator("h1")).to_have_text("percentage_of")


async def test_a_reload_in_the_middle_of_a_run_takes_it_up(page: Page, tmp_path: Path) -> None:
    held = HeldModel(percent_script())
    served = serve(tmp_path / "data", held)
    try:
        await ask(page, served.address)
        await expect(page.locator(".timeline")).to_contain_text("No tool fits")
        await page.reload()
        await expect(page.locator(".asked")).to_have_text("What is 17.5% of 240?")
        await expect(page.locator(".timeline")).to_contain_text("No tool fits")
        held.released.set()
        await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
        await page.reload()
        await expect(page.locator(".result.big")).to_have_text("42")
        assert await page.locator(".exchange").count() == 1
    finally:
        held.released.set()
        served.stop()


async def test_a_second_tab_sees_the_run_of_the_first(browser: Browser, tmp_path: Path) -> None:
    held = HeldModel(percent_script())
    served = serve(tmp_path / "data", held)
    try:
        context = await browser.new_context()
        first, second = await context.new_page(), await context.new_page()
        await ask(first, served.address)
        await expect(first.locator(".timeline")).to_contain_text("No tool fits")
        await second.goto(first.url)
        await expect(second.locator(".timeline")).to_contain_text("No tool fits")
        held.released.set()
        for page in (first, second):
            await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    finally:
        held.released.set()
        served.stop()


async def test_a_lost_connection_is_told_and_taken_up_again(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path / "data")
    await ask(page, served.address)
    await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    # The value is shown before the run has ended, and a run that is broken off ends differently.
    await expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=60_000)
    served.stop()
    await expect(page.locator(".line")).to_contain_text("connection lost", timeout=20_000)
    again = serve(tmp_path / "data", port=served.port)
    try:
        await expect(page.locator(".line")).to_contain_text("connected", timeout=30_000)
        await page.fill("textarea", "What is 17.5% of 240?")
        await page.keyboard.press("Enter")
        # From memory or, where a proof has ended meanwhile, anew: there is a second answer.
        await expect(page.locator(".result.big")).to_have_text(["42", "42"], timeout=60_000)
    finally:
        again.stop()


async def test_what_looks_like_a_page_is_shown_and_never_run(page: Page, served: Served) -> None:
    await page.goto(served.address)
    await page.evaluate("window.hit = 0")
    evil = "<img src=x onerror='window.hit=1'><script>window.hit=1</script> What is 17.5% of 240?"
    await page.fill("textarea", evil)
    await page.keyboard.press("Enter")
    await expect(page.locator(".asked")).to_have_text(evil)
    await expect(page.locator(".answer")).to_be_visible(timeout=60_000)
    assert await page.evaluate("window.hit") == 0
    assert await page.locator(".asked img").count() == 0


async def test_a_token_opens_the_page(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path / "data", token="s3cret")
    try:
        await page.goto(served.address)
        await page.fill("input[type=password]", "s3cret")
        await page.keyboard.press("Enter")
        await expect(page.locator(".composer")).to_be_visible(timeout=60_000)
        await ask(page, served.address)
        await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    finally:
        served.stop()


async def test_pages_are_reached_by_keys(page: Page, served: Served) -> None:
    await page.goto(served.address)
    await expect(page.locator(".composer")).to_be_visible()
    await page.keyboard.type("gl")  # in a field these are letters
    await expect(page.locator("textarea")).to_have_value("gl")
    await page.keyboard.press("Escape")
    for letter, title in (("l", "Library"), ("t", "Traces"), ("m", "Memory")):
        await page.keyboard.type(f"g{letter}")
        await expect(page.locator("h1")).to_have_text(title)
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_contain_text("go to Traces")
    await page.keyboard.type("gl")
    await expect(page.locator("h1")).to_have_text("Memory")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
