"""The page Evolution: score over time, rounds, what was tried, samples for a person."""

import asyncio
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.async_api import Page, expect

from hammerstone.core.settings import Settings
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.evolution_rounds import AttemptRow, RoundRow, SuiteScoreRow
from hammerstone.storage.stores.learning.run_verdicts import SampleReview, VerdictRow
from hammerstone.storage.stores.learning.trace_judgements import ImprovementNote, TraceJudgementRow
from tests.integration.serving import serve

BAD = "<b>bold</b>"
NOW = datetime.now(UTC)


async def _record(folder: Path) -> None:
    db = await Database.open(Settings(data_dir=folder, embedder="off"))
    account = ("14 cases were run, the average score is 0.43, 8 failed.", f"skill, kept: {BAD}")
    cost = {"tokens": 12_000, "seconds": 90.0, "cases": 40}
    await db.evolution.start(
        RoundRow("ab12", "times", "anna", "done", NOW, NOW, 0.43, {}, {}, account, cost)
    )
    earlier = NOW - timedelta(hours=2)
    await db.evolution.start(RoundRow("dead", "times", "anna", "running", earlier))
    before, after = ({"mean": mean, "low": 0.2, "high": 0.9, "cases": 12} for mean in (0.4, 0.7))
    await db.evolution.add_attempt(
        AttemptRow("ab12", "skill", "kept", ("It helped.",), NOW, "p1", before, after, cost)
    )
    for day in range(8):
        at = NOW - timedelta(days=8 - day)
        cases = {f"c{n}": float(n < 4 + day) for n in range(12)}
        row = SuiteScoreRow("times", "monitor", (4 + day) / 12, 1.0, cases, at)
        await db.evolution.add_score(row)
    finding = {"kind": "skill", "cause": "arithmetic", "why": BAD, "evidence": ["2 of 4 agree"]}
    verdict = VerdictRow(
        "ab12", "times", "c1", "run", "s", "", 0.0, "known answer", "", True, NOW, finding
    )
    asked = replace(verdict, round_id="", suite="", case="", run_id="r2", source="feedback")
    await db.verdicts.add([verdict, asked])
    note = ImprovementNote("tool", "mean", f"fails on an empty list {BAD}", "record", "t", "s", NOW)
    judged = TraceJudgementRow("t", "run", "s", {"task_completion": 0.0}, "", "record", {}, NOW)
    await db.trace_judgements.put(judged, [note])
    await db.verdicts.draw([SampleReview(0, "ab12", "times", "c1", "run", "s", 0.9, False, NOW)])
    await db.close()


async def test_a_round_is_listed_opened_and_a_sample_is_answered(
    page: Page, tmp_path: Path
) -> None:
    await _record(tmp_path / "data")
    served = await asyncio.to_thread(serve, tmp_path / "data")
    try:
        await page.goto(f"{served.address}#/evolution")
        main = page.locator("main")
        await expect(page.get_by_role("img", name="Score of times")).to_be_visible()
        await expect(main).to_contain_text("newest 0.92. Below the dashed line")
        await expect(main).to_contain_text("+0.300")
        await expect(page.get_by_role("row", name="feedback")).to_contain_text("skill: arithmetic")
        costs = page.get_by_role("img", name="Cost in tokens against gain")
        await expect(costs).to_contain_text("12,000 tokens")
        await expect(main).to_contain_text(f"fails on an empty list {BAD}")
        await expect(main).to_contain_text("no model counts: its reliability was not measured")
        await expect(main).to_contain_text("It was broken off")
        if folder := os.environ.get("SCREENSHOTS"):
            await page.screenshot(path=f"{folder}/evolution.png", full_page=True)
        await page.get_by_role("button", name="Wrong").click()
        await expect(main).to_contain_text("None waits for you.")
        await page.get_by_label("Preset").select_option("repair-only")
        await expect(page.get_by_label("Preset")).to_have_value("repair-only")
        await page.get_by_role("link", name="ab12").click()
        await expect(page.locator("h1")).to_have_text("Round ab12")
        await expect(main).to_contain_text("skill: arithmetic")
        await expect(main).not_to_contain_text("effort")
        await expect(main).to_contain_text(f"{BAD}; 2 of 4 agree")
        if folder := os.environ.get("SCREENSHOTS"):
            await page.screenshot(path=f"{folder}/round.png", full_page=True)
    finally:
        await asyncio.to_thread(served.stop)
