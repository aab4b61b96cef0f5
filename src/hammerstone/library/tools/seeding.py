"""The starter set: tools that come with the package, proved before it was shipped.

`starter/evidence.json` holds what proving found, by the hash of each version. A tool whose hash
is not in there has changed since, and is proved before it is taken in. Every library has the
set from its opening on, unless the setting `starter_tools` is off.
"""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hammerstone.core.documents import version_id
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Assessment, Status
from hammerstone.library.tools.folder.files import BadToolFolder, ToolFiles, read_folder
from hammerstone.library.tools.new_versions import VerificationResult, Verifier, suite_confidence
from hammerstone.library.tools.registry import HIDDEN, ActivationReason, NewVersion, Registry

STARTER = Path(__file__).parents[1] / "starter"
EVIDENCE = STARTER / "evidence.json"
ORIGIN = "starter set"


@dataclass(slots=True)
class SeedReport:
    """The starter tools that were added, updated, kept or refused."""

    added: list[str] = field(default_factory=list[str])
    updated: list[str] = field(default_factory=list[str])
    kept: list[str] = field(default_factory=list[str])  # already there, or taken by another tool
    refused: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def to_json(self) -> JsonObject:
        return asdict(self)


def starter_tools(names: Collection[str] | None = None) -> list[ToolFiles]:
    """The tools of the starter set by name, all or those that are named."""
    found: list[ToolFiles] = []
    for path in sorted(STARTER.iterdir()):
        if path.is_dir() and not path.name.startswith(("_", ".")):
            if names is not None and path.name not in names:
                continue
            files = read_folder(path)
            if isinstance(files, BadToolFolder):
                raise HammerstoneError(f"starter tool {files.name}: {files.problems[0]}")
            found.append(files)
    return found


def shipped_evidence() -> dict[str, JsonObject]:
    """What proving found before the package was shipped, by version."""
    try:
        found: dict[str, JsonObject] = json.loads(EVIDENCE.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return found


def starter_id(files: ToolFiles) -> str:
    return version_id(files.code, files.spec, files.suite)


async def keep_starter_set(registry: Registry) -> None:
    """See that a library has the starter set; one small query when it has.

    Proves nothing: what the package was shipped with holds. What a person retired stays
    retired, and a name of their own stays theirs.
    """
    shipped = shipped_evidence()
    known = await registry.assessed(list(shipped))
    for version, (status, confidence) in known.items():
        if confidence is None and status not in HIDDEN:
            found = shipped[version]
            told = Assessment(version, status, suite_confidence(found), found)
            await registry.assess(str(found["tool"]), told, None)
    missing = {str(shipped[version]["tool"]) for version in shipped.keys() - known.keys()}
    for name in await registry.taken(missing):
        there = await registry.find(name)
        if there is None or there.version.provenance.get("origin") != ORIGIN:
            missing.discard(name)
    if missing:
        ready = [
            _version(
                files, VerificationResult(Status.VERIFIED, suite=files.suite, evidence=evidence)
            )
            for files in starter_tools(missing)
            if (evidence := shipped.get(starter_id(files))) is not None
        ]
        await registry.register_shipped(ready, _seeded("hammerstone"))


async def seed(
    registry: Registry, verifier: Verifier, *, verify: bool = False, who: str = "seed"
) -> SeedReport:
    """Add the starter set to a library; `verify` proves every tool again first.

    A name that belongs to another tool stays with it, and a starter tool that somebody edited
    or retired stays as it is.
    """
    report = SeedReport()
    shipped = shipped_evidence()
    ready: list[NewVersion] = []
    for files in starter_tools():
        evidence = shipped.get(starter_id(files))
        proof = VerificationResult(Status.VERIFIED, suite=files.suite, evidence=evidence or {})
        if verify or evidence is None:
            proof = await verifier.verify(files.spec, files.code, files.suite)
        if proof.status is None:
            report.refused[files.name] = list(proof.problems)
        else:
            ready.append(_version(files, proof))
    for tool in await registry.register_shipped(ready, _seeded(who)):
        (report.updated if tool.version.number > 1 else report.added).append(tool.name)
    added = {*report.added, *report.updated}
    report.kept += [new.spec.name for new in ready if new.spec.name not in added]
    return report


def _version(files: ToolFiles, proof: VerificationResult) -> NewVersion:
    assert proof.status is not None
    return NewVersion(
        spec=files.spec,
        code=files.code,
        suite=proof.suite,
        rejected=proof.rejected,
        status=proof.status,
        confidence=suite_confidence(proof.evidence),
        evidence=proof.evidence,
        provenance={"origin": ORIGIN},
    )


def _seeded(who: str) -> ActivationReason:
    return ActivationReason("seeded", who, "part of the starter set")
