"""The numbers of a repair evaluation: a table for each kind, and the calibration fitted on one."""

import json
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Case, CaseKind
from hammerstone.evaluation.repair.bugs import FITTED, SHOWN, Bug, BugKind, KeptBug
from hammerstone.evaluation.repair.fix_sources import NoFixes, RecordedFixes
from hammerstone.evaluation.repair.recorded_fixes import FixRecording, RecordedFix, prompts_mark
from hammerstone.evaluation.repair.repair_scores import RepairEvaluation, RepairScore
from hammerstone.evaluation.repair.repair_table import kinds_of, numbers_of, refitted
from hammerstone.learn.policies import RepairPolicy
from hammerstone.learn.repair.choice import FEATURES
from hammerstone.learn.repair.complaint import Complaint
from tests.unit.own_code import OwnCodeSandbox

POLICY = RepairPolicy(edits=20, probes=10)
GOOD = "def half(n):\n    return n / 2"
WRONG = "def half(n):\n    return n / 2 if n < 5 else n // 2"
SURE = {"share": 1.0, "lead": 1.0, "edited": 1.0, "lost": 0.0, "seconded": 1.0}
UNSURE = {"share": 0.1, "lead": 0.0, "edited": 0.0, "lost": 1.0, "seconded": 0.0}


def case(source: str, expected: Any) -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected)


COMPLAINT = Complaint("half", "def half(n):\n    return n // 2", "...", case("half(3)", 1.5))
CHECKS = (case("half(7)", 3.5), case("half(8)", 4))
BUG = Bug("model/half", BugKind.MODEL, COMPLAINT, CHECKS)


def recorded(code: str) -> RecordedFixes:
    ways = {way: [RecordedFix(code, 5)] * 9 for way in ("plain", "fix", "rewrite")}
    asked = {"model/half": prompts_mark(COMPLAINT)}
    return RecordedFixes(FixRecording("a model", asked, {"model/half": ways}))


def score(id: str = "a", **values: Any) -> RepairScore:
    given: dict[str, Any] = {
        "kind": "model",
        "part": SHOWN,
        "plain_right": False,
        "holds": True,
        "right": True,
        "regressions": 0,
        "origin": "fix",
        "change": "written",
        "tokens": 10,
        "seconds": 1.0,
        "samples": 8,
        "tried": 9,
        "features": SURE,
    }
    return RepairScore(id, **(given | values))


async def evaluated(code: str, resume: Path | None = None) -> RepairScore:
    lines: list[str] = []
    evaluation = RepairEvaluation(recorded(code), OwnCodeSandbox(), POLICY, lines.append, resume)
    (one,) = await evaluation.run([KeptBug(BUG)])
    assert len(lines) == 1
    return one


async def test_a_fix_is_judged_by_what_is_hidden():
    one = await evaluated(GOOD)
    assert (one.right, one.plain_right, one.regressions, one.samples) == (True, True, 0, 8)
    assert one.accepted(POLICY.promote) and one.tokens == 8 * 5


async def test_a_fix_that_only_fits_what_was_told_is_wrong_whoever_accepts_it():
    one = await evaluated(WRONG)
    assert one.origin != "edit" and not one.right and not one.plain_right


async def test_without_a_model_nothing_is_accepted():
    evaluation = RepairEvaluation(NoFixes(), OwnCodeSandbox(), POLICY, lambda _: None)
    (one,) = await evaluation.run([KeptBug(BUG)])
    assert not one.accepted(POLICY.promote) and not one.plain_right


async def test_a_run_goes_on_where_it_stopped_and_a_strange_file_is_refused(tmp_path: Path):
    file = tmp_path / "results.jsonl"
    first = await evaluated(GOOD, file)
    assert await evaluated(WRONG, file) == first
    assert len(file.read_text().splitlines()) == 1
    file.write_text(json.dumps({"id": "x"}) + "\n")
    with pytest.raises(BadRequest, match="does not hold results"):
        await evaluated(GOOD, file)


def test_each_kind_has_a_row_and_what_was_fitted_on_one_of_its_own():
    scores = [
        score("a", kind="people", plain_right=True),
        score("b", kind="people", right=False, regressions=2),
        score("c", kind="people", features=UNSURE, regressions=5),
        score("d", kind="people", holds=False),
        score("e", part=FITTED),
        score("f", kind="mutant", features={}, right=False),
    ]
    rows = {row["kind"]: row for row in kinds_of(scores, 0.9)}
    assert set(rows) == {"people", "model (fitted on)", "mutant"}
    people = rows["people"]
    assert [people[key] for key in ("n", "plain", "fixed", "ratio")] == [4, 1, 1, 1.0]
    assert [people[key] for key in ("wrongly_accepted", "regressions", "refused")] == [1, 2, 2]
    assert people["wrongly_accepted_share"] == 0.25
    assert rows["mutant"]["ratio"] is None and rows["mutant"]["refused"] == 1
    assert numbers_of(scores, 0.9)["n"] == 6


def test_the_calibration_is_fitted_on_the_part_that_is_meant_for_it():
    scores = [
        score(str(n), part=FITTED, right=n % 2 == 0, features=SURE if n % 2 == 0 else UNSURE)
        for n in range(40)
    ]
    shown = [score(f"s{n}", right=False) for n in range(40)]
    calibration, marks = refitted([*scores, *shown])
    assert calibration.names == FEATURES
    assert calibration.probability(SURE) > 0.9 > 0.2 > calibration.probability(UNSURE)
    assert marks["n"] == 40 and marks["lowest_mark"] == 0.5
    with pytest.raises(BadRequest, match="too few"):
        refitted(shown)
