"""Every number that somebody can change is explained in a sentence."""

from dataclasses import fields

from hammerstone.app.wiring import MORE_POLICIES
from hammerstone.app.words.policy_words import WORDS
from hammerstone.library.policies import POLICIES


def test_every_number_of_every_policy_has_a_sentence_and_no_sentence_is_left_over() -> None:
    kinds = (*POLICIES, *MORE_POLICIES)
    known = {kind.name: {field.name for field in fields(kind)} for kind in kinds}
    assert {name: set(words.fields) for name, words in WORDS.items()} == known
    for words in WORDS.values():
        assert words.title and words.group
        assert all(text[0].isupper() or text[0].isdigit() for text in words.fields.values())
        assert all(text.endswith(".") for text in words.fields.values())
