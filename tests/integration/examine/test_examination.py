"""Cross-examination in the real sandbox, with witnesses that behave and witnesses that do not."""

import ast
from dataclasses import replace

from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case
from hammerstone.synthesis.examine.belief.confidence import Calibration
from hammerstone.synthesis.examine.belief.own_calibration import own_calibration
from hammerstone.synthesis.examine.escalate import EscalationStep, Move, escalate
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.verdict import (
    BehaviourStanding,
    Choice,
    ExaminePolicy,
    ReadingQuestion,
    StatedResult,
)
from tests.integration.examine.doubling import OTHER, PLAIN, RIGHT, SUITE, WRONG, Given, says


async def test_agreement_is_verified_early_with_a_suite_that_bites(sandbox: Sandbox) -> None:
    steps: list[EscalationStep] = []

    async def note(step: EscalationStep) -> None:
        steps.append(step)

    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [8])], calibration=PLAIN
    )
    witnesses = Given([OTHER, RIGHT, OTHER] * 5, [SUITE, SUITE, SUITE])
    verdict = await escalate(examination, witnesses, on_step=note)
    assert verdict.standing is BehaviourStanding.VERIFIED
    assert verdict.code == RIGHT  # the simplest of the behaviour
    assert verdict.candidates_used < 8
    assert verdict.mutation_score is not None
    assert verdict.mutation_score > 0.7
    assert any(case.origin == "user" for case in verdict.suite)
    assert steps[0].move is Move.CANDIDATES
    assert verdict.evidence["steps"]


async def test_wrong_asserts_do_not_sink_right_code_and_are_kept(sandbox: Sandbox) -> None:
    suite = ["assert double([2]) == [5]", *SUITE]
    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [8])], calibration=PLAIN
    )
    verdict = await escalate(examination, Given([RIGHT] * 8, [suite, SUITE]))
    assert verdict.standing is BehaviourStanding.VERIFIED
    (rejected,) = [case for case in verdict.rejected if case.call.source == "double([2])"]
    assert rejected.expected == [5]
    assert "[4]" in rejected.note


HOSTILE = [
    "def double(xs):\n    while True: pass\n",
    "import os\ndef double(xs):\n    os._exit(0)\n",
    "def double(xs):\n    return [0] * 10**10\n",
    "def double(xs):\n    return xs * (\n",
    "print('{\"ok\": true}')\nimport sys\nsys.exit()\n",
    "def other(xs):\n    return 1\n",
]


async def test_hostile_and_broken_candidates_are_outvoted_not_obeyed(sandbox: Sandbox) -> None:
    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [8])], calibration=PLAIN
    )
    verdict = await escalate(examination, Given([*HOSTILE, RIGHT, OTHER, RIGHT], [SUITE, SUITE]))
    assert verdict.code == RIGHT
    assert verdict.standing is not BehaviourStanding.VERIFIED  # three of nine are no agreement


async def test_code_that_special_cases_the_example_does_not_win(sandbox: Sandbox) -> None:
    cheat = "def double(xs):\n    return [8] if xs == [4] else []\n"
    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [8])], calibration=PLAIN
    )
    verdict = await escalate(examination, Given([cheat, RIGHT, OTHER, RIGHT, RIGHT], [SUITE]))
    assert verdict.code == RIGHT


async def test_a_winner_that_answers_differently_next_time_is_not_verified(
    sandbox: Sandbox,
) -> None:
    unsteady = (
        "import time\nbegan = time.monotonic_ns()\n"
        "def double(xs):\n    return [x * 2 for x in xs] + [began] * (len(xs) > 2)\n"
    )
    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [8])], calibration=PLAIN
    )
    suite = ["assert double([1, 2, 3]) == [2, 4, 6]", *SUITE]
    verdict = await escalate(examination, Given([unsteady] * 6, [suite]))
    assert verdict.standing is BehaviourStanding.EXPERIMENTAL
    assert "different" in verdict.reason


async def test_a_winner_that_does_not_end_on_a_written_input_is_at_best_experimental(
    sandbox: Sandbox,
) -> None:
    endless = RIGHT.replace("    return", "    while 99 in xs:\n        pass\n    return")
    truth = [says("double([4])", [8])]
    suite = [*SUITE, "assert double([99]) == [198]"]
    examination = Examination("double", sandbox, truth=truth, calibration=PLAIN)
    matrix = examination.matrix  # eight programs that do not end are waited for
    matrix._case_wall_s, matrix.limits = 0.5, replace(matrix.limits, wall_s=4.0)
    verdict = await escalate(examination, Given([endless] * 8, [suite, suite]))
    assert verdict.standing is BehaviourStanding.EXPERIMENTAL
    assert verdict.confidence == 0.5  # what the veto leaves
    assert "double([99]) does not finish in time" in verdict.reason


