"""What a mechanism is worth: pairs, verdicts, and what could not be measured."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hammerstone.core.errors import SandboxError
from hammerstone.core.evaluations import Better, Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Needs
from hammerstone.evaluation.board.numbers.ablation import Ablation, AblationPair, run_ablation
from hammerstone.evaluation.board.runner import NoProgress
from hammerstone.evaluation.chapters import mechanisms
from tests.unit.evaluation.board.boards import INSTANT, board_database


def _one(name: str, on: float, off: float, count: int = 30, **more: object) -> Ablation:
    async def pairs(context: MeasurementContext) -> Sequence[AblationPair]:
        return [AblationPair(str(at), on, off) for at in range(count)]

    return Ablation(name, "it is off", Chapter.SYNTHESIS, "right", pairs, **more)  # type: ignore[arg-type]


async def _broken(context: MeasurementContext) -> Sequence[AblationPair]:
    raise SandboxError("no sandbox here")


async def test_each_mechanism_is_a_row_with_a_verdict_or_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = (
        _one("helps", 1, 0),
        _one("harms", 0, 1),
        _one("slows", 9, 3, unit="ms", better=Better.LOWER),
        _one("nothing", 1, 1),
        _one("few", 1, 0, count=3),
        _one("empty", 1, 0, count=0),
        Ablation("down", "", Chapter.SYNTHESIS, "right", _broken),
        _one("missing", 1, 0, needs=Needs(files=("none.jsonl",))),
    )
    monkeypatch.setattr(mechanisms, "ablations", lambda: known)
    async with board_database(tmp_path) as (db, settings):
        rows = await run_ablation(db, settings, INSTANT, NoProgress())
    found = {row.ablation.mechanism: row for row in rows}
    assert [row.verdict for row in rows] == [
        "it helps", "it harms", "it harms", "no difference shown", "no difference shown",
        "not measured", "not measured", "not measured",
    ]  # fmt: skip
    assert found["helps"].difference == 1 and found["helps"].cases == 30
    assert found["down"].why == "no sandbox here" and "none.jsonl" in found["missing"].why


def test_every_mechanism_of_the_product_is_there() -> None:
    assert list(dict.fromkeys(one.mechanism for one in mechanisms.ablations())) == [
        "votes", "cross-examination", "question", "search from use", "composites", "repair",
        "cache",
    ]  # fmt: skip
