"""The page: whole by itself, every text is data, every failed case is there."""

from dataclasses import replace
from pathlib import Path

from hammerstone.core.evaluations import Better, EvaluationSet, MetricValue
from hammerstone.evaluation.board.evaluation import BoardOptions
from hammerstone.evaluation.board.measurement import FULL, Needs
from hammerstone.evaluation.board.page.page import read_page, render_page
from hammerstone.evaluation.board.page.plots import history_line, metric_bar
from hammerstone.evaluation.board.page.wording import amount, duration, mark, targets
from tests.unit.evaluation.board.boards import INSTANT, board_database, counting, measure

BAD = '<script>alert("x")</script>'


async def test_the_page_holds_numbers_failed_cases_and_what_changed(tmp_path: Path):
    again = replace(INSTANT, again=True)
    async with board_database(tmp_path) as (db, settings):
        await measure(db, settings, counting("sums", [], cases=30), options=again)
        bad = counting("sums", [], lambda case: case != "c7" and int(case[1:]) > 12, cases=30)
        bad = replace(bad, title=BAD)
        run, _ = await measure(db, settings, bad, options=again)
        page = await read_page(db, run.id)
        text = render_page(page)
    assert "<script" not in text and "&lt;script&gt;" in text
    assert "http" not in text.replace("http-equiv", "")
    assert "prefers-color-scheme: dark" in text and "<svg" in text
    assert "13 cases did not pass" in text and "<code>c7</code>" in text
    assert "Worse:" in text and "100.0% → 56.7%" in text
    assert "13 cases changed" in text
    assert "<code>hammerstone eval --set instant</code>" in text
    assert 'data-label="95 % interval"' in text  # on a phone the cells stand below each other


def test_plots_say_in_words_what_they_show():
    metric = MetricValue("right", 0.5, low=0.4, high=0.6, baseline=0.3, target=0.7)
    drawn = metric_bar(metric)
    assert 'aria-label="right: 50.0%, baseline 30.0%, target 70.0%"' in drawn
    assert metric_bar(replace(metric, value=None)) == ""
    assert metric_bar(MetricValue("odd", -1.0, "ms", Better.LOWER)) == ""
    assert history_line([0.5], "share") == "" and "polyline" in history_line([0.5, 0.6], "share")


def test_amounts_and_durations_as_people_read_them():
    assert amount(0.678, "share") == "67.8%"
    assert amount(23.61, "ms") == "23.6 ms"
    assert amount(12345.0, "tokens") == "12,345 tokens"
    assert amount(None, "ms") == "-"
    assert (duration(3), duration(125), duration(7300)) == ("3.0 s", "2 min 5 s", "2 h 1 min")


def test_a_target_that_few_cases_leave_open_is_not_called_missed():
    few = MetricValue("right", 0.5, low=0.2, high=0.8, target=0.7)
    assert mark(few) == "~" and few.reached is False
    assert mark(replace(few, high=0.6)) == "✗" and mark(replace(few, target=0.4)) == "✓"
    assert mark(replace(few, low=None, high=None)) == "✗" and mark(MetricValue("x", 1.0)) == ""
    assert targets(1, 3, 1).startswith("1 of 3 targets met; 1 not met, but")
    assert targets(2, 2, 0) == "2 of 2 targets met."


async def test_what_has_no_number_is_a_line_and_says_why(tmp_path: Path):
    async with board_database(tmp_path) as (db, settings):
        missing = counting("missing", [], needs=Needs(files=("nowhere.jsonl",)))
        late = counting("late", [], sets=FULL, least_s=600)
        sums = counting("sums", [], sets=FULL)
        options = BoardOptions(EvaluationSet.FULL, budget_s=300)
        missing = replace(missing, sets=FULL)
        run, _ = await measure(db, settings, sums, missing, late, options=options)
        text = render_page(await read_page(db, run.id))
        told = (await read_page(db, run.id)).board.to_json()
    assert "Not yet: Late." in text and "Not here: Missing." in text
    assert "it takes 10 minutes at least" in text and "nowhere.jsonl" in text
    assert 'id="sums"' in text and 'id="late"' not in text
    assert "<code>--minutes N</code>" in text  # how it goes on
    assert told["chapters"]["correctness"]["tokens"] == 0  # type: ignore[index,call-overload]
