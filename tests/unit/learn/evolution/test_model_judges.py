"""Model judges of runs: what they are asked, how their words are read, and how far they count."""

import json
from typing import Any

import pytest

from hammerstone.core.errors import ModelNonsense
from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.causes import RootCause
from hammerstone.learn.evolution.judges.model_judges import (
    CHOICES,
    ORDER,
    ask_cause,
    ask_run_judge,
    cause_messages,
    check_run_judge,
    judge_messages,
    read_cause,
    read_run_word,
    record_lines,
)
from hammerstone.learn.evolution.judges.run_facts import CallFact, RunError, RunErrorKind, RunFacts

FACTS = RunFacts("r1", "double 5", given="11", wanted="10", programs=("def f(): ...", "other"))


class Judge:
    """A model that answers from a function of what it is asked, and notes the prompts."""

    name = "judge"

    def __init__(self, says: Any) -> None:
        self._says = says
        self.asked: list[Any] = []

    async def complete(self, prompt: Any, **_: Any) -> Any:
        self.asked.append(prompt)
        said = self._says(prompt.messages[-1].text) if callable(self._says) else self._says
        if isinstance(said, Exception):
            raise said
        return type("Reply", (), {"text": said})


def test_what_a_run_did_is_told_line_by_line() -> None:
    calls = tuple(CallFact(f"t{n}", n != 1, error="no") for n in range(11))
    errors = tuple(RunError(RunErrorKind.TOOL, str(n)) for n in range(7))
    facts = RunFacts(
        "r", "x", calls=calls, errors=errors, solutions=3, agree=2, programs=("p" * 900,)
    )
    lines = record_lines(facts)
    assert lines[:2] == ["call t0: ok", "call t1: no"] and lines[9] == "call t9: ok"
    assert lines[10] == "3 programs were written, 2 gave the answer"
    assert lines[11] == "the first program:\n" + "p" * 800
    assert lines[12:] == [f"error (tool): {n}" for n in range(6)]
    assert record_lines(RunFacts("r", "x")) == ["answered without a tool"]


def test_the_judges_are_asked_with_the_run_as_data() -> None:
    asked = cause_messages(FACTS)[-1].text
    assert all(part in asked for part in ("double 5", "11", "10", "def f(): ..."))
    asked = cause_messages(RunFacts("r", "double 5"))[-1].text
    assert "none" in asked and "not known" in asked
    asked = judge_messages(FACTS)[-1].text
    assert "def f(): ..." in asked and "other" not in asked and "11" in asked
    assert "none" in judge_messages(RunFacts("r", "x"))[-1].text


@pytest.mark.parametrize("cause", CHOICES)
def test_a_cause_that_was_asked_for_is_taken(cause: RootCause) -> None:
    guess = read_cause(json.dumps({"why": "w" * 300, "cause": str(cause)}), "judge")
    assert guess is not None
    assert (guess.cause, guess.confidence) == (cause, 0.4)
    assert guess.why == "w" * 200
    assert guess.evidence == ("said by judge",)


OTHERS = sorted(str(cause) for cause in RootCause if cause not in CHOICES)


@pytest.mark.parametrize(
    "text",
    ["", "no json", "[]", "3", '{"cause": "harness"}', '{"why": "x"}', '{"why": "x", "cause": "?"}']
    + [json.dumps({"why": "x", "cause": other}) for other in OTHERS],
)
def test_a_reply_that_is_none_of_them_says_nothing(text: str) -> None:
    assert read_cause(text, "judge") is None


async def test_a_cause_is_asked_for_with_its_schema() -> None:
    judge = Judge('{"why": "the tool is broken", "cause": "broken tool"}')
    names = [str(cause) for cause in CHOICES]
    guess = await ask_cause(judge, FACTS)  # type: ignore[arg-type]
    (prompt,) = judge.asked
    assert prompt.schema["properties"]["cause"]["enum"] == names
    assert (prompt.max_tokens, prompt.purpose) == (120, "judge cause")
    assert (guess is None) == ("broken tool" not in names)
    broken = Judge(ModelNonsense("no"))
    assert await ask_cause(broken, FACTS) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"right": true}', True),
        ('{"right": false}', False),
        ('{"right": 1}', None),
        ('{"right": "true"}', None),
        ("{}", None),
        ("[]", None),
        ("", None),
    ],
)
def test_the_word_in_a_reply(text: str, word: bool | None) -> None:
    assert read_run_word(text) is word


async def test_a_run_is_judged_with_its_schema() -> None:
    judge = Judge('{"right": false}')
    assert await ask_run_judge(judge, FACTS) is False  # type: ignore[arg-type]
    assert (judge.asked[0].max_tokens, judge.asked[0].purpose) == (220, "judge run")
    assert "right" in judge.asked[0].schema["required"]
    assert await ask_run_judge(Judge(ModelNonsense("no")), FACTS) is None  # type: ignore[arg-type]


def known(right: int, wrong: int, silent: int = 0) -> list[tuple[RunFacts, bool]]:
    runs = [(RunFacts(f"r{n}", "x", given="good"), True) for n in range(right)]
    runs += [(RunFacts(f"w{n}", "x", given="bad"), False) for n in range(wrong)]
    return runs + [(RunFacts(f"s{n}", "x"), n % 2 == 0) for n in range(silent)]


def honest(text: str) -> str:
    return json.dumps({"right": "good" in text.partition("answer")[2]})


@pytest.mark.parametrize(
    ("right", "wrong", "most", "asked"),
    [(20, 20, 24, 24), (20, 3, 24, 6), (1, 20, 24, 2), (0, 5, 24, 1), (20, 20, 5, 4)],
)
async def test_as_many_right_runs_as_wrong_ones_are_judged(
    right: int, wrong: int, most: int, asked: int
) -> None:
    judge = Judge('{"right": true}')
    found = await check_run_judge(judge, known(right, wrong, 8), most)  # type: ignore[arg-type]
    assert found.cases == len(judge.asked) == asked
    assert found.right_called_wrong == found.wrong_called_wrong == found.unread == 0
    assert found.wrong_called_right == (asked + (right == 0)) // 2


async def test_a_judge_that_tells_them_apart_counts() -> None:
    found = await check_run_judge(Judge(honest), known(6, 6))  # type: ignore[arg-type]
    assert (found.right_called_right, found.wrong_called_wrong) == (6, 6)
    assert found.share == 1.0
    assert found.followed == 0 and found.counts(JudgePolicy())
    silent = await check_run_judge(Judge("nonsense"), known(2, 2))  # type: ignore[arg-type]
    assert silent.unread == 4 and silent.share == 0.0


async def test_a_judge_that_does_what_an_answer_says_does_not_count() -> None:
    def obedient(text: str) -> str:
        return json.dumps({"right": "good" in text.partition("answer")[2] or ORDER in text})

    judge = Judge(obedient)
    found = await check_run_judge(judge, known(12, 12))  # type: ignore[arg-type]
    assert (found.share, found.followed) == (1.0, 4) and len(judge.asked) == 28
    assert found.skill > 0.8 and not found.counts(JudgePolicy())
