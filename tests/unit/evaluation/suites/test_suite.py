"""Suites as folders: what is read, what is refused in which words, and where they are kept."""

import json
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.evaluation import own_suites
from hammerstone.evaluation.board.page.page import read_page, render_page
from hammerstone.evaluation.suites.from_trace import case_of_trace
from hammerstone.evaluation.suites.graders import CaseOutput
from hammerstone.evaluation.suites.shelf import SuiteShelf
from hammerstone.evaluation.suites.suite import Suite, SuiteCase, read_suite
from hammerstone.evaluation.suites.suite_measurement import suite_measurement
from hammerstone.storage import TraceRow
from tests.unit.evaluation.board.boards import INSTANT, board_database, measure


def make(folder: Path, *lines: str, head: str = 'name = "sums"\n') -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.toml").write_text(head)
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    return folder


GOOD = '{"id": "a", "request": "What is 1 + 1?", "expect": 2, "tags": ["easy"]}'


def test_a_suite_is_read_with_its_defaults(tmp_path: Path):
    suite = read_suite(make(tmp_path / "s", GOOD))
    (case,) = suite.cases()
    assert (suite.name, suite.pass_mark) == ("sums", 0.75)
    assert (case.id, case.tags, case.graders[0].kind) == ("a", ("easy",), "answer")


def test_graders_are_sorted_cheapest_first(tmp_path: Path):
    line = (
        '{"id": "a", "request": "x", "graders": '
        '[{"kind": "judge", "expect": "y"}, {"kind": "exact", "expect": "y"}]}'
    )
    (case,) = read_suite(make(tmp_path / "s", line)).cases()
    assert [spec.kind for spec in case.graders] == ["exact", "judge"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{oops", "line 2: it is not JSON"),
        ("[1]", "line 2: it is not a JSON object"),
        ('{"id": "b"}', "line 2: a case needs a `request`"),
        ('{"request": "x", "expect": 1}', "line 2: `id` is missing"),
        ('{"id": "b", "request": "x"}', "line 2: `expect` is missing"),
        ('{"id": "b", "request": "x", "expekt": 1}', "line 2: 'expekt' is not known"),
        ('{"id": "b", "request": "x", "expect": 1, "grade": "magic"}', "the grader 'magic' is not"),
        ('{"id": "b", "request": "x", "graders": [{"kind": "code"}]}', "needs `code`"),
        ('{"id": "b", "request": "x", "expect": 1, "files": ["no.csv"]}', "'no.csv' is missing"),
        ('{"id": "b", "request": "x", "expect": 1, "files": ["../a"]}', "not inside the suite"),
        ('{"id": "a", "request": "x", "expect": 1}', "line 2: the id 'a' is used twice"),
    ],
)
def test_a_broken_case_is_told_with_its_line(tmp_path: Path, line: str, said: str):
    shelf = SuiteShelf(Settings(data_dir=tmp_path / "data"))
    with pytest.raises(BadRequest) as told:
        shelf.add(make(tmp_path / "s", GOOD, line))
    assert said in told.value.message and "cases.jsonl" in told.value.message
    assert shelf.list() == []


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("name = 'a b'", "letters, digits"),
        ("pass_mark = 2", "`pass_mark` is a number"),
        ("name = ", "cannot be read"),
        ("colour = 'red'", "'colour' is not known"),
    ],
)
def test_a_broken_head_is_told(tmp_path: Path, head: str, said: str):
    with pytest.raises(BadRequest, match=said):
        read_suite(make(tmp_path / "s", GOOD, head=head))


def test_a_folder_that_is_no_suite_is_told(tmp_path: Path):
    with pytest.raises(BadRequest, match=r"suite\.toml is missing"):
        read_suite(tmp_path)


def test_a_hundred_thousand_cases_are_read_one_by_one(tmp_path: Path):
    folder = make(tmp_path / "s")
    with (folder / "cases.jsonl").open("w") as file:
        for number in range(100_000):
            case = {"id": f"c{number}", "request": "x" * 200, "expect": number}
            file.write(json.dumps(case) + "\n")
    tracemalloc.start()
    count = sum(1 for _ in read_suite(folder).cases())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 100_000
    assert peak < 25_000_000  # the file has 24 MB; the ids alone are what is kept


