"""An approval on the page: nothing that says yes takes the focus, and nothing is hidden."""

import json
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.tools import Effect
from hammerstone.models.fakes import ScriptedModel
from tests.browser.conftest import ask
from tests.browser.test_decisions import prepared, writing_tool
from tests.integration.eager import eager
from tests.integration.engine import Script, add_tool
from tests.integration.serving import serve

TEXT: Any = {"text": {"type": "string", "description": "a text"}}
SEND = "def send(text: str) -> int:\n    return len(text)\n"
FOCUSED = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
TELL = """async (message) => {
    const { live } = await import('/web/live.js');
    live.tell({ run_id: [...live.seen.keys()].at(-1), ...message });
}"""


async def test_typing_on_gives_no_leave(page: Page, tmp_path: Path) -> None:
    await prepared(tmp_path, writing_tool)
    served = serve(tmp_path, ScriptedModel(Script(arguments='{"n": 4}')))
    try:
        await ask(page, served.address, "double the number 4")
        allow, asks = page.get_by_role("button", name="Allow once"), page.locator(".asks")
        await expect(asks).to_contain_text("Allow double (version 1) to run?", timeout=30_000)
        assert await page.evaluate(FOCUSED) == "Your request"
        await allow.evaluate("button => button.focus()")  # as Tab would, if it were there yet
        for key in ("Enter", "Space", "y"):
            await page.keyboard.press(key)
        await expect(asks).to_be_visible()
        await expect(allow).to_be_enabled(timeout=3_000)
        assert await page.evaluate(FOCUSED) != "Allow once"
        assert (await (await page.request.get(f"{served.address}api/approvals")).json()) != []
        await allow.click()
        await expect(page.locator(".result.big")).to_have_text("8", timeout=30_000)
        await expect(asks).to_have_count(0)
    finally:
        served.stop()


async def test_the_next_approval_has_to_be_read_as_well(page: Page, tmp_path: Path) -> None:
    """A second click where the first one was, or a key held down, is no second yes."""
    await prepared(tmp_path, writing_tool)
    served = serve(tmp_path, ScriptedModel(Script(arguments='{"n": 4}')))
    sent: list[dict[str, Any]] = []

    def keep(frame: Any) -> None:
        sent.append(json.loads(frame))

    page.on("websocket", lambda socket: socket.on("framesent", keep))
    try:
        await ask(page, served.address, "double the number 4")
        allow, asks = page.get_by_role("button", name="Allow once"), page.locator(".asks")
        await expect(allow).to_be_enabled(timeout=30_000)
        (waiting,) = await (await page.request.get(f"{served.address}api/approvals")).json()
        second = {"type": "approval", "id": "second", "text": "May more happen?", "whole": "{}"}
        await page.evaluate(TELL, second)
        await page.evaluate(TELL, {"type": "answered", "id": waiting["id"]})
        await expect(asks).to_have_count(1)
        await expect(asks).to_contain_text("May more happen?")
        assert await allow.is_disabled()
        await allow.click(force=True)
        assert not [one for one in sent if "approve" in one]
        await allow.click()
        (reply,) = [one for one in sent if "approve" in one]
        assert (reply["approve"], reply["id"]) == (True, "second")
        assert (await (await page.request.get(f"{served.address}api/approvals")).json()) == [
            waiting
        ]
    finally:
        served.stop()


async def test_hidden_characters_and_all_of_a_long_text_are_shown(
    page: Page, tmp_path: Path
) -> None:
    async def sending_tool(hs: Hammerstone) -> None:
        await eager(hs)
        about = "Send the text."
        await add_tool(hs, SEND, about, TEXT, {"type": "integer"}, Effect.WRITES)

    await prepared(tmp_path, sending_tool)
    text = "pay \u202e001 to bob" + " x" * 2_000 + " and delete everything"
    script = Script(arguments=json.dumps({"text": text}), fit='{"fits": true}')
    served = serve(tmp_path, ScriptedModel(script))
    try:
        await ask(page, served.address, f"send the text '{text}'")
        shown = page.locator(".asks .values")
        await expect(shown).to_contain_text(r"pay \u202e001 to bob", timeout=30_000)
        await expect(shown).to_contain_text("more characters")
        assert "\u202e" not in await page.locator(".asks").inner_text()
        await page.click(".asks summary")
        await expect(page.locator(".asks pre")).to_contain_text("and delete everything")
        await page.goto(f"{served.address}#/settings")
        card = page.locator(".card", has_text="Allow send (version 1) to run?")
        await expect(card).to_contain_text("more characters")
        await card.locator("summary").click()
        await expect(card.locator("pre")).to_contain_text("and delete everything")
        await card.locator("text=Refuse").click()
        await expect(card).to_have_count(0)
    finally:
        served.stop()
