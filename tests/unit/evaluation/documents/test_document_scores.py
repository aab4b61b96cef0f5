"""Scores of answers from documents: right, refused, and how far chances hold."""

import pytest

from hammerstone.evaluation.documents.document_scores import (
    DocumentCase,
    calibration_error,
    is_right,
    not_given,
    scores,
)
from hammerstone.evaluation.documents.question_sets import DocumentQuestion

ASKED = DocumentQuestion("1", "When was it taken?", ("in 1702",), "velo.md")
OUTSIDE = DocumentQuestion("2", "Who built it?", (), "")


@pytest.mark.parametrize(
    ("answer", "right"),
    [("1702", True), ("in the year 1702", True), ("1703", False), ("", False)],
)
def test_an_answer_says_the_wanted_words(answer: str, right: bool) -> None:
    assert is_right(answer, ASKED.answers) is right


def test_the_numbers_of_four_questions() -> None:
    cases = [
        DocumentCase(ASKED, 0, "1702", 0.95, (1.0,), 3),
        DocumentCase(ASKED, 4, "1688", 0.95, (1.0,), 4),
        DocumentCase(ASKED, None, "1702", 0.5, (0.5,), None),
        DocumentCase(OUTSIDE, None, "Oster", 0.2, (0.2,)),
    ]
    told = scores(cases, 0.9)
    assert (told["recall_at_1"], told["recall_at_5"]) == (0.3333, 0.6667)
    assert (told["recall_at_1_in_file"], told["recall_at_5_in_file"]) == (0.0, 0.6667)
    assert (told["answered"], told["answered_right"]) == (2, 1)
    assert (told["refused_right"], told["refused_wrong"]) == (1, 1)
    assert told["right_of_answered"] == 0.5 and told["unanswerable_refused"] == 1.0
    more = [*cases, DocumentCase(ASKED, 0, "", 0.0, asked=False),
            DocumentCase(OUTSIDE, None, "", 0.0, asked=False)]  # fmt: skip
    unasked = scores(more, 0.9)
    assert (unasked["n"], unasked["recall_at_1"]) == (6, 0.5)
    assert (unasked["refused_right"], unasked["refused_wrong"]) == (1, 1), "nobody was asked"
    assert calibration_error(cases) == pytest.approx((2 * 0.45 + 0.5 + 0.2) / 4)


def test_what_is_said_where_no_answer_is_given() -> None:
    cases = [
        DocumentCase(ASKED, 0, "1702", 0.95),
        DocumentCase(ASKED, 0, "1702", 0.89),
        DocumentCase(OUTSIDE, None, "Oster", 0.4),
        DocumentCase(ASKED, 0, "1702", 0.39),
        DocumentCase(OUTSIDE, None, "", 0.0),
        DocumentCase(OUTSIDE, None, "", 0.0, asked=False),
    ]
    assert not_given(cases, 0.9, 0.4) == {
        "uncertain": 2,
        "uncertain_likeliest_right": 1,
        "not_found": 2,
        "not_found_right": 1,
    }
