"""Questions about documents: where their answers are, and what counts as found."""

import gzip
import json
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.evaluation.documents.passage_baselines import word_ranks
from hammerstone.evaluation.documents.pasted import begin_of, pasted_prompt
from hammerstone.evaluation.documents.question_sets import read_question_set, texts_beside

RETRY = "# Retry\n\nStatus codes that are tried again: 429 and 503.\n\nIt waits.\n"


def test_an_article_has_its_paragraphs_and_questions_without_answer(tmp_path: Path) -> None:
    article = {
        "title": "Velo",
        "paragraphs": ["It is a port.", "It was taken  in 1702."],
        "questions": [
            {"q": "When was it taken?", "answers": ["1702"], "paragraph": 1},
            {"q": "Who built it?", "answers": [], "paragraph": None},
        ],
    }
    path = tmp_path / "velo.json"
    path.write_text(json.dumps(article))
    given = read_question_set(path)
    taken, built = given.questions
    assert taken.answerable and not built.answerable
    assert taken.found_in("velo.md", "It was taken\nin 1702.")
    assert not taken.found_in("velo.md", "1702")
    assert given.pasted.startswith("# Velo\n\nIt is a port.")


def test_a_paragraph_with_a_list_is_found_by_its_part_with_the_answer(tmp_path: Path) -> None:
    paragraph = "The port has two docks.\n\n- The old dock was dug in 1702 by hand.\n- The new one."
    row = {"q": "When was the old dock dug?", "answers": ["1702"], "paragraph": 0}
    path = tmp_path / "velo.json"
    path.write_text(json.dumps({"title": "Velo", "paragraphs": [paragraph], "questions": [row]}))
    (dug,) = read_question_set(path).questions
    assert dug.found_in("velo.md", "- The old dock was dug in 1702 by hand.\n- The new one.")
    assert not dug.found_in("velo.md", "# Velo\n\nThe port has two docks.")
    assert not dug.found_in("velo.md", "It was dug in 1702.")


def test_another_file_counts_where_it_says_the_same_sentence(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "retry.md").write_text(RETRY)
    (docs / "agent.md").write_text(RETRY.replace("Retry", "Agent"))
    rows = [
        {"id": "1", "q": "What is tried again?", "file": "docs/retry.md", "answers": ["429"]},
        {"id": "2", "q": "What?", "file": "docs/retry.md", "answers": ["It"], "passage": "It wa"},
        {"id": "3", "q": "Who wrote it?", "file": None, "answers": []},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = read_question_set(path, tmp_path)
    assert set(given.documents) == {"docs/retry.md", "docs/agent.md"}
    tried, waits, _ = given.questions
    same = "Status codes that are tried again: 429 and 503."
    assert not tried.found_in("docs/agent.md", same) and tried.said_in("docs/agent.md", same)
    assert not tried.said_in("docs/agent.md", "Error 429 is too many requests.")
    assert waits.found_in("docs/retry.md", "It waits.") and not waits.said_in("x.md", "It is.")
    passages = [("docs/agent.md", "It waits."), ("docs/retry.md", same)]
    assert word_ranks([tried], passages) == [0]


def with_questions(*rows: object) -> str:
    return json.dumps({"title": "x", "paragraphs": ["It is a port."], "questions": rows})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("\x00", "Expecting value"),
        ("{}", "'paragraphs' is missing"),
        ('{"paragraphs": [], "title": "x"}', "'questions' is missing"),
        ("[1]", "list indices"),
        ('{"title": "x", "paragraphs": [], "questions": []}', "no question"),
        (with_questions("Who?"), "string indices"),
        (with_questions({"paragraph": 0, "answers": ["a"]}), "'q' is missing"),
        (with_questions({"q": "Who?", "paragraph": 1, "answers": ["a"]}), "paragraph 1, which"),
        (with_questions({"q": "Who?", "paragraph": -1, "answers": ["a"]}), "paragraph -1, which"),
        (with_questions({"q": "Who?", "paragraph": "0", "answers": ["a"]}), "paragraph '0', which"),
        (with_questions({"q": "Who?", "paragraph": 0, "answers": [" "]}), "no answer"),
    ],
)
def test_what_holds_no_questions_is_told(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(BadRequest, match="holds no questions about documents") as caught:
        read_question_set(path)
    assert why in caught.value.message
    with pytest.raises(BadRequest, match="holds no questions about documents"):
        read_question_set(tmp_path / "nowhere.json")


def test_texts_that_are_kept_count_before_those_of_today(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "retry.md").write_text("# Retry\n\nIt does not wait.\n")
    questions = tmp_path / "questions.jsonl"
    row = {"id": "1", "q": "Does it wait?", "file": "docs/retry.md", "answers": ["waits"]}
    questions.write_text(json.dumps(row) + "\n")
    kept = [{"file": "docs/retry.md", "text": RETRY}, {"file": "docs/a.html", "text": "<p>"}]
    with gzip.open(texts_beside(questions), "wt", encoding="utf-8") as file:
        file.write("".join(json.dumps(one) + "\n" for one in kept))
    assert read_question_set(questions, tmp_path).documents == {"docs/retry.md": RETRY.encode()}


def test_a_text_is_pasted_as_far_as_it_fits() -> None:
    text = "\n".join(f"line {number}" for number in range(100))
    begin = begin_of(text, 20)
    assert text.startswith(begin) and begin.endswith("line 10") and begin_of(begin, 20) == begin
    said = pasted_prompt("Which?", text).messages[-1].text
    assert "line 99" in said and said.endswith("Question: Which?")
