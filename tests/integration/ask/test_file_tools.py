"""Tools that read a person's files, and tools that leave files, from request to verdict."""

import json
from pathlib import Path

import pytest

from hammerstone.core.chat import Prompt
from hammerstone.core.tools import Effect, Status
from tests.integration.engine import Script, scripted_engine

SALES = "item,price,quantity\napple,1.5,10\npear,2.5,4\nfig,0.5,30\n"
MEAN_SPEC = {
    "kind": "calculation",
    "name": "mean_of_column",
    "description": "Compute the mean of a numeric column of a CSV file.",
    "parameters": [
        {"name": "path", "type": "text", "description": "the CSV file"},
        {"name": "column", "type": "text", "description": "the column's name"},
    ],
    "returns": "number",
    "returns_description": "the mean",
}
MEAN_CODE = """```python
import csv

def mean_of_column(path: str, column: str) -> float:
    with open(path, newline="") as file:
        values = [float(row[column]) for row in csv.DictReader(file)]
    return sum(values) / len(values)
```"""
MEAN_TESTS = """```python
assert mean_of_column('/files/sales.csv', 'price') == 1.5
assert mean_of_column('/files/sales.csv', 'quantity') == 44 / 3
with raises(KeyError): mean_of_column('/files/sales.csv', 'colour')
```"""
ROWS_SPEC = {
    "kind": "calculation",
    "name": "save_rows",
    "description": "Save rows of numbers as a CSV file.",
    "parameters": [{"name": "rows", "type": "list of lists", "description": "the rows"}],
    "returns": "text",
    "returns_description": "the file's name",
}
ROWS_CODE = """```python
import csv

def save_rows(rows: list) -> str:
    with open("out/rows.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return "rows.csv"
```"""


def _arguments(prompt: Prompt) -> str:
    """The values that are asked for: a file's path may be known already."""
    values = {"path": "/files/sales.csv", "column": "price"}
    wanted = (prompt.schema or {}).get("properties")
    return json.dumps({name: values[name] for name in wanted})  # type: ignore[union-attr]


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
        spec=remember("spec", json.dumps(MEAN_SPEC)),
        arguments=_arguments,
        tests=remember("tests", MEAN_TESTS),
        code=remember("code", MEAN_CODE),
    )
    async with scripted_engine(script, tmp_path / "data") as hs:
        answer = await hs.ask("What is the mean price in this file?", files=[sales])
        tool = await hs.tools.get("mean_of_column")
    assert answer.result == 1.5
    assert tool.status is Status.VERIFIED and tool.version.spec.effect is Effect.READS
    for purpose in ("spec", "tests", "code"):
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
        return (careless, careful)[next(turn) % 2]

    script = Script(
        spec=json.dumps(MEAN_SPEC),
        arguments=_arguments,
        tests=MEAN_TESTS,
        code=code,
    )
    async with scripted_engine(script, tmp_path / "data") as hs:
        await hs.ask("What is the mean price in this file?", files=[sales])
        (tool,) = await hs.tools.list()
    assert tool.status is Status.EXPERIMENTAL


async def test_a_tool_that_leaves_a_file_is_examined_by_what_is_in_it(tmp_path: Path) -> None:
    script = Script(
        spec=json.dumps(ROWS_SPEC), arguments='{"rows": [[1, 2], [3, 4]]}', code=ROWS_CODE
    )
    async with scripted_engine(script, tmp_path) as hs:
        await hs.ask("Save the rows [[1, 2], [3, 4]] as a CSV file")
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
        "```python\ndef save_rows(rows):\n    return 'rows.csv'\n```",
    ],
)
async def test_a_file_that_is_missing_or_empty_is_never_verified(code: str, tmp_path: Path) -> None:
    script = Script(
        spec=json.dumps(ROWS_SPEC),
        arguments='{"rows": [[1, 2], [3, 4]]}',
        code=code,
        repair=code,
    )
    async with scripted_engine(script, tmp_path) as hs:
        await hs.policies.change("build_budget", {"attempts": 1}, who="test", why="once is enough")
        await hs.ask("Save the rows [[1, 2], [3, 4]] as a CSV file")
        tools = await hs.tools.list()
    assert not [tool for tool in tools if tool.status is Status.VERIFIED]