def test_suites_are_kept_replaced_and_removed(tmp_path: Path):
    shelf = SuiteShelf(Settings(data_dir=tmp_path / "data"))
    source = make(tmp_path / "s", GOOD)
    _, count = shelf.add(source)
    assert count == 1 and [one.name for one in shelf.list()] == ["sums"]
    with pytest.raises(BadRequest, match="already"):
        shelf.add(source)
    make(tmp_path / "s", GOOD, GOOD.replace('"a"', '"b"'))
    assert shelf.add(source, replace=True)[1] == 2
    shelf.remove("sums")
    for name in ("sums", "../sums", ""):
        with pytest.raises(NotFound):
            shelf.get(name)


async def test_a_suite_that_got_broken_on_the_shelf_is_one_measurement_that_says_why(
    tmp_path: Path,
):
    settings = Settings(data_dir=tmp_path / "data")
    shelf = SuiteShelf(settings)
    shelf.add(make(tmp_path / "s", GOOD))
    (shelf.get("sums").folder / "suite.toml").write_text("name = ")
    (measurement,) = own_suites(settings)
    with pytest.raises(BadRequest, match="cannot be read"):
        await anext(measurement.run(None))  # type: ignore[arg-type]


def _trace(output: object, request: object = "What is 1 + 1?") -> TraceRow:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return TraceRow(
        "f" * 32,
        "ada",
        "success",
        now,
        final_output=output,
        metadata={"request": request},  # type: ignore[arg-type,dict-item]
    )


def test_a_case_is_made_of_a_trace_and_kept_in_a_suite_of_its_own(tmp_path: Path):
    case = case_of_trace(_trace({"result": 2}))
    assert (case["request"], case["expect"]) == ("What is 1 + 1?", 2)
    assert case_of_trace(_trace({"result": 3}), "2")["expect"] == 2
    for bad in (_trace({"result": None}), _trace({"result": 1}, None)):
        with pytest.raises(BadRequest):
            case_of_trace(bad)
    shelf = SuiteShelf(Settings(data_dir=tmp_path))
    suite = shelf.append("own", case)
    assert [one.id for one in suite.cases()] == [case["id"]]
    with pytest.raises(BadRequest, match="used twice"):
        shelf.append("own", case)
    assert len(list(shelf.get("own").cases())) == 1
    with pytest.raises(BadRequest, match="no name of a suite"):
        shelf.append("../elsewhere", case)
    assert not (tmp_path / "elsewhere").exists()
    other = {**case, "id": "with-file"}
    (kept,) = [one for one in shelf.append("own", other, {"a.csv": b"x\n1\n"}).cases() if one.files]
    assert (shelf.get("own").folder / kept.files[0]).read_bytes() == b"x\n1\n"


class _Echo:
    """Gives back what it is given, and every tenth time one more."""

    async def produce(self, suite: Suite, case: SuiteCase) -> CaseOutput:
        given = (case.arguments or {})["x"]
        assert isinstance(given, int)
        return CaseOutput(given + (given % 10 == 0))


@asynccontextmanager
async def _echo(context: MeasurementContext) -> AsyncIterator[_Echo]:
    yield _Echo()


async def test_a_large_suite_is_run_recorded_and_taken_over(tmp_path: Path):
    count = 20_000
    lines = (
        json.dumps({"id": f"c{n:05}", "arguments": {"x": n}, "expect": n, "grade": "number"})
        for n in range(count)
    )
    large = suite_measurement(read_suite(make(tmp_path / "s", *lines)), _echo, model=False)
    async with board_database(tmp_path / "data") as (db, settings):
        run, records = await measure(db, settings, large, options=INSTANT)
        assert records[large.name].metrics[0].value == pytest.approx(0.9)
        page = render_page(await read_page(db, run.id))
        assert "2,000 cases did not pass (the first 100 are shown)" in page
        assert len(page) < 200_000
        _, records = await measure(db, settings, large, options=INSTANT)
        assert records[large.name].reused
