"""The web app as a browser sees it: bytes, first paint, accessibility, and pictures for the docs.

    python -m evals.web_app [--set instant|quick|full] [--json]

A real server over a library that has been used for a while (tools, sessions, a workflow that
became a tool, a repair), Debian's chromium, axe-core's rules. Every page is looked at in light
and dark, at 400 and 1280 pixels. The bytes are what the browser fetched, uncompressed; later
pages fetch their own part when opened.
"""

import asyncio
import io
import shutil
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.async_playwright import Axe
from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    case,
    lower,
)
from tests.integration.lived_in import furnish, script
from tests.integration.serving import ScriptedModel, serve

# Where to go, and what has to be there before it is looked at.
_PAGES = {
    "start": ("chat", ".examples"),
    "chat": ("chat/vowels", ".answer"),
    "session": ("chat/shop", ".answer >> nth=3"),
    "library": ("library", ".grid .card >> nth=20"),
    "tool": ("library/count_vowels", "role=tab[name='Tests']"),
    "graph": ("graph", ".graph svg"),
    "traces": ("traces", "table tr >> nth=5"),
    "trace": ("traces/{trace}", ".span >> nth=3"),
    "compare": ("traces/compare/{trace}/{other}", "text=Step by step"),
    "learning": ("learning", "text=prime_factors > mean"),
    "ledger": ("learning", "text=prime_factors > mean"),
    "memory": ("memory", "text=round prices"),
    "settings": ("settings", "text=Policies >> nth=0"),
    "policies": ("settings", "text=Policies >> nth=0"),
    "sandbox": ("settings", "text=Policies >> nth=0"),
    "people": ("people", "text=What was changed"),
}
_LOOKS = (("light", 1280), ("dark", 1280), ("light", 400), ("dark", 400))
# What is shown in the docs besides every page in light.
_MORE_PICTURES = {("chat", "dark", 1280), ("session", "light", 400), ("learning", "dark", 400)}
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
          "--disable-component-update", "--disable-sync"]  # fmt: skip


@dataclass
class Seen:
    """What the browser fetched, and from where."""

    sizes: list[int] = field(default_factory=list[int])
    outside: list[str] = field(default_factory=list[str])

    def watch(self, page: Page) -> None:
        async def count(response: Any) -> None:
            if "127.0.0.1" not in response.url:
                self.outside.append(response.url)
            self.sizes.append(len(await response.body()))

        page.on("response", count)


async def measure(address: str, pictures: Path | None) -> dict[str, Any]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=_FLAGS
        )
        report: dict[str, Any] = {"pages": {}, "outside_requests": 0}
        for scheme, width in _LOOKS:
            await _look(browser, address, scheme, width, report, pictures)
        pages = report["pages"].values()
        report["serious"] = sum(len(page["serious"]) for page in pages)
        report["wider_than_screen"] = sum(page["wider_than_screen"] for page in pages)
        await browser.close()
        return report


async def _look(
    browser: Browser,
    address: str,
    scheme: Any,
    width: int,
    report: dict[str, Any],
    pictures: Path | None,
) -> None:
    height = 850 if width > 500 else 800
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme
    )
    page = await context.new_page()
    seen = Seen()
    seen.watch(page)
    first = (scheme, width) == _LOOKS[0]
    await page.goto(address)
    await page.wait_for_selector(".composer")
    if first:
        report |= await _paint(page)
        await page.wait_for_load_state("networkidle")
        report["bytes_first_page"] = sum(seen.sizes)
    traces = await (await page.request.get(f"{address}api/traces?limit=50")).json()
    trace = next(one["id"] for one in traces if "count_vowels" in str(one))
    other = next(one["id"] for one in traces if "prime factors" in str(one))
    for name, (where, ready) in _PAGES.items():
        await page.goto(f"{address}#/{where.format(trace=trace, other=other)}")
        await page.wait_for_selector(ready, timeout=60_000)
        await _prepare(page, name)
        report["pages"][f"{name} {scheme} {width}px"] = await _examine(page)
        shown = first or (name, scheme, width) in _MORE_PICTURES
        if pictures is not None and shown:
            suffix = "" if first else f"-{scheme}-{width}"
            _keep(await page.screenshot(), pictures / f"web-{name}{suffix}.png")
    report["outside_requests"] += len(seen.outside)
    if first:
        report["bytes_all_pages"] = sum(seen.sizes)
    await context.close()


