"""The list of texts that people read: what is taken, what is not, and the words we do not write."""

import pytest

from evals.page_texts import page_texts
from evals.reading_ease import ease, ease_of, sentences, syllables
from evals.text_sources import ROOT, files_now, paragraphs, python_texts, shown_texts
from evals.texts import _outcome, found_words, unwanted_words, worst

MODULE = '''
"""A docstring is for those who read the code."""
import re
import typer

WORDS = "a list of words".split()
PATTERN = re.compile(r"not a text for people")
app = typer.Typer(help="What this group is for.")


@app.command()
def show(name: str) -> None:
    """Show one thing by its name."""
    if not name:
        raise BadRequest(f"there is no {name} here", hint="look at the list first")
    print(f"{name} was found in the list")
    query = "SELECT a FROM b WHERE c"


class WaitPolicy:
    """How long a person is waited for."""
'''


def test_strings_of_a_module_are_taken_with_what_they_are_for() -> None:
    found = [(kind, text) for _, kind, text in python_texts(MODULE, command_line=True)]
    assert found == [
        ("help", "What this group is for."),
        ("help", "Show one thing by its name."),
        ("error", "there is no {} here"),
        ("hint", "look at the list first"),
        ("message", "{} was found in the list"),
        ("help", "How long a person is waited for."),
    ]


SCRIPT = """
// a comment is not a text
const cls = "row wide-row";
const said = busy ? "Please wait a moment" : 'Nothing to do';
html`<div class="row big-one" title="What it is for"><b>Ask for something</b>
  ${list.map((one) => html`<p>It took ${one.s} seconds</p>`)}</div>`;
"""


def test_strings_of_a_page_are_taken_from_between_its_tags() -> None:
    assert [text for _, text in page_texts(SCRIPT)] == [
        "Please wait a moment",
        "Nothing to do",
        "What it is for",
        "Ask for something",
        "It took {} seconds",
    ]
    assert page_texts("<p>Plain words here</p><i>x</i>", markup=True) == [(1, "Plain words here")]


def test_documents_are_taken_without_their_code() -> None:
    text = "# A heading here\n\nSome [linked words](a.md) here.\n\n"
    page = f"{text}    code not taken\n\n| a | two words |\n"
    assert list(paragraphs(page)) == [
        (1, "A heading here"),
        (3, "Some linked words here."),
        (7, "two words"),
    ]


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("a", 1),
        ("tool", 1),
        ("answer", 2),
        ("verified", 3),
        ("make", 1),
        ("used", 1),
        ("library", 3),
    ],
)
def test_syllables(word: str, count: int) -> None:
    assert syllables(word) == count


def test_a_plain_sentence_is_easier_than_a_hard_one() -> None:
    plain, hard = "The cat sat on the mat.", "Calibrated probabilities necessitate verification."
    assert ease_of(plain).score > 100 > 0 > ease_of(hard).score
    assert ease([plain, plain]).words == 12 and ease([]).score == 0
    assert ease_of("Run `some_long_name(argument)` and `another_one`.").words == 4
    assert sentences("One here. Two there; three.") == ["One here.", "Two there", "three."]


def test_the_words_of_the_page_are_found_where_they_stand() -> None:
    head = "| we do not write | we write |\n|---|---|\n"
    page = f"{head}| stub, old word | x |\n| case (of it) | y |\n\n"
    assert unwanted_words(page) == ["stub", "old word"]
    texts = shown_texts(
        {"src/hammerstone/run/a.py": 'x = "the Stubs are here"\ny = "no stubborn one"'}
    )
    assert found_words(texts, ["stub"]) == {"stub": ["run/a.py:1"]}


# What is made outside the doors; their own texts are looked at with `python -m evals.texts`.
OURS = (
    "core",
    "guard",
    "judging",
    "library",
    "synthesis",
    "run",
    "learn",
    "app",
    "models",
    "storage",
)


def test_no_text_has_a_word_that_we_do_not_write() -> None:
    words = unwanted_words((ROOT / "docs" / "words.md").read_text("utf-8"))
    assert len(words) > 10
    texts = [one for one in shown_texts(files_now()) if one.group in OURS]
    assert len(texts) > 1000
    assert {word: at for word, at in found_words(texts, words).items() if at} == {}


def test_a_group_with_a_word_that_we_do_not_write_is_a_failed_case() -> None:
    plain = shown_texts({"src/hammerstone/run/a.py": 'x = "the tool is here now"'})
    hard = shown_texts(
        {"src/hammerstone/run/a.py": 'x = "verification necessitates calibration of stubs"'}
    )
    words = unwanted_words((ROOT / "docs" / "words.md").read_text("utf-8"))
    good, bad = (_outcome("run", texts, words) for texts in (plain, hard))
    assert good.passed and not bad.passed
    assert good.numbers["ease"] > bad.numbers["ease"]
    assert bad.numbers["unwanted"] == 1 and "run/a.py" in bad.reason
    assert worst(plain, 1) == []  # too short to be hard
