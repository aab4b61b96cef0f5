"""The documents of a library: added, read again when they changed, searched, forgotten."""

import asyncio
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound, Refused
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Embedder
from hammerstone.library.documents.chunks import chunks_of, title_of
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.passage_search import PassageSearch
from hammerstone.library.documents.passages import Passage
from hammerstone.library.documents.reading.file_reader import DocumentReader
from hammerstone.library.documents.reading.folder_walk import FoundFile, walk
from hammerstone.library.documents.reading.read_document import (
    ENDINGS,
    DocumentKind,
    DocumentState,
    ReadDocument,
)
from hammerstone.library.policies import Policies
from hammerstone.library.skills import Skills
from hammerstone.library.skills.generate import DOCUMENTS, document_skill
from hammerstone.storage import Database
from hammerstone.storage.stores.library.documents import ChunkRow, DocumentRow
from hammerstone.tracing import span

EVERYONE = ""
_FILE_NAME = re.compile(r"[\w.()+-]*\w\.(?:" + "|".join(one[1:] for one in ENDINGS) + r")\b")
_LOOKED_AT = 4_000
SKILL_SOURCE = "skill:"
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class IngestStep:
    """How far reading a source is: the document at hand, or, without a path, the pieces that are
    made ready to be found by their meaning."""

    path: str
    done: int
    of: int


