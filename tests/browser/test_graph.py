"""The picture of the graph: found, touched, moved and made larger."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.integration.serving import Served

NAMES = ("prime_factors", "mean", "median", "a_tool_with_a_name_of_several_words", "alone")
EDGES = (
    ("prime_factors", "mean", 3),
    ("mean", "median", 2),
    ("median", "mean", 1),
    ("mean", "mean", 1),
    ("median", "a_tool_with_a_name_of_several_words", None),
)


def _edge(source: str, target: str, count: int | None) -> dict[str, Any]:
    edge = {"source": source, "target": target}
    if count is None:
        return {**edge, "affinity": 0.4, "why": "a number"}
    used = {"count": count, "success_rate": 1, "mean_seconds": 0.1, "flows": []}
    return {**edge, "weight": 0.5, **used}


GRAPH = {
    "nodes": [{"id": name} for name in NAMES],
    "edges": [_edge(*edge) for edge in EDGES],
    "total_nodes": len(NAMES),
    "total_edges": len(EDGES),
    "truncated": False,
}

# Every box lies within the picture, and none over another.
APART = """() => {
  const boxes = [...document.querySelectorAll(".graph rect")];
  const [frame, ...all] = [document.querySelector(".graph"), ...boxes].map(
    (one) => one.getBoundingClientRect());
  const apart = (one, other) => one.right <= other.left || other.right <= one.left
    || one.bottom <= other.top || other.bottom <= one.top;
  return all.every((one, at) => one.left >= frame.left && one.right <= frame.right
    && all.every((other, to) => at === to || apart(one, other)));
}"""


@pytest.fixture
def tools(page: Page) -> Locator:
    return page.locator(".graph .tool")


async def opened(page: Page, served: Served) -> None:
    async def answer(route: Route) -> None:
        await route.fulfill(json=GRAPH)

    await page.emulate_media(reduced_motion="reduce")
    await page.route("**/api/graph?*", answer)
    await page.goto(f"{served.address}#/graph")
    await expect(page.locator(".graph .tool").first).to_be_visible()


async def middle(place: Locator) -> tuple[float, float]:
    box = await place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def width(place: Locator) -> float:
    box = await place.bounding_box()
    assert box is not None
    return box["width"]


def tool(page: Page, name: str) -> Locator:
    return page.locator(f".graph [data-tool='{name}'] rect")


async def test_tools_stand_after_what_they_follow_and_none_covers_another(
    page: Page, served: Served, tools: Locator
) -> None:
    await opened(page, served)
    await expect(tools).to_have_count(4)
    places = [await middle(tool(page, name)) for name in ("prime_factors", "mean", "median")]
    assert [place[0] for place in places] == sorted(place[0] for place in places)
    assert await page.evaluate(APART)
    await page.get_by_label("also the 1 tool").check()
    await expect(tools).to_have_count(5)
    await expect(page.locator(".graph .loose")).to_have_text("alone")


async def test_a_tool_and_an_arrow_are_told_about_when_they_are_touched(
    page: Page, served: Served, tools: Locator
) -> None:
    await opened(page, served)
    await tool(page, "prime_factors").click()
    told = page.get_by_role("status").filter(has=page.get_by_role("heading"))
    await expect(told).to_contain_text("prime_factors")
    await expect(page.locator(".graph .chosen")).to_have_text("prime factors")
    await expect(page.locator(".graph .tool.faint")).to_have_count(2)
    await expect(page.locator(".graph .arrow.faint")).to_have_count(4)
    await page.locator(".graph").click(position={"x": 8, "y": 8})
    await expect(page.locator(".graph .chosen")).to_have_count(0)
    await page.get_by_role("button", name="Whole picture").click()
    start, end = await middle(tool(page, "prime_factors")), await middle(tool(page, "mean"))
    await page.mouse.click((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    await expect(page.get_by_text("prime_factors → mean followed 3 times")).to_be_visible()


async def test_the_picture_is_moved_and_made_larger(
    page: Page, served: Served, tools: Locator
) -> None:
    await opened(page, served)
    mean, other = tool(page, "mean"), tool(page, "prime_factors")
    before, beside = await middle(mean), await middle(other)
    await page.mouse.move(*before)
    await page.mouse.down()
    await page.mouse.move(before[0] + 40, before[1] + 60, steps=4)
    await page.mouse.up()
    assert await middle(mean) == pytest.approx((before[0] + 40, before[1] + 60), abs=2)
    assert await middle(other) == pytest.approx(beside, abs=2)
    await expect(page.locator(".graph .chosen")).to_have_count(0)  # moved, and not touched
    frame = await page.locator(".graph").bounding_box()
    assert frame is not None
    await page.mouse.move(frame["x"] + 10, frame["y"] + 10)
    await page.mouse.down()
    await page.mouse.move(frame["x"] + 40, frame["y"] + 20, steps=4)
    await page.mouse.up()
    assert await middle(other) == pytest.approx((beside[0] + 30, beside[1] + 10), abs=2)
    wide = await width(mean)
    await page.get_by_role("button", name="Larger").click()
    assert await width(mean) == pytest.approx(1.3 * wide, rel=0.02)
    await page.get_by_role("button", name="Smaller").click()
    assert await width(mean) == pytest.approx(wide, rel=0.02)
    at = await middle(other)
    await page.mouse.move(*at)
    await page.mouse.wheel(0, 100)
    await page.wait_for_function(
        "wide => document.querySelector(\"[data-tool='mean'] rect\")"
        ".getBoundingClientRect().width < .9 * wide",
        arg=wide,
    )
    assert await middle(other) == pytest.approx(at, abs=2)  # what is under the pointer stays
