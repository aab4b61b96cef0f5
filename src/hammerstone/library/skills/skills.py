"""The skills of a library: imported, listed, found, opened, removed."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from hammerstone.core.changes import ProposalKind
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Embedder
from hammerstone.library.change_notes import ChangeNote, keep_note
from hammerstone.library.policies import Policies
from hammerstone.library.skills.bundle import Bundle, read_bundle, safe_path
from hammerstone.library.skills.inspection import inspect_files
from hammerstone.library.skills.rules import Problem, SkillCheck, check
from hammerstone.library.skills.skill import (
    Skill,
    SkillHit,
    SkillPolicy,
    agent_invocable,
    shortened,
)
from hammerstone.library.skills.skill_search import SkillSearch, visible_heads
from hammerstone.storage import Database
from hammerstone.storage.stores.library.skills import SkillRow, SkillStore
from hammerstone.tracing import span


@dataclass(frozen=True, slots=True)
class SkillContent:
    """What a skill says about itself, and the content of its files by path."""

    row: SkillRow
    files: Mapping[str, bytes]

    def to_json(self) -> JsonObject:
        row: dict[str, Json] = {
            name: getattr(self.row, name) for name in self.row.__slots__ if name != "at"
        }
        row["at"] = self.row.at.isoformat()
        files: dict[str, Json] = {
            path: base64.b64encode(content).decode("ascii") for path, content in self.files.items()
        }
        return {"row": row, "files": files}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "SkillContent":
        row: dict[str, Any] = {**data["row"], "at": datetime.fromisoformat(data["row"]["at"])}
        files = {path: base64.b64decode(text) for path, text in data["files"].items()}
        return SkillContent(SkillRow(**row), files)


async def read_content(store: SkillStore, row: SkillRow) -> SkillContent:
    """A stored skill with all its files."""
    files: dict[str, bytes] = {}
    for path in await store.files(row.name, row.tenant):
        content = await store.content(row.name, path, row.tenant)
        assert content is not None
        files[path] = content
    return SkillContent(row, files)


def findings_of(content: SkillContent | None) -> list[str]:
    """What a look at the files found, in words."""
    found = content.row.findings if content else []
    return [str(one.get("text", "")) for one in found if isinstance(one, dict)][:5]


@dataclass(frozen=True, slots=True)
class SkillImport:
    """A skill that was taken in, and what to know about it."""

    skill: Skill
    problems: tuple[Problem, ...]  # warnings
    replaced: bool


@dataclass(frozen=True, slots=True)
class IdleSkill:
    """A skill as it is listed while nobody uses it."""

    name: str
    description: str
    user_invocable: bool
    agent_invocable: bool

    def to_json(self) -> JsonObject:
        return asdict(self)


class Skills:
    """The skills of everyone, and of each tenant: a tenant's own comes before everyone's."""

    def __init__(
        self, db: Database, embedder: Embedder | None, policies: Policies, clock: Clock
    ) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self._search = SkillSearch(db, embedder, policies)

    @property
    def policy(self) -> SkillPolicy:
        return self._policies.get(SkillPolicy)

    def read(self, path: Path) -> Bundle:
        """The files of a skill on disk; raises `BadRequest` for what may not be read."""
        return read_bundle(path, self.policy)

    def check(self, bundle: Bundle) -> SkillCheck:
        """What the rules and a look at the files say; nothing is stored."""
        return check(bundle.files, bundle.folder, self.policy.max_body_chars)

    async def add(self, bundle: Bundle, *, tenant: str = "", replace: bool = False) -> SkillImport:
        """Take a skill in; raises `BadRequest` with every broken rule.

        A name that is taken is refused unless `replace`; the very same skill again is not an
        error and changes nothing.
        """
        checked = self.check(bundle)
        if checked.errors or checked.document is None:
            told = "; ".join(f"{each.field}: {each.text}" for each in checked.errors)
            raise BadRequest(f"not a valid skill: {told}", hint="hammerstone skills validate PATH")
        fields = checked.document.fields
        name, digest = str(fields["name"]), digest_of(bundle.files)
        known = await self._db.skills.find(name, tenant)
        if known is not None and known.digest != digest and not replace:
            raise BadRequest(
                f"there is another skill called {name}", hint="--replace takes its place"
            )
        row = SkillRow(
            tenant=tenant,
            name=name,
            description=str(fields["description"]),
            digest=digest,
            front_matter=fields,
            body=checked.document.body,
            findings=[*inspect_files(bundle.files)],
            source=bundle.source,
            at=self._clock.now(),
        )
        if known is None or known.digest != digest:
            await self._change(name, tenant, SkillContent(row, bundle.files), f"from {row.source}")
        skill = await self.open(name, tenant)
        return SkillImport(skill, checked.problems, known is not None)

    async def knows(self, name: str, tenant: str = "") -> bool:
        """Whether there is a skill of that name."""
        own = await self._db.skills.find(name, tenant)
        return own is not None or (bool(tenant) and await self._db.skills.find(name) is not None)

    async def open(self, name: str, tenant: str = "") -> Skill:
        """A skill with its text; its files stay where they are until they are asked for."""
        row = await self._db.skills.find(name, tenant)
        if row is None and tenant:
            row = await self._db.skills.find(name)
        if row is None:
            raise NotFound(f"there is no skill {name!r}", hint="hammerstone skills list")
        return Skill(
            name=row.name,
            description=row.description,
            front_matter=row.front_matter,
            body=row.body,
            files=await self._db.skills.files(name, row.tenant),
            findings=tuple(each for each in row.findings if isinstance(each, dict)),
            digest=row.digest,
            source=row.source,
            at=row.at,
            tenant=row.tenant,
        )

    async def list(self, tenant: str = "") -> "list[IdleSkill]":
        """Every skill in about 100 tokens each."""
        chars = self.policy.idle_chars
        return [
            IdleSkill(
                head.name,
                shortened(head.description, chars),
                head.front_matter.get("user-invocable") is not False,
                agent_invocable(head.front_matter),
            )
            for head in await visible_heads(self._db, tenant)
        ]

    async def find(self, text: str, tenant: str = "", limit: int = 5) -> "list[SkillHit]":
        """The skills that help with a request, best first; the agent's choice, so none that
        keeps itself from agents."""
        with span("search skills", kind="search", input=text[:2000]) as traced:
            hits = await self._search.find(text, limit, tenant)
            traced.output = [{"skill": hit.name, "why": hit.explanation} for hit in hits]
            return hits

    def level_of(self, skill: Skill) -> int:
        """The maturity that a skill works at: its own, never above what the policy allows."""
        most = self.policy.level
        return most if skill.level is None else min(most, skill.level)

    async def file(self, skill: Skill, path: str) -> bytes:
        """One file of a skill: a reference, a template, a script."""
        content = await self._db.skills.content(skill.name, safe_path(path), skill.tenant)
        if content is None:
            listed = ", ".join(list(skill.files)[:10])
            raise NotFound(f"{skill.name} has no file {path!r}", hint=f"there are {listed}")
        return content

    async def text(self, skill: Skill, path: str) -> str:
        """One file as text; raises `BadRequest` for a binary one."""
        try:
            return (await self.file(skill, path)).decode("utf-8")
        except UnicodeDecodeError:
            raise BadRequest(f"{path} of {skill.name} is not text") from None

    async def files(self, skill: Skill) -> dict[str, bytes]:
        """All files of a skill."""
        return {path: await self.file(skill, path) for path in skill.files}

    async def remove(self, name: str, tenant: str = "") -> None:
        if await self._db.skills.find(name, tenant) is None:
            raise NotFound(f"there is no skill {name!r}", hint="hammerstone skills list")
        await self._change(name, tenant, None, "removed by hand")

    async def put_back(self, name: str, tenant: str, before: JsonObject | None, after: str) -> bool:
        """Take a change back: the skill is what it was before, or gone.

        `after` is the digest of what the change left, empty for nothing; False when something
        else is there now, which stays.
        """
        async with self._db.transaction() as stores:
            there = await stores.skills.find(name, tenant)
            if (there.digest if there else "") != after:
                return False
            if before is None:
                await stores.skills.remove(name, tenant)
            else:
                content = SkillContent.from_json(before)
                await stores.skills.put(content.row, content.files)
        return True

    async def _change(
        self, name: str, tenant: str, content: SkillContent | None, reason: str
    ) -> None:
        """Put a skill in place of what is there, or nothing; the ledger keeps what was there."""
        async with self._db.transaction() as stores:
            there = await stores.skills.find(name, tenant)
            before = await read_content(stores.skills, there) if there else None
            if content is None:
                await stores.skills.remove(name, tenant)
            else:
                await stores.skills.put(content.row, content.files)
            said = "removed" if content is None else "replaced" if there else "added"
            note = ChangeNote(
                kind=ProposalKind.SKILL,
                target=f"{tenant}/{name}" if tenant else name,
                title=f"skill {name}: {said}",
                who=tenant or "person",
                reason=reason,
                reverse={
                    "name": name,
                    "tenant": tenant,
                    "before": before.to_json() if before else None,
                    "after": content.row.digest if content else "",
                },
                change={
                    "before": before.row.digest if before else "",
                    "after": content.row.digest if content else "",
                },
                against=tuple(findings_of(content)),
            )
            await keep_note(stores, note, self._clock.now())


def digest_of(files: Mapping[str, bytes]) -> str:
    """The hash of a skill's files and their paths."""
    hasher = hashlib.sha256()
    for path, content in sorted(files.items()):
        for part in (path.encode(), content):
            hasher.update(str(len(part)).encode() + b":" + part)
    return hasher.hexdigest()