OnIngest: TypeAlias = Callable[[IngestStep], None]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What adding or refreshing a source came to, in numbers of documents."""

    source: str
    read: int = 0
    unchanged: int = 0
    forgotten: int = 0
    bytes: int = 0
    chunks: int = 0
    problems: tuple[tuple[str, str, str], ...] = ()  # path, state, why

    def to_json(self) -> JsonObject:
        problems: list[Json] = [{"file": f, "state": s, "why": w} for f, s, w in self.problems]
        return {**asdict(self), "problems": problems}


class Documents:
    """What is added without a tenant is everyone's; a tenant sees its own beside it."""

    def __init__(
        self,
        db: Database,
        embedder: Embedder | None,
        policies: Policies,
        clock: Clock,
        reader: DocumentReader,
        skills: Skills,
    ) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self._reader = reader
        self._skills = skills
        self._search = PassageSearch(db, embedder, policies)

    @property
    def policy(self) -> DocumentPolicy:
        return self._policies.get(DocumentPolicy)

    async def add(
        self, source: str, tenant: str = EVERYONE, on_step: OnIngest | None = None
    ) -> IngestReport:
        """Read a folder, a file or a page, and everything in it that can be read.

        A source that is there already is refreshed. Raises `NotFound` for what does not exist,
        `BadRequest` for what holds no document, `Refused` for a page that may not be read.
        """
        with span("read documents", kind="step", input=source) as traced:
            if source.lower().startswith(_WEB):
                report = await self._add_page(source, tenant)
            else:
                report = await self._add_files(Path(source), tenant, on_step)
            await self._embed(report.chunks, on_step)
            await self._keep_skill(tenant)
            traced.output = report.to_json()
        return report

    async def refresh(
        self, tenant: str = EVERYONE, on_step: OnIngest | None = None
    ) -> list[IngestReport]:
        """Every source again: what changed is read, what is gone is forgotten."""
        sources = dict.fromkeys(row.source for row in await self._db.documents.list([tenant]))
        reports: list[IngestReport] = []
        for source in sources:
            if source.startswith(SKILL_SOURCE):
                name = source.removeprefix(SKILL_SOURCE)
                if not await self._skills.knows(name, tenant):
                    await self.remove(source, tenant)  # its references went with it
                continue
            try:
                reports.append(await self.add(source, tenant, on_step))
            except NotFound:
                gone = await self.remove(source, tenant)
                reports.append(IngestReport(source, forgotten=gone))
            except (BadRequest, Refused) as error:
                problem = (source, str(DocumentState.FAILED), error.message)
                reports.append(IngestReport(source, problems=(problem,)))
        return reports

    async def add_texts(self, source: str, texts: Mapping[str, str], tenant: str) -> IngestReport:
        """Texts that have no file: the references of a skill. The same ones change nothing."""
        known = {row.path: row for row in await self._db.documents.list([tenant], source)}
        report = IngestReport(source)
        for path, text in texts.items():
            digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
            if path in known and known[path].digest == digest:
                report = replace(report, unchanged=report.unchanged + 1)
                continue
            found = ReadDocument(DocumentKind.MARKDOWN, text)
            row = self._row(tenant, source, path, found, digest)
            report = _counted(report, row, await self._keep(row, found))
        gone = [row.id for path, row in known.items() if path not in texts]
        await self._db.documents.remove(gone)
        await self._search.embed_missing()
        return replace(report, forgotten=len(gone))

    async def list(self, tenant: str = EVERYONE) -> "list[DocumentRow]":
        """The documents that a tenant sees, by source and path; not those of skills."""
        rows = await self._db.documents.list(self.tenants(tenant))
        return [row for row in rows if not row.source.startswith(SKILL_SOURCE)]

    async def get(self, id: int, tenant: str = EVERYONE) -> DocumentRow:
        row = await self._db.documents.find(id)
        if row is None or row.tenant not in self.tenants(tenant):
            raise NotFound(f"there is no document {id}", hint="hammerstone documents list")
        return row

    async def named(self, name: str, tenant: str = EVERYONE) -> DocumentRow:
        """A document by its id, or by its path where only one has it; raises `NotFound`."""
        if name.isdecimal():
            return await self.get(int(name), tenant)
        found = [row for row in await self.list(tenant) if _answers_to(row, name)]
        if len(found) == 1:
            return found[0]
        why = f"{len(found)} documents are called" if found else "there is no document"
        raise NotFound(f"{why} {name!r}", hint="hammerstone documents list")

    async def mentioned(self, text: str, tenant: str = EVERYONE) -> "list[DocumentRow]":
        """The documents whose files a text calls by their names."""
        found: list[DocumentRow] = []
        for name in dict.fromkeys(_FILE_NAME.findall(text[:_LOOKED_AT])):
            found += await self._db.documents.called(self.tenants(tenant), name)
        return found

    async def chunks(self, document: DocumentRow) -> "list[ChunkRow]":
        return await self._db.documents.chunks_of(document.id)

    async def search(
        self, question: str, tenant: str = EVERYONE, limit: int = 5, source: str | None = None
    ) -> "list[Passage]":
        """The passages nearest to a question, best first; those of skills only by `source`."""
        with span("search documents", kind="search", input=question[:2000]) as traced:
            found = await self._search.find(question, self.tenants(tenant), limit + 20, source)
            if source is None:
                found = [one for one in found if not one.source.startswith(SKILL_SOURCE)]
            found = found[:limit]
            traced.output = [{"place": p.place, "score": round(p.score, 3)} for p in found]
            return found

    async def any(self, tenant: str = EVERYONE) -> bool:
        """Whether a tenant sees any document at all."""
        return await self._db.documents.count() > 0 and bool(await self.list(tenant))

    async def note_answer(self, tenant: str, chunk_id: int, question: str) -> None:
        """Remember that a chunk answered a question, so that the next one like it finds it."""
        await self._db.documents.note_answer(tenant, chunk_id, question)

    async def remove(self, name: str, tenant: str = EVERYONE) -> int:
        """Forget a source, or one document by its id or path; how many went."""
        rows = await self._db.documents.list([tenant])
        resolved = _source_name(name)
        ids = [row.id for row in rows if row.source in (name, resolved)]
        if not ids:
            ids = [row.id for row in rows if str(row.id) == name or row.path == name]
        if not ids:
            raise NotFound(f"there is no document {name!r}", hint="hammerstone documents list")
        gone = await self._db.documents.remove(ids)
        await self._keep_skill(tenant)
        return gone

    async def _embed(self, chunks: int, on_step: OnIngest | None) -> None:
        """Vectors for what has none; words are searched before they are there."""

        def told(done: int) -> None:
            if on_step is not None:
                on_step(IngestStep("", done, max(chunks, done)))

        await self._search.embed_missing(told)

    async def _keep_skill(self, tenant: str) -> None:
        """The skill that stands for a tenant's documents, as they are now."""
        titles = [
            row.title
            for row in await self._db.documents.list([tenant])
            if row.state == DocumentState.READ and not row.source.startswith(SKILL_SOURCE)
        ]
        if titles:
            await self._skills.add(document_skill(titles), tenant=tenant, replace=True)
        elif await self._db.skills.find(DOCUMENTS, tenant) is not None:
            await self._skills.remove(DOCUMENTS, tenant)

    @staticmethod
    def tenants(tenant: str) -> "list[str]":
        """Whose documents somebody sees: everyone's and one's own, which come last."""
        return [EVERYONE, tenant] if tenant else [EVERYONE]

    @staticmethod
    def file_of(row: DocumentRow) -> Path:
        """Where a document's file is; one of a page does not exist."""
        source = Path(row.source)
        return source / row.path if source.is_dir() else source

    async def _add_files(self, place: Path, tenant: str, on_step: OnIngest | None) -> IngestReport:
        root = _root(place)
        files = await asyncio.to_thread(walk, root, self.policy)
        known = {r.path: r for r in await self._db.documents.list([tenant], str(root))}
        if not files and not known:
            raise BadRequest(f"{place} holds no document", hint=f"read are {_kinds()}")
        report = IngestReport(str(root))
        for number, file in enumerate(files):
            if on_step is not None:
                on_step(IngestStep(file.path, number, len(files)))
            report = await self._add_file(report, file, known.get(file.path), tenant)
        paths = {file.path for file in files}
        gone = [row.id for path, row in known.items() if path not in paths]
        await self._db.documents.remove(gone)
        return replace(report, forgotten=len(gone))

    async def _add_file(
        self, report: IngestReport, file: FoundFile, known: DocumentRow | None, tenant: str
    ) -> IngestReport:
        """Read a file unless it is as it was: by its time and size first, then by its hash."""
        settled = known is not None and known.state != DocumentState.CHANGING
        stamp = (file.bytes, file.modified_ns)
        if known is not None and settled and (known.bytes, known.modified_ns) == stamp:
            return _unchanged(report, known)
        large = file.bytes > self.policy.max_file_bytes
        digest = "" if large else await self._reader.digest(file)
        if known is not None and settled and digest and known.digest == digest:
            await self._db.documents.touch(known.id, file.modified_ns)
            return _unchanged(report, known)
        found = await self._reader.read(file, self.policy)
        row = self._row(tenant, report.source, file.path, found, digest)
        row = replace(row, bytes=file.bytes, modified_ns=file.modified_ns)
        return _counted(report, row, await self._keep(row, found))

    async def _add_page(self, address: str, tenant: str) -> IngestReport:
        found = await self._reader.page(address)
        digest = hashlib.sha256(found.text.encode("utf-8", "replace")).hexdigest()
        (known,) = await self._db.documents.list([tenant], address) or (None,)
        if known is not None and known.digest == digest:
            return _unchanged(IngestReport(address), known)
        path = urlsplit(address).hostname or address
        row = self._row(tenant, address, path, found, digest)
        return _counted(IngestReport(address), row, await self._keep(row, found))

    def _row(
        self, tenant: str, source: str, path: str, found: ReadDocument, digest: str
    ) -> DocumentRow:
        stem = Path(path).stem.replace("-", " ").replace("_", " ")
        # A table is called by its file: what its sheet is called says little.
        own = found.title or ("" if found.kind is DocumentKind.TABLE else title_of(found))
        return DocumentRow(
            tenant=tenant,
            source=source,
            path=path,
            title=(own or stem)[:200],
            kind=str(found.kind),
            state=str(found.state),
            note=found.note,
            digest=digest,
            bytes=len(found.text.encode("utf-8", "replace")),
            modified_ns=0,
            chunks=0,
            at=self._clock.now(),
        )

    async def _keep(self, row: DocumentRow, found: ReadDocument) -> int:
        """Store a document; how many chunks it has."""
        chunks: Sequence[ChunkRow] = ()
        if found.state is DocumentState.READ:
            chunks = chunks_of(replace(found, title=row.title), self.policy.chunk_tokens)
        await self._db.documents.put(replace(row, chunks=len(chunks)), chunks)
        return len(chunks)


