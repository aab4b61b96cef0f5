"""What a reader is trained on, made here with the product's own search and sentences.

    python -m training.reading_prepare ask TEXTS OUT         rows that ask for questions to answers
    python -m training.reading_prepare cases TEXTS OUT --replies FILE --wordnet FOLDER
    python -m training.reading_prepare written TEXTS OUT --questions FILE
    python -m training.reading_prepare pairs TEXTS OUT --questions FILE --wordnet FOLDER
    python -m training.reading_prepare tests SETS... OUT
    python -m training.reading_prepare replies TESTS OUT --replies FILE

TEXTS is a folder of Markdown. The rows of `ask` are sampled with `training.sample`; `cases` makes
of the replies what `training.reading_job` reads, checks and trains on. Written questions are lines
`question|answer`, without an answer where the text does not say it, below `@article` lines;
`pairs` makes cases of those with an answer: changed by rule, and with the answer cut out. `tests`
are the questions of sets that `hammerstone eval documents` reads, with what the product shows;
`replies` are those that were drawn for them, as that command keeps them.
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.documents.document_eval import write_documents
from hammerstone.evaluation.documents.question_sets import read_question_set
from hammerstone.guard.data import as_data
from hammerstone.library.documents import Passage
from hammerstone.library.documents.excerpts import Excerpt, excerpt_of, whole_of
from hammerstone.models.fingerprint import fingerprint
from hammerstone.run.answer.passage_replies import REPLIES, reading_prompt
from training.lines import read_lines, write_lines
from training.reading import NOT_STATED, filled, plain
from training.reading_changes import Opposites, changed, opposites

PROMPTS = Path("training/reading_questions/prompts.json")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_ANSWERS = [
    re.compile(pattern)
    for pattern in (
        r"[A-Z][\w'’.-]*\w(?:\s+(?:of\s+(?:the\s+)?|de\s+|and\s+)?[A-Z][\w'’.-]*\w)+",
        rf"(?:\d{{1,2}} )?(?:{_MONTHS})(?: \d{{1,2}},?)?(?: \d{{4}})?|\b1\d{{3}}\b|\b20\d\d\b",
        r"(?:about |more than |up to )?\b\d[\d,.]*\d?(?:\s?%| percent| million)?(?: [a-z]{4,})?",
        r"\b[a-z]+(?:_[a-z]+)+\b|--[a-z-]+",
        r"\b(?:an?|the|its|their|his|her) (?:[a-z-]+ ){0,2}[a-z-]{3,}(?=[,.;)])",
    )
]
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“])")
_REPLY = re.compile(r"^(\d)\.\s*(.+\?)\s*$", re.MULTILINE)
_ABOUT_THE_TEXT = re.compile(r"\b(?:text|passage|title|paragraph|mentioned)\b", re.IGNORECASE)
_WORDS = range(40, 221)  # of a paragraph that is asked about
_ANSWERS_EACH, _QUESTIONS_EACH = 5, 3
_FOUND = 30


@dataclass(frozen=True, slots=True)
class Shown:
    """What the product shows for a question."""

    found: Sequence[Passage]
    excerpt: Excerpt
    whole: Excerpt

    def without(self, answer: str) -> Excerpt:
        said = f" {plain(answer)} "
        kept = [one for one in self.excerpt.lines if said not in f" {plain(one.sentence.text)} "]
        return Excerpt(tuple(kept))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer, empty where the text does not say it, and the text's file."""

    id: str
    question: str
    answer: str
    path: str = ""


class TextSearch:
    """The product with the texts, asked as `ask` asks it."""

    def __init__(self, hs: Hammerstone) -> None:
        self._hs = hs

    async def shown(self, question: str, path: str = "") -> Shown | None:
        found = await self._hs.documents.search(question, limit=_FOUND)
        found = [one for one in found if not path or one.path == path]
        if not found:
            return None
        policy = self._hs.documents.policy
        return Shown(found, excerpt_of(found[:5], policy), whole_of(found[0], policy))

    def elsewhere(self, shown: Shown, answer: str) -> Excerpt | None:
        """What is found where the passages that say the answer are passed over."""
        others = [one for one in shown.found if plain(answer) not in plain(one.text)]
        return excerpt_of(others[:5], self._hs.documents.policy) if len(others) > 3 else None


