"""What people decide on the page: which result is right, what may happen, which version counts."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Effect
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from tests.browser.conftest import ask
from tests.integration.eager import eager
from tests.integration.engine import Script, add_tool, solution_of
from tests.integration.lived_in import mended_tool, script
from tests.integration.serving import serve

NUMBER: Any = {"n": {"type": "number", "description": "a number"}}
DOUBLE = "def double(n: float) -> float:\n    return n * 2\n"
SQUARE = "def square(n: int) -> int:\n    return n * n"


async def prepared(
    folder: Path,
    work: Callable[[Hammerstone], Coroutine[Any, Any, None]],
    says: Script | None = None,
) -> None:
    """A library as it is before the browser comes."""
    settings = Settings(data_dir=folder, embedder="off")
    model = OneModel(ScriptedModel(says or Script()))
    async with Hammerstone.open(settings, models=model) as hs:
        await work(hs)


async def writing_tool(hs: Hammerstone) -> None:
    await eager(hs)
    await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"}, Effect.WRITES)


async def test_a_person_says_which_result_is_right(page: Page, tmp_path: Path) -> None:
    tests = "```python\nassert square(2) == 4\nassert square(5) == 25\nassert square(0) == 0\n```"
    script = Script(
        solution=solution_of(SQUARE, "square(3)"),
        code=f"```python\n{SQUARE}\n```",
        tests=tests,
        foretell="9",
    )
    served = serve(tmp_path, ScriptedModel(script))
    try:
        text = "Build a tool square(n). square(3) -> 9 and square(3) -> 10"
        await ask(page, served.address, text)
        asks = page.locator(".asks")
        await expect(asks).to_contain_text("What should square(3) return?", timeout=30_000)
        await page.click(".choices button:has-text('9')")
        await expect(page.locator(".result.big")).to_have_text("9", timeout=60_000)
        await expect(page.locator(".asks")).to_have_count(0)
    finally:
        served.stop()


async def test_what_writes_waits_for_a_yes_and_a_no_is_kept(page: Page, tmp_path: Path) -> None:
    await prepared(tmp_path, writing_tool)
    served = serve(tmp_path, ScriptedModel(Script(arguments='{"n": 4}')))
    try:
        await ask(page, served.address, "double the number 4")
        await expect(page.locator(".asks")).to_contain_text(
            "Allow double (version 1) to run?", timeout=30_000
        )
        await page.click("role=button[name='Do not allow']")
        await expect(page.locator(".answer.failed")).to_be_visible(timeout=30_000)
        await page.fill("textarea", "double the number 4")
        await page.keyboard.press("Enter")
        await expect(page.locator(".asks")).to_be_visible(timeout=30_000)
        await page.click("role=button[name='Allow once']")
        await expect(page.locator(".result.big")).to_have_text("8", timeout=60_000)
    finally:
        served.stop()


async def test_an_earlier_version_is_compared_and_restored(page: Page, tmp_path: Path) -> None:
    async def two_versions(hs: Hammerstone) -> None:
        await add_tool(hs, DOUBLE, "Double a number.", NUMBER, {"type": "number"})
        better = DOUBLE.replace("n * 2", "n + n")
        await add_tool(hs, better, "Double a number.", NUMBER, {"type": "number"})

    await prepared(tmp_path, two_versions)
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/library/double")
        await page.click("role=tab[name='Versions']")
        await page.click("text=Compare")
        await expect(page.locator(".diff .add")).to_contain_text(["+++ version 2", "n + n"])
        await page.click("text=Restore")
        await page.click("role=tab[name='Code']")
        await expect(page.locator("pre")).to_contain_text("n * 2")
        await page.click("role=tab[name='Try it']")
        await page.fill("form input", "21")
        await page.click("form >> text=Run")
        await expect(page.locator(".result.big")).to_have_text("42", timeout=30_000)
    finally:
        served.stop()


async def test_a_lesson_is_undone_and_what_it_changed_is_as_before(
    page: Page, tmp_path: Path
) -> None:
    await prepared(tmp_path, mended_tool, script())
    served = serve(tmp_path)
    call = {"arguments": {"stars": []}}
    try:
        api = page.request
        tool = await (await api.get(f"{served.address}api/tools/mean_rating")).json()
        assert tool["version"] == 2
        works = await api.post(f"{served.address}api/tools/mean_rating/run", data=call)
        assert (await works.json())["result"] == 0
        await page.goto(f"{served.address}#/learning")
        lesson = page.locator("tr:has(td:text-is('repair'))").filter(has=page.locator("text=Undo"))
        await expect(lesson).to_contain_text("mean_rating")
        await expect(lesson).to_contain_text("on trial")
        await lesson.locator("text=Undo").click()
        await page.click("dialog >> text=Undo it")
        await expect(page.locator("[role=status]", has_text="Undone")).to_contain_text(
            "mean_rating"
        )
        await expect(lesson).to_have_count(0)
        tool = await (await api.get(f"{served.address}api/tools/mean_rating")).json()
        assert tool["version"] == 1 and "< 0" in tool["code"]
        broken = await api.post(f"{served.address}api/tools/mean_rating/run", data=call)
        assert (await broken.json())["status"] == "failed"
        left = await (await api.get(f"{served.address}api/ledger")).json()
        assert "repair" not in {entry["kind"] for entry in left}
        assert "build" in {entry["kind"] for entry in left}
        await expect(page.locator("text=on trial")).to_have_count(0)
        await page.check("text=also what was refused or undone")
        undone = page.locator("tr:has(td:text-is('repair'))").filter(has_text="mean_rating")
        await expect(undone).to_contain_text("undone")
        await expect(page.locator("text=on trial")).to_have_count(0)
    finally:
        served.stop()


async def test_a_trace_is_replayed_without_a_model(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path)
    try:
        await ask(page, served.address)
        await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
        await page.click("text=Show how")
        await page.click("text=Open the trace")
        await page.click("text=Replay without a model")
        await expect(page.locator(".replayed")).to_contain_text("nothing to run again")
        await page.click(".span >> nth=0")
        await expect(page.locator(".detail")).to_contain_text("17.5% of 240")
    finally:
        served.stop()


async def test_memory_is_added_edited_and_forgotten(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/memory")
        await page.fill("input[aria-label='Something to remember']", "Always round to two decimals")
        await page.click("text=Remember")
        rules = page.locator("section:has-text('Rules')").first
        await expect(rules).to_contain_text("Always round to two decimals")
        await rules.locator("text=Forget").click()
        await expect(rules).not_to_contain_text("two decimals")
    finally:
        served.stop()


async def test_everything_is_stopped_and_resumed(page: Page, tmp_path: Path) -> None:
    served = serve(tmp_path)
    try:
        await page.goto(f"{served.address}#/settings")
        await page.click("text=Stop everything")
        await expect(page.locator("text=Everything is stopped.")).to_be_visible()
        await ask(page, f"{served.address}#/chat")
        await expect(page.locator(".problem")).to_contain_text("stopped", timeout=30_000)
        await page.goto(f"{served.address}#/settings")
        await page.click("role=button[name='Resume']")
        await expect(page.locator("text=Hammerstone is working.")).to_be_visible()
    finally:
        served.stop()
        await asyncio.sleep(0)
