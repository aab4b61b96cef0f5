"""How many of a question's words earlier texts have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.library.memory.recall import Coverage

words = st.lists(st.sampled_from("abcdef"), max_size=6)


def of(*texts: str) -> Coverage:
    found = Coverage()
    for place, text in enumerate(texts):
        found.add(place, text.split())
    return found


def test_the_share_of_the_words_that_a_text_has() -> None:
    assert of("a b", "a", "c").scores(["a", "b"], 3)[0] == pytest.approx(1.0)
    half = of("a", "b").scores(["a", "b"], 2)
    assert half.tolist() == pytest.approx([0.5, 0.5])
    assert of("a").scores([], 1).tolist() == of("a").scores(["z"], 1).tolist() == [0.0]
    assert of("a a a").scores(["a", "a"], 1).tolist() == pytest.approx([1.0])


def test_a_rare_word_counts_more_than_a_usual_one() -> None:
    found = of("a", "b", *["b"] * 60).scores(["a", "b"], 62)
    assert found[0] > found[1] > 0
    assert found[0] + found[1] == pytest.approx(1.0)


def test_few_texts_have_no_rare_words() -> None:
    """Of three texts, a word in two of them is nearly worth as much as one that is in one."""
    found = of("a", "b", "b").scores(["a", "b"], 3)
    assert found[1] / found[0] > 0.85


@given(st.lists(words, min_size=1, max_size=8), words)
def test_scores_are_shares_and_the_order_of_words_says_nothing(
    texts: list[list[str]], asked: list[str]
) -> None:
    found = Coverage()
    for place, text in enumerate(texts):
        found.add(place, text)
    scores = found.scores(asked, len(texts))
    assert np.allclose(scores, found.scores(asked[::-1], len(texts)))
    for text, score in zip(texts, scores, strict=True):
        assert -1e-6 <= score <= 1 + 1e-6
        if asked:
            assert (score > 0) == bool(set(text) & set(asked))
            assert (score > 1 - 1e-6) == (set(asked) <= set(text))
