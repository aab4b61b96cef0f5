"""An evaluation on a small bank from file to report, in the real sandbox."""

import json
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.core.settings import Settings, default_data_dir
from hammerstone.evaluation.bank.run import BankOptions, run_bank
from hammerstone.sandbox import open_sandbox

RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
HANGS = "def add(a, b):\n    while True:\n        pass\n"
SPEC = 'def add(a, b):\n    """Add two numbers.\n    >>> add(2, 3)\n    5\n    """\n'
ASSERTS = [
    "assert add(1, 2) == 3",
    "assert add(5, 5) == 10",
    "assert add(1, 1) == 3",
    "assert add(4, 0) == 4",
]


def task(
    number: int, codes: list[str], samples: list[int], correct: list[bool]
) -> dict[str, object]:
    return {
        "task_id": f"t/{number}",
        "name": "add",
        "spec": SPEC,
        "codes": codes,
        "samples": samples,
        "asserts": ASSERTS,
        "suites": [[0, 1, 3], [0, 2], [1]],
        "correct": correct,
        "reference": RIGHT,
    }


BANK = [
    task(0, [RIGHT], [0] * 10, [True]),
    task(1, [RIGHT, WRONG, HANGS], [2, 1, 0, 0, 0, 0, 0, 0, 0, 0], [True, False, False]),
    task(2, [WRONG], [0] * 10, [False]),
]


async def evaluated(folder: Path, **options: object) -> dict[str, object]:
    path = folder / "bank.json"
    path.write_text(json.dumps(BANK))
    sandbox = await open_sandbox(Settings(data_dir=default_data_dir()))
    try:
        chosen = BankOptions(banks=[path], folder=folder / "report", **options)  # type: ignore[arg-type]
        return (await run_bank(chosen, sandbox, lambda text: None)).numbers
    finally:
        await sandbox.close()


async def test_a_bank_is_scored_and_the_report_written(tmp_path: Path) -> None:
    numbers = await evaluated(tmp_path, ablation=True)
    assert numbers["tasks"] == 3
    assert numbers["verified"] == numbers["verified_correct"]
    assert numbers["verified"] >= 1  # type: ignore[operator]
    assert numbers["baselines"]["one suite passes entirely"] == {  # type: ignore[index]
        "coverage": pytest.approx(1 / 3),
        "precision": 1.0,
    }
    assert numbers["baselines"]["at least 80 % of the samples behave alike"] == {  # type: ignore[index]
        "coverage": 1.0,
        "precision": pytest.approx(2 / 3),
    }
    assert len(numbers["ablation"]) >= 9  # type: ignore[arg-type]
    assert numbers["ablation"]["without strengthening"]["mutation_score"] > 0.5  # type: ignore[index]
    stripped = numbers["harder"]["examples taken out"]  # type: ignore[index]
    assert stripped["mean_candidates"] > numbers["mean_candidates"]  # type: ignore[operator]
    assert stripped["precision"] < 1  # what all candidates share is noticed by the example alone
    assert list(numbers["by_bank"]) == ["bank"]  # type: ignore[call-overload]
    assert numbers["mean_tokens"] > 0  # type: ignore[operator]
    lines = (tmp_path / "report" / "verdicts.jsonl").read_text().splitlines()
    assert json.loads(lines[2])["standing"] == "rejected"
    assert (tmp_path / "report" / "reliability.png").stat().st_size > 1000


async def test_labels_are_not_looked_at_before_the_verdict(tmp_path: Path) -> None:
    before = await evaluated(tmp_path, baselines=False)
    for one in BANK:
        one["correct"] = [not right for right in one["correct"]]  # type: ignore[attr-defined]
    try:
        after = await evaluated(tmp_path, baselines=False)
    finally:
        for one in BANK:
            one["correct"] = [not right for right in one["correct"]]  # type: ignore[attr-defined]
    assert after["verified"] == before["verified"]
    assert after["verified_correct"] == 0


async def test_an_empty_bank_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"
    path.write_text("[]")
    with pytest.raises(BadRequest):
        await run_bank(BankOptions(banks=[path]), None, lambda text: None)  # type: ignore[arg-type]