@asynccontextmanager
async def searched(texts: Path) -> AsyncIterator[TextSearch]:
    with tempfile.TemporaryDirectory() as folder:
        settings = fresh_settings(load_settings(), Path(folder), starter_tools=False)
        async with Hammerstone.open(settings) as hs:
            await hs.documents.add(str(texts))
            yield TextSearch(hs)


def paragraphs(texts: Path) -> Iterator[tuple[str, str, str]]:
    """An id, the article's title and the text of each paragraph."""
    for path in sorted(texts.glob("*.md")):
        blocks = [" ".join(one.split()) for one in path.read_text("utf-8").split("\n\n")]
        for number, block in enumerate(blocks):
            if len(block.split()) in _WORDS and not block.startswith("#"):
                yield f"{path.name}#{number}", blocks[0].lstrip("# "), block


def answers_in(text: str, chance: random.Random) -> list[str]:
    """Names, dates, numbers, options and short phrases, one of a sentence, each said once."""
    found: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        own = [m.group().strip(" .,;") for pattern in _ANSWERS for m in pattern.finditer(sentence)]
        own = [one for one in own if 1 < len(one) <= 60 and text.count(one) == 1]
        if own:
            found.append(chance.choice(own))
    chance.shuffle(found)
    return found[:_ANSWERS_EACH]


def asking_rows(texts: Path, template: Sequence[dict[str, str]]) -> Iterator[dict[str, Any]]:
    for id, title, text in paragraphs(texts):
        answers = answers_in(text, random.Random(id))
        if len(answers) > 1:
            listed = "\n".join(f"{number}. {one}" for number, one in enumerate(answers, 1))
            body = f"Title: {title}\nText: {text}\n\n{listed}"
            messages = filled(template, body, "")
            yield {"id": id, "messages": messages, "n": 1, "temperature": 0.6, "max_tokens": 160}


def questions_in(texts: Path, replies: Path) -> Iterator[tuple[str, str, str]]:
    """Ids, questions and answers of replies that can be used."""
    known = {id: text for id, _, text in paragraphs(texts)}
    for row in read_lines(replies):
        answers = answers_in(known[row["id"]], random.Random(row["id"]))
        kept = 0
        for match in _REPLY.finditer(row["samples"][0]):
            number, question = int(match[1]) - 1, match[2]
            if number >= len(answers) or kept >= _QUESTIONS_EACH:
                continue
            leaks = plain(answers[number]) in plain(question)
            if not leaks and not _ABOUT_THE_TEXT.search(question) and len(question.split()) > 3:
                yield f"{row['id']}/{number}", question, answers[number]
                kept += 1


async def cases(texts: Path, replies: Path, wordnet: Path) -> list[dict[str, Any]]:
    words = opposites(wordnet)
    made: list[dict[str, Any]] = []
    async with searched(texts) as search:
        for id, question, answer in questions_in(texts, replies):
            case = await _case(search, Asked(id, question, answer), words)
            made += [case] if case is not None else []
    return made


async def pairs(texts: Path, lines: Sequence[str], wordnet: Path) -> list[dict[str, Any]]:
    """Cases of written questions that have an answer."""
    words = opposites(wordnet)
    made: list[dict[str, Any]] = []
    async with searched(texts) as search:
        for number, one in enumerate(_written(lines)):
            if one.answer:
                named = Asked(f"{one.path}/{number}", one.question, one.answer, one.path)
                case = await _case(search, named, words)
                made += [case] if case is not None else []
    return made


