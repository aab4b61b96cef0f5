"""The starter set: tools that come with the package, proved before it was shipped.

`starter/evidence.json` holds what proving found, by the hash of each version. A tool whose hash
is not in there has changed since, and is proved before it is taken in.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from hammerstone.core.documents import version_id
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Status
from hammerstone.library.folder.files import ToolFiles, Unreadable, read_folder
from hammerstone.library.registry import Decision, NewVersion, Registry
from hammerstone.library.verification import Proof, Verifier

STARTER = Path(__file__).parent / "starter"
EVIDENCE = STARTER / "evidence.json"
ORIGIN = "starter set"


@dataclass(slots=True)
class SeedReport:
    added: list[str] = field(default_factory=list[str])
    updated: list[str] = field(default_factory=list[str])
    kept: list[str] = field(default_factory=list[str])  # already there, or taken by another tool
    refused: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def to_json(self) -> JsonObject:
        return {
            "added": list(self.added),
            "updated": list(self.updated),
            "kept": list(self.kept),
            "refused": {name: list(why) for name, why in self.refused.items()},
        }


def starter_tools() -> list[ToolFiles]:
    """The tools of the starter set, by name."""
    found: list[ToolFiles] = []
    for path in sorted(STARTER.iterdir()):
        if path.is_dir() and not path.name.startswith(("_", ".")):
            files = read_folder(path)
            if isinstance(files, Unreadable):
                raise HammerstoneError(f"starter tool {files.name}: {files.problems[0]}")
            found.append(files)
    return found


def shipped_evidence() -> dict[str, JsonObject]:
    """What proving found before the package was shipped, by version."""
    try:
        return cast(dict[str, Any], json.loads(EVIDENCE.read_text("utf-8")))
    except FileNotFoundError:
        return {}


def starter_id(files: ToolFiles) -> str:
    return version_id(files.code, files.spec, files.suite)


async def seed(
    registry: Registry, verifier: Verifier, *, verify: bool = False, who: str = "seed"
) -> SeedReport:
    """Add the starter set to a library; `verify` proves every tool again first.

    A name that belongs to another tool stays with it, and a starter tool that somebody edited
    or retired stays as it is.
    """
    report = SeedReport()
    shipped = shipped_evidence()
    for files in starter_tools():
        there = await registry.find(files.name)
        ours = there is not None and there.version.provenance.get("origin") == ORIGIN
        if there is not None and (not ours or there.version.id == starter_id(files)):
            report.kept.append(files.name)
            continue
        evidence = shipped.get(starter_id(files))
        proof = Proof(Status.VERIFIED, suite=files.suite, evidence=evidence or {})
        if verify or evidence is None:
            proof = await verifier.verify(files.spec, files.code, files.suite)
        if proof.status is None:
            report.refused[files.name] = list(proof.problems)
            continue
        new = NewVersion(
            spec=files.spec,
            code=files.code,
            suite=proof.suite,
            rejected=proof.rejected,
            status=proof.status,
            confidence=None,
            evidence=proof.evidence,
            provenance={"origin": ORIGIN},
        )
        await registry.register(new, Decision("seeded", who, "part of the starter set"))
        (report.updated if there else report.added).append(files.name)
    return report
