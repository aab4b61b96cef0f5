"""Experiments: what a program may say, what a change may do, and what is kept."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hammerstone.app.evolution.own_tracks import package_folder
from hammerstone.core.errors import BadRequest, BudgetExceeded
from hammerstone.learn.harness.edit_authors import ModelAuthor, NumberAuthor, said_edit
from hammerstone.learn.harness.harness_loop import HarnessLoop, HarnessOutcome, LoopResult
from hammerstone.learn.harness.inspection import refusal
from hammerstone.learn.harness.laboratory import FolderMetric, LabCase, LabScores
from hammerstone.learn.harness.program import HarnessProgram, Surface, read_program
from hammerstone.learn.harness.source_copy import SourceCopy, SourceEdit
from hammerstone.learn.policies import HarnessPolicy
from hammerstone.models.fakes import ScriptedModel

PROGRAM = HarnessProgram("better votes", Surface.RUN, "cases")
COPY = SourceCopy(package_folder())
VOTES, WEIGHTS = "run/solve/votes.py", "run/solve/calibration.json"


def program(folder: Path, text: str) -> HarnessProgram:
    (folder / "program.md").write_text(text)
    return read_program(folder)


def test_a_program_is_read(tmp_path: Path) -> None:
    text = "# goal: more\nsurface: search\nmetric: cases\nseconds: 30\n\nLook at ranking.py."
    read = program(tmp_path, text)
    assert read == HarnessProgram("more", Surface.SEARCH, "cases", 30.0, 10, "Look at ranking.py.")
    assert read.may_change("library/search/ranking.py") and not read.may_change("run/x.py")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("goal: x\nsurface: judging\nmetric: cases", "may not be changed"),
        ("goal: x\nsurface: run", "metric is missing"),
        ("goal: x\nsurface: run\nmetric: cases\nseconds: 900", "from 1 to 300"),
        ("goal: x\nsurface: run\nmetric: cases\nseconds: soon", "not a number"),
        ("hello", "is not one of"),
    ],
)
def test_a_program_that_is_wrong_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        program(tmp_path, text)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (SourceEdit("judging/equality.py", "x = 1\n"), "says whether something is right"),
        (SourceEdit("learn/promotion/gate.py", "x = 1\n"), "decides about changes"),
        (SourceEdit("guard/budget.py", "x = 1\n"), "what says no"),
        (SourceEdit("run/../judging/equality.py", "x = 1\n"), "not part of the surface"),
        (SourceEdit("/run/solve/votes.py", "x = 1\n"), "not part of the surface"),
        (SourceEdit("run/solve/new.py", "x = 1\n"), "there is no file"),
        (SourceEdit(VOTES, "import os\n"), "reaches for what it has no business with: os"),
        (SourceEdit(VOTES, "right = open('/files/expected.json')\n"), "open"),
        (SourceEdit(VOTES, "x = ().__class__\n"), "__class__"),
        (SourceEdit(VOTES, "def tally(:\n"), "no Python any more"),
        (SourceEdit(WEIGHTS, "{"), "no JSON any more"),
        (SourceEdit(VOTES, "x = 1\n" * 50_000), "longer than"),
    ],
)
def test_a_change_that_cheats_is_named(edit: SourceEdit, told: str) -> None:
    assert told in refusal(edit, COPY, PROGRAM, HarnessPolicy())


def test_a_small_change_may_run() -> None:
    text = (COPY.text(VOTES) or "").replace("-group.votes", "-group.agree")
    edit = SourceEdit(VOTES, text)
    assert refusal(edit, COPY, PROGRAM, HarnessPolicy()) == ""
    changed = COPY.with_edit(edit)
    assert "+" in changed.difference() and COPY.difference() == ""
    assert COPY.text(VOTES) != changed.text(VOTES)


class Lab:
    """A laboratory that reads the score off the copy's text."""

    def __init__(self, silent: int = 0, failed: str = "") -> None:
        self.silent, self.failed = silent, failed

    async def run(self, copy: SourceCopy, cases: Sequence[LabCase]) -> LabScores:
        text = copy.changed.get(VOTES, "")
        if self.failed and text:
            return LabScores({one.id: 0.0 for one in cases}, failed=self.failed)
        right = 2 + text.count("# good") - text.count("# bad")
        gone = frozenset(one.id for one in cases[: self.silent]) if text else frozenset[str]()
        return LabScores({one.id: float(at < right) for at, one in enumerate(cases)}, gone)


class Listed:
    def __init__(self, *marks: str) -> None:
        self.marks = list(marks)

    async def propose(
        self, copy: SourceCopy, program: HarnessProgram, log: Sequence[str]
    ) -> SourceEdit | None:
        if not self.marks:
            return None
        mark = self.marks.pop(0)
        return SourceEdit(VOTES, f"{copy.text(VOTES)}# {mark}\n", mark)


