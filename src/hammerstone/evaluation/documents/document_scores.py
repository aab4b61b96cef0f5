"""Whether an answer from documents is right, and the numbers that follow from many."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.evaluation.documents.question_sets import DocumentQuestion

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_LEAST_OVERLAP = 0.5  # of words, as the harmonic mean of both shares
_MOST_MORE = 6  # words around the wanted ones


@dataclass(frozen=True, slots=True)
class DocumentCase:
    """A question, what was found and said, and how likely that was called.

    `rank` is the place of the first passage that says the answer, counted from 0: the right one,
    or one of another file with the same sentence. `rank_in_file` is that of the right one. Where
    nobody was asked, because no reply is recorded, only these say something.
    """

    question: DocumentQuestion
    rank: int | None
    answer: str
    probability: float
    signals: tuple[float, ...] = ()
    rank_in_file: int | None = None
    asked: bool = True

    @property
    def right(self) -> bool:
        return is_right(self.answer, self.question.answers)

    def given(self, mark: float) -> bool:
        return bool(self.answer) and self.probability >= mark


def is_right(answer: str, wanted: Sequence[str]) -> bool:
    """Whether an answer says one of the wanted ones: half of the words in common, or all of the
    wanted ones with a few words around them."""
    said = _words(answer)
    return any(_same(said, _words(one)) for one in wanted)


def _same(said: list[str], wanted: list[str]) -> bool:
    if not said or not wanted:
        return False
    common = sum((Counter(said) & Counter(wanted)).values())
    if 2 * common / (len(said) + len(wanted)) >= _LEAST_OVERLAP:
        return True
    joined, inner = f" {' '.join(said)} ", f" {' '.join(wanted)} "
    return inner in joined and len(said) <= len(wanted) + _MOST_MORE


def _words(text: str) -> list[str]:
    plain = "".join(c if c.isalnum() or c in "%=|/." else " " for c in text.lower())
    return [word.strip(".") for word in _ARTICLES.sub(" ", plain).split() if word.strip(".")]


def scores(cases: Sequence[DocumentCase], mark: float) -> dict[str, float | int]:
    """The numbers of a set of questions, where answers are given from a probability on."""
    inside = [one for one in cases if one.question.answerable]
    outside = [one for one in cases if one.asked and not one.question.answerable]
    given = [one for one in cases if one.given(mark)]
    right = [one for one in given if one.question.answerable and one.right]
    refused = [one for one in outside if not one.given(mark)]
    answerable = [one for one in inside if one.asked]
    lost = [one for one in answerable if not one.given(mark)]
    on_inside = [one for one in given if one.question.answerable]
    return {
        "n": len(cases),
        "answerable": len(inside),
        "recall_at_1": recall([one.rank for one in inside], 1),
        "recall_at_5": recall([one.rank for one in inside], 5),
        "recall_at_1_in_file": recall([one.rank_in_file for one in inside], 1),
        "recall_at_5_in_file": recall([one.rank_in_file for one in inside], 5),
        "answered": len(given),
        "answered_right": len(right),
        "refused_right": len(refused),
        "refused_wrong": len(lost),
        "right_of_answered": _share(len(right), len(given)),
        "right_of_answered_where_answerable": _share(len(right), len(on_inside)),
        "unanswerable_refused": _share(len(refused), len(outside)),
        "answerable_refused": _share(len(lost), len(answerable)),
        "calibration_error": calibration_error(cases),
    }


def not_given(cases: Sequence[DocumentCase], mark: float, doubt: float) -> dict[str, int]:
    """What is said where no answer is given: from `doubt` on that it is not certain, with the
    likeliest answer; below that nothing was found."""
    silent = [one for one in cases if one.asked and not one.given(mark)]
    uncertain = [one for one in silent if one.given(doubt)]
    likeliest = [one for one in uncertain if one.question.answerable and one.right]
    outside = [one for one in silent if not one.given(doubt) and not one.question.answerable]
    return {
        "uncertain": len(uncertain),
        "uncertain_likeliest_right": len(likeliest),
        "not_found": len(silent) - len(uncertain),
        "not_found_right": len(outside),
    }


def recall(ranks: Sequence[int | None], most: int) -> float:
    """The share of questions whose passage is among so many."""
    return _share(sum(one is not None and one < most for one in ranks), len(ranks))


def calibration_error(cases: Sequence[DocumentCase], bins: int = 10) -> float:
    """How far the stated chances are from what came true, on average, in ten equal bins."""
    answered = [one for one in cases if one.answer]
    total = 0.0
    for number in range(bins):
        own = [one for one in answered if min(int(one.probability * bins), bins - 1) == number]
        if own:
            stated = sum(one.probability for one in own) / len(own)
            true = sum(one.question.answerable and one.right for one in own) / len(own)
            total += len(own) * abs(stated - true)
    return round(total / len(answered), 4) if answered else 0.0


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
