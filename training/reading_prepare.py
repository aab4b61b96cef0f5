"""What a reader is trained on, made here with the product's own search and sentences.

    python -m training.reading_prepare ask TEXTS OUT         rows that ask for questions to answers
    python -m training.reading_prepare cases TEXTS OUT --replies FILE --wordnet FOLDER
    python -m training.reading_prepare written TEXTS OUT --questions FILE

TEXTS is a folder of Markdown. The rows of `ask` are sampled with `training.sample`; `cases` makes
of the replies what `training.reading_job` reads, checks and trains on. Written questions are lines
`question|answer`, without an answer where the text does not say it, below `@article` lines.
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.guard.data import as_data
from hammerstone.library.documents import Passage
from hammerstone.library.documents.excerpts import Excerpt, excerpt_of, whole_of
from training.lines import read_lines, write_lines
from training.reading import NOT_STATED, filled, plain
from training.reading_changes import changed, opposites

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
            shown = await search.shown(question)
            if shown is None or not shown.excerpt.holding(answer):
                continue
            said = " ".join(one.sentence.text for one in shown.excerpt.lines)
            case: dict[str, Any] = {
                "id": id,
                "q": question,
                "a": answer,
                "excerpt": _data(shown.excerpt),
                "whole": _data(shown.whole),
                "whole_holds": plain(answer) in plain(shown.whole.text),
                "changed": changed(question, answer, said, words, random.Random(id)),
            }
            rest, other = shown.without(answer), search.elsewhere(shown, answer)
            case |= {"removed": _data(rest)} if len(rest.lines) > 1 else {}
            case |= {"elsewhere": _data(other)} if other is not None else {}
            made.append(case)
    return made


async def written(texts: Path, lines: Sequence[str]) -> list[dict[str, Any]]:
    """Rows for the reader: the answer where what is shown says it, else that it is not stated."""
    made: list[dict[str, Any]] = []
    article = ""
    async with searched(texts) as search:
        for line in lines:
            if line.startswith("@"):
                article = f"{line[1:]}.md"
                continue
            question, _, answer = line.partition("|")
            shown = await search.shown(question, article)
            for text in dict.fromkeys([_data(shown.excerpt), _data(shown.whole)] if shown else []):
                says = bool(answer) and plain(answer) in plain(text)
                made.append({"passages": text, "question": question, "kind": "written",
                             "reply": answer if says else NOT_STATED})  # fmt: skip
    return made


def _data(excerpt: Excerpt) -> str:
    return as_data("documents", excerpt.text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["ask", "cases", "written"])
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--replies", type=Path)
    parser.add_argument("--wordnet", type=Path)
    parser.add_argument("--questions", type=Path)
    options = parser.parse_args()
    if options.step == "ask":
        prompts = json.loads(PROMPTS.read_text("utf-8"))
        write_lines(options.out, asking_rows(options.texts, prompts["ask"]))
    elif options.step == "cases":
        found = asyncio.run(cases(options.texts, options.replies, options.wordnet))
        write_lines(options.out, found)
    else:
        lines = options.questions.read_text("utf-8").splitlines()
        write_lines(options.out, asyncio.run(written(options.texts, lines)))


if __name__ == "__main__":
    main()
