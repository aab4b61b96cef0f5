"""The page Experiments: started in a form, opened with its curves, stopped; and the metrics."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.async_api import Page, expect

from hammerstone.core.experiments import (
    Experiment,
    ExperimentMetric,
    ExperimentOutcome,
    ExperimentPlan,
    TrialVariant,
)
from hammerstone.core.json_types import JsonObject
from hammerstone.core.run_record import RunRecord
from hammerstone.core.settings import Settings
from hammerstone.storage import Database, RunRow
from hammerstone.storage.stores.learning.experiments import ExperimentEnd, ExperimentLook
from tests.integration.serving import serve

BAD = "<b>bold</b>"


def _numbers(day: int) -> JsonObject:
    row: JsonObject = {
        "variant": BAD, "metric": "success", "units": [40 * day, 41 * day], "means": [0.5, 0.6],
        "gain": 0.1, "low": 0.1 - 0.3 / day, "high": 0.1 + 0.3 / day, "p": 0.3,
    }  # fmt: skip
    return {"variants": [row], "guards": [], "outcome": None, "reason": "not certain yet"}


async def _fill(folder: Path) -> None:
    db = await Database.open(Settings(data_dir=folder, embedder="off"))
    now = datetime.now(UTC)
    variants = (TrialVariant("as it is"), TrialVariant(BAD, {"fit.middle": 0.6}))
    plan = ExperimentPlan(ExperimentMetric.SUCCESS, 0.02, (), 28)
    old = Experiment("e1", f"surer {BAD}", variants, plan, now - timedelta(days=9), "ada")
    await db.experiments.start(old)
    for day in (1, 2, 3):
        await db.experiments.add_look("e1", ExperimentLook(day, now, _numbers(day)))
    end = ExperimentEnd(ExperimentOutcome.NULL, "no variant is better by 0.02 or more", "learning")
    await db.experiments.end("e1", end)
    for number in range(6):
        at = now - timedelta(days=number % 3)
        record = RunRecord(cached=number % 2 == 0, model_calls=number).to_json()
        row = RunRow(f"r{number}", "s", "local", "q", "t", "done", None, at, record=record)
        await db.runs.open(row)
    await db.close()


async def test_an_experiment_is_started_read_and_stopped(page: Page, tmp_path: Path) -> None:
    await _fill(tmp_path / "data")
    served = await asyncio.to_thread(serve, tmp_path / "data")
    try:
        await page.goto(f"{served.address}#/experiments")
        main = page.locator("main")
        await expect(main).to_contain_text("no effect")
        await expect(main).to_contain_text("Share of requests that were answered")
        await expect(page.get_by_role("img", name="Shares by day")).to_be_visible()
        await page.get_by_role("link", name="surer").click()
        await expect(page.locator("h1")).to_have_text(f"surer {BAD}")
        await expect(main).to_contain_text("no variant is better by 0.02 or more")
        await expect(page.get_by_role("img", name="in success by day")).to_be_visible()
        await page.get_by_role("link", name="Experiments").first.click()
        await page.get_by_text("Start an experiment").click()
        await page.get_by_label("What it is about").fill("surer reuse")
        await page.get_by_label("Which number").fill("fit.high")
        await page.get_by_label("The other value").fill("7")
        await page.get_by_role("button", name="Start it").click()
        await expect(main).to_contain_text("takes 0 to 1")
        await page.get_by_label("The other value").fill("0.9")
        await page.get_by_role("button", name="Start it").click()
        await page.get_by_role("link", name="surer reuse").click()
        await expect(main).to_contain_text("fit.high: 0.9")
        await page.get_by_role("button", name="Stop it").click()
        await page.get_by_label("Why").fill("seen enough")
        await page.get_by_role("dialog").get_by_role("button", name="Stop it").click()
        await expect(main).to_contain_text("seen enough")
    finally:
        served.stop()
