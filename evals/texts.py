"""Every text that a person reads, in one list, and how easy it is to read.

    python -m evals.texts [--set instant|quick|full] [--json]

The texts are taken from the source (events, answers, errors, hints, approvals, questions, help
of commands), from the web app and from the documents. A case is a group of them: it fails where
a text has words that docs/words.md says we do not write, with their places. The numbers are the
reading ease of each group (Flesch: 60 to 70 is plain English, higher is easier); the sentences
that are hardest to read are with the group. Design notes are left out.
"""

import re
from collections import defaultdict
from collections.abc import AsyncGenerator
from typing import Any

from evals.measured import measured
from evals.reading_ease import ReadingEase, ease, ease_of, sentences
from evals.text_sources import ROOT, ShownText, files_now, shown_texts
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import case, higher, lower

_QUOTING = ("docs/words.md", "docs/design/voice.md")  # pages about the words
FOR_BUILDERS = "design notes"  # these may use the words of the field
PLAIN = 60  # reading ease from which on English is called plain
SHOWN = 5  # hardest sentences of a group
_FEWEST_WORDS = 6  # of a sentence among the worst: a single long word is not a hard sentence


def by_group(texts: list[ShownText]) -> dict[str, list[ShownText]]:
    groups: dict[str, list[ShownText]] = defaultdict(list)
    for one in texts:
        groups[one.group].append(one)
    return dict(sorted(groups.items()))


def worst(texts: list[ShownText], most: int) -> list[tuple[float, str, str]]:
    """The hardest sentences: reading ease, place and words."""
    found: list[tuple[float, str, str]] = []
    for one in texts:
        for sentence in sentences(one.text):
            counted = ease_of(sentence)
            if counted.words >= _FEWEST_WORDS:
                found.append((counted.score, one.place, sentence))
    return sorted(set(found))[:most]


def unwanted_words(page: str) -> list[str]:
    """The words that the page of words says we do not write; those with a remark are left out."""
    table = page.partition("| we do not write | we write |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| ([a-z][^|()]*) \|", table, re.MULTILINE)
    return [word.strip() for cell in cells for word in cell.split(",")]


def found_words(texts: list[ShownText], words: list[str]) -> dict[str, list[str]]:
    """Where each of the words stands, alone or with an s."""
    found: dict[str, list[str]] = {}
    for word in words:
        pattern = re.compile(rf"\b{re.escape(word)}s?\b", re.IGNORECASE)
        places = [one.place for one in texts if pattern.search(one.text)]
        found[word] = [place for place in places if not place.startswith(_QUOTING)]
    return found


def _numbers(texts: list[ShownText], words: list[str]) -> dict[str, Any]:
    read: ReadingEase = ease(one.text for one in texts)
    return {
        "texts": len(texts),
        "words": read.words,
        "words_a_sentence": read.words_a_sentence,
        "ease": read.score,
        "unwanted": sum(map(len, found_words(texts, words).values())),
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every group of texts as a case."""
    groups = by_group(shown_texts(files_now()))
    del groups[FOR_BUILDERS]
    words = unwanted_words((ROOT / "docs" / "words.md").read_text("utf-8"))
    outcomes = [_outcome(name, held, words) for name, held in groups.items()]
    for outcome in outcomes:
        yield outcome
    every = _numbers([one for held in groups.values() for one in held], words)
    yield passed_share("groups of texts without a word that we do not write", outcomes)
    yield lower("words that we do not write", every["unwanted"], "count", target=0)
    yield higher("reading ease", every["ease"], "", target=PLAIN)
    yield lower("words a sentence", every["words_a_sentence"], "count")
    yield higher("texts", every["texts"], "count")


def _outcome(group: str, texts: list[ShownText], words: list[str]) -> CaseOutcome:
    numbers = _numbers(texts, words)
    found = found_words(texts, words)
    unwanted = [f"{word}: {', '.join(places[:4])}" for word, places in found.items() if places]
    hard = [f"{score:.0f} {place}: {text}" for score, place, text in worst(texts, SHOWN)]
    return case(
        group, not unwanted, {name: float(value) for name, value in numbers.items()},
        given="\n".join(["hardest to read:", *hard]), reason="\n".join(unwanted),
        wanted="none of the words that docs/words.md says we do not write",
    )  # fmt: skip


if __name__ == "__main__":
    measured("texts")
