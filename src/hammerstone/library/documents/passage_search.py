"""Passages for a question: chunks by meaning and words first, then their sentences one by one.

Measured in docs/design/documents.md: the best sentence tells more than the whole paragraph, and
meaning and words together more than either. Questions that documents answered before help the next
one like them to find its passage.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.seams import Embedder
from hammerstone.library.documents.blocks import Block, BlockKind, blocks_of
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.passage_index import (
    PASSAGE_WORDS,
    PassageIndex,
    pairs_said,
)
from hammerstone.library.documents.passages import (
    Passage,
    PassageSpan,
    passages_in,
    sentences_in,
)
from hammerstone.library.documents.reading.read_document import has_marks
from hammerstone.library.policies import Policies
from hammerstone.library.search.request_vectors import vector_of
from hammerstone.library.search.text.stems import all_stems, stems
from hammerstone.storage import Database
from hammerstone.storage.stores.library.documents import ChunkRow, DocumentRow

Floats = NDArray[np.float32]
PARTS = "sentences-3"  # raised when sentences are cut otherwise: stored vectors count no more
_QUESTION_CHARS = 2_000
_READ_AT_ONCE = 2_000
_EMBEDDED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class _Question:
    words: Sequence[str]
    vector: Floats | None


class PassageSearch:
    """One index a group of tenants, kept up to date with what others add and remove."""

    def __init__(self, db: Database, embedder: Embedder | None, policies: Policies) -> None:
        self._db = db
        self._embedder = embedder
        self._policies = policies
        self._before = AnsweredBefore(db, embedder)
        self._indexes: dict[tuple[str, ...], tuple[int, PassageIndex]] = {}
        self._reading = asyncio.Lock()

    @property
    def space(self) -> str:
        """The vector space of stored parts; empty without an embedder."""
        return f"{self._embedder.space}/{PARTS}" if self._embedder is not None else ""

    async def find(
        self, question: str, tenants: Sequence[str], limit: int = 5, source: str | None = None
    ) -> list[Passage]:
        """The passages that are nearest to a question, best first."""
        policy = self._policies.get(DocumentPolicy)
        index = await self._index(tuple(tenants))
        if not len(index) or not question.strip() or limit < 1:
            return []
        question = question[:_QUESTION_CHARS]
        asked = _Question(stems(question), await vector_of(self._embedder, question))
        inside = None
        if source is not None:
            inside = frozenset(r.id for r in await self._db.documents.list(tenants, source))
        weights = (policy.meaning_weight, policy.words_weight)
        chosen = index.best(asked.words, asked.vector, weights, policy.candidates, inside)
        past = await self._before.gains(asked.vector, tenants[-1], policy)
        chosen = list(dict.fromkeys([*chosen, *(id for id in past if id in index.ids)]))
        chunks = await self._db.documents.get_chunks(chosen)
        rows = await self._db.documents.get(list({one.document_id for one in chunks.values()}))
        parts = await self._parts(list(chunks.values()))
        found = [
            passage
            for id in chosen
            if (chunk := chunks.get(id)) is not None and chunk.document_id in rows
            for passage in _scored(
                chunk,
                rows[chunk.document_id],
                asked,
                _Weighing(index, policy, parts.get(id), past.get(id, 0.0)),
            )
        ]
        found.sort(key=lambda one: (-one.score, one.path, one.line))
        return found[:limit]

    async def embed_missing(self, told: Callable[[int], None] = lambda _: None) -> int:
        """Give every chunk that has none its vectors; how many got some, which is also told
        while it goes on."""
        done = 0
        if self._embedder is None:
            return done
        while waiting := await self._db.documents.unembedded(self.space, _EMBEDDED_AT_ONCE):
            await self._db.documents.put_vectors(self.space, await self._vectors(waiting))
            done += len(waiting)
            told(done)
        return done

    async def _vectors(self, chunks: Sequence[ChunkRow]) -> dict[int, list[Floats]]:
        """Part 0 is the mean direction of a chunk's sentences; then come they themselves."""
        assert self._embedder is not None
        rows = await self._db.documents.get(list({one.document_id for one in chunks}))
        texts: dict[int, list[str]] = {}
        for one in chunks:
            row = rows.get(one.document_id)
            said = sentences_in(one.text, 0, marked=row is None or has_marks(row.kind))
            texts[one.id] = [each.text for each in said] or [one.text]
        flat = [text for own in texts.values() for text in own]
        vectors = np.array(await self._embedder.embed(flat), np.float32)
        found: dict[int, list[Floats]] = {}
        at = 0
        for id, own in texts.items():
            part = vectors[at : at + len(own)]
            at += len(own)
            mean = part.mean(axis=0)
            found[id] = [mean / (np.linalg.norm(mean) or 1.0), *part]
        return found

    async def _index(self, tenants: tuple[str, ...]) -> PassageIndex:
        async with self._reading:
            revision = await self._db.documents.revision()
            known = self._indexes.get(tenants)
            if known is not None and known[0] == revision:
                return known[1]
            index = known[1] if known is not None else PassageIndex()
            there = await self._db.documents.chunk_ids(tenants)
            for id in index.ids - there:
                index.drop(id)
            if index.bare and self._embedder is not None:
                first, last = min(index.bare) - 1, max(index.bare)
                late = await self._db.documents.whole_vectors(self.space, first, last)
                for id in index.bare & late.keys():
                    index.give_vector(id, late[id])
            while rows := await self._db.documents.chunks_after(
                tenants, index.newest, _READ_AT_ONCE
            ):
                vectors: Mapping[int, Floats] = {}
                if self._embedder is not None:
                    vectors = await self._db.documents.whole_vectors(
                        self.space, index.newest, rows[-1].id
                    )
                for row in rows:
                    index.add(row, vectors.get(row.id))
            self._indexes[tenants] = (revision, index)
            return index

    async def _parts(self, chunks: Sequence[ChunkRow]) -> "dict[int, list[Floats]]":
        if self._embedder is None or not chunks:
            return {}
        return await self._db.documents.part_vectors(self.space, [one.id for one in chunks])


