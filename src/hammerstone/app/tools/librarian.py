"""Looking after the library: seeding, folders, upkeep, duplicates, statistics."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hammerstone.app.tools.proving import SandboxVerifier, measure_edit
from hammerstone.app.words.tool_words import trusted_sentence
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, Spec, Tool, Version
from hammerstone.library.policies import LifecyclePolicy
from hammerstone.library.tools.duplicates import DuplicateMatch, merge
from hammerstone.library.tools.folder import FolderSync, SyncAction, SyncReport, render
from hammerstone.library.tools.folder.files import NOT_READ_BACK
from hammerstone.library.tools.registry import HIDDEN, ActivationReason, NewVersion
from hammerstone.library.tools.seeding import SeedReport, seed
from hammerstone.library.tools.sharing import Sharing
from hammerstone.library.tools.upkeep import Upkeep, UpkeepReport
from hammerstone.run.services import Services


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two tools that do the same, the better one first."""

    tool: str
    duplicate: str
    agreed: int
    similarity: float | None


class Librarian:
    """The person's work on the library as a whole. The sandbox is opened when needed."""

    def __init__(self, services: Services, sharing: Sharing, *, who: str) -> None:
        catalogue, policies = services.catalogue, services.guards.policies
        self._db = services.records.db
        self._executions = services.records.db.executions
        self._calls = services.workshop.calls
        self._sandbox = services.workshop.sandbox
        self._sharing = sharing
        self._who = who
        self._registry = catalogue.registry
        self._lifecycle = catalogue.lifecycle
        self._policies = policies
        self._verifier = SandboxVerifier(self._sandbox, policies)
        self._upkeep = Upkeep(
            services.records.db, catalogue.registry, catalogue.lifecycle, catalogue.search
        )
        self._duplicates = catalogue.duplicates

    async def seed(self, *, verify: bool = False) -> SeedReport:
        """Add the starter set; `verify` proves it again in this machine's sandbox."""
        return await seed(self._registry, self._verifier, verify=verify, who=self._who)

    async def add(self, spec: Spec, code: str, suite: tuple[Case, ...]) -> Tool:
        """Code a person wrote, proved by the cases they state; raises `BadRequest` with what is
        wrong when it does not keep its promise."""
        proof = await self._verifier.verify(spec, code, suite)
        if proof.status is None:
            raise BadRequest(f"{spec.name} is not added: {'; '.join(proof.problems)}")
        new = NewVersion(
            spec=spec,
            code=code,
            suite=proof.suite,
            rejected=proof.rejected,
            status=proof.status,
            confidence=None,
            evidence=proof.evidence,
            provenance={"source": "a function", "reason": "; ".join(proof.problems)},
        )
        return await self._registry.register(
            new, ActivationReason("added", self._who, "its cases hold", proof.evidence)
        )

    async def export(self, directory: Path, names: Iterable[str] | None = None) -> SyncReport:
        return await self._folders(self._who).export(directory, names)

    async def sync(
        self, directory: Path, *, dry_run: bool = False, who: str | None = None
    ) -> SyncReport:
        """Bring a folder and the library in step; an edit that changes what was answered before
        is taken, and the report says so."""
        report = await self._folders(who or self._who).sync(directory, dry_run=dry_run)
        for place, entry in enumerate(report.entries):
            if entry.action is SyncAction.NEW_VERSION and not dry_run:
                against = await measure_edit(self._db, await self._sandbox(), entry.name)
                details = (*entry.details, *([against] if against else []))
                report.entries[place] = replace(entry, details=details)
        return report

    def _folders(self, who: str) -> FolderSync:
        return FolderSync(self._registry, self._verifier, self._sharing, who=who)

    async def upkeep(self, *, dry_run: bool = False) -> UpkeepReport:
        return await self._upkeep.run(dry_run=dry_run)

    async def duplicates(self) -> list[DuplicatePair]:
        """Every pair of tools in use that behaves the same; each tool is tried once."""
        sandbox = await self._sandbox()
        tools = [tool for tool in await self._registry.list() if tool.status not in HIDDEN]
        known = {tool.name: tool for tool in tools}
        found: dict[frozenset[str], DuplicatePair] = {}
        for tool in tools:
            match = await self._other_like(tool, sandbox)
            if match and match.tool.name in known:
                pair = frozenset({tool.name, match.tool.name})
                found.setdefault(
                    pair, DuplicatePair(match.tool.name, tool.name, match.agreed, match.similarity)
                )
        return list(found.values())

    async def _other_like(self, tool: Tool, sandbox: Any) -> DuplicateMatch | None:
        version = tool.version
        return await self._duplicates.find_match(
            version.spec, version.code, version.suite, sandbox, besides=tool.name
        )

    async def merge(self, first: str, second: str) -> Tool:
        """Make two tools that do the same into one; raises `BadRequest` when they do not."""
        return await merge(
            await self._registry.get(first),
            await self._registry.get(second),
            duplicates=self._duplicates,
            registry=self._registry,
            sandbox=await self._sandbox(),
            who=self._who,
        )

    async def cache(self) -> JsonObject:
        """Hits, misses and hit rate of the execution cache, with tools by name."""
        stats = await self._calls.stats()
        names: dict[str, str] = {}
        for tool in await self._registry.list(include_retired=True):
            names |= {tool.version.id: f"{tool.name} v{tool.version.number}"}
        by_version = stats.pop("by_version")
        assert isinstance(by_version, list)
        return {
            **stats,
            "by_tool": [
                {**each, "tool": names.get(str(each["version"]), "an earlier version")}
                for each in by_version
                if isinstance(each, dict)
            ],
        }

    async def clear_cache(self) -> int:
        return await self._calls.clear()

    async def statistics(self, name: str) -> list[JsonObject]:
        """Use, success and latency of each version, oldest first."""
        rows: list[JsonObject] = []
        for version in await self._registry.versions(name):
            use = await self._executions.of_version(version.id)
            known = await self._registry.assessments(version.id)
            rows.append(
                {
                    "version": version.number,
                    "id": version.id,
                    "created_at": version.created_at.isoformat(),
                    "status": str(known[-1].status) if known else None,
                    "confidence": known[-1].confidence if known else None,
                    "uses": use.uses,
                    "success": round(use.good / use.uses, 4) if use.uses else None,
                    "sessions": use.sessions,
                    "p50_s": use.p50_s,
                    "p95_s": use.p95_s,
                    "cases": len(version.suite),
                }
            )
        return rows

    async def towards_trusted(self, tool: Tool) -> str:
        """How far a verified tool is on its way to trusted, in words; empty for any other."""
        tally = await self._lifecycle.towards_trusted(tool)
        return trusted_sentence(tally, self._policies.get(LifecyclePolicy)) if tally else ""

    async def diff(self, name: str, first: int, second: int) -> str:
        """What changed between two versions: promise, code and cases, as a unified diff."""
        tool = await self._registry.get(name)
        one = await self._registry.version(name, first)
        other = await self._registry.version(name, second)
        one, other = [await self._sharing.seen_by(each, self._who) for each in (one, other)]
        left, right = _readable(tool, one), _readable(tool, other)
        lines: list[str] = []
        for file in left:
            lines += difflib.unified_diff(
                left[file].splitlines(),
                right[file].splitlines(),
                f"v{first}/{file}",
                f"v{second}/{file}",
                lineterm="",
            )
        return "\n".join(lines)


def _readable(tool: Tool, version: Version) -> dict[str, str]:
    """A version's files without what is not part of the version."""
    files = render(Tool(tool.name, version, tool.status, None))
    return {name: text.partition(NOT_READ_BACK)[0] for name, text in files.items()}
