"""Cases made of what was asked: with the files that were given, run again and graded."""

from pathlib import Path

from hammerstone.core.settings import Settings
from hammerstone.evaluation.suites.from_trace import case_of_trace, files_of_trace
from hammerstone.evaluation.suites.shelf import SuiteShelf
from tests.integration.engine import percent_script, scripted_engine

REQUEST = "What is 17.5% of 240?"


async def test_a_case_of_a_trace_has_the_files_of_its_request(tmp_path: Path) -> None:
    table = tmp_path / "march.csv"
    table.write_text("net\n240\n")
    async with scripted_engine(percent_script(), tmp_path / "data") as hs:
        answer = await hs.ask(REQUEST, files=[table], session="s")
        row, _ = await hs.traces.get(answer.trace_id)
        files = await files_of_trace(hs, row)
        later = await hs.ask(REQUEST, session="s")
        row_later, _ = await hs.traces.get(later.trace_id)
        assert await files_of_trace(hs, row_later) == {}  # it was not given one, and names none
    assert files == {"march.csv": b"net\n240\n"}
    shelf = SuiteShelf(Settings(data_dir=tmp_path / "data"))
    (case,) = shelf.append("own", case_of_trace(row), files).cases()
    assert case.request == REQUEST and case.graders[0].expect == 42
    assert (shelf.get("own").folder / case.files[0]).read_text() == "net\n240\n"
