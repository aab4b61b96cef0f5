"""Tools examined again, and their suites as files that pass by themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.tools import Case, CaseKind, Status
from tests.integration.engine import (
    PERCENT_CODE,
    PERCENT_TESTS,
    Script,
    add_tool,
    scripted_engine,
)

CODE = (
    "def percentage_of(percent: float, number: float) -> float:\n"
    "    return percent / 100 * number\n"
)
SUITE = tuple(
    Case(CaseKind.VALUE, Call(source=f"percentage_of({percent}, {number})"), result, origin=author)
    for percent, number, result, author in (
        (10, 200, 20, "author 1"),
        (50, 10, 5, "author 1"),
        (25, 80, 20, "author 2"),
    )
)


def _again(**more: str) -> Script:
    return Script(**({"tests": PERCENT_TESTS, "code": PERCENT_CODE} | more))


async def _given(
    hs: Hammerstone, code: str = CODE, status: Status = Status.EXPERIMENTAL, cases: int = 3
) -> None:
    number = {"type": "number"}
    await add_tool(
        hs,
        code,
        "Compute a given percentage of a number.",
        {"percent": number, "number": number},  # type: ignore[arg-type]
        number,  # type: ignore[arg-type]
        status=status,
        suite=SUITE[:cases],
    )


async def test_a_persons_example_makes_an_experimental_tool_a_verified_one(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await _given(hs)
        before = await hs.tools.get("percentage_of")
    assert before.status is Status.EXPERIMENTAL
    async with scripted_engine(_again(), tmp_path) as hs:
        done = await hs.examining.reexamine("percentage_of", ["percentage_of(10, 200) == 20"])
        after = await hs.tools.get("percentage_of")
    assert (done.before, after.status) == (Status.EXPERIMENTAL, Status.VERIFIED)
    assert after.version.number == 2  # what a person said is part of the suite, so a new version
    said = [case for case in after.version.suite if case.origin == "user"]
    assert [case.expected for case in said] == [20]


async def test_agreement_of_new_authors_is_a_new_assessment(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await _given(hs)
    async with scripted_engine(_again(), tmp_path) as hs:
        await hs.examining.reexamine("percentage_of")
        tool = await hs.tools.get("percentage_of")
        known = await hs.tools.assessments(tool.version.id)
    assert tool.version.number == 1 and len(known) == 2


async def test_an_example_that_the_code_does_not_meet_takes_it_out_of_use(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await _given(hs, status=Status.VERIFIED)
    async with scripted_engine(_again(repair=PERCENT_CODE), tmp_path) as hs:
        done = await hs.examining.reexamine("percentage_of", ["percentage_of(10, 200) == 2000"])
    assert done.tool.status is Status.RETIRED


async def test_better_code_takes_the_place_of_wrong_code(tmp_path: Path) -> None:
    wrong = CODE.replace("percent / 100 * number", "percent * number")
    async with scripted_engine(Script(), tmp_path) as hs:
        await _given(hs, wrong, cases=0)
    async with scripted_engine(_again(), tmp_path) as hs:
        done = await hs.examining.reexamine("percentage_of", ["10, 200 -> 20"])
        answer = await hs.run_tool("percentage_of", {"percent": 50, "number": 8})
    assert done.tool.status is Status.VERIFIED, done.verdict.reason
    assert done.tool.version.number == 2 and answer.result == 4


async def test_what_is_no_example_is_refused(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await _given(hs, status=Status.VERIFIED)
        with pytest.raises(BadRequest, match="no example"):
            await hs.examining.reexamine("percentage_of", ["it is right"])
        with pytest.raises(NotFound):
            await hs.examining.reexamine("nothing")


async def test_the_suite_passes_by_itself_in_a_real_pytest(tmp_path: Path) -> None:
    async with scripted_engine(Script(), tmp_path) as hs:
        await _given(hs, status=Status.VERIFIED)
        text = await hs.examining.as_pytest("percentage_of")
    file = tmp_path / "suite" / "test_percentage_of.py"
    file.parent.mkdir()
    file.write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    command += ["--rootdir", str(file.parent), "-c", "/dev/null"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=file.parent)
    assert result.returncode == 0, result.stdout + result.stderr
    file.write_text(text.replace("percent / 100", "percent / 10"))
    broken = subprocess.run(command, capture_output=True, text=True, cwd=file.parent)
    assert broken.returncode == 1, broken.stdout
