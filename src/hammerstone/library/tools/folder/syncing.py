"""The library and a folder of plain files, kept in step both ways.

Each tool's folder says from which version it was written. What changed since then, here or
there, follows from that: a changed folder becomes a new version once it is proved, a newer
version is written out, and where both changed nothing is touched and both are shown. Nothing is
ever deleted on either side.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from hammerstone.core.documents import version_id
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, CaseOrigin, Tool, Version
from hammerstone.library.tools.folder.files import (
    ABOUT,
    NAME,
    BadToolFolder,
    ToolFiles,
    read_folder,
    render,
    same_content,
)
from hammerstone.library.tools.folder.pytest_text import read_suite, render_suite
from hammerstone.library.tools.new_versions import VerificationResult, Verifier
from hammerstone.library.tools.registry import HIDDEN, ActivationReason, NewVersion, Registry
from hammerstone.library.tools.sharing import Sharing, imported, with_people


class SyncAction(StrEnum):
    UNCHANGED = "unchanged"
    WRITTEN = "written"  # library to folder
    NEW_TOOL = "new tool"  # folder to library
    NEW_VERSION = "new version"  # folder to library
    REFUSED = "refused"  # could not be proved; the files stay as they are
    CONFLICT = "conflict"  # both sides changed; nothing was touched
    BROKEN = "broken"  # cannot be read


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    action: SyncAction
    details: tuple[str, ...] = ()


@dataclass(slots=True)
class SyncReport:
    """The result of bringing a folder and the library together."""

    entries: list[Entry] = field(default_factory=list[Entry])

    def add(self, name: str, action: SyncAction, *details: str) -> None:
        self.entries.append(Entry(name, action, details))

    @property
    def troubled(self) -> bool:
        bad = (SyncAction.REFUSED, SyncAction.CONFLICT, SyncAction.BROKEN)
        return any(entry.action in bad for entry in self.entries)

    def to_json(self) -> JsonObject:
        return {
            "tools": [
                {"name": each.name, "action": str(each.action), "details": list(each.details)}
                for each in self.entries
            ]
        }


class FolderSync:
    """The folder and the library brought together.

    What others said is not written out: a folder shows what `who` may see of a tool.
    """

    def __init__(
        self, registry: Registry, verifier: Verifier, sharing: Sharing, *, who: str
    ) -> None:
        self._registry = registry
        self._verifier = verifier
        self._sharing = sharing
        self._who = who

    async def export(self, directory: Path, names: Iterable[str] | None = None) -> SyncReport:
        """Write tools as folders; what somebody changed there is not overwritten."""
        _ready(directory)
        report = SyncReport()
        wanted = set(names) if names is not None else None
        for tool in await self._registry.list(include_retired=wanted is not None):
            if wanted is None and tool.status in HIDDEN:
                continue
            if wanted is None or tool.name in wanted:
                await self._write_out(directory, tool, report)
        missing = sorted((wanted or set()) - {entry.name for entry in report.entries})
        if missing:
            raise NotFound(f"there is no tool {missing[0]!r}", hint="hammerstone tools list")
        return report

    async def sync(self, directory: Path, *, dry_run: bool = False) -> SyncReport:
        """Bring both sides in step; with `dry_run` nothing is proved, written or registered."""
        _ready(directory)
        report = SyncReport()
        seen: set[str] = set()
        for path in _tool_folders(directory):
            seen.add(path.name)
            await self._take_in(path, report, dry_run)
        for tool in await self._registry.list():
            if tool.status not in HIDDEN and tool.name not in seen:
                if dry_run:
                    report.add(tool.name, SyncAction.WRITTEN)
                else:
                    await self._write_out(directory, tool, report)
        return report

    async def _take_in(self, path: Path, report: SyncReport, dry_run: bool) -> None:
        """One folder: unchanged, newer here, newer there, or both."""
        files = read_folder(path)
        if isinstance(files, BadToolFolder):
            report.add(files.name, SyncAction.BROKEN, *files.problems)
            return
        tool = await self._registry.find(files.name)
        if tool is None:
            await self._register(path, files, None, None, report, dry_run)
            return
        if same_content(files, await self._as_files(tool)):
            report.add(files.name, SyncAction.UNCHANGED)
            return
        base = await self._base(files)
        changed_here = base is None or base.id != tool.version.id
        changed_there = base is None or not same_content(
            files, await self._as_files(replace(tool, version=base))
        )
        if changed_here and changed_there:
            report.add(files.name, SyncAction.CONFLICT, *_both_changed(files, tool, base))
        elif changed_there:
            await self._register(path, files, tool, base, report, dry_run)
        elif dry_run:
            report.add(files.name, SyncAction.WRITTEN, f"version {tool.version.number}")
        else:
            _write(path, await self._shown(tool), report)

    async def _shown(self, tool: Tool) -> Tool:
        return await self._sharing.tool_for(tool, self._who)

    async def _as_files(self, tool: Tool) -> ToolFiles:
        return _as_files(await self._shown(tool))

    async def _base(self, files: ToolFiles) -> Version | None:
        versions = await self._registry.versions(files.name)
        return next((one for one in versions if one.id == files.base), None)

    async def _register(
        self,
        path: Path,
        files: ToolFiles,
        tool: Tool | None,
        base: Version | None,
        report: SyncReport,
        dry_run: bool,
    ) -> None:
        action = SyncAction.NEW_TOOL if tool is None else SyncAction.NEW_VERSION
        spec = replace(files.spec, examples=base.spec.examples) if base else files.spec
        suite = _with_known(files, base)
        if base is not None and not await self._sharing.is_open_to(base, self._who):
            suite = (*suite, *base.suite)  # what the folder does not show still counts
        if dry_run:
            report.add(files.name, action, "once it is proved", *_told_maker(files))
            return
        proof = await self._verifier.verify(spec, files.code, suite)
        if proof.status is None:
            report.add(files.name, SyncAction.REFUSED, *proof.problems)
            return
        new = NewVersion(
            spec=spec,
            code=files.code,
            suite=proof.suite,
            rejected=proof.rejected,
            status=proof.status,
            confidence=None,
            evidence=proof.evidence,
            provenance=await self._provenance(files, base),
        )
        stored = await self._registry.register(
            new,
            ActivationReason(
                "edited", self._who, f"read from the folder {path.name}", _short(proof)
            ),
        )
        _write_file(path / ABOUT, render(await self._shown(stored))[ABOUT])
        stands = f"version {stored.version.number}, {stored.status}"
        details = [stands, *_told_maker(files), *proof.problems]
        report.add(files.name, action, *details)

    async def _provenance(self, files: ToolFiles, base: Version | None) -> JsonObject:
        came: JsonObject = {"origin": "folder", "who": self._who}
        if base is not None:
            people = await self._sharing.people_of(base)
            return with_people({**came, "edited_from": base.id}, people)
        return {**imported(files.provenance or {}, self._who), **came}

    async def _write_out(self, directory: Path, tool: Tool, report: SyncReport) -> None:
        if not NAME.fullmatch(tool.name):
            report.add(tool.name, SyncAction.BROKEN, "its name cannot be a folder's")
            return
        path = directory / tool.name
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            report.add(
                tool.name, SyncAction.BROKEN, "there is already something else with this name"
            )
            return
        if path.is_dir() and any(path.iterdir()):
            files = read_folder(path)
            if isinstance(files, BadToolFolder):
                report.add(tool.name, SyncAction.BROKEN, *files.problems)
                return
            if same_content(files, await self._as_files(tool)):
                report.add(tool.name, SyncAction.UNCHANGED)
                return
            base = await self._base(files)
            before = await self._as_files(replace(tool, version=base)) if base else None
            if before is None or not same_content(files, before):
                report.add(tool.name, SyncAction.CONFLICT, *_both_changed(files, tool, base))
                return
        _write(path, await self._shown(tool), report)


def _ready(directory: Path) -> None:
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise BadRequest(f"{directory} is not a folder", hint="name a folder; links do not count")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadRequest(f"{directory} cannot be used: {error.strerror}") from None


def _tool_folders(directory: Path) -> list[Path]:
    """What may be tools; links are among them, to be told that they are not followed."""
    return [
        path
        for path in sorted(directory.iterdir())
        if not path.name.startswith((".", "_")) and (path.is_dir() or path.is_symlink())
    ]


def _as_files(tool: Tool) -> ToolFiles:
    """What a tool's folder would say, read back the way folders are read."""
    version = tool.version
    text = render_suite(tool.name, version.suite)
    takes = version.spec.takes
    rest = {k: v for k, v in takes.schema.items() if k not in ("type", "properties", "required")}
    schema: JsonObject = {
        "type": "object",
        "properties": {**takes.schemas},
        "required": [name for name in takes.names if name in takes.required_or_all],
        **rest,
    }
    spec = replace(version.spec, parameters=schema, examples=())
    return ToolFiles(tool.name, spec, version.code, read_suite(text, tool.name).cases)


