"""The nine main ways through the web app with the keyboard alone, counted in keys.

    python -m evals.keyboard [--set instant|quick|full] [--json]

A real server over a library that has been used for a while, a scripted model, Debian's chromium.
Nothing is clicked: each way is walked with Tab, arrows, Enter and the shortcuts, as somebody
would who knows them. A way that cannot be walked is a failed case. `typed` are the letters of
what had to be written anyway; `steps` are the keys beside these.
"""

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, async_playwright, expect

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.evaluations import Better, CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import case
from tests.browser.test_decisions import prepared, writing_tool
from tests.integration.engine import Script, percent_script
from tests.integration.lived_in import furnish, script
from tests.integration.serving import ScriptedModel, Served, serve

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
          "--disable-component-update", "--disable-sync"]  # fmt: skip
_FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]"
_FARTHEST = 150
_WAIT_MS = 60_000

# How far the wanted element is from the focus, in stops of the Tab key, before or behind it.
_WAY = """(wanted, focusable) => {
  const stops = [...document.querySelectorAll(focusable)].filter((one) =>
    one.tabIndex >= 0 && !one.disabled && one.checkVisibility());
  const here = stops.indexOf(document.activeElement);
  const there = stops.indexOf(wanted);
  return here < 0 ? 1 : there - here;
}"""


