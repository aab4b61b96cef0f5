"""What a person said decides; authors and candidates are weighed."""

import numpy as np

from hammerstone.synthesis.examine.belief.belief import (
    ExaminationEvidence,
    LabelClaim,
    QuestionTally,
    weigh,
)


def accepted(column: int, label: int, author: int = -1) -> LabelClaim:
    return LabelClaim(column, frozenset({label}), author)


def test_truth_beats_any_majority() -> None:
    cells = np.array([[0, 1]] * 9 + [[2, 1]])
    belief = weigh(ExaminationEvidence(cells, truth=[accepted(0, 2)]))
    assert belief.survivors == (9,)
    assert belief.ranking[0].group.exact == (9,)


def test_truth_that_nobody_meets_leaves_nobody() -> None:
    belief = weigh(ExaminationEvidence(np.array([[0], [1]]), truth=[accepted(0, 7)]))
    assert belief.ranking == ()
    assert [claim.column for claim in belief.unmet] == [0]


def test_authors_decide_between_equal_votes() -> None:
    cells = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    belief = weigh(ExaminationEvidence(cells, claims=[accepted(1, 1, author=0)]))
    assert int(belief.ranking[0].group.labels[1]) == 1


def test_authors_who_repeat_each_other_on_one_input_count_once() -> None:
    cells = np.array([[0, 0], [0, 1]])
    one = weigh(ExaminationEvidence(cells, claims=[accepted(1, 1, author=0)]))
    many = weigh(ExaminationEvidence(cells, claims=[accepted(1, 1, author=n) for n in range(9)]))
    assert one.ranking[0].weight == many.ranking[0].weight


def test_a_denied_result_is_out_and_others_stay() -> None:
    cells = np.array([[0], [0], [1], [2]])
    denied = LabelClaim(0, frozenset({0, 1}), denied=True)
    belief = weigh(ExaminationEvidence(cells, truth=[denied], answered=QuestionTally(refused=1)))
    assert belief.survivors == (3,)
    assert belief.features["told"] == 0.0  # a refusal is not an example


def test_more_agreement_never_lowers_the_share() -> None:
    cells = np.array([[0]] * 3 + [[1]])
    more = np.array([[0]] * 4 + [[1]])
    before, after = (
        weigh(ExaminationEvidence(cells)).features,
        weigh(ExaminationEvidence(more)).features,
    )
    assert after["share"] > before["share"]


def test_a_second_reading_is_open_until_authors_say_which_is_meant() -> None:
    cells = np.array([[0, 0]] * 4 + [[0, 1]])
    open_one = weigh(ExaminationEvidence(cells, truth=[accepted(0, 0)]))
    assert open_one.features["second_reading"] == 1.0
    backed = weigh(
        ExaminationEvidence(cells, truth=[accepted(0, 0)], claims=[accepted(1, 0, author=0)])
    )
    assert backed.features["second_reading"] == 0.0
    outvoted = np.array([[0, 0]] * 9 + [[0, 1]])  # a tenth is no reading
    assert weigh(ExaminationEvidence(outvoted)).features["second_reading"] == 0.0
    dead = np.array([[0, 0]] * 4 + [[5, 1]])  # who misses the example has no reading
    assert (
        weigh(ExaminationEvidence(dead, truth=[accepted(0, 0)])).features["second_reading"] == 0.0
    )


def test_copies_of_one_program_are_one_witness_unless_somebody_seconds_them() -> None:
    cells = np.array([[0, 0, 0]] * 3)
    copies = ("same",) * 3
    assert weigh(ExaminationEvidence(cells, programs=copies)).features["one_program"] == 1.0
    others = weigh(ExaminationEvidence(cells, programs=("same", "same", "other")))
    assert others.features["one_program"] == 0.0
    author = [accepted(column, 0, 0) for column in range(3)]
    assert (
        weigh(ExaminationEvidence(cells, claims=author, programs=copies)).features["one_program"]
        == 0.0
    )
    chosen = weigh(ExaminationEvidence(cells, answered=QuestionTally(flipped=1), programs=copies))
    assert chosen.features["one_program"] == 0.0


def test_one_example_and_several_are_told_apart() -> None:
    cells = np.array([[0, 0]] * 3)
    one = weigh(ExaminationEvidence(cells, truth=[accepted(0, 0)])).features
    two = weigh(ExaminationEvidence(cells, truth=[accepted(0, 0), accepted(1, 0)])).features
    assert (one["told"], one["several"], two["several"]) == (1.0, 0.0, 1.0)
    answer = ExaminationEvidence(cells, truth=[accepted(0, 0)], answered=QuestionTally(upheld=1))
    assert weigh(answer).features["told"] == 0.0  # an answer has its own weight


def test_an_author_is_content_only_with_everything() -> None:
    cells = np.array([[0, 0, 0]] * 3)
    claims = [accepted(0, 0, 0), accepted(1, 0, 0), accepted(1, 0, 1), accepted(2, 5, 1)]
    assert weigh(ExaminationEvidence(cells, claims=claims)).features["content"] == 0.5
    assert weigh(ExaminationEvidence(cells)).features["content"] == 0.0


def test_authors_who_only_repeat_the_examples_say_nothing() -> None:
    cells = np.array([[0] * 9] * 3)
    truth = [accepted(column, 0) for column in range(4)]
    copied = [accepted(column, 0, author) for author in (0, 1) for column in range(4 + author)]
    features = weigh(ExaminationEvidence(cells, truth=truth, claims=copied)).features
    assert (features["authors"], features["content"]) == (0, 0)
    own = [accepted(column, 0, 2) for column in range(4, 7)]
    features = weigh(ExaminationEvidence(cells, truth=truth, claims=copied + own)).features
    assert (features["authors"], features["content"]) == (3, 1)


def test_authors_who_say_the_same_are_one() -> None:
    cells = np.array([[0] * 4] * 3)
    same = [accepted(column, 0, author) for author in range(3) for column in range(3)]
    other = [accepted(3, 5, 3)]
    features = weigh(ExaminationEvidence(cells, claims=same + other)).features
    assert (features["authors"], features["content"]) == (2, 0.5)