def _root(place: Path) -> Path:
    """The folder or file that is meant; raises `NotFound`, and `BadRequest` for another kind."""
    if "\0" in str(place):
        raise BadRequest("a path cannot hold a zero byte")
    root = place.expanduser().resolve()
    if not root.exists():
        raise NotFound(f"there is no file or folder {place}")
    if root.is_file() and root.suffix.lower() not in ENDINGS:
        raise BadRequest(f"{place.name} is of a kind that is not read", hint=f"read are {_kinds()}")
    return root


def _unchanged(report: IngestReport, known: DocumentRow) -> IngestReport:
    problems = report.problems
    if known.state != DocumentState.READ:
        problems = (*problems, (known.path, known.state, known.note))
    return replace(report, unchanged=report.unchanged + 1, problems=problems)


def _counted(report: IngestReport, row: DocumentRow, chunks: int) -> IngestReport:
    problems = report.problems
    if row.state != DocumentState.READ or row.note:
        problems = (*problems, (row.path, row.state, row.note))
    return replace(
        report,
        read=report.read + 1,
        bytes=report.bytes + row.bytes,
        chunks=report.chunks + chunks,
        problems=problems,
    )


def _answers_to(row: DocumentRow, name: str) -> bool:
    return name in (row.path, Path(row.path).name, f"{row.source}/{row.path}")


def _source_name(name: str) -> str:
    return name if name.lower().startswith(_WEB) else str(Path(name).expanduser().resolve())


def _kinds() -> str:
    return ", ".join(ENDINGS)