@dataclass(frozen=True, slots=True)
class _Weighing:
    """What the sentences of one chunk are weighed with."""

    index: PassageIndex
    policy: DocumentPolicy
    vectors: Sequence[Floats] | None
    past: float


def _scored(chunk: ChunkRow, row: DocumentRow, asked: _Question, by: _Weighing) -> list[Passage]:
    """The passages of a chunk, each by its best sentence and by all of its words."""
    sentences = sentences_in(chunk.text, chunk.first_line, marked=has_marks(row.kind))
    meanings: list[float] | None = None
    if asked.vector is not None and by.vectors is not None and len(by.vectors) == len(sentences):
        meanings = (np.stack(by.vectors) @ asked.vector).tolist()
    policy = by.policy
    lines = chunk.text.split("\n")
    headings = [one for one in blocks_of(lines) if one.kind is BlockKind.HEADING]
    found: list[Passage] = []
    for number, span in enumerate(passages_in(chunk.text)):
        own = [at for at, one in enumerate(sentences) if one.block == number]
        if not own:
            continue
        section = _section(chunk.section, headings, span)
        text = "\n".join(lines[span.start : span.end]).strip()
        context = list(all_stems(section))
        words = [by.index.share(asked.words, [*stems(sentences[at].text), *context]) for at in own]
        shared = _of_passage(asked.words, list(all_stems(text)), context, by)
        near = [meanings[at] if meanings else 0.0 for at in own]
        scores = [
            policy.words_weight * said + policy.meaning_weight * meant + shared
            for said, meant in zip(words, near, strict=True)
        ]
        best = max(range(len(own)), key=lambda at: scores[at])
        found.append(
            Passage(
                document_id=row.id,
                chunk_id=chunk.id,
                source=row.source,
                path=row.path,
                kind=row.kind,
                section=section,
                text=text,
                line=chunk.first_line + span.start,
                page=chunk.page,
                score=scores[best] + by.past,
                meaning=near[best] if meanings else None,
                words=words[best],
                past=by.past,
                sentences=tuple(sentences[at] for at in own),
                scores=tuple(scores),
            )
        )
    return found


def _of_passage(
    question: Sequence[str], said: Sequence[str], context: Sequence[str], by: _Weighing
) -> float:
    """What the words of a whole passage add: how often it says those of the question, how many of
    them with its headings, and how many beside each other."""
    policy = by.policy
    return (
        policy.passage_weight * by.index.share(question, said, PASSAGE_WORDS)
        + policy.said_weight * by.index.said(question, {*said, *context})
        + policy.pairs_weight * pairs_said(question, said)
    )


def _section(section: str, headings: Sequence[Block], passage: PassageSpan) -> str:
    """The section of a passage: that of its chunk, changed by the headings above it inside.

    A chunk's section is its title and the headings above its beginning, one a level.
    """
    path = section.split(" > ")
    for heading in headings:
        if heading.start >= passage.end:
            break
        if heading.title.casefold() == path[0].casefold():
            path = path[:1]
        elif heading.title != path[-1]:
            path = [*path[: max(1, heading.level - 1)], heading.title]
    return " > ".join(path)


class AnsweredBefore:
    """What earlier questions add to the chunks that answered them.

    Their vectors are kept in memory, so that a search embeds only what it has not seen.
    """

    def __init__(self, db: Database, embedder: Embedder | None) -> None:
        self._db = db
        self._embedder = embedder
        self._vectors: dict[str, Floats] = {}

    async def gains(
        self, question: Floats | None, tenant: str, policy: DocumentPolicy
    ) -> dict[int, float]:
        """What is added to each chunk, by its id, for a question's vector."""
        if question is None or self._embedder is None or not policy.past_weight:
            return {}
        known = await self._db.documents.answered(tenant, policy.past_questions)
        if not known:
            return {}
        texts = list(dict.fromkeys(one.question for one in known))
        rows = np.stack(await self._of(texts, policy.past_questions))
        alike = dict(zip(texts, (rows @ question).tolist(), strict=True))
        found: dict[int, float] = {}
        for one in known:
            over = alike[one.question] - policy.past_similarity
            if over > 0:
                gain = policy.past_weight * over / (1 - policy.past_similarity)
                found[one.chunk_id] = max(found.get(one.chunk_id, 0.0), gain)
        return found

    async def _of(self, texts: Sequence[str], most: int) -> list[Floats]:
        assert self._embedder is not None
        fresh = [text for text in texts if text not in self._vectors]
        if fresh:
            made = await self._embedder.embed(fresh)
            if len(self._vectors) + len(fresh) > 2 * most:  # several people's, and those gone
                self._vectors = {text: self._vectors[text] for text in texts if text not in fresh}
            for text, row in zip(fresh, made, strict=True):
                self._vectors[text] = np.asarray(row, np.float32)
        return [self._vectors[text] for text in texts]
