"""How each kind of change is made and taken back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hammerstone.core.changes import TOOL_KINDS
from hammerstone.core.documents import case_from_json, case_to_json, spec_from_json, spec_to_json
from hammerstone.core.errors import BadRequest, HammerstoneError
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Assessment, Status, Tool, Version
from hammerstone.learn.ledger.lesson_entries import LessonChange
from hammerstone.learn.promotion.gate import difference
from hammerstone.learn.promotion.proposals import Applier, ProposalKind, UndoReason
from hammerstone.library.documents import Documents
from hammerstone.library.policies import PROMPT, Policies, PolicyDecision
from hammerstone.library.prompting.own_adapters import OwnAdapters
from hammerstone.library.prompting.prompt_shelf import check_prompt
from hammerstone.library.search import ToolSearch
from hammerstone.library.skills import Skills
from hammerstone.library.tools.registry import HIDDEN, ActivationReason, NewVersion, Registry
from hammerstone.library.tools.tool_notes import ToolMove
from hammerstone.prompts import shipped_text
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


class ToolChange:
    """A tool's active version or standing: everything whose target is a tool.

    A change with code adds a version, or a tool; one with a status says how a version stands.
    """

    def __init__(self, registry: Registry, db: Database, kind: ProposalKind) -> None:
        self._registry = registry
        self._db = db
        self._kind = kind

    async def preview(self, target: str, change: JsonObject) -> str:
        if "code" not in change:
            return f"{target} would be {change.get('status', Status.RETIRED)}: {_reason(change)}"
        tool = await self._registry.find(target)
        before = tool.version.code if tool else ""
        return difference(before, str(change["code"]), (f"{target} now", f"{target} proposed"))

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        if "code" in change:
            tool = await self._register(change, why)
        else:
            tool = await self._stand(target, change, why)
        row = await self._db.proposals.get(str(why["proposal"]))
        if row.reverse:
            return row.reverse
        if "code" in change and tool.status is Status.RETIRED:
            return {}  # a person took it out of use, and there it stays
        # It was so already: taking it back changes nothing.
        return {"tool": tool.name, "before": tool.version.id, "after": tool.version.id}

    async def _register(self, change: JsonObject, why: JsonObject) -> Tool:
        word = _WORDS.get(self._kind, str(self._kind))
        decision = ActivationReason(word, str(why["who"]), str(why["reason"]), why)
        made = await self._registry.register(
            new_version(change), decision, as_new_tool=bool(change["new_tool"])
        )
        await self._switch(made.version, True)
        return made

    async def _stand(self, target: str, change: JsonObject, why: JsonObject) -> Tool:
        tool = await self._registry.get(target)
        status = Status(str(change.get("status", Status.RETIRED)))
        known = change.get("grounds")
        told: JsonObject = {
            **(known if isinstance(known, dict) else {}),
            "who": why["who"],
            "reason": _reason(change) or why["reason"],
            "proposal": why["proposal"],
        }
        version = str(change.get("version") or tool.version.id)
        if tool.status in HIDDEN or version != tool.version.id:
            return tool
        assessment = Assessment(version, status, tool.confidence, told)
        return await self._registry.assess(target, assessment, self._kind)

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        name = str(how.get("tool") or target)
        move = ToolMove.from_json(how)
        if move is None:
            return await self._reverse_old(name, how, why)
        if not await self._registry.put_back(move, who=why.who, reason=why.words):
            return f"{name} has another version by now; it stays"
        tool = await self._registry.get(name)
        if move.before.version is None:
            await self._switch(tool.version, False)
            return f"{name} is retired"
        if move.before.version == move.after.version:
            return f"{name} is {tool.status} again"
        return f"{name} is back at version {tool.version.number}"

    async def _reverse_old(self, name: str, how: JsonObject, why: UndoReason) -> str:
        """As entries from before states were kept say it: by versions, or by standing."""
        tool = await self._registry.find(name)
        before, after = how.get("before"), how.get("after")
        if tool is not None and after == Status.RETIRED:
            if tool.status in HIDDEN:
                await self._registry.unretire(name, who=why.who)
            return f"{name} is in use again"
        if tool is None or tool.version.id != after or after == before:
            return f"{name} has another version by now; it stays"
        if isinstance(before, str):
            version = await self._db.tools.get_version(before)
            await self._registry.restore(name, version.number, who=why.who)
            return f"{name} is back at version {version.number}"
        await self._switch(tool.version, False)
        await self._registry.retire(name, who=why.who, reason=why.words)
        return f"{name} is retired"

    async def _switch(self, version: Version, on: bool) -> None:
        """A composite's workflow is planned with while the composite is in use."""
        workflow = version.provenance.get("composite")
        if isinstance(workflow, dict):
            await self._db.workflows.switch(str(workflow.get("id")), on)


_WORDS: dict[str, str] = {"repair": "repaired", "composite": "composed", "merge": "merged"}


def _reason(change: JsonObject) -> str:
    return str(change.get("reason") or "")


