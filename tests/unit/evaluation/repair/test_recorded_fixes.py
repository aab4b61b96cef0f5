"""Recorded fixes are given out in their order, and only for the prompts they were made with."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.repair_samples import packed
from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Case, CaseKind
from hammerstone.evaluation.repair.bugs import Bug, BugKind
from hammerstone.evaluation.repair.fix_sources import RecordedFixes
from hammerstone.evaluation.repair.recorded_fixes import RecordedFixAuthor, read_recording
from hammerstone.learn.repair.complaint import Complaint

COMPLAINT = Complaint(
    "half",
    "import math\n\n\ndef half(n):\n    return n // 2\n",
    "def half(n): ...",
    Case(CaseKind.VALUE, Call(source="half(3)"), 1.5),
)
BUG = Bug("model/half", BugKind.MODEL, COMPLAINT)


def reply(body: str) -> str:
    return f"```python\ndef half(n):\n    return {body}\n```"


def rows() -> list[dict[str, Any]]:
    ways = {
        "plain": ["n * 0.5"],
        "fix_greedy": ["n / 2"],
        "fix": ["n / 2.0", "n * .5", "n / 2"],
        "rewrite_greedy": ["n / 2"],
        "rewrite": ["0.5 * n"],
    }
    return [
        {"id": f"model/half#{way}", "samples": list(map(reply, given)), "tokens": [9] * len(given)}
        for way, given in ways.items()
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "samples.json.gz"
    path.write_bytes(packed([BUG], rows(), "a model"))
    return path


async def test_the_first_is_the_one_at_temperature_0_and_each_other_comes_once(file: Path):
    author = RecordedFixAuthor(read_recording(file).of(BUG))
    (first,) = await author.fix(COMPLAINT, samples=1, temperature=0.0)
    assert "return n / 2" in first and "import math" not in first.split("def half")[1]
    second = await author.fix(COMPLAINT, samples=2, temperature=0.8)
    assert ["n / 2.0" in second[0], "n * .5" in second[1]] == [True, True]
    assert len(await author.fix(COMPLAINT, samples=1, temperature=0.8)) == 1
    assert author.tokens == 4 * 9
    with pytest.raises(BadRequest, match="only 4 samples"):
        await author.fix(COMPLAINT, samples=1, temperature=0.8)
    assert len(await author.rewrite(COMPLAINT, samples=1, temperature=0.8)) == 1


async def test_the_plain_prompts_fix_and_the_tokens_come_from_the_recording(file: Path):
    source = RecordedFixes(read_recording(file))
    assert source.name == "a model, recorded"
    assert "n * 0.5" in await source.plain(BUG)
    author = source.author(BUG)
    assert author is not None
    await author.rewrite(COMPLAINT, samples=1, temperature=0.0)
    assert source.spent() == 9


def test_a_bug_that_was_not_recorded_is_named(file: Path):
    with pytest.raises(BadRequest, match="no samples for model/other"):
        read_recording(file).of(replace(BUG, id="model/other"))


def test_a_recording_for_another_bug_or_of_other_prompts_is_refused(file: Path):
    other = replace(COMPLAINT, description="def half(n): the half of it")
    with pytest.raises(BadRequest, match="another bug or with other prompts"):
        read_recording(file).of(replace(BUG, complaint=other))


@pytest.mark.parametrize(
    "raw",
    [b"no", gzip.compress(b"[]", mtime=0), gzip.compress(b'{"codes": []}', mtime=0), b"\x1f\x8b"],
    ids=["text", "a list", "no codes", "cut"],  # packed bytes hold the time, and differ by process
)
def test_what_is_no_recording_is_refused(tmp_path: Path, raw: bytes):
    path = tmp_path / "samples.json.gz"
    path.write_bytes(raw)
    with pytest.raises(BadRequest, match="no recording of fixes"):
        read_recording(path)