async def test_one_question_settles_two_plausible_behaviours(sandbox: Sandbox) -> None:
    asked: list[ReadingQuestion] = []

    async def person(question: ReadingQuestion) -> int | None:
        asked.append(question)
        argument = (question.call.source or "").removeprefix("double(").removesuffix(")")
        right = [x * 2 for x in ast.literal_eval(argument)]
        return question.results.index(right) if right in question.results else None

    examination = Examination(
        "double", sandbox, truth=[says("double([2])", [4])], calibration=PLAIN
    )
    witnesses = Given([WRONG, RIGHT, WRONG, OTHER, WRONG, RIGHT, WRONG, RIGHT] * 2, [SUITE])
    verdict = await escalate(examination, witnesses, ask=person)
    assert len(asked) == 1
    assert verdict.code == RIGHT
    assert any(case.note == "answer to a question" for case in verdict.suite)


async def test_an_example_that_every_candidate_contradicts_is_asked_about(
    sandbox: Sandbox,
) -> None:
    asked: list[ReadingQuestion] = []

    async def person(question: ReadingQuestion) -> int | None:
        asked.append(question)
        return 1

    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [9])], calibration=PLAIN
    )
    verdict = await escalate(examination, Given([RIGHT] * 12, [SUITE, SUITE]), ask=person)
    assert asked[0].results == ([9], [8])
    assert verdict.code == RIGHT
    assert verdict.standing is BehaviourStanding.VERIFIED
    assert any("withdrew it" in case.note for case in verdict.rejected)


async def test_nobody_meets_the_examples(sandbox: Sandbox) -> None:
    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [9])], calibration=PLAIN
    )
    verdict = await escalate(examination, Given([RIGHT] * 12, [SUITE]))
    assert (verdict.standing, verdict.code) == (BehaviourStanding.REJECTED, None)
    assert verdict.candidates_used <= 8


async def test_verified_is_exactly_a_confidence_over_the_mark(sandbox: Sandbox) -> None:
    for intercept in (2.9, 3.0):  # 94.8 % and 95.3 %
        fixed = Calibration(("share",), (0.0,), intercept, "the same for all")
        examination = Examination("double", sandbox, calibration=fixed)
        verdict = await escalate(examination, Given([RIGHT, WRONG, WRONG], [SUITE]))
        sure = verdict.confidence >= ExaminePolicy().verified_at
        assert sure is (intercept == 3.0)
        assert (verdict.standing is BehaviourStanding.VERIFIED) is sure
        assert (
            "94.8% likely right, and 95% is needed to count as proved" in verdict.reason
        ) is not sure


async def test_one_program_written_many_times_is_less_than_several_that_agree(
    sandbox: Sandbox,
) -> None:
    async def sure_of(codes: list[str]) -> float:
        told = [says("double([4])", [8])]
        examination = Examination("double", sandbox, truth=told)
        await examination.hear(codes)
        return examination.confidence

    assert await sure_of([RIGHT] * 4) < await sure_of([RIGHT, OTHER, RIGHT, OTHER])


async def test_the_less_is_told_the_more_candidates_have_to_agree(sandbox: Sandbox) -> None:
    async def used(truth: list[Case]) -> int:
        examination = Examination("double", sandbox, truth=truth)
        verdict = await escalate(examination, Given([RIGHT, OTHER] * 12, [SUITE, SUITE]))
        assert verdict.standing is BehaviourStanding.VERIFIED
        return verdict.candidates_used

    none, one = await used([]), await used([says("double([4])", [8])])
    assert none > one >= await used([says("double([4])", [8]), says("double([0])", [0])])


async def test_one_candidate_is_never_enough(sandbox: Sandbox) -> None:
    told = [says("double([4])", [8]), says("double([6])", [12])]
    verdict = await escalate(Examination("double", sandbox, truth=told), Given([RIGHT], [SUITE]))
    assert verdict.standing is BehaviourStanding.EXPERIMENTAL


async def test_a_result_that_neither_shows_can_be_typed(sandbox: Sandbox) -> None:
    async def person(question: ReadingQuestion) -> Choice:
        given = ast.literal_eval((question.call.source or "").removeprefix("double"))
        return StatedResult([x * 2 for x in given])

    plus = "def double(xs):\n    return [x + 2 for x in xs]\n"
    examination = Examination("double", sandbox, truth=[says("double([2])", [4])])
    codes = [WRONG, plus, WRONG, plus, RIGHT, WRONG, plus, RIGHT, OTHER]
    verdict = await escalate(examination, Given(codes, [SUITE]), ask=person)
    assert verdict.code == RIGHT
    assert any(case.note == "answer to a question" for case in verdict.suite)


async def test_where_every_candidate_fails_the_reason_names_the_error(sandbox: Sandbox) -> None:
    failing = "def double(xs):\n    return xs['hours']\n"
    verdict = await escalate(Examination("double", sandbox), Given([failing] * 8, [SUITE[1:]]))
    assert verdict.standing is BehaviourStanding.REJECTED
    assert verdict.reason.startswith("no program runs (TypeError: ")


