"""What a person's edit does to results that were given before: measured, shown, no veto."""

from hammerstone.core.calls import Call, Program
from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Effect, Version
from hammerstone.judging.equality import decoded, same
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.repair.reflection import call_of, limits_of
from hammerstone.storage import Database, Execution
from hammerstone.storage.stores.learning.proposals import AuditRow

MOST = 30  # recorded calls that are made again
_WHO = "gate"


async def measure_edit(db: Database, sandbox: Sandbox, tool: str) -> str:
    """Run recorded calls with the version before a tool's last edit and with the new one; what
    speaks against the edit, in words, and empty when nothing does. The ledger keeps the pairs.

    No value is told: the calls may be other people's.
    """
    rows = await db.proposals.list(kind=ProposalKind.EDIT, target=tool, statuses=IN_FORCE, limit=1)
    how = (rows[0].reverse or {}) if rows else {}
    before, after = how.get("before"), how.get("after")
    if not isinstance(before, str) or not isinstance(after, str) or before == after:
        return ""
    old, new = await db.tools.get_version(before), await db.tools.get_version(after)
    calls = await _recorded(db, old)
    if not calls or Effect.WRITES in (old.spec.effect, new.spec.effect):
        return ""
    pairs = await _pairs(sandbox, old, new, calls)
    wrong = sum(pair.after < pair.before for pair in pairs)
    told = f"{wrong} of {len(pairs)} recorded results become different" if wrong else ""
    known = ProposalEvidence.from_json(rows[0].evidence)
    evidence: JsonObject = {
        **known.to_json(),
        "passes": [[pair.case, pair.before, pair.after] for pair in pairs],
        "against": [told] if told else [],
    }
    reason = told or f"{len(pairs)} recorded results stay the same"
    audit = AuditRow(rows[0].id, "measured", _WHO, reason, None, None, db.access.clock.now())
    await db.proposals.change(rows[0].id, audit, evidence=evidence)
    return told


async def _recorded(db: Database, version: Version) -> list[tuple[Call, Execution]]:
    """Earlier calls of a version that went well, each once."""
    found: dict[str, tuple[Call, Execution]] = {}
    for row in await db.executions.list(version.tool, limit=MOST * 3):
        if row.ok and row.version_id == version.id and isinstance(row.arguments, dict):
            found.setdefault(canonical(row.arguments), (call_of(row.arguments), row))
    return list(found.values())[:MOST]


async def _pairs(
    sandbox: Sandbox, old: Version, new: Version, calls: list[tuple[Call, Execution]]
) -> list[ScorePair]:
    programs = [Program(version.code, version.spec.name) for version in (old, new)]
    asked = [call for call, _ in calls]
    rows = await sandbox.matrix(programs, asked, limits=limits_of(new.spec))
    pairs: list[ScorePair] = []
    for number, (_, recorded) in enumerate(calls):
        scores = [
            float(row[number].ok and same(decoded(row[number].value), decoded(recorded.result)))
            for row in rows
        ]
        pairs.append(ScorePair(f"recorded call {number + 1}", *scores))
    return pairs
