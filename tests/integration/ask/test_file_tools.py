"""Tools that read a person's files, and tools that leave files, from request to verdict."""

from pathlib import Path

import pytest

from hammerstone.core.answers import Proof
from hammerstone.core.chat import Prompt
from hammerstone.core.tools import Effect, Status
from tests.integration.engine import Script, in_turn, scripted_engine, solution_of

SALES = "item,price,quantity\napple,1.5,10\npear,2.5,4\nfig,0.5,30\n"
MEAN_CODE = """import csv

def mean_of_column(path: str, column: str) -> float:
    \"\"\"The mean of a numeric column of a CSV file.\"\"\"
    with open(path, newline="") as file:
        values = [float(row[column]) for row in csv.DictReader(file)]
    return sum(values) / len(values)
"""
MEAN_CALL = "mean_of_column('/files/sales.csv', 'price')"
MEAN_TESTS = """```python
assert mean_of_column('/files/sales.csv', 'price') == 1.5
assert mean_of_column('/files/sales.csv', 'quantity') == 44 / 3
with raises(KeyError): mean_of_column('/files/sales.csv', 'colour')
```"""
REQUEST = "What is the mean price in this file?"
ROWS_CODE = """import csv

def save_rows(rows: list) -> str:
    \"\"\"Save rows of numbers as a CSV file.\"\"\"
    with open("out/rows.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return "rows.csv"
"""
ROWS_CALL = "save_rows([[1, 2], [3, 4]])"
ROWS_REQUEST = "Save the rows [[1, 2], [3, 4]] as a CSV file"


def _fenced(code: str) -> str:
    return f"```python\n{code}```"


def _rows_script(code: str) -> Script:
    solution = solution_of(code, ROWS_CALL)
    fenced = _fenced(code)
    return Script(solution=solution, code=fenced, repair=fenced, **{"solution repair": solution})


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    return path


async def test_a_tool_that_reads_a_file_is_examined_with_it(sales: Path, tmp_path: Path) -> None:
    shown: dict[str, str] = {}

    def remember(purpose: str, reply: str):  # type: ignore[no-untyped-def]
        def answer(prompt: Prompt) -> str:
            shown[purpose] = prompt.messages[-1].text
            return reply

        return answer

    script = Script(
        solution=remember("solution", solution_of(MEAN_CODE, MEAN_CALL)),
        tests=remember("tests", MEAN_TESTS),
        code=remember("code", _fenced(MEAN_CODE)),
        foretell="1.5",
    )
    async with scripted_engine(script, tmp_path / "data") as hs:
        answer = await hs.ask(REQUEST, files=[sales])
        sales.unlink()  # the session keeps its own copy until the proof
        after = await hs.proofs.wait(answer)
        tool = await hs.tools.get("mean_of_column")
    assert answer.result == 1.5 and after.proof is Proof.PROVED
    assert tool.status is Status.VERIFIED and tool.version.spec.effect is Effect.READS
    for purpose in ("solution", "tests", "code"):
        assert "item,price,quantity" in shown[purpose], purpose
    kept = [case.call.source or "" for case in tool.version.suite]
    assert any("/files/sales.csv" in source for source in kept)
    assert not any("empty_" in source or "holes" in source for source in kept)


async def test_messy_copies_tell_candidates_apart(sales: Path, tmp_path: Path) -> None:
    """Both are right on the person's file; only one of them still is when cells are missing."""
    careless = MEAN_CODE.replace("float(row[column])", "float(row[column] or 0)")
    careful = MEAN_CODE.replace(
        "csv.DictReader(file)]", "csv.DictReader(file) if row[column].strip()]"
    )
    turn = iter(range(1000))

    def code(prompt: Prompt) -> str:
        return _fenced((careless, careful)[next(turn) % 2])

    script = Script(
        solution=in_turn(*(solution_of(one, MEAN_CALL) for one in (careless, careful))),
        tests=MEAN_TESTS,
        code=code,
        foretell="1.5",
    )
    async with scripted_engine(script, tmp_path / "data") as hs:
        answer = await hs.ask(REQUEST, files=[sales])
        await hs.proofs.wait(answer)
        (tool,) = await hs.tools.list()
    assert answer.result == 1.5 and tool.status is Status.EXPERIMENTAL


async def test_the_same_question_about_another_file_is_computed_anew(
    sales: Path, tmp_path: Path
) -> None:
    script = Script(solution=solution_of(MEAN_CODE, MEAN_CALL))
    async with scripted_engine(script, tmp_path / "data") as hs:
        first = await hs.ask(REQUEST, files=[sales])
        sales.write_text(SALES.replace("apple,1.5", "apple,4.5"))
        second = await hs.ask(REQUEST, files=[sales])
    assert (first.result, second.result, second.cached) == (1.5, 2.5, False)


async def test_a_file_that_a_solution_makes_is_part_of_the_answer(tmp_path: Path) -> None:
    async with scripted_engine(_rows_script(ROWS_CODE), tmp_path) as hs:
        answer = await hs.ask(ROWS_REQUEST)
        (made,) = answer.files
        row, content = await hs.files.get(made.id)
        again = await hs.ask(ROWS_REQUEST)
    assert (answer.status, made.name, row.name) == ("done", "rows.csv", "rows.csv")
    assert content.split() == [b"1,2", b"3,4"]
    assert not again.cached and [file.name for file in again.files] == ["rows.csv"]


async def test_a_tool_that_leaves_a_file_is_examined_by_what_is_in_it(tmp_path: Path) -> None:
    script = _rows_script(ROWS_CODE)
    async with scripted_engine(script, tmp_path) as hs:
        await hs.proofs.wait(await hs.ask(ROWS_REQUEST))
        (tool,) = await hs.tools.list()
    assert tool.version.spec.produces == ("csv",)
    assert tool.version.spec.effect is Effect.READS  # never cached: the file would be missing
    assert tool.version.suite and all("csv" in case.check for case in tool.version.suite)
    assert "tests" not in script.asked


@pytest.mark.parametrize(
    "code",
    [
        ROWS_CODE.replace("rows.csv", "rows.txt"),
        ROWS_CODE.replace("csv.writer(file).writerows(rows)", "pass"),
        "def save_rows(rows):\n    return 'rows.csv'\n",
    ],
)
async def test_a_file_that_is_missing_or_empty_is_never_verified(code: str, tmp_path: Path) -> None:
    script = _rows_script(code)
    script._by_purpose |= {"tests": "", "foretell": "'rows.csv'"}
    async with scripted_engine(script, tmp_path) as hs:
        answer = await hs.ask(ROWS_REQUEST)
        await hs.proofs.wait(answer)
        tools = await hs.tools.list()
    assert not [tool for tool in tools if tool.status is Status.VERIFIED]


async def test_a_tool_that_leaves_a_file_is_read_back_from_its_folder(tmp_path: Path) -> None:
    async with scripted_engine(_rows_script(ROWS_CODE), tmp_path / "one") as hs:
        await hs.proofs.wait(await hs.ask(ROWS_REQUEST))
        await hs.library.export(tmp_path / "tools")
        (made,) = await hs.tools.list()
    async with scripted_engine(Script(), tmp_path / "two") as hs:
        report = await hs.library.sync(tmp_path / "tools")
        tool = await hs.tools.get("save_rows")
        answer = await hs.run_tool("save_rows", {"rows": [[5, 6]]})
    assert not report.troubled, report
    assert tool.version.spec.produces == ("csv",) and tool.version.code == made.version.code
    assert tool.version.suite and [file.name for file in answer.files] == ["rows.csv"]