async def _case(search: TextSearch, one: Asked, words: Opposites) -> dict[str, Any] | None:
    """What is shown for a question, whole and without its answer; None where that says nothing."""
    shown = await search.shown(one.question, one.path)
    if shown is None or not shown.excerpt.holding(one.answer):
        return None
    said = " ".join(line.sentence.text for line in shown.excerpt.lines)
    case: dict[str, Any] = {
        "id": one.id,
        "q": one.question,
        "a": one.answer,
        "excerpt": _data(shown.excerpt),
        "whole": _data(shown.whole),
        "whole_holds": plain(one.answer) in plain(shown.whole.text),
        "changed": changed(one.question, one.answer, said, words, random.Random(one.id)),
    }
    rest, other = shown.without(one.answer), search.elsewhere(shown, one.answer)
    case |= {"removed": _data(rest)} if len(rest.lines) > 1 else {}
    case |= {"elsewhere": _data(other)} if other is not None else {}
    return case


async def written(texts: Path, lines: Sequence[str]) -> list[dict[str, Any]]:
    """Rows for the reader: the answer where what is shown says it, else that it is not stated."""
    made: list[dict[str, Any]] = []
    async with searched(texts) as search:
        for one in _written(lines):
            shown = await search.shown(one.question, one.path)
            for text in dict.fromkeys([_data(shown.excerpt), _data(shown.whole)] if shown else []):
                says = bool(one.answer) and plain(one.answer) in plain(text)
                made.append({"passages": text, "question": one.question, "kind": "written",
                             "reply": one.answer if says else NOT_STATED})  # fmt: skip
    return made


def _written(lines: Sequence[str]) -> Iterator[Asked]:
    path = ""
    for line in lines:
        if line.startswith("@"):
            path = f"{line[1:]}.md"
            continue
        question, _, answer = line.partition("|")
        yield Asked("", question, answer, path)


async def tests(sets: Sequence[Path]) -> list[dict[str, Any]]:
    """The questions of sets with what the product shows for each."""
    made: list[dict[str, Any]] = []
    for path in sets:
        given = read_question_set(path)
        with tempfile.TemporaryDirectory() as folder:
            write_documents(given, Path(folder))
            async with searched(Path(folder)) as search:
                for one in given.questions:
                    shown = await search.shown(one.text)
                    if shown is not None:
                        id = f"{path.stem}:{one.id}"
                        excerpt, whole = _data(shown.excerpt), _data(shown.whole)
                        made.append({"id": id, "q": one.text, "excerpt": excerpt, "whole": whole})
    return made


def recorded(tested: Sequence[dict[str, Any]], sampled: Path) -> Iterator[dict[str, Any]]:
    """Replies that were drawn for tests, as `hammerstone eval documents` keeps them."""
    drawn = {row["id"]: row["samples"] for row in read_lines(sampled)}
    for test in tested:
        for name in ("excerpt", "whole"):
            prompt = reading_prompt(test["q"], test[name])
            kept = drawn[f"{test['id']}|{name}"][1 : 1 + REPLIES]  # the first is the likeliest
            yield {"prompt": fingerprint(prompt), "replies": kept}


def _data(excerpt: Excerpt) -> str:
    return as_data("documents", excerpt.text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["ask", "cases", "written", "pairs", "tests", "replies"])
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    parser.add_argument("--replies", type=Path)
    parser.add_argument("--wordnet", type=Path)
    parser.add_argument("--questions", type=Path)
    options = parser.parse_args()
    write_lines(options.out, list(_made(options)))


def _made(options: argparse.Namespace) -> Iterable[dict[str, Any]]:
    texts: Path = options.texts[0]
    lines = options.questions.read_text("utf-8").splitlines() if options.questions else []
    if options.step == "ask":
        return asking_rows(texts, json.loads(PROMPTS.read_text("utf-8"))["ask"])
    if options.step == "cases":
        return asyncio.run(cases(texts, options.replies, options.wordnet))
    if options.step == "written":
        return asyncio.run(written(texts, lines))
    if options.step == "pairs":
        return asyncio.run(pairs(texts, lines, options.wordnet))
    if options.step == "tests":
        return asyncio.run(tests(options.texts))
    return recorded(read_lines(texts), options.replies)


if __name__ == "__main__":
    main()
