"""Triggers on the page: added, paused, and what they did with its plot."""

import re

from playwright.async_api import Page, expect

from tests.integration.serving import Served


async def test_a_trigger_is_added_run_and_paused(served: Served, page: Page) -> None:
    await page.goto(f"{served.address}#/triggers")
    await page.get_by_role("button", name="Add a trigger").click()
    await page.get_by_label("Name").fill("daily")
    await page.get_by_label("What is asked").fill("What is 17.5% of 240?")
    await page.get_by_label("When, as cron text").fill("every day")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_text("is no time of a schedule")).to_be_visible()
    await page.get_by_label("When, as cron text").fill("0 8 * * 1")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_role("status").filter(has_text="is added")).to_be_visible()
    await page.get_by_role("link", name="daily").first.click()
    await page.get_by_role("button", name="Run once now").click()
    await expect(page.get_by_text("One value so far: 42")).to_be_visible()
    await page.get_by_role("button", name="Run once now").click()
    await expect(page.locator(".plot canvas")).to_be_visible()
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Resume")).to_be_visible()
    await page.get_by_role("link", name="trace", exact=True).first.click()
    await expect(page).to_have_url(re.compile("#/traces/"))
