"""Questions about documents with known answers, from files that others wrote or of our own."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from sysconfig import get_path
from typing import Any, TypeAlias

from hammerstone.evaluation.data_files import read_json, read_lines, reading
from hammerstone.library.documents.passages import sentences_in

_LEAST_WORDS = 5  # a shorter sentence may stand anywhere and mean something else


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """A question; without `answers` the documents do not say it. `passage` is the paragraph that
    does, where it is known by its text; `file` the document. `sentences` are those of the file
    that hold an answer: another file may say the same, word for word."""

    id: str
    text: str
    answers: tuple[str, ...]
    file: str = ""
    passage: str = ""
    sentences: frozenset[str] = frozenset()

    @property
    def answerable(self) -> bool:
        return bool(self.answers)

    def found_in(self, file: str, text: str) -> bool:
        """Whether a passage is the one that answers it, or the part of it with the answer: what
        was one paragraph to its author may be a list and a table here."""
        said = _one_line(text)
        if self.passage:
            return self.passage in said or any(map(self._answering_part, text.split("\n\n")))
        return file == self.file and any(_one_line(a) in said for a in self.answers)

    def _answering_part(self, text: str) -> bool:
        said = _one_line(text)
        long = len(said.split()) >= _LEAST_WORDS
        return long and said in self.passage and any(_one_line(a) in said for a in self.answers)

    def said_in(self, file: str, text: str) -> bool:
        """Whether a passage answers it: it is the one, or says the sentence word for word."""
        if self.found_in(file, text):
            return True
        return bool(self.sentences) and not self.sentences.isdisjoint(
            one.text for one in sentences_in(text, 0)
        )


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Documents by their names, and the questions about them, in the file's order."""

    documents: Mapping[str, bytes]
    questions: tuple[DocumentQuestion, ...]

    @property
    def pasted(self) -> str:
        """All the text at once, as somebody would paste it."""
        return "\n\n".join(each.decode("utf-8", "replace") for each in self.documents.values())


def read_question_set(path: Path, repository: Path | None = None) -> QuestionSet:
    """An article with questions (`.json`), or questions about files (`.jsonl`), which are looked
    for among the texts kept with them, in the repository and among the installed packages.
    Raises `BadRequest`."""
    hint = "docs/documents.md says what such a file looks like"
    with reading(path, "holds no questions about documents", hint):
        if path.suffix == ".jsonl":
            rows = list(read_lines(path))
            given = _of_files(rows, kept_texts(path), repository or Path.cwd())
        else:
            given = _of_article(read_json(path), path.stem)
        if not given.questions:
            raise ValueError("there is no question in it")
        return given


def _of_article(data: dict[str, Any], stem: str) -> QuestionSet:
    paragraphs = [str(one) for one in data["paragraphs"]]
    name = f"{stem}.md"
    article = f"# {data['title']}\n\n" + "\n\n".join(paragraphs) + "\n"
    questions = [
        _of_paragraph(number, row, paragraphs, name) for number, row in enumerate(data["questions"])
    ]
    return QuestionSet({name: article.encode()}, tuple(questions))


def _of_paragraph(
    number: int, row: dict[str, Any], paragraphs: list[str], name: str
) -> DocumentQuestion:
    """A question of an article; one whose paragraph is null has no answer there."""
    place, text = row["paragraph"], str(row["q"])
    if place is None:
        return DocumentQuestion(f"q{number:03}", text, (), name)
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(paragraphs):
        raise ValueError(f"question {number + 1} names paragraph {place!r}, which is not there")
    answers = tuple(one for one in map(str, row["answers"]) if one.strip())
    if not answers:
        raise ValueError(f"question {number + 1} names a paragraph and no answer")
    passage = _one_line(paragraphs[place])
    return DocumentQuestion(f"q{number:03}", text, answers, name, passage)


def texts_beside(questions: Path) -> Path:
    """Where the texts are kept that a file of questions is about, where they are kept at all."""
    return questions.with_suffix(".texts.jsonl.gz")


def kept_texts(questions: Path) -> dict[str, bytes]:
    """Files as they were when the questions were answered: those of a repository change."""
    path = texts_beside(questions)
    if not path.is_file():
        return {}
    return {row["file"]: row["text"].encode() for row in read_lines(path)}


def _of_files(
    rows: list[dict[str, Any]], kept: Mapping[str, bytes], repository: Path
) -> QuestionSet:
    documents: dict[str, bytes] = {}
    for name in dict.fromkeys(row["file"] for row in rows if row["file"]):
        if _shown(name) not in documents:
            # Everything beside it, too: the right file has to be found among its like.
            found = {_shown(n): text for n, text in beside(name, kept, repository)}
            if _shown(name) not in found:
                raise ValueError(f"there is no file {name}")
            documents |= found
    return QuestionSet(documents, tuple(_question(row, documents) for row in rows))


def beside(name: str, kept: Mapping[str, bytes], repository: Path) -> Iterator[tuple[str, bytes]]:
    """A file and those of its kind in the same folder, with their names: as they are kept, else
    in the repository, else among the installed packages."""
    place = PurePosixPath(name)
    if name in kept:
        for one, text in kept.items():
            if PurePosixPath(one).parent == place.parent and one.endswith(place.suffix):
                yield one, text
        return
    for folder in (repository, Path(get_path("purelib"))):
        if (folder / name).is_file():
            for path in sorted((folder / name).parent.glob(f"*{place.suffix}")):
                yield path.relative_to(folder).as_posix(), path.read_bytes()
            return


def _question(row: dict[str, Any], documents: Mapping[str, bytes]) -> DocumentQuestion:
    answers = tuple(map(str, row["answers"]))
    file = _shown(row["file"] or "")
    text = documents.get(file, b"").decode("utf-8", "replace")
    holding = (
        one.text
        for one in sentences_in(text, 0)
        if len(one.text.split()) >= _LEAST_WORDS and any(_one_line(a) in one.text for a in answers)
    )
    passage = _one_line(str(row.get("passage", "")))
    sentences = frozenset() if passage else frozenset(holding)
    return DocumentQuestion(str(row["id"]), str(row["q"]), answers, file, passage, sentences)


def _shown(name: str) -> str:
    """A file's name without the folders that are passed over when a folder is read."""
    return name.replace("node_modules/", "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class QuestionStep:
    """The question that is asked now, and in which way."""

    way: str
    number: int
    of: int

    @property
    def text(self) -> str:
        return f"{self.way} {self.number} of {self.of}"


OnQuestion: TypeAlias = Callable[[QuestionStep], None]
