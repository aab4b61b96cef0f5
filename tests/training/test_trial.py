"""What replies are worth against each other, further tasks, and how results are compared."""

import json
from pathlib import Path

import pytest

from training.bank import bank_of
from training.compare import paired_interval, request_scores, table
from training.expressions import is_expression
from training.lines import write_lines
from training.needs.all_needs import KEPT_OUT, NEEDS
from training.rewards import lessons, weight_of_request, worths
from training.side_tasks import argument_rows, assert_rows, judge_asserts, judge_side_task
from training.solutions import Judged

RIGHT = Judged(True, True, True, "", 5)
NARROW = Judged(True, False, True, "", 5)
WRONG, OTHER = Judged(False, False, False, "", 7), Judged(False, False, False, "", 8)
BROKEN = Judged(False, False, False, "")


def test_errors_that_agree_are_worth_least() -> None:
    worth = dict(zip("rnwwob", worths([RIGHT, NARROW, WRONG, WRONG, OTHER, BROKEN]), strict=True))
    assert worth["r"] == 1 > worth["n"] > 0 > worth["o"] > worth["w"]
    assert worth["o"] > worth["b"], "a value is better than none"


def test_nothing_is_learned_where_all_are_alike() -> None:
    assert lessons(["a", "b"], [RIGHT, RIGHT]) == []
    assert lessons(["a", "b"], [BROKEN, BROKEN]) == []


def test_better_replies_rise_and_worse_ones_fall() -> None:
    texts = [*"abcdefg", "a"]
    found = lessons(texts, [RIGHT, WRONG, WRONG, WRONG, OTHER, BROKEN, WRONG, RIGHT])
    rise = [one for one in found if one.weight > 0]
    assert [one.text for one in rise] == ["a"], "equal texts count together"
    assert len(found) == 4
    assert sum(one.weight for one in found) == pytest.approx(0, abs=0.3), "neither side is lost"


def test_a_vote_that_is_won_counts_less() -> None:
    assert weight_of_request([RIGHT] * 7 + [WRONG]) < weight_of_request([RIGHT] + [WRONG] * 7)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("((-2 + 7 - 3) * (8 * -1 - 4)) =", True),
        ("not ( True ) and ( False or True ) is", True),
        ("I had 12 - 5 apples and bought 3 * 2 more at the market. How many are there now?", False),
        ("What is 12 - 5?", False),
        ("Sort: pear apple", False),
    ],
)
def test_a_request_may_be_an_expression(request_text: str, expected: bool) -> None:
    assert is_expression(request_text) is expected


def test_arguments_and_asserts_are_judged_by_the_needs_program() -> None:
    needs = [need for need in NEEDS if need.name not in KEPT_OUT]
    row = next(row for row in argument_rows(needs, 1) if len(row["want"]) > 1)
    assert judge_side_task(row, json.dumps(row["want"])).right
    assert not judge_side_task(row, json.dumps(dict.fromkeys(row["want"], "?"))).right
    assert not judge_side_task(row, "no JSON").right
    mean = next(need for need in NEEDS if need.name == "mean")
    assert all(row["want"] in row["messages"][-1]["content"] for row in assert_rows(needs[:5], 2))
    suite = [f"assert mean([{at}, {at + 1}]) == {at + 0.5}" for at in range(10)]
    whole = judge_asserts(mean, "```python\n" + "\n".join(suite) + "\n```")
    assert (whole.right, whole.score) == (True, 1.0)
    assert judge_asserts(mean, f"```python\n{suite[0]}\n```").score == 1 / 8, "one is no suite"
    assert judge_asserts(mean, "```python\nassert mean([1, 2]) == 9\n```").score == 0


def _folder(path: Path, right: list[list[bool]]) -> Path:
    path.mkdir()
    values = [[1 if ok else 2 + n for n, ok in enumerate(one)] for one in right]
    rows = [{"id": str(at), "right": right[at], "values": values[at]} for at in range(len(right))]
    write_lines(path / "dev_scored.jsonl", rows)
    write_lines(path / "dev.jsonl", [{"id": row["id"], "samples": ["x"] * 3} for row in rows])
    return path


def test_two_folders_are_compared_by_request(tmp_path: Path) -> None:
    before = _folder(tmp_path / "before", [[False, True, True], [False, False, True]] * 10)
    after = _folder(tmp_path / "after", [[True, True, True], [False, True, True]] * 10)
    lines = table(request_scores(before), request_scores(after))
    shown = {line.partition("  ")[0]: line for line in lines}
    assert "  0.0 ->  50.0  +50.0" in shown["dev: greedy"]
    assert "50.0 -> 100.0" in shown["dev: vote of 8"]
    low, high = paired_interval([0.0, 1.0] * 50)
    assert 0.3 < low < 0.5 < high < 0.7
    assert bank_of(after)[0]["right"] == [True, True, True]
