"""The chat page: what a card says, what survives a reload, and two windows that agree."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from hammerstone.core.errors import ModelUnavailable
from hammerstone.models.fakes import ScriptedModel
from tests.browser.conftest import ask, eventually
from tests.browser.test_decisions import prepared, writing_tool
from tests.integration.engine import Script, percent_script
from tests.integration.held import HeldModel
from tests.integration.serving import Served, serve

REQUEST = "textarea[aria-label='Your request']"
TAKE = """async (messages) => {
    const { live } = await import('/web/live.js');
    for (const message of messages) live.take(message);
}"""
BILL = """```python
def split_bill(total: float, people: int, tip_percent: float = 15) -> float:
    \"\"\"What each person pays.\"\"\"
    return total * (1 + tip_percent / 100) / people

answer = split_bill(80, 4)
```"""


def answered(run: str, asked: str, **answer: Any) -> list[dict[str, Any]]:
    """What the server would say of a request that was answered like this."""
    started = {"type": "run_started", "run_id": run, "session_id": "s", "text": asked}
    whole = {"text": "", "result": None, "status": "done", "run_id": run, **answer}
    return [started, {"type": "query_complete", "run_id": run, "answer": whole}]


@pytest_asyncio.fixture(loop_scope="session")
async def other(browser: Browser, page: Page) -> AsyncIterator[Page]:
    """A second window of the same person."""
    opened = await browser.new_page()
    yield opened
    await opened.close()


async def test_the_call_shows_what_nobody_said(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path, ScriptedModel(percent_script(solution=BILL)))
    try:
        await ask(page, served.address, "Split 80 euros with tip between 4 people")
        await expect(page.locator(".result.big")).to_have_text("23", timeout=60_000)
        call = page.locator(".call code")
        await expect(call).to_have_text("split_bill(total=80, people=4, tip_percent=15)")
        await expect(call.locator("mark")).to_have_text("tip_percent=15")
        await expect(page.locator(".assumed")).to_contain_text("not in your request")
        await expect(page.locator(".timeline")).not_to_have_attribute("open", "")
    finally:
        served.stop()


async def test_a_judgement_survives_a_reload_and_reaches_the_other_window(
    page: Page, other: Page, tmp_path: Path
) -> None:
    served = serve(tmp_path, ScriptedModel(percent_script(fix="no idea")))
    try:
        await ask(page, served.address)
        right = page.get_by_role("button", name="Right")
        await expect(right).to_be_visible(timeout=60_000)
        await other.goto(page.url)
        await expect(other.get_by_role("button", name="Right")).to_be_visible(timeout=30_000)
        await right.click()
        await expect(page.locator(".said")).to_contain_text("42 is right", timeout=60_000)
        await expect(other.locator(".said")).to_contain_text("You said: right.")
        await page.reload()
        await expect(page.locator(".said")).to_contain_text("You said: right.")
        await page.fill(REQUEST, "What is 17.5% of 240?")
        await page.keyboard.press("Enter")
        await expect(other.locator(".exchange")).to_have_count(2, timeout=30_000)
        await other.click("text=Rename")
        await other.fill("dialog input", "Percentages")
        await other.click("dialog >> role=button[name='Rename']")
        await expect(page.locator("h1")).to_have_text("Percentages")
        await expect(page.locator("button:has-text('Delete')")).to_be_enabled()
        await page.click("role=button[name='Delete']")
        await page.click("dialog >> role=button[name='Delete']")
        await expect(other.locator(".problem")).to_contain_text("This session was deleted")
    finally:
        served.stop()


async def test_what_failed_stays_and_is_tried_again(page: Page, tmp_path: Path) -> None:
    away = Script(solution=ModelUnavailable("the model is away", hint="start it"))
    served = serve(tmp_path, ScriptedModel(away))
    try:
        await ask(page, served.address)
        failed = page.locator(".answer.failed")
        await expect(failed).to_contain_text("the model is away", timeout=60_000)
        await page.reload()
        await expect(failed).to_contain_text("the model is away")
        await expect(page.locator(".asked")).to_have_text("What is 17.5% of 240?")
        await failed.get_by_role("button", name="Try again").click()
        await expect(failed).to_have_count(2, timeout=60_000)
    finally:
        served.stop()


async def test_leave_that_nobody_gave_in_time_has_buttons_after_a_reload(
    page: Page, tmp_path: Path
) -> None:
    await prepared(tmp_path, writing_tool)
    served = serve(tmp_path, ScriptedModel(Script(arguments='{"n": 4}')))
    try:
        # The way of a script, which nobody can be asked on: the question is stored.
        body = {"text": "double the number 4", "session": "later"}
        await page.request.post(f"{served.address}api/ask", data=body)
        await page.goto(f"{served.address}#/chat/later")
        asks = page.locator(".asks")
        await expect(asks).to_contain_text("Allow double (version 1) to run?", timeout=30_000)
        await expect(asks).to_contain_text("This cannot be undone.")
        await asks.get_by_role("button", name="Allow once and ask again").click()
        await expect(page.locator(".result.big")).to_have_text("8", timeout=30_000)
        await expect(asks).to_have_count(0)
    finally:
        served.stop()


async def test_prose_is_written_into_the_card_and_nothing_in_it_acts(
    page: Page, served: Served
) -> None:
    await page.goto(served.address)
    await expect(page.locator(".composer")).to_be_visible()
    await page.evaluate("window.hit = 0")
    started, done = answered("r1", "explain", text="**bold**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    pieces = [
        {"type": "agent_event", "run_id": "r1", "event": {"kind": kind, "text": text, "data": data}}
        for kind, text, data in [
            ("synthesizing_response", "answering without a tool", {}),
            ("synthesizing_response", "**bo", {"piece": True}),
            ("synthesizing_response", "ld** <img src=x onerror='window.hit=1'>", {"piece": True}),
        ]
    ]
    await page.evaluate(TAKE, [started, *pieces])
    await expect(page.locator(".sofar strong")).to_have_text("bold")
    await expect(page.locator(".step")).to_have_count(1)
    await expect(page.locator(".doing .clock")).to_contain_text(" s")
    await page.evaluate(TAKE, [done])
    await expect(page.locator(".prose td").first).to_have_text("1")
    await expect(page.locator(".unseen[role=status]").first).to_contain_text("Answer:")
    assert await page.evaluate("window.hit") == 0
    assert await page.locator(".prose img").count() == 0


async def test_large_and_odd_results_are_shown_as_text(page: Page, served: Served) -> None:
    await page.goto(served.address)
    await expect(page.locator(".composer")).to_be_visible()
    rows = [{"number": n, "name": f"row {n}"} for n in range(10_000)]
    await page.evaluate(TAKE, answered("r1", "rows", text="rows", result=rows))
    await expect(page.locator("tbody tr")).to_have_count(50)
    await page.click("text=Next")
    await expect(page.locator(".pager")).to_contain_text("Rows 51 to 100 of 10,000")
    await page.click("th >> text=number")
    await page.click("th >> text=number")
    await expect(page.locator("tbody td").first).to_have_text("9999")
    odd = "\x1b[31mred\x1b[0m \u202e<b>hi</b> \U0001f600 سلام"
    await page.evaluate(TAKE, answered("r2", "odd", text=odd, result=odd))
    await expect(page.locator(".result.big")).to_have_text(
        "␛[31mred␛[0m \\u202e<b>hi</b> \U0001f600 سلام"
    )
    await page.evaluate(TAKE, answered("r3", "long", text="x", result="word " * 200_000))
    long = page.locator("pre.result").last
    assert len(await long.inner_text()) < 21_000
    await page.click("text=Show all")
    await eventually(lambda: long.evaluate("one => one.textContent.length === 1_000_000"))


async def test_a_draft_is_kept_and_earlier_requests_come_back(page: Page, served: Served) -> None:
    await ask(page, served.address)
    await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    await page.fill(REQUEST, "half a thought")
    await page.goto(f"{served.address}#/library")
    await page.go_back()
    await expect(page.locator(REQUEST)).to_have_value("half a thought")
    await page.reload()
    await expect(page.locator(REQUEST)).to_have_value("half a thought")
    await page.fill(REQUEST, "")
    await page.focus(REQUEST)
    await page.keyboard.press("ArrowUp")
    await expect(page.locator(REQUEST)).to_have_value("What is 17.5% of 240?")
    await page.keyboard.press("ArrowDown")
    await expect(page.locator(REQUEST)).to_have_value("")
    await page.hover(".sent")
    await page.click("text=Edit")
    await page.fill("textarea[aria-label='Change the request']", "What is 17.5% of 480?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".asked").last).to_have_text("What is 17.5% of 480?")


async def test_files_show_in_the_message_also_later(
    page: Page, served: Served, tmp_path: Path
) -> None:
    given = tmp_path / "numbers.csv"
    given.write_text("a\n1\n")
    await page.goto(served.address)
    await page.focus("text=Add files")  # a button: the keyboard reaches it
    async with page.expect_file_chooser() as chooser:
        # Chromium is told to hand it over without an answer: a frame later it does.
        await page.evaluate("() => new Promise(requestAnimationFrame)")
        await page.keyboard.press("Enter")
    await (await chooser.value).set_files(given)
    await expect(page.locator(".composer .file")).to_contain_text("numbers.csv")
    await page.fill(REQUEST, "What is 17.5% of 240?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".file.given")).to_have_text("numbers.csv", timeout=30_000)
    await expect(page.get_by_role("button", name="Right")).to_be_visible(timeout=60_000)
    await page.reload()
    await expect(page.locator(".file.given")).to_have_text("numbers.csv")


async def test_the_end_is_in_view_also_where_what_draws_turns_comes_late(
    page: Page, served: Served
) -> None:
    async def late(route: Route) -> None:
        await asyncio.sleep(2)
        await route.continue_()

    await page.route("**/parts/turn.js", late)
    await page.goto(served.address)
    await expect(page.locator(".composer")).to_be_visible()
    told = [answered(f"r{n}", f"request {n}", text="x", result="line\n" * 30) for n in range(3)]
    await page.evaluate(TAKE, [message for one in told for message in one])
    await expect(page.locator(".actions").last).to_be_in_viewport()


async def test_who_reads_further_up_is_left_there(page: Page, served: Served) -> None:
    await page.goto(served.address)
    await expect(page.locator(".composer")).to_be_visible()
    told = [answered(f"r{n}", f"request {n}", text="x", result="line\n" * 30) for n in range(3)]
    await page.evaluate(TAKE, [message for one in told for message in one])
    exchanges = page.locator(".exchanges")
    await eventually(lambda: exchanges.evaluate("one => one.scrollTop > 100"))
    await exchanges.evaluate("one => one.scrollTo({ top: 0 })")
    await eventually(lambda: exchanges.evaluate("one => one.scrollTop === 0"))
    await page.evaluate(TAKE, answered("r9", "one more", text="x", result="line\n" * 30))
    await expect(page.locator(".below")).to_be_visible()
    assert await exchanges.evaluate("one => one.scrollTop") == 0
    await page.click(".below")
    await expect(page.locator(".actions").last).to_be_in_viewport()
    await expect(page.locator(".below")).to_have_count(0)


async def test_the_way_to_the_chat_begins_a_new_session(page: Page, served: Served) -> None:
    await ask(page, served.address)
    await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    await page.click("nav >> text=Chat")
    await expect(page.locator("h1")).to_have_text("Ask for something")
    await expect(page.locator(".exchange")).to_have_count(0)
    assert page.url.endswith("#/chat")
    await page.go_back()
    await expect(page.locator(".result.big")).to_have_text("42")


async def test_a_request_cut_off_by_a_restart_goes_on(page: Page, tmp_path: Path) -> None:
    held = HeldModel(percent_script())
    served = serve(tmp_path, held)
    await ask(page, served.address)
    await expect(page.locator(".doing")).to_contain_text("no tool fits", ignore_case=True)
    served.stop()
    held.released.set()
    await expect(page.locator(".problem.lost")).to_contain_text("Trying again")
    again = serve(tmp_path, port=served.port)
    try:
        await expect(page.locator(".problem.lost")).to_have_count(0, timeout=30_000)
        await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
        await expect(page.locator(".exchange")).to_have_count(1)
    finally:
        again.stop()


async def test_sessions_are_found_by_what_was_said(page: Page, served: Served) -> None:
    await ask(page, served.address)
    await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    await expect(page.locator("aside.sessions li")).to_have_count(1, timeout=30_000)
    await page.fill("input[aria-label='Search sessions']", "nothing like it")
    await expect(page.locator("aside.sessions")).to_contain_text("Try fewer words")
    await page.fill("input[aria-label='Search sessions']", "17.5%")
    await expect(page.locator("aside.sessions li")).to_have_count(1)
    await page.goto(f"{served.address}#/chat/somebody-elses")
    await expect(page.locator(".problem")).to_contain_text("You have no session at this address")
    await page.select_option("label:has-text('Colours') select", "dark")
    dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.reload()
    await expect(page.locator(".composer")).to_be_visible()
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    assert dark == "rgb(25, 23, 20)"