async def looped(lab: Lab, *marks: str) -> LoopResult:
    cases = [LabCase(str(n), {}) for n in range(6)]
    loop = HarnessLoop(lab, PROGRAM, HarnessPolicy(), Listed(*marks), cases)  # type: ignore[arg-type]
    return await loop.run(COPY)


async def test_better_is_kept_and_worse_is_reverted() -> None:
    result = await looped(Lab(), "good", "bad", "nothing", "good")
    outcomes = [str(one.outcome) for one in result.log]
    assert outcomes == ["kept", "reverted", "reverted", "kept"] and result.kept == 2
    assert "# bad" not in (result.copy.text(VOTES) or "")
    text = result.text(PROGRAM)
    assert "1. kept" in text and "2 of 4 changes kept" in text and "Worse." in text


async def test_a_budget_that_ends_in_the_middle_leaves_the_log_and_what_was_kept() -> None:
    left, seen = iter([None, None]), []

    def check() -> None:
        if next(left, "no") == "no":
            raise BudgetExceeded("the time is up")

    cases = [LabCase(str(n), {}) for n in range(6)]
    author = Listed("good", "bad", "good")
    loop = HarnessLoop(Lab(), PROGRAM, HarnessPolicy(), author, cases, check, seen.append)  # type: ignore[arg-type]
    result = await loop.run(COPY)
    assert [str(one.outcome) for one in result.log] == ["kept", "reverted"]
    assert "# good" in (result.copy.text(VOTES) or "")
    text = result.text(PROGRAM)
    assert "2. reverted" in text and text.endswith("\n\nThe budget ended: the time is up.\n")
    assert [len(found.log) for found in seen] == [1, 2]


async def test_leaving_out_cases_is_refused_and_named() -> None:
    (one,) = (await looped(Lab(silent=2), "good")).log
    assert one.outcome is HarnessOutcome.REFUSED and "leaves out 2 of 6 cases" in one.why


async def test_a_copy_that_fails_is_reverted() -> None:
    (one,) = (await looped(Lab(failed="it took longer than 5 s"), "good")).log
    assert one.outcome is HarnessOutcome.REVERTED and "longer than 5 s" in one.why


async def test_numbers_are_changed_by_chance_and_always_the_same() -> None:
    made = [await NumberAuthor([WEIGHTS], seed=3).propose(COPY, PROGRAM, []) for _ in range(2)]
    assert made[0] is not None and made[0] == made[1]
    json.loads(made[0].text)
    assert await NumberAuthor(["run/__init__.py"], 3).propose(COPY, PROGRAM, []) is None


async def test_a_model_names_lines_to_replace() -> None:
    old = "        return self.groups[0].agree if self.groups else 0"
    reply = f"Count from one.\n```python\n{old}\n```\n```python\n{old[:-1]}1\n```"
    author = ModelAuthor(ScriptedModel([reply, "nothing", reply, "nothing"]), [VOTES])
    edit = await author.propose(COPY, PROGRAM, ["1. kept"])
    assert edit is not None and edit.title == "Count from one." and "else 1" in edit.text
    assert await author.propose(COPY, PROGRAM, []) is None
    assert said_edit("```\nx\n```\n```\ny\n```", VOTES, "x\nx") is None  # found twice


def test_lines_are_found_whatever_their_indentation() -> None:
    text = "def f(a):\n    if a:\n        return 1\n    return 2\n"
    reply = "Idea.\n```\nif a:\n    return 1\n```\n```\nif a > 3:\n    return 4\n```"
    edit = said_edit(reply, VOTES, text)
    assert edit is not None
    assert edit.text == "def f(a):\n    if a > 3:\n        return 4\n    return 2\n"
    same = "Idea.\n```\nif a:\n```\n```\n  if a:\n```"
    assert said_edit(same, VOTES, text) is None


def test_a_measure_hides_half_of_its_cases(tmp_path: Path) -> None:
    rows = [{"id": str(n), "given": {"n": n}, "expect": [n, str(n)]} for n in range(40)]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "answer.py").write_text("def answer(case): return case['n']\n")
    metric = FolderMetric(tmp_path)
    searched, hidden = metric.parts()
    assert len(searched) + len(hidden) == 40 and 8 < len(hidden) < 32
    assert "expect" not in searched[0].given
    assert metric.score("3", 3) == 1.0 and metric.score("3", 4) == 0.0


@pytest.mark.parametrize("line", ["{", '{"id": "a"}', '{"id": "a", "given": 1, "expect": 1}'])
def test_a_broken_measure_is_told(tmp_path: Path, line: str) -> None:
    (tmp_path / "answer.py").write_text("")
    with pytest.raises(BadRequest):
        FolderMetric(tmp_path)
    (tmp_path / "cases.jsonl").write_text(line)
    with pytest.raises(BadRequest, match="line 1"):
        FolderMetric(tmp_path)
