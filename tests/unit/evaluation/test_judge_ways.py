"""Ways to ask a model about a run: what its words mean, and what they may move."""

from evals.judge_ways import EVERYWHERE, ONE, AskedRun, last_result, preferred, reliability, scores
from evals.recorded_runs import KnownRun
from hammerstone.learn.evolution.evolution_policy import JudgePolicy
from hammerstone.learn.evolution.judges.judge_reliability import JudgeReliability
from hammerstone.learn.evolution.judges.run_facts import RunFacts

POLICY = JudgePolicy()


def asked(name: str, sure: float, right: bool, *words: bool | None) -> AskedRun:
    facts = RunFacts(name, "What is it?", given="4", confidence=sure, agree=1, solutions=1)
    return AskedRun(KnownRun(facts, right), {"steps": words})


def test_words_are_read_from_the_last_line_or_the_document() -> None:
    assert last_result("2 + 2 = 4\nResult: 5\n**Result: 4**") == "4"
    assert last_result("it is 4") == ""
    assert preferred('Well: {"work": "2 + 2", "right": "B"}') == "B"
    assert preferred('{"right": "both"}') == preferred("B") == ""


def test_most_words_decide_and_as_many_against_as_for_say_nothing() -> None:
    run = asked("a", 0.5, True, False, True, True, None)
    assert run.word("steps", every=False) is False and run.word("steps", every=True) is True
    assert asked("b", 0.5, True, True, False).word("steps", every=True) is None
    assert asked("c", 0.5, True, None).share("steps") is None


def test_only_a_measured_judge_moves_a_score_and_a_sure_one_only_where_it_is_asked() -> None:
    known = [asked(f"r{n}", 0.5, True, True) for n in range(20)]
    known += [asked(f"w{n}", 0.5, False, False) for n in range(20)]
    measured = reliability(known, "steps", ONE)
    open_, sure = asked("o", 0.5, False, False), asked("s", 0.97, False, False)
    (before, _), (still, _) = scores([open_, sure], "steps", JudgeReliability(), POLICY)
    (moved, _), (kept, _) = scores([open_, sure], "steps", measured, POLICY)
    assert moved < before and kept == still
    (_, _), (asked_too, _) = scores([open_, sure], "steps", measured, POLICY, EVERYWHERE)
    assert asked_too < still
