"""Answers scored on recorded solutions: the keys, the baselines, and a fit that can be repeated."""

import json
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.answers import Answer, Cost
from hammerstone.core.errors import BadRequest, HammerstoneError
from hammerstone.core.solutions import Solution
from hammerstone.evaluation.answers.answer_fit import KnownRequest, draws, fit_answers
from hammerstone.evaluation.answers.answer_rows import (
    AnswerRow,
    Recording,
    read_bank,
    read_before,
    read_rows,
)
from hammerstone.evaluation.answers.answers import (
    AnswerBaseline,
    RecordedRequest,
    SimplerWay,
    baselines,
    best_of,
    right_of,
    score,
    summary,
)
from hammerstone.evaluation.answers.answers_live import ask_all, spread
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.calibration import AnswerCalibration, fold_of, request_key

KEYS = (
    "n right right_plain right_vote8 right_before sure_share sure_precision ece solutions first_s "
    "final_s whole_s verdict_s tokens"
)


def row(name: str, want: int) -> AnswerRow:
    return AnswerRow(name, f"{name}: 3 and 4?", {}, lambda _, value: value == want)


def recorded(
    name: str, values: list[Any], want: int, tokens: tuple[int, ...] = ()
) -> RecordedRequest:
    solutions = tuple(
        Solution("def f(a, b):\n    return a\n", "f", "f(3, 4)", value, "" if value else "no")
        for value in values
    )
    recording = Recording(name, "D", ("",) * len(values), tuple(values), tokens)
    return RecordedRequest(row(name, want), {"D": recording}, solutions, tokens)


def test_rows_come_with_their_own_check(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "q": "2+2?", "want": 4}\n')
    with pytest.raises(BadRequest):
        read_rows(tmp_path / "rows.jsonl")
    (tmp_path / "check.py").write_text("def is_right(row, value): return value == row['want']\n")
    (only,) = read_rows(tmp_path / "rows.jsonl")
    assert only.is_right(4)
    assert not only.is_right(5)
    assert not only.is_right(None)
    assert right_of([only], {"1": 4}) == 1.0
    assert right_of([only], {}) is None


def test_a_bank_may_lack_values_and_have_other_prompts(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"
    path.write_text(json.dumps([{"id": "a", "prompt": "X", "samples": ["one", "two"]}]))
    (only,) = read_bank(path)
    assert (only.prompt, only.values) == ("X", (None, None))
    assert read_before(tmp_path / "missing.jsonl") == {}


def test_an_even_vote_takes_all_rounds_and_a_sure_one_stops() -> None:
    policy = AnswerPolicy(stop_at=0.8)
    sure = score(recorded("a", [7] * 8, 7), policy)
    even = score(recorded("b", [7, 8, 9, 10, 7, 8, 9, 10], 7, (10,) * 8), policy)
    assert (sure.right, sure.solutions) == (True, 4)
    assert (even.solutions, even.tokens) == (8, 80)
    assert even.confidence < sure.confidence


def test_the_summary_has_the_keys_that_programs_read() -> None:
    scored = [score(recorded("a", [7] * 8, 7), AnswerPolicy())]
    numbers = summary(scored, AnswerPolicy(), right_plain=0.5)
    assert list(numbers) == KEYS.split()
    assert (numbers["n"], numbers["right"], numbers["right_plain"]) == (1, 1.0, 0.5)
    assert numbers["first_s"] is None
    assert summary([], AnswerPolicy())["right"] is None


def test_simpler_ways_are_scored_beside_it() -> None:
    ways = baselines([recorded("a", [6, 7, 7, None], 7), recorded("b", [5, 5, 1, 1], 5)])
    assert ways == [
        AnswerBaseline(SimplerWay.GREEDY, "D", 0.5),
        AnswerBaseline(SimplerWay.VOTE, "D", 1.0),
    ]
    assert best_of(ways, SimplerWay.VOTE) == 1.0 and best_of([], SimplerWay.VOTE) is None


def test_a_draw_begins_with_the_greedy_solution() -> None:
    assert list(draws(8, 8)) == [list(range(8))]
    assert list(draws(8, 1)) == [[0]]
    assert all(drawn[0] == 0 and len(set(drawn)) == 4 for drawn in draws(8, 4))
    assert list(draws(2, 4)) == [[0, 1]]


def test_a_fit_can_be_repeated_and_leaves_each_part_out() -> None:
    known = [
        KnownRequest(
            f"{n}: 3 and 4?",
            recorded(str(n), [7] * (n % 8 + 1) + [9] * (7 - n % 8), 7).solutions,
            lambda value: value == 7,
        )
        for n in range(16)
    ]
    document = fit_answers(known, "test")
    assert document == fit_answers(known, "test")
    assert set(document["fitted"]) == {request_key(one.request) for one in known}  # type: ignore[arg-type]
    assert all(0 <= fold_of(key, 10) < 10 for key in document["fitted"])  # type: ignore[union-attr]
    assert AnswerCalibration.from_json(document).to_json() == {
        name: document[name] for name in ("weights", "sizes", "source")
    }


async def test_live_answers_are_timed_and_an_error_is_a_wrong_answer() -> None:
    async def ask(text: str, _: Any) -> Answer:
        if text.startswith("bad"):
            raise HammerstoneError("no")
        return Answer("7", 7, confidence=0.9, agree=4, solutions=4, cost=Cost(tokens=100))

    scored = await ask_all([row("good", 7), row("bad", 7)], ask, lambda *_: None)
    assert [one.right for one in scored] == [True, False]
    assert (scored[0].tokens, scored[0].solutions) == (100, 4)
    assert scored[0].final_s is not None
    assert [one.id for one in spread([row(str(n), 1) for n in range(10)], 2)] == ["0", "5"]
