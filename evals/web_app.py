"""The web app as a browser sees it: bytes, first paint, accessibility, and pictures for the docs.

    python -m evals.web_app [--pictures docs/images] [--json]

A real server with a scripted model, Debian's chromium, axe-core's rules. The bytes are what
the browser fetched for the page, uncompressed; later pages fetch their own part when opened.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, async_playwright

from tests.integration.serving import serve

_PAGES = ("chat", "library", "library/percentage_of", "graph", "traces", "learning", "memory",
          "settings")  # fmt: skip
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
          "--disable-component-update", "--disable-sync"]  # fmt: skip


async def measure(address: str, pictures: Path | None) -> dict[str, Any]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=_FLAGS
        )
        report: dict[str, Any] = {"pages": {}, "serious": 0, "outside_requests": 0}
        for scheme, width in (("light", 1280), ("dark", 400)):
            context = await browser.new_context(
                viewport={"width": width, "height": 850}, color_scheme=scheme
            )
            page = await context.new_page()
            fetched: list[int] = []

            outside: list[str] = []

            async def count(
                response: Any, fetched: list[int] = fetched, outside: list[str] = outside
            ) -> None:
                if "127.0.0.1" not in response.url:
                    outside.append(response.url)
                fetched.append(len(await response.body()))

            page.on("response", count)
            await page.goto(address)
            await page.wait_for_selector(".composer")
            if scheme == "light":
                report |= await _paint(page)
                await page.wait_for_timeout(300)
                report["bytes_first_page"] = sum(fetched)
                await _first_answer(page)
            for where in _PAGES:
                name = f"{where} {scheme} {width}px"
                report["pages"][name] = await _examine(page, address, where)
                if pictures is not None:
                    shown = pictures / f"{where.replace('/', '-')}-{scheme}-{width}.png"
                    await page.screenshot(path=str(shown))
            report["outside_requests"] += len(outside)
            if scheme == "light":
                report["bytes_all_pages"] = sum(fetched)
        report["serious"] = sum(len(page["serious"]) for page in report["pages"].values())
        await browser.close()
        return report


async def _paint(page: Page) -> dict[str, Any]:
    paints = await page.evaluate(
        "performance.getEntriesByType('paint').map(one => [one.name, one.startTime])"
    )
    return {name.replace("-", "_") + "_ms": round(at, 1) for name, at in paints}


async def _first_answer(page: Page) -> None:
    await page.fill("textarea", "What is 17.5% of 240?")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".answer", timeout=120_000)


async def _examine(page: Page, address: str, where: str) -> dict[str, Any]:
    if where != "chat":
        await page.goto(f"{address}#/{where}")
    await page.wait_for_timeout(900)
    found = await Axe().run(page)
    violations = found.response["violations"]
    serious = [
        f"{one['id']}: {one['nodes'][0]['html'][:120]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
    ]
    overflow = await page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
    return {"violations": len(violations), "serious": serious, "wider_than_screen": overflow}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        served = serve(Path(folder))
        try:
            report = asyncio.run(measure(served.address, args.pictures))
        finally:
            served.stop()
    if args.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report.items():
        if name != "pages":
            print(f"{name:28} {value}")
    for name, page in report["pages"].items():
        print(f"  {name:36} violations {page['violations']} wide {page['wider_than_screen']}")
        for line in page["serious"]:
            print("     serious", line)


if __name__ == "__main__":
    main()
