"""Texts are shortened to a number of tokens, and a summary gives way from its oldest line on."""

from datetime import UTC, datetime

import numpy as np
import pytest

from hammerstone.library.memory.context import Context, RelatedExchange
from hammerstone.library.memory.memory_instructions import Layer, layer_of, read_told
from hammerstone.library.memory.recall import Coverage
from hammerstone.library.memory.summary import fold
from hammerstone.library.memory.tokens import cut, tokens_of
from hammerstone.storage.stores.library.memory import Exchange

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def exchange(request: str, answer: str = "", status: str = "done") -> Exchange:
    return Exchange(1, "run", "ada", "s", request, answer, status, NOON)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("ä" * 4, 2), ("x" * 400, 100)],
)
def test_four_bytes_are_a_token(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens", "result"),
    [
        ("one  two\nthree", 4, "one two three"),
        ("one two three", 3, "one two…"),
        ("abcdefghijklmnop", 3, "abcdefghi…"),
        ("a bcdefghijklmnop", 3, "a bcdefgh…"),
        ("abcdef, hijklmnop", 3, "abcdef…"),
        ("abcdef", 1, "a…"),
        ("abcdef", 0, "…"),
    ],
)
def test_a_text_is_cut_at_a_word_where_one_is_near(text: str, tokens: int, result: str) -> None:
    assert cut(text, tokens) == result


def test_a_summary_has_a_line_for_each_exchange() -> None:
    text = fold("before → then", [exchange("a", "1"), exchange("b", status="failed")], 100)
    assert text == "before → then\na → 1\nb → failed"
    assert fold("", [], 100) == ""
    assert fold("one\n\n  \ntwo", [], 100) == "one\ntwo"


def test_request_and_answer_share_a_line_evenly() -> None:
    (line,) = fold("", [exchange("r " * 200, "a " * 200)], 100).splitlines()
    asked, _, got = line.partition(" → ")
    assert (asked, got) == (cut("r " * 200, 20), cut("a " * 200, 20))


def test_the_oldest_line_loses_its_words_before_it_goes() -> None:
    old = "old " * 20 + "→ 1"
    new = "new " * 20 + "→ 2"
    whole = f"{old}\n{new}"
    size = tokens_of(whole)
    assert fold(whole, [], size) == whole
    assert fold(whole, [], size - 1) == f"{cut(old, 14)}\n{new}"
    both = f"{cut(old, 14)}\n{cut(new, 14)}"
    assert fold(whole, [], tokens_of(both)) == both


@pytest.mark.parametrize(
    ("before", "tokens", "after"),
    [
        ("a\nb\nc", 0, "(3 earlier exchanges left out)"),
        ("(1 earlier exchange left out)\na", 0, "(2 earlier exchanges left out)"),
        ("(2 earlier exchanges left out)\na", 8, "(2 earlier exchanges left out)\na"),
        ("a", 0, "(1 earlier exchange left out)"),
        ("(12 earlier exchanges left out)", 100, "(12 earlier exchanges left out)"),
    ],
)
def test_what_was_left_out_is_counted(before: str, tokens: int, after: str) -> None:
    assert fold(before, [], tokens) == after


def test_a_lines_place_is_kept_while_others_go() -> None:
    lines = [f"question {n} → {n}" for n in range(30)]
    kept = fold("\n".join(lines), [], 60).splitlines()
    gone = 30 - (len(kept) - 1)
    assert kept == [f"({gone} earlier exchanges left out)", *lines[gone:]]
    one_more = fold("\n".join(kept), [exchange("question 30", "30")], 60).splitlines()
    assert one_more[-1] == "question 30 → 30"
    assert int(one_more[0].split()[0][1:]) + len(one_more) - 1 == 31


def test_the_share_of_a_questions_words() -> None:
    words = Coverage()
    words.add(0, ["tea", "cup", "tea"])
    words.add(1, ["tea"])
    tea, cup, none = np.log(1 + 50 / 3), np.log(1 + 50 / 2), np.log(1 + 50)
    assert words.scores(["tea"], 3).tolist() == [1.0, 1.0, 0.0]
    assert words.scores(["tea", "tea"], 2).tolist() == [1.0, 1.0]
    total = tea + cup + none
    found = words.scores(["tea", "cup", "boat"], 2)
    assert found.tolist() == pytest.approx([(tea + cup) / total, tea / total])
    assert words.scores([], 2).tolist() == [0.0, 0.0]


def test_from_many_texts_on_their_number_counts() -> None:
    words = Coverage()
    for place in range(99):
        words.add(place, ["all", "few"] if place < 9 else ["all"])
    few, every = np.log(1 + 99 / 10), np.log(1 + 99 / 100)
    assert words.scores(["few", "all"], 99)[98] == pytest.approx(every / (few + every))


def test_everything_that_is_known_is_marked_and_in_order() -> None:
    recalled = RelatedExchange("old?", "yes", "t", "r", "2026-01-02", 0.5)
    context = Context(
        rules="- be brief", identity="I am Stone", facts="likes tea", summary="a → b",
        window=(("x", "1"), ("y", "2")), recalled=(recalled,), log="12:00 note",
        references="$1: 5",
    )  # fmt: skip
    shown = context.for_models("now?")
    parts = ["I am Stone", "Rules of the person", "- be brief", "likes tea", "a → b", "12:00 note",
             "2026-01-02", "Asked: old?\nAnswered: yes", "Asked: x\nAnswered: 1\nAsked: y",
             "$1: 5", "Request: now?"]  # fmt: skip
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    assert len(context.sections()) == 6


@pytest.mark.parametrize(
    ("context", "sections"),
    [
        (Context(identity="I am Stone"), 0),
        (Context(rules="- brief"), 0),
        (Context(facts="tea"), 1),
        (Context(references="$1"), 1),
    ],
)
def test_one_thing_known_is_enough(context: Context, sections: int) -> None:
    assert len(context.sections()) == sections
    assert context.for_models("q").endswith("\n\nRequest: q")
    assert ("Rules of" in context.pinned) == bool(context.rules)


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("Always use ISO dates", Layer.RULES),
        ("in the future, be brief", Layer.RULES),
        ("never mind the gap", Layer.MEMORY),
        ("Always on top", Layer.MEMORY),
        ("my dog is old", Layer.USER),
        ("I'm tired", Layer.USER),
        ("Mystery is fun", Layer.MEMORY),
    ],
)
def test_the_file_a_statement_belongs_to(text: str, layer: Layer) -> None:
    assert layer_of(text) is layer


@pytest.mark.parametrize(
    ("what", "kept"),
    [("x" * 240, True), ("x" * 241, False), ("abc", True), ("ab", False), ("ab.", False)],
)
def test_what_is_too_short_or_too_long_is_not_kept(what: str, kept: bool) -> None:
    assert (read_told(f"Remember that {what}") is not None) is kept


def test_forgetting_and_remembering_say_which() -> None:
    told = read_told("Forget about my tax rate. What is 2 + 2")
    assert told is not None
    assert (told.text, told.forget, told.alone) == ("My tax rate", True, False)
    told = read_told("Remember that I like tea.\nSecond line")
    assert told is not None
    assert (told.text, told.forget, told.alone) == ("I like tea", False, False)
    assert read_told("Never mind that") is None
    assert read_told("Is tea nice? Remember that it is.") is None
    told = read_told("Remember that tea is nice. Is it?")
    assert told is not None
    assert not told.alone