class Hands:
    """Two hands on a keyboard: every key is counted, and nothing else touches the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0
        self.typed = 0

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)
            self.steps += 1

    async def type(self, text: str) -> None:
        await self.page.keyboard.type(text)
        self.typed += len(text)

    async def go_to(self, wanted: Locator) -> None:
        """Tab until the element has the focus, in the direction in which it is nearer."""
        await expect(wanted.first).to_be_visible(timeout=_WAIT_MS)
        element = await wanted.first.element_handle()
        back = await self.page.evaluate(
            f"([wanted, focusable]) => ({_WAY})(wanted, focusable)", [element, _FOCUSABLE]
        )
        for _ in range(_FARTHEST):
            if await wanted.first.evaluate("one => one === document.activeElement"):
                return
            await self.press("Shift+Tab" if back < 0 else "Tab")
        raise AssertionError(f"Tab does not reach {wanted}")

    async def sees(self, text: str | re.Pattern[str]) -> None:
        await expect(self.page.get_by_role("main")).to_contain_text(text, timeout=_WAIT_MS)

    async def opens(self, letter: str, heading: str) -> None:
        """Leave the field for a request and go to a page."""
        await self.press("Escape", "g", letter)
        title = self.page.get_by_role("heading", name=heading, level=1)
        await expect(title).to_be_visible(timeout=_WAIT_MS)


@dataclass(frozen=True)
class Journey:
    name: str
    walk: Callable[[Hands], Awaitable[None]]
    place: str = "lived"  # which of the prepared servers


async def ask(hands: Hands) -> None:
    await hands.type("What is the median of [1, 2, 9, 30]?")
    await hands.press("Enter")
    await hands.sees("5.5")


async def answer_a_question(hands: Hands) -> None:
    await hands.type("double the number 4")
    await hands.press("Enter")
    allow = hands.page.get_by_role("button", name=re.compile(r"^(allow|yes)", re.IGNORECASE))
    await expect(allow.first).to_be_enabled(timeout=_WAIT_MS)
    await hands.go_to(allow)
    await hands.press("Enter")
    await expect(allow).to_have_count(0, timeout=_WAIT_MS)
    await expect(hands.page.get_by_text("8", exact=True)).to_be_visible(timeout=_WAIT_MS)


async def say_wrong_with_a_value(hands: Hands) -> None:
    await hands.type("What is 17.5% of 240?")
    await hands.press("Enter")
    wrong = hands.page.get_by_role("button", name=re.compile("wrong", re.IGNORECASE))
    await hands.go_to(wrong)
    await hands.press("Enter")
    field = hands.page.get_by_role("textbox", name=re.compile("right|should", re.IGNORECASE))
    await expect(field).to_be_focused()
    await hands.type("1042")
    await hands.press("Enter")
    await hands.sees(re.compile("1,?042 is right"))


async def find_a_tool_and_run_it(hands: Hands) -> None:
    await hands.opens("l", "Library")
    await hands.press("/")
    await hands.type("median")
    await expect(hands.page.get_by_text("The first one fits")).to_be_visible(timeout=_WAIT_MS)
    await hands.go_to(hands.page.get_by_role("link", name="median", exact=True))
    await hands.press("Enter")
    await hands.go_to(hands.page.get_by_role("tab", selected=True))
    await hands.press("ArrowRight")
    await hands.go_to(hands.page.get_by_role("tabpanel").get_by_role("textbox"))
    await hands.type("[1, 2, 9, 30]")
    await hands.go_to(hands.page.get_by_role("button", name="Run"))
    await hands.press("Enter")
    await hands.sees("5.5")


async def open_a_trace_and_compare_two(hands: Hands) -> None:
    await hands.opens("t", "Traces")
    await hands.go_to(hands.page.get_by_role("table").get_by_role("link"))
    await hands.press("Enter")
    await hands.go_to(hands.page.get_by_role("button", name="Compare", exact=True))
    await hands.press("Enter")
    await expect(hands.page.get_by_role("heading", name="Two traces compared")).to_be_visible(
        timeout=_WAIT_MS
    )
    await hands.sees("Step by step")


async def undo_a_learned_change(hands: Hands) -> None:
    await hands.opens("e", "Learning")
    await hands.go_to(hands.page.get_by_role("button", name="Undo prime_factors > mean"))
    await hands.press("Enter")
    await hands.type("not wanted")
    await hands.press("Enter")
    await hands.sees("Undone:")


async def change_a_policy(hands: Hands) -> None:
    await hands.opens("s", "Settings")
    await expect(hands.page.get_by_label("Find a policy")).to_be_visible(timeout=_WAIT_MS)
    await hands.press("/")
    await hands.type("known result")
    await hands.go_to(hands.page.get_by_role("switch", name="Give a known result again"))
    await hands.press("Space")
    await hands.go_to(hands.page.get_by_label("Why do you change it?"))
    await hands.type("to measure")
    await hands.press("Enter")
    await hands.sees("1 changed")


async def add_a_memory_rule(hands: Hands) -> None:
    await hands.opens("m", "Memory")
    await hands.go_to(hands.page.get_by_label("Something to remember"))
    await hands.type("Always show dates as 2026-01-31")
    await hands.press("Enter")
    await hands.sees("Always show dates as 2026-01-31")


async def find_an_old_session(hands: Hands) -> None:
    await hands.opens("m", "Memory")
    await expect(hands.page.get_by_label("Search earlier requests")).to_be_visible(timeout=_WAIT_MS)
    await hands.press("/")
    await hands.type("leap year")
    await hands.press("Enter")
    await hands.go_to(hands.page.get_by_role("link", name="Is 2028 a leap year?"))
    await hands.press("Enter")
    await hands.sees("What is the weekday name of 2026-11-15?")


JOURNEYS = (
    Journey("ask", ask),
    Journey("answer a question", answer_a_question, "writing"),
    Journey("say wrong with a value", say_wrong_with_a_value, "percent"),
    Journey("find a tool and run it", find_a_tool_and_run_it),
    Journey("open a trace and compare two", open_a_trace_and_compare_two),
    Journey("change a policy", change_a_policy),
    Journey("add a memory rule", add_a_memory_rule),
    Journey("find an old session", find_an_old_session),
    Journey("undo a learned change", undo_a_learned_change),
)


async def prepare(folder: Path, places: set[str]) -> dict[str, Served]:
    """The servers that the journeys need: one that was lived in, one with a tool that asks, one
    where a result may be called wrong."""
    found: dict[str, Served] = {}
    if "lived" in places:
        await furnish(folder / "lived")
        found["lived"] = serve(folder / "lived", ScriptedModel(script()))
    if "writing" in places:
        await prepared(folder / "writing", writing_tool)
        found["writing"] = serve(folder / "writing", ScriptedModel(Script(arguments='{"n": 4}')))
    if "percent" in places:
        model = ScriptedModel(percent_script(fix="no idea"))
        found["percent"] = serve(folder / "percent", model)
    return found


async def measure(folder: Path, journeys: list[Journey]) -> list[dict[str, Any]]:
    servers = await prepare(folder, {one.place for one in journeys})
    report: list[dict[str, Any]] = []
    try:
        async with async_playwright() as playwright:
            path = shutil.which("chromium")
            browser = await playwright.chromium.launch(executable_path=path, args=_FLAGS)
            for journey in journeys:
                page = await browser.new_page(viewport={"width": 1280, "height": 850})
                report.append(await _walk(page, journey, servers[journey.place].address))
                await page.close()
            await browser.close()
    finally:
        for server in servers.values():
            server.stop()
    return report


async def _walk(page: Page, journey: Journey, address: str) -> dict[str, Any]:
    await page.goto(address)
    await expect(page.get_by_role("textbox", name="Your request")).to_be_focused()
    hands, problem = Hands(page), ""
    try:
        await journey.walk(hands)
    except AssertionError as error:
        problem = str(error).splitlines()[0]
    keys = hands.steps + hands.typed
    return {
        "journey": journey.name, "keys": keys, "steps": hands.steps, "typed": hands.typed,
        "problem": problem,
    }  # fmt: skip


def walk_all() -> list[dict[str, Any]]:
    """Every way, walked on servers of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure(Path(folder), list(JOURNEYS)))


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every way as a case, with the keys that it takes."""
    outcomes: list[CaseOutcome] = []
    for one in await own_process(walk_all):
        numbers = {name: float(one[name]) for name in ("keys", "steps", "typed")}
        outcomes.append(case(
            one["journey"], not one["problem"], numbers, reason=one["problem"],
            asked=f"{one['journey']}, without a mouse", wanted="it can be walked to its end",
        ))  # fmt: skip
        yield outcomes[-1]
    yield passed_share("ways that the keyboard alone can walk", outcomes, target=1.0)
    yield mean_of(
        "keys a way, beside what is written", "steps", outcomes, unit="count", better=Better.LOWER
    )


if __name__ == "__main__":
    measured("keyboard")
