"""How the web app writes numbers, times and counted things."""

from typing import Any

from playwright.async_api import Page

from tests.integration.serving import Served

NOW = "new Date(2026, 10, 18, 14, 0)"
WRITTEN: dict[str, Any] = {
    "number(12345.678)": "12,345.68",
    "number(null)": "–",
    "percent(.974)": "97%",
    "percent(.9999)": "99%",
    "percent(.001)": "1%",
    "percent(1)": "100%",
    "bytes(999)": "999 B",
    "bytes(2.3e6)": "2.3 MB",
    "plural(1, 'row')": "1 row",
    "plural(10000, 'row')": "10,000 rows",
    "plural(2, 'try', 'tries')": "2 tries",
    "duration(.0001)": "< 1 ms",
    "duration(.34)": "340 ms",
    "duration(4.21)": "4.2 s",
    "duration(59.97)": "59 s",
    "duration(125)": "2 min 5 s",
    "elapsed(-5)": "0 s",
    "elapsed(4320)": "1 h 12 min",
    "money(0.0042)": "$0.0042",
    f"moment('2026-11-18T13:05:09', {NOW})": "13:05:09",
    f"moment('2026-03-02T13:05:09', {NOW})": "2 Mar, 13:05",
    f"moment('2025-03-02T13:05:09', {NOW})": "2 Mar 2025, 13:05",
    "moment('no time')": "–",
    "shortened('abc', 3)": "abc",
    "shortened('a\\u{1F600}\\u{1F600}b', 2)": "a\U0001f600…",
}


async def test_one_module_writes_them_all(page: Page, served: Served) -> None:
    await page.goto(served.address)
    calls = ", ".join(f"f.{call}" for call in WRITTEN)
    found = await page.evaluate(
        f"async () => {{ const f = await import('/web/format.js'); return [{calls}]; }}"
    )
    assert dict(zip(WRITTEN, found, strict=True)) == WRITTEN
