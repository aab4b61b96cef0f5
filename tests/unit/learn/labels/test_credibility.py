"""How far people's words are believed, also where everything else is as good as certain."""

import pytest

from hammerstone.learn.labels.credibility import CheckedWord, WordChecks


@pytest.mark.parametrize("odds", [60.0, -60.0, 800.0, -800.0])
def test_answers_that_are_as_good_as_certain_are_counted(odds: float) -> None:
    checks = WordChecks([odds] * 3)
    agrees = [CheckedWord("ada", odds > 0, odds)] * 5
    differs = [CheckedWord("bob", odds <= 0, odds)] * 5
    believed, doubted = (checks.credibility(words, 0.9, 5.0) for words in (agrees, differs))
    assert 0 < believed < 1
    assert doubted == pytest.approx(believed)  # where all answers are alike, no word is checked


def test_without_any_answer_people_are_as_right_as_usual() -> None:
    assert WordChecks([]).credibility([], 0.9, 1e9) == pytest.approx(0.9)


def test_who_contradicts_what_is_known_is_believed_less() -> None:
    checks = WordChecks([3.0, 3.0, -3.0, -3.0])
    honest = [CheckedWord("ada", True, 3.0), CheckedWord("ada", False, -3.0)] * 10
    other = [CheckedWord("bob", False, 3.0), CheckedWord("bob", True, -3.0)] * 10
    assert checks.credibility(honest, 0.8, 5.0) > 0.75 > 0.4 > checks.credibility(other, 0.8, 5.0)
