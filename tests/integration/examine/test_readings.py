"""What a person's examples leave open, and who settles it."""

import ast

from hammerstone.core.seams import Sandbox
from hammerstone.synthesis.examine.escalate import escalate
from hammerstone.synthesis.examine.examination import Examination
from hammerstone.synthesis.examine.suites.examples import read_examples
from hammerstone.synthesis.examine.verdict import BehaviourStanding, ReadingQuestion
from tests.integration.examine.doubling import OTHER, PLAIN, RIGHT, SUITE, Given, says

LOWER = "def shared(a, b):\n    return tuple(sorted(set(a) & set(b)))\n"
AS_LIST = "def shared(a, b):\n    return [x for x in dict.fromkeys(b) if x in a]\n"


async def test_an_example_about_sets_lets_the_order_and_the_container_open(
    sandbox: Sandbox,
) -> None:
    spec = '"""The shared elements.\nassert set(shared((3, 4, 5), (5, 4, 9))) == set((4, 5))\n"""'
    truth = read_examples(spec, "shared")
    examination = Examination("shared", sandbox, truth=truth, calibration=PLAIN)
    suite = [
        "assert shared((1,), (1,)) == (1,)",
        "assert shared((1,), (2,)) == ()",
        "assert shared((1, 2), (2,)) == (2,)",
    ]
    witnesses = Given([LOWER, AS_LIST, LOWER, AS_LIST, LOWER], [suite, suite])
    verdict = await escalate(examination, witnesses)
    assert verdict.standing is BehaviourStanding.VERIFIED
    assert len(examination.belief.ranking) == 1


CAUTIOUS = "def double(xs):\n    return [x * 2 for x in xs if x > 0]\n"


async def test_a_second_reading_that_meets_the_example_is_a_question_not_a_verdict(
    sandbox: Sandbox,
) -> None:
    codes = [RIGHT, OTHER, RIGHT, OTHER, CAUTIOUS, *[RIGHT, OTHER, CAUTIOUS] * 4]
    suites = [SUITE, [*SUITE, "assert double([7]) == [14]"]]  # silent about zero
    one = [says("double([4])", [8])]
    examination = Examination("double", sandbox, truth=one, calibration=PLAIN)
    verdict = await escalate(examination, Given(codes, suites))
    assert verdict.standing is BehaviourStanding.EXPERIMENTAL
    assert "fit what you said, too" in verdict.reason

    asked: list[ReadingQuestion] = []

    async def ask(question: ReadingQuestion) -> int | None:
        asked.append(question)
        given = ast.literal_eval((question.call.source or "").removeprefix("double"))
        return question.results.index([x * 2 for x in given])

    examination = Examination("double", sandbox, truth=one, calibration=PLAIN)
    verdict = await escalate(examination, Given(codes, suites), ask=ask)
    assert len(asked) == 1
    assert verdict.standing is BehaviourStanding.VERIFIED


async def test_a_lone_other_reading_is_outvoted_by_more_candidates(
    sandbox: Sandbox,
) -> None:
    codes = [RIGHT, OTHER, CAUTIOUS, RIGHT, OTHER, *[RIGHT, OTHER] * 6]
    one = [says("double([4])", [8])]
    examination = Examination("double", sandbox, truth=one, calibration=PLAIN)
    suites = [SUITE, [*SUITE, "assert double([7]) == [14]"]]
    verdict = await escalate(examination, Given(codes, suites))
    assert verdict.standing is BehaviourStanding.VERIFIED
    assert verdict.candidates_used >= 10


async def test_test_authors_who_side_with_the_leader_settle_what_an_example_leaves_open(
    sandbox: Sandbox,
) -> None:
    one = [says("double([4])", [8])]
    spoken = [[*SUITE, "assert double([0]) == [0]"], [*SUITE, "assert double([0, 1]) == [0, 2]"]]
    examination = Examination("double", sandbox, truth=one, calibration=PLAIN)
    codes = [RIGHT, OTHER, RIGHT, OTHER, CAUTIOUS]
    await examination.hear(codes, spoken)
    settled = examination.confidence
    examination = Examination("double", sandbox, truth=one, calibration=PLAIN)
    await examination.hear(codes, [SUITE, SUITE])
    assert settled > 0.9 > examination.confidence


async def test_a_negative_number_in_an_example_is_tried_with_others(sandbox: Sandbox) -> None:
    digit = "def digit(n):\n    return abs(n) % 10\n"
    rest = "def digit(n):\n    return n % 10\n"  # the same for -15, not for -12
    truth = [says("digit(-15)", 5), says("digit(10023)", 3)]
    suite = [f"assert digit({n}) == {n % 10}" for n in range(10, 40)]
    examination = Examination("digit", sandbox, truth=truth, calibration=PLAIN)
    verdict = await escalate(examination, Given([digit, rest, digit, rest, digit], [suite]))
    assert len(examination.belief.ranking) == 2
    assert verdict.standing is BehaviourStanding.EXPERIMENTAL
