"""Examples for a reader: what counts as answered, as misleading, and how pairs are made."""

from typing import Any

from training.reading import examples, filled, is_answered, is_misleading, same, unstated

TEXT = "In 1702 the Marland army took Velo from the Dorians, who had held it since 1688."
CASE: dict[str, Any] = {
    "q": "Who took Velo in 1702?",
    "a": "the Marland army",
    "reworded": "By whom was Velo taken in 1702?",
    "excerpt": TEXT,
    "whole": TEXT + " General Oster governed it.",
    "whole_holds": True,
    "removed": "General Oster governed it.",
    "elsewhere": "Hesk is an island.",
    "misleading": [("number", "Who took Velo in 1688?"), ("role", "Who took the Marland army?")],
}


def test_short_answers_are_compared_by_their_words() -> None:
    assert same("the Marland army", "Marland army") and not same("1702", "1688")
    assert unstated("Not stated.") and unstated("") and not unstated("Velo")
    assert is_answered("the Marland army", ["Marland army", "the army of Marland", "1702"])
    assert not is_answered("the Marland army", ["Marland army", "not stated"])
    assert not is_answered("the Marland army", [])


def test_what_the_text_may_answer_otherwise_is_not_misleading() -> None:
    answer = CASE["a"]
    assert is_misleading("number", answer, TEXT, ["the Marland army", "not stated"])
    assert not is_misleading("number", answer, TEXT, ["the Dorians", "not stated"])
    assert is_misleading("number", answer, TEXT, ["Napoleon", "not stated"]), "not in the text"
    assert is_misleading("word", "1702", TEXT, ["not stated", "not stated"])
    assert not is_misleading("word", "1702", TEXT, ["1702", "not stated"])


def test_each_case_gives_as_many_with_an_answer_as_without() -> None:
    rows = list(examples([CASE] * 40, 3))
    right = [row for row in rows if row["reply"] == CASE["a"]]
    wrong = [row for row in rows if row["reply"] == "not stated"]
    assert len(right) + len(wrong) == len(rows) and abs(len(right) - len(wrong)) <= 40
    assert {row["question"] for row in right} == {CASE["q"], CASE["reworded"]}
    assert all(CASE["a"] in row["passages"] for row in right)
    for row in wrong:
        asked = row["question"] in {text for _, text in CASE["misleading"]}
        assert asked or CASE["a"] not in row["passages"], "another question, or another text"


def test_what_is_inserted_stays_as_it_is() -> None:
    template = [{"role": "user", "content": "Text: {{passages}}\n\nQuestion: {{question}}"}]
    (said,) = filled(template, "a {{question}} b", "who?")
    assert said["content"] == "Text: a {{question}} b\n\nQuestion: who?"
