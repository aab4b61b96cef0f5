"""The page Scoreboard: recorded evaluations, one opened, its failed cases one click away."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import Page, expect

from hammerstone.core.evaluations import (
    CaseMark,
    CaseOutcome,
    Chapter,
    EvaluationRun,
    EvaluationSet,
    EvaluationVersions,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.core.settings import Settings
from hammerstone.storage import Database
from tests.integration.serving import serve

BAD = "<b>bold</b>"


async def _record(folder: Path) -> None:
    db = await Database.open(Settings(data_dir=folder, embedder="off"))
    now = datetime.now(UTC)
    versions = EvaluationVersions("c0de", "", "a model", "shipped")
    await db.evaluations.start(EvaluationRun("abcd1234", EvaluationSet.INSTANT, versions, now, now))
    metric = MetricValue("right", 0.5, baseline=0.4, target=0.6, low=0.2, high=0.8, of="score")
    record = MeasurementRecord(
        "sums", "Sums are right", Chapter.CORRECTNESS, MeasurementState.DONE, metrics=(metric,)
    )
    await db.evaluations.put_record("abcd1234", 1, record)
    failed = CaseOutcome("c1", CaseMark.FAILED, 0.0, asked=BAD, given="3", wanted="2", reason="no")
    passed = CaseOutcome("c2", CaseMark.PASSED, 1.0)
    await db.evaluations.put_cases("abcd1234", "sums", "w", [failed, passed])
    await db.close()


async def test_an_evaluation_is_listed_opened_and_its_failed_cases_shown(
    page: Page, tmp_path: Path
) -> None:
    await _record(tmp_path / "data")
    served = await asyncio.to_thread(serve, tmp_path / "data")
    try:
        await page.goto(f"{served.address}#/scoreboard")
        await page.get_by_role("link", name="abcd1234").click()
        await expect(page.locator("h1")).to_have_text("Evaluation abcd1234")
        main = page.locator("main")
        await expect(main).to_contain_text("0 of 1")
        await expect(main).to_contain_text("50.0 % ~")
        await page.get_by_text("1 case did not pass").click()
        await expect(page.locator("details")).to_contain_text(BAD)
        async with page.expect_download() as waiting:
            await page.get_by_role("button", name="Download as one page").click()
        kept = await (await waiting.value).path()
        assert "Sums are right" in kept.read_text("utf-8")
    finally:
        served.stop()
