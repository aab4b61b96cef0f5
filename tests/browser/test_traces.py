"""Traces as people read them: grouped, filtered, compared, and harmless whatever is in them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, expect

from hammerstone.core.settings import Settings
from hammerstone.storage import Database, SpanRow, TraceRow
from hammerstone.tracing import genai
from tests.integration.serving import serve

BEGIN = datetime.now(UTC) - timedelta(hours=2)
EVIL = "<img src=x onerror='window.hit=1'> \x1b[31mred\x1b[0m \u202egnp.exe שלום 🦔"


def spans(trace: str, runs: int = 12, result: Any = 42) -> list[SpanRow]:
    def span(id: str, kind: str, name: str, at: float, **more: Any) -> SpanRow:
        given: dict[str, Any] = {"parent_id": "root", "duration_s": 0.1, **more}
        begin = BEGIN + timedelta(seconds=at)
        return SpanRow(id=id, trace_id=trace, name=name, kind=kind, started_at=begin, **given)

    said = [
        {"role": "system", "content": "Be brief.\nUse words."},
        {"role": "user", "content": EVIL},
    ]
    about = {
        genai.REQUEST_MODEL: "small", genai.PURPOSE: "arguments", genai.INPUT_TOKENS: 1200,
        genai.OUTPUT_TOKENS: 34, genai.PRICE_USD: 0.0123, genai.CALLS: 1,
    }  # fmt: skip
    reply = [{"role": "assistant", "content": "first line\nsecond line", "finish_reason": "stop"}]
    found = [
        span("root", "run", "ask", 0, parent_id=None, duration_s=3.0, input=EVIL, output=result),
        span("model", "model", "chat small", 0.1, input=said, output=reply, attributes=about),
        span("tool", "tool", "execute_tool mean", 0.5, output=result, input={"numbers": [1, 2]},
             attributes={genai.TOOL_NAME: "mean"}),
    ]  # fmt: skip
    ran = {"sandbox.function": "mean"}
    for number in range(runs):
        at = 1 + number * 0.1
        found.append(span(f"s{number:05}", "sandbox", "sandbox call mean", at, attributes=ran))
    return found


async def kept(folder: Path, traces: Sequence[tuple[str, str, str, list[SpanRow]]]) -> None:
    """Traces of somebody in the store: an id, whose, what was asked, the steps."""
    db = await Database.open(Settings(data_dir=folder))
    for at, (id, user, asked, steps) in enumerate(traces):
        row = TraceRow(
            id=id, user=user, status="success" if at else "error", session_id=f"session {at}",
            started_at=BEGIN + timedelta(seconds=at), ended_at=BEGIN + timedelta(seconds=at + 3),
            final_output={"result": 42, "text": EVIL}, metadata={"request": asked, "name": "ask"},
        )  # fmt: skip
        await db.traces.save(row, steps)
    await db.close()


A, B, MANY, HERS = "a" * 32, "b" * 32, "c" * 32, "d" * 32


async def test_traces_are_found_grouped_and_compared_with_the_keyboard(
    page: Page, tmp_path: Path
) -> None:
    second = (B, "local", "What is 6 x 7?", spans(B, 3, 43))
    await kept(tmp_path, [(A, "local", EVIL, spans(A)), second, (HERS, "ada", "hers", spans(HERS))])
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/traces")
        rows = page.locator("tbody tr")
        await expect(rows).to_have_count(2)
        await page.get_by_label("Find in what was asked").fill("6 X 7")
        await expect(rows).to_have_count(1)
        await page.get_by_label("Find in what was asked").fill("")
        await page.get_by_label("Ended").select_option("error")
        await expect(rows).to_have_count(1)
        await page.evaluate("window.hit = 0")
        await page.get_by_role("link", name="red").click()
        await expect(page.locator("h1")).to_be_focused()
        tree = page.get_by_role("treeitem")
        await expect(tree).to_have_count(4)
        await expect(tree.nth(1)).to_contain_text("reading the arguments")
        await expect(tree.nth(1)).to_contain_text("1,234 tokens, $0.01")
        await expect(tree.nth(3)).to_contain_text("running mean, 12 calls")
        await tree.nth(0).focus()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        detail = page.get_by_role("complementary", name="The chosen step")
        await expect(detail.get_by_role("region", name="Reply")).to_have_text(
            "first line\nsecond line"
        )
        await expect(detail.get_by_role("region", name="Asked")).to_contain_text("␛[31mred")
        await page.keyboard.press("End")
        await page.keyboard.press("ArrowRight")
        await expect(tree).to_have_count(16)
        await page.get_by_label("Find in this trace").fill("SECOND LINE")
        await expect(page.locator("[role=status]", has_text="hold")).to_contain_text("1 step of 15")
        await expect(tree).to_have_count(2)
        await page.get_by_label("Find in this trace").fill("")
        await expect(tree).to_have_count(16)
        await page.get_by_label("Compare with").select_option(B)
        await page.get_by_role("button", name="Compare", exact=True).click()
        await expect(page.locator("h1")).to_have_text("Two traces compared")
        await expect(page.locator("main")).to_contain_text("came to another result")
        await expect(page.locator("tr.differs")).to_have_count(1)
        assert await page.evaluate("window.hit") == 0
    finally:
        served.stop()


async def test_ten_thousand_steps_and_a_result_of_a_megabyte_are_shown(
    page: Page, tmp_path: Path
) -> None:
    long = "word " * 200_000
    await kept(tmp_path, [(MANY, "local", "many", spans(MANY, 10_000, long))])
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/traces/{MANY}")
        group = page.get_by_role("treeitem").last
        await expect(group).to_contain_text("10,000 calls", timeout=20_000)
        await page.get_by_role("button", name="Open all").click()
        await expect(page.get_by_role("button", name="Show 204 more")).to_be_visible()
        await page.get_by_role("treeitem").nth(2).click()
        await page.get_by_role("button", name="Show all 1,000,000 characters").click()
        result = page.get_by_role("complementary").get_by_role("region", name="Result")
        assert len(await result.text_content() or "") == len(long)
    finally:
        served.stop()


async def test_nothing_asked_yet_and_a_link_of_somebody_else(
    browser: Browser, page: Page, tmp_path: Path
) -> None:
    await kept(tmp_path, [(HERS, "ada", "hers", spans(HERS))])
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/traces")
        await expect(page.locator(".empty")).to_contain_text("Nothing was asked yet")
        for id in (HERS, "e" * 32):
            await page.goto(f"{served.address}#/traces/{id}")
            problem = page.get_by_role("alert")
            await expect(problem).to_contain_text("not yours, or it is not there any more")
            await expect(page.locator("main")).not_to_contain_text("hers")
    finally:
        served.stop()