class PolicyChange:
    """New numbers for a policy, or with a prefix for their names, another sort of document."""

    def __init__(self, policies: Policies, prefix: str = "") -> None:
        self._policies = policies
        self._prefix = prefix

    async def preview(self, target: str, change: JsonObject) -> str:
        history = await self._policies.history(self._prefix + target)
        before = history[-1].value if history else {}
        if self._prefix:
            known = str(before.get("text", "")) if isinstance(before, dict) else ""
            values = change.get("values")
            text = str(values.get("text", "")) if isinstance(values, dict) else ""
            names = (f"{target} now", f"{target} proposed")
            return difference(known or shipped_text(target), text, names)
        return f"policy {target}: {before} becomes {change['values']}"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        name = self._prefix + target
        history, values = await self._policies.history(name), change.get("values")
        if not isinstance(values, dict):
            raise BadRequest(f"the change of {name} has no values")
        who, reason, proposal = (str(why[name]) for name in ("who", "reason", "proposal"))
        if self._prefix:
            check_prompt(target, str(values.get("text", "")))
            decision = PolicyDecision(who, reason, proposal=proposal)
            await self._policies.put(name, values, decision)
        else:
            await self._policies.change(name, values, who=who, why=reason, proposal=proposal)
        after = (await self._policies.history(name))[-1].number
        return {"before": history[-1].number if history else 0, "after": after}

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        before, after = how.get("before"), how.get("after")
        assert isinstance(before, int)
        assert isinstance(after, int)
        name, sort = self._prefix + target, "prompt" if self._prefix else "policy"
        if not await self._policies.put_back(name, before, after, who=why.who, why=why.words):
            return f"{sort} {target} was changed since; it stays"
        where = f"version {before}" if before else "the default"
        return f"{sort} {target} is back at {where}"


class SkillChange:
    """A skill added, replaced or removed; a person does it, the gate takes it back."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills

    async def preview(self, target: str, change: JsonObject) -> str:
        return f"skill {target}"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        raise BadRequest("a skill is added by a person", hint="hammerstone skills import FOLDER")

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        name, before = str(how["name"]), how.get("before")
        known = before if isinstance(before, dict) else None
        if not await self._skills.put_back(name, str(how["tenant"]), known, str(how["after"])):
            return f"skill {name} was changed since; it stays"
        return f"skill {name} is what it was before" if known else f"skill {name} is gone"


class AdapterChange:
    """An adapter put on the embedded model, and taken off again."""

    def __init__(self, adapters: OwnAdapters) -> None:
        self._adapters = adapters

    async def preview(self, target: str, change: JsonObject) -> str:
        return f"adapter {change.get('adapter')} in the place of {self._adapters.active}"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        name = str(change["adapter"])
        who, reason = str(why["who"]), str(why["reason"])
        before = await self._adapters.activate(
            name, who=who, why=reason, proposal=str(why["proposal"])
        )
        return {"before": before, "after": name}

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        before, after = str(how["before"]), str(how["after"])
        if not self._adapters.put_back(before, after):
            return "another adapter is in use by now; it stays"
        return f"the adapter is {self._adapters.active} again"


class DocumentChange:
    """Applier of changes that add a folder of documents; taken back, they are forgotten."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def preview(self, target: str, change: JsonObject) -> str:
        return f"the documents in {target} would be added, and answers quoted from them"

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        report = await self._documents.add(str(change["folder"]))
        if not report.read and not report.unchanged:
            raise BadRequest(f"no document in {target} can be read")
        return {"before": "", "after": report.source, "source": report.source}

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        try:
            count = await self._documents.remove(str(how["source"]))
        except HammerstoneError as error:
            return f"the documents in {target} were changed since: {error.message}"
        return f"{count} documents of {target} are forgotten"


class HarnessChange:
    """Code of the installation is never changed from here: the proposal shows the patch."""

    async def preview(self, target: str, change: JsonObject) -> str:
        return str(change.get("patch", ""))

    async def apply(self, target: str, change: JsonObject, why: JsonObject) -> JsonObject:
        raise BadRequest(
            "a change of the product's own code is made by a person",
            hint="show it with `hammerstone proposals show ID` and apply the patch to the source",
        )

    async def reverse(self, target: str, how: JsonObject, why: UndoReason) -> str:
        return "nothing was changed here"


@dataclass(frozen=True, slots=True)
class GateParts:
    """What else the gate changes beside tools and policies, as far as it is there."""

    skills: Skills | None = None
    search: ToolSearch | None = None
    documents: Documents | None = None
    adapters: OwnAdapters | None = None


TOOLS_AND_POLICIES = GateParts()


def appliers(
    registry: Registry, policies: Policies, db: Database, parts: GateParts = TOOLS_AND_POLICIES
) -> dict[str, Applier]:
    """One for each kind of change that can be made with what is given."""
    made: dict[str, Applier] = {kind: ToolChange(registry, db, kind) for kind in TOOL_KINDS}
    made[ProposalKind.POLICY] = PolicyChange(policies)
    made[ProposalKind.PROMPT] = PolicyChange(policies, PROMPT)
    made[ProposalKind.HARNESS] = HarnessChange()
    if parts.skills is not None:
        made[ProposalKind.SKILL] = SkillChange(parts.skills)
    if parts.search is not None:
        made[ProposalKind.LESSON] = LessonChange(db, parts.search)
    if parts.documents is not None:
        made[ProposalKind.DOCUMENTS] = DocumentChange(parts.documents)
    if parts.adapters is not None:
        made[ProposalKind.ADAPTER] = AdapterChange(parts.adapters)
    return made