def _with_known(files: ToolFiles, base: Version | None) -> tuple[Case, ...]:
    """The folder's cases, with those that did not change as they were; new ones are a person's."""
    if base is None:
        return files.suite
    read = read_suite(render_suite(files.name, base.suite), files.name).cases
    if len(read) != len(base.suite):
        return files.suite
    known = {repr(shown): case for shown, case in zip(read, base.suite, strict=True)}
    return tuple(
        known.get(repr(case)) or replace(case, origin=CaseOrigin.USER) for case in files.suite
    )


def _both_changed(files: ToolFiles, tool: Tool, base: Version | None) -> list[str]:
    there = version_id(files.code, files.spec, files.suite)[:12]
    here = f"version {tool.version.number} ({tool.version.id[:12]})"
    if base is None:
        return [f"the folder was not written from a version of this library; here is {here}"]
    return [
        f"both changed since version {base.number}: here {here}, in the folder {there}",
        f"export {files.name} somewhere else, put the two together, and sync again",
    ]


def _short(proof: VerificationResult) -> JsonObject:
    return {
        key: proof.evidence[key] for key in ("cases", "mutation_score") if key in proof.evidence
    }


def _write(path: Path, tool: Tool, report: SyncReport) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, text in render(tool).items():
            _write_file(path / name, text)
    except (OSError, UnicodeEncodeError) as error:
        report.add(tool.name, SyncAction.BROKEN, f"it cannot be written: {error}")
        return
    report.add(tool.name, SyncAction.WRITTEN, f"version {tool.version.number}")


def _write_file(path: Path, text: str) -> None:
    """All of it or nothing; a link in the way is replaced, not followed."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    try:
        with unfinished.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _told_maker(files: ToolFiles) -> list[str]:
    """Who made a tool, by what its folder says; nobody here has checked it."""
    told = files.provenance or {}
    parts = [f"{name} {told[name]}" for name in ("origin", "model", "who") if told.get(name)]
    return [f"its folder says: {', '.join(parts)[:200]}"] if parts else []
