"""What a model reads of the passages that were found: the best sentences and their neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass

from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.passages import Passage, PassageSentence

_GAP = "[...]"


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A sentence of an excerpt and the passage that it is from."""

    passage: Passage
    place: int  # of the sentence in its passage

    @property
    def sentence(self) -> PassageSentence:
        return self.passage.sentences[self.place]

    @property
    def score(self) -> float:
        return self.passage.scores[self.place]

    @property
    def where(self) -> str:
        """The line's place, as a person would say it."""
        page = self.passage.page
        return f"{self.passage.path}, {f'page {page}' if page else f'line {self.sentence.line}'}"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Sentences of one or several documents, in the order of the passages that were found."""

    lines: tuple[ExcerptLine, ...]

    @property
    def text(self) -> str:
        """The sentences as a model reads them: what was left out is marked, and what a passage
        is about stands before it where the passage does not say it."""
        parts: list[str] = []
        before: ExcerptLine | None = None
        for line in self.lines:
            if before is None or before.passage is not line.passage:
                section = line.passage.section
                parts.append(f"\n[{section}]" if section else "\n")
            elif line.place != before.place + 1:
                parts.append(_GAP)
            parts.append(line.sentence.text)
            before = line
        return " ".join(parts).strip()

    def holding(self, answer: str) -> list[ExcerptLine]:
        """The sentences that say the answer word for word, best first; else those nearest."""
        wanted = plain_words(answer)
        said = [one for one in self.lines if wanted and wanted in plain_words(one.sentence.text)]
        return sorted(said, key=lambda one: -one.score)

    @property
    def best(self) -> ExcerptLine:
        return max(self.lines, key=lambda one: one.score)


def excerpt_of(passages: Sequence[Passage], policy: DocumentPolicy) -> Excerpt:
    """The best sentences of all passages with their neighbours, up to a number of words."""
    ranked = sorted(
        (
            ExcerptLine(passage, place)
            for passage in passages
            for place in range(len(passage.scores))
        ),
        key=lambda one: -(one.score + one.passage.past),
    )
    chosen: dict[tuple[int, int], ExcerptLine] = {}
    room = policy.excerpt_words
    numbers = {id(passage): number for number, passage in enumerate(passages)}
    for best in ranked[: policy.excerpt_sentences]:
        for place in (best.place, best.place - 1, best.place + 1):
            line = ExcerptLine(best.passage, place)
            key = (numbers[id(best.passage)], place)
            if not 0 <= place < len(best.passage.sentences) or key in chosen:
                continue
            words = len(line.sentence.text.split())
            if words > room and chosen:
                continue
            chosen[key] = line
            room -= words
    return Excerpt(tuple(chosen[key] for key in sorted(chosen)))


def whole_of(passage: Passage, policy: DocumentPolicy) -> Excerpt:
    """A passage from its beginning, up to a number of words."""
    lines: list[ExcerptLine] = []
    room = policy.whole_words
    for place, sentence in enumerate(passage.sentences):
        words = len(sentence.text.split())
        if words > room and lines:
            break
        lines.append(ExcerptLine(passage, place))
        room -= words
    return Excerpt(tuple(lines))


def with_neighbours(line: ExcerptLine, most_chars: int) -> tuple[ExcerptLine, ...]:
    """A sentence with those behind and before it in its passage, in their order, as many as there
    is room for."""
    sentences = line.passage.sentences
    first = last = line.place
    room = most_chars - len(line.sentence.text)
    grows = True
    while grows:
        grows = False
        for place in (last + 1, first - 1):
            if 0 <= place < len(sentences) and len(sentences[place].text) < room:
                first, last = min(first, place), max(last, place)
                room -= len(sentences[place].text) + 1
                grows = True
    return tuple(ExcerptLine(line.passage, place) for place in range(first, last + 1))


def plain_words(text: str) -> str:
    """A text to be compared: lower case, letters and digits only, single blanks around words."""
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in text.lower()).split())} "
