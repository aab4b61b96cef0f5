"""How each kind of change is made and taken back."""

from collections.abc import Mapping
from typing import Any

from hammerstone.core.documents import case_from_json, case_to_json, spec_from_json, spec_to_json
from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Status
from hammerstone.learn.gate import difference
from hammerstone.learn.proposals import Applier, ProposalKind
from hammerstone.library.policies import Policies
from hammerstone.library.tools.registry import HIDDEN, ActivationReason, NewVersion, Registry
from hammerstone.storage import Database


def version_change(new: NewVersion, *, new_tool: bool) -> JsonObject:
    """A version as a change that can be stored and made later."""
    return {
        "spec": spec_to_json(new.spec),
        "code": new.code,
        "suite": [case_to_json(case) for case in new.suite],
        "rejected": [case_to_json(case) for case in new.rejected],
        "status": str(new.status),
        "confidence": new.confidence,
        "evidence": dict(new.evidence),
        "provenance": dict(new.provenance),
        "new_tool": new_tool,
    }


def new_version(data: Mapping[str, Any]) -> NewVersion:
    return NewVersion(
        spec=spec_from_json(data["spec"]),
        code=data["code"],
        suite=tuple(case_from_json(case) for case in data["suite"]),
        rejected=tuple(case_from_json(case) for case in data["rejected"]),
        status=Status(data["status"]),
        confidence=data["confidence"],
        evidence=data["evidence"],
        provenance=data["provenance"],
    )


class VersionChange:
    """A new version of a tool, or a new tool: repairs, composites, merges."""

    def __init__(self, registry: Registry, db: Database, kind: str) -> None:
        self._registry = registry
        self._db = db
        self._kind = kind

    async def preview(self, target: str, change: JsonObject) -> str:
        tool = await self._registry.find(target)
        before = tool.version.code if tool else ""
        return difference(before, str(change["code"]), (f"{target} now", f"{target} proposed"))

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        tool = await self._registry.find(target)
        decision = ActivationReason(
            _WORDS.get(self._kind, self._kind), str(why["who"]), str(why["reason"]), why
        )
        made = await self._registry.register(
            new_version(change), decision, as_new_tool=bool(change["new_tool"])
        )
        provenance = change.get("provenance")
        workflow = provenance.get("composite") if isinstance(provenance, dict) else None
        if isinstance(workflow, dict):
            await self._db.workflows.switch(str(workflow.get("id")), True)
        before: Json = tool.version.id if tool and made.name == target else None
        return {"tool": made.name, "before": before, "after": made.version.id}

    async def reverse(self, target: str, how: JsonObject, why: str) -> str:
        name = str(how.get("tool", target))
        tool = await self._registry.find(name)
        if tool is None or tool.version.id != how.get("after"):
            return f"{name} has another version by now; it stays"
        before = how.get("before")
        if isinstance(before, str):
            version = await self._db.tools.get_version(before)
            await self._registry.restore(name, version.number, who="undo")
            return f"{name} is back at version {version.number}"
        workflow = tool.version.provenance.get("composite")
        if isinstance(workflow, dict):
            await self._db.workflows.switch(str(workflow.get("id")), False)
        await self._registry.retire(name, who="undo", reason=why or "the change was undone")
        return f"{name} is retired"


_WORDS = {"repair": "repaired", "composite": "composed", "merge": "merged"}


class RetirementChange:
    """A tool taken out of use because it does not pay or a better one exists."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def preview(self, target: str, change: JsonObject) -> str:
        return f"{target} would be retired: {change.get('reason', '')}"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        tool = await self._registry.get(target)
        if tool.status not in HIDDEN:
            reason = str(change.get("reason", why["reason"]))
            await self._registry.retire(target, who=str(why["who"]), reason=reason)
        return {"tool": target, "before": str(tool.status), "after": str(Status.RETIRED)}

    async def reverse(self, target: str, how: JsonObject, why: str) -> str:
        tool = await self._registry.get(target)
        if tool.status not in HIDDEN:
            return f"{target} is in use already"
        await self._registry.unretire(target, who="undo")
        return f"{target} is in use again"


class PolicyChange:
    """New numbers for a policy."""

    def __init__(self, policies: Policies, db: Database) -> None:
        self._policies = policies
        self._db = db

    async def preview(self, target: str, change: JsonObject) -> str:
        history = await self._policies.history(target)
        before = history[-1].value if history else {}
        return f"policy {target}: {before} becomes {change['values']}"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        history = await self._policies.history(target)
        values = change["values"]
        if not isinstance(values, dict):
            raise BadRequest(f"the change of policy {target} has no values")
        await self._policies.change(target, values, who=str(why["who"]), why=str(why["reason"]))
        after = (await self._policies.history(target))[-1].number
        return {"before": history[-1].number if history else 0, "after": after}

    async def reverse(self, target: str, how: JsonObject, why: str) -> str:
        history = await self._policies.history(target)
        if not history or history[-1].number != how.get("after"):
            return f"policy {target} was changed since; it stays"
        before = how.get("before")
        if isinstance(before, int) and before:
            await self._policies.restore(target, before, who="undo")
            return f"policy {target} is back at version {before}"
        await self._db.policies.put(target, {}, "undo", why or "the change was undone")
        await self._policies.load()
        return f"policy {target} is back at its defaults"


def appliers(registry: Registry, policies: Policies, db: Database) -> dict[str, Applier]:
    """The appliers this build has; prompts and skills bring their own."""
    versions = {
        kind: VersionChange(registry, db, kind) for kind in ("repair", "composite", "merge")
    }
    return {
        **versions,
        ProposalKind.RETIREMENT: RetirementChange(registry),
        ProposalKind.POLICY: PolicyChange(policies, db),
    }