async def test_no_witnesses_at_all_end_in_a_rejection(sandbox: Sandbox) -> None:
    verdict = await escalate(Examination("double", sandbox, calibration=PLAIN), Given([], []))
    assert verdict.standing is BehaviourStanding.REJECTED


class Voting:
    """An adjudicator that always votes for the same position."""

    def __init__(self, *votes: int | None) -> None:
        self.given, self.heard = list(votes), 0

    async def votes(self, question: ReadingQuestion) -> list[int | None]:
        self.heard += 1
        return self.given


async def test_a_disagreement_goes_to_the_adjudicator_and_then_to_the_person(
    sandbox: Sandbox,
) -> None:
    moves: list[Move] = []

    async def note(step: EscalationStep) -> None:
        moves.append(step.move)

    async def person(question: ReadingQuestion) -> int | None:
        return None

    voting = Voting(1, 1, None)
    nearly = Calibration(("share",), (0.0,), 2.8, "nearly sure")
    examination = Examination(
        "double", sandbox, truth=[says("double([2])", [4])], calibration=nearly
    )
    witnesses = Given([WRONG, RIGHT] * 9, [SUITE, SUITE])
    await escalate(examination, witnesses, ask=person, adjudicator=voting, on_step=note)
    assert voting.heard == 1
    assert moves.index(Move.ADJUDICATION) < moves.index(Move.QUESTION)


async def test_an_adjudicator_moves_the_confidence_but_not_far(sandbox: Sandbox) -> None:
    async def confidence(*votes: int | None) -> float:
        examination = Examination("double", sandbox, calibration=PLAIN)
        await examination.hear([RIGHT, RIGHT, RIGHT, WRONG], [SUITE, SUITE])
        asked = examination.question()
        assert asked is not None
        if votes:
            await examination.adjudge(asked, votes, 0.6)
        return examination.confidence

    alone, against, agreed = await confidence(), await confidence(1, 1), await confidence(0, 0)
    assert against < alone < agreed
    assert agreed - against < 0.3


async def test_the_verdict_tells_a_person_why(sandbox: Sandbox) -> None:
    examination = Examination(
        "double", sandbox, truth=[says("double([4])", [8])], calibration=PLAIN
    )
    verdict = await escalate(examination, Given([RIGHT, WRONG] + [OTHER] * 12, [SUITE, SUITE]))
    # Both authors wrote the same, so they are one.
    assert "programs agree, they match your 1 example, 1 of 1 test author agrees" in verdict.reason
    shown = verdict.evidence["behaviours"]
    assert isinstance(shown, list)
    assert all(0 <= row["share"] <= 1 for row in shown)  # type: ignore[index, call-overload, operator]
    cases = verdict.evidence["cases"]
    assert isinstance(cases, list)
    assert {"call", "expected", "origin", "support", "kept", "note"} <= set(cases[0])  # type: ignore[arg-type]


async def test_the_own_librarys_experience_moves_the_number(sandbox: Sandbox) -> None:
    told = [says("double([4])", [8])]
    for own, standing in (
        (None, BehaviourStanding.VERIFIED),
        (own_calibration("some other model", []), BehaviourStanding.EXPERIMENTAL),
    ):
        examination = Examination("double", sandbox, truth=told, calibration=PLAIN)
        examination.own = own
        verdict = await escalate(examination, Given([RIGHT, OTHER, RIGHT, OTHER, RIGHT], [SUITE]))
        assert verdict.standing is standing
        assert verdict.evidence["unadjusted_confidence"] == round(examination.unadjusted, 4)
    assert verdict.confidence < examination.unadjusted


async def test_a_mistake_that_all_share_is_not_verified_against_all_authors(
    sandbox: Sandbox,
) -> None:
    codes = [WRONG, "def double(xs):\n    return [x * x for x in xs]\n"] * 8
    told = [says("double([2])", [4])]
    against = [f"assert double([{n}]) == [{2 * n}]" for n in range(3, 9)]
    verdict = await escalate(
        Examination("double", sandbox, truth=told, calibration=PLAIN), Given(codes, [against])
    )
    assert verdict.standing is BehaviourStanding.EXPERIMENTAL
    assert verdict.confidence == 0.89
    assert "expect something else nearly everywhere" in verdict.reason
    alone = Examination("double", sandbox, truth=told, calibration=PLAIN)
    assert (await escalate(alone, Given(codes, []))).confidence > 0.95


async def test_what_is_examined_again_hears_as_much_as_what_is_new(sandbox: Sandbox) -> None:
    examination = Examination("double", sandbox, truth=[says("double([4])", [8])])
    await examination.hear([RIGHT])
    verdict = await escalate(examination, Given([RIGHT, OTHER] * 4, [SUITE, SUITE]))
    assert (verdict.candidates_used, verdict.suites_used) >= (6, 2)
    assert verdict.standing is BehaviourStanding.VERIFIED
