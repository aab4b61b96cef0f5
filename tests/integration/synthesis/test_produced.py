"""Files that generated code leaves behind, opened and compared in a real sandbox."""

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from hammerstone.core.calls import Call, Failure, Program
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import load_settings
from hammerstone.sandbox import open_sandbox
from hammerstone.synthesis.examine.matrix import OutcomeMatrix
from hammerstone.synthesis.files.produced_files import FileSeeingSandbox, kinds_wanted, shape_cases

CSV = """
import csv
def save(rows):
    with open("out/{name}", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return "{name}"
"""
CHART = """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
def save(rows):
    fig, axes = plt.subplots({size})
    axes.bar([str(row[0]) for row in rows], [row[1]{more} for row in rows])
    fig.savefig("out/chart.png")
    return "chart.png"
"""
XLSX = """
import openpyxl
def save(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save("out/a.xlsx")
"""
PDF = """
from reportlab.pdfgen import canvas
def save(rows):
    page = canvas.Canvas("out/a.pdf")
    page.drawString(100, 700, str(rows))
    page.showPage()
    page.save()
"""


@pytest.fixture
async def sandbox() -> AsyncIterator[FileSeeingSandbox]:
    inner: Sandbox = await open_sandbox(load_settings())
    yield FileSeeingSandbox(inner)
    await inner.close()


async def seen(sandbox: FileSeeingSandbox, code: str, call: str = "save([['a', 1]])") -> Any:
    ((outcome,),) = await sandbox.matrix([Program(code, "save")], [Call(source=call)])
    assert outcome.ok, outcome
    return cast(Any, outcome.value)


async def test_tables_are_compared_by_what_is_in_them(sandbox: FileSeeingSandbox) -> None:
    value = await seen(sandbox, CSV.format(name="a.csv"), "save([['a', 'b'], [1, 2.50]])")
    assert value["returned"] == "a.csv"
    assert value["files"] == [{"kind": "csv", "problem": "", "rows": [["a", "b"], [1.0, 2.5]]}]
    book = await seen(sandbox, XLSX, "save([['a', 'b'], [1, 2.5]])")
    assert book["files"][0]["sheets"] == [[["a", "b"], [1.0, 2.5]]]


async def test_a_charts_data_counts_and_not_its_size(sandbox: FileSeeingSandbox) -> None:
    call = "save([['a', 1], ['b', 2]])"
    small = await seen(sandbox, CHART.format(size="", more=""), call)
    large = await seen(sandbox, CHART.format(size="figsize=(9, 3)", more=""), call)
    wrong = await seen(sandbox, CHART.format(size="", more=" + 1"), call)
    assert small["files"] == large["files"]
    assert small["files"][0]["problem"] == ""
    assert small["files"] != wrong["files"]
    assert small["files"][0]["shows"][0][0]["bars"] == [1.0, 2.0]


async def test_pdfs_have_pages(sandbox: FileSeeingSandbox) -> None:
    value = await seen(sandbox, PDF)
    assert value["files"] == [{"kind": "pdf", "problem": "", "pages": 1}]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.csv", b"", "empty"),
        ("a.png", b"\x89PNG nothing", "does not open"),
        ("a.xlsx", b"PK\x03\x04", "does not open"),
        ("a.pdf", b"%PDF-1.4", "not a whole PDF"),
        ("a.docx", b"no archive", "does not open"),
        ("a.json", b"{", "does not open"),
        ("a.csv", b"a,b\n1\n", "different lengths"),
    ],
)
async def test_files_that_are_not_what_they_claim_have_a_problem(
    name: str, content: bytes, problem: str, sandbox: FileSeeingSandbox
) -> None:
    code = f"def save(rows):\n    open('out/{name}', 'wb').write({content!r})\n"
    value = await seen(sandbox, code)
    assert problem in value["files"][0]["problem"]


async def test_the_declared_files_are_a_property_of_every_call(sandbox: FileSeeingSandbox) -> None:
    call = Call(source="save([[1, 2]])")
    (case,) = shape_cases(("csv",), [call], "shape")
    matrix = OutcomeMatrix("save", sandbox)
    matrix.add_call(call)
    rows = [
        matrix.add_code(code)
        for code in (CSV.format(name="a.csv"), CSV.format(name="a.txt"), "def save(rows): pass")
    ]
    await matrix.fill()
    accepted = await matrix.accepted(case, 0)
    assert [int(matrix.labels[row, 0]) in accepted for row in rows] == [True, False, False]


async def test_code_that_hangs_is_not_tried_on_everything(
    sandbox: FileSeeingSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hammerstone.synthesis.files.produced_files._CASE_WALL_S", 0.5)
    program = Program("def save(rows):\n    while True: pass\n", "save")
    calls = [Call(source=f"save([{n}])") for n in range(6)]
    (row,) = await sandbox.matrix([program], calls, case_wall_s=0.5)
    assert [outcome.failure for outcome in row] == [Failure.TIMEOUT] * 6
    assert row[5] is row[0]  # not run


@pytest.mark.parametrize(
    ("request_text", "kinds"),
    [
        ("Save these rows as a CSV file", ("csv",)),
        ("Draw a bar chart of 1, 2, 3", ("png",)),
        ("Make a PDF with the word hello", ("pdf",)),
        ("Export the totals to an Excel spreadsheet", ("xlsx",)),
        ("What is the mean of the price column in this csv?", ()),
        ("How many rows are in /files/sales.csv?", ()),
        ("What is 5 plus 3?", ()),
    ],
)
def test_what_a_request_wants_to_be_made(request_text: str, kinds: tuple[str, ...]) -> None:
    assert kinds_wanted(request_text) == kinds