def _keep(picture: bytes, path: Path) -> None:
    """Pages have few colours: with a palette a picture takes a third of the bytes."""
    with Image.open(io.BytesIO(picture)) as shown:
        shown.convert("RGB").quantize(128).save(path, optimize=True)


async def _prepare(page: Page, name: str) -> None:
    """Open what a person would open on that page."""
    if name == "tool":
        await page.click("role=tab[name='Tests']")
    elif name == "chat":
        await page.click("role=button[name='Steps']")
        await page.wait_for_selector(".stage >> nth=3")
        await _to_top(page, ".timeline")
    elif name == "session":
        await page.click("text=Show how >> nth=-1")
        await page.wait_for_selector(".why")
    elif name == "settings":
        await page.click("text=Look at every part")
        await page.wait_for_selector("text=parts in order", timeout=120_000)
    elif name == "trace":
        await page.click("role=treeitem >> text=test authors")
        await page.click("role=treeitem >> text=test author 1")
        await page.wait_for_selector(".detail .message")
    elif name == "ledger":
        await page.click("role=button >> text=mean_rating repaired")
        await page.wait_for_selector("text=The problem")
        await _to_top(page, "h2:has-text('What has changed')")
    elif name == "policies":
        await page.fill("input[aria-label='Find a policy']", "kept")
        await _to_top(page, "#policies")
    elif name == "sandbox":
        await page.fill("input[aria-label='Find a policy']", "")
        await page.click("text=Prove it now")
        await page.wait_for_selector("text=attacks stopped", timeout=120_000)
        await _to_top(page, "h2:has-text('Sandbox')")
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(500)  # plots and graphs draw themselves


async def _to_top(page: Page, what: str) -> None:
    await page.locator(what).first.evaluate("it => it.scrollIntoView(true)")


async def _paint(page: Page) -> dict[str, Any]:
    paints = await page.evaluate(
        "performance.getEntriesByType('paint').map(one => [one.name, one.startTime])"
    )
    return {name.replace("-", "_") + "_ms": round(at, 1) for name, at in paints}


async def _examine(page: Page) -> dict[str, Any]:
    found = await Axe().run(page)
    violations = found.response["violations"]
    serious = [
        f"{one['id']}: {one['nodes'][0]['html'][:160]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
    ]
    overflow = await page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
    lesser = [one["id"] for one in violations if one["impact"] not in ("serious", "critical")]
    return {"lesser": lesser, "serious": serious, "wider_than_screen": overflow}


def measure_served(pictures: str | None = None, library: str | None = None) -> dict[str, Any]:
    """A used library served, and every page looked at."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(library or folder)
        if library is None:
            asyncio.run(furnish(place))
        served = serve(place, ScriptedModel(script()))
        try:
            return asyncio.run(measure(served.address, Path(pictures) if pictures else None))
        finally:
            served.stop()


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every page in every look as a case: accessible, and not wider than the screen."""
    report = await own_process(measure_served)
    for name, page in report["pages"].items():
        wide = "wider than the screen" if page["wider_than_screen"] else ""
        yield case(
            name, not page["serious"] and not wide, {"lesser": float(len(page["lesser"]))},
            given="\n".join([wide, *page["serious"]]), wanted="no serious finding",
        )  # fmt: skip
    yield lower("serious findings of accessibility", report["serious"], "count", target=0)
    outside = report["outside_requests"]
    yield lower("requests that leave the machine", outside, "count", target=0)
    yield lower("first page", report["bytes_first_page"] / 1000, "kB")
    yield lower("all pages", report["bytes_all_pages"] / 1000, "kB")
    yield lower("first paint", report.get("first_contentful_paint_ms"))


if __name__ == "__main__":
    measured("web_app")
