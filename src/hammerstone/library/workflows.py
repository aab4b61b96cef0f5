"""Learned workflows: chains of tools that people really ran, with where each argument came from."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hammerstone.core.dataflow import FromRequest, Source, needed_steps, source_from_json
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Tool, Version
from hammerstone.library.search import PastOutcome, ToolSearch
from hammerstone.library.tools.registry import HIDDEN, ToolIndex
from hammerstone.storage import Database

COMPOSITE = "composite"  # what a version is made of, among what is known of its origin
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """A call of a tool; `version_id` is the version it was learned with.

    Steps are numbered, the first is 0. What the person names goes by the name in the source.
    """

    tool: str
    arguments: Mapping[str, Source[int]]
    version_id: str = ""

    @property
    def needs(self) -> set[int]:
        """The numbers of the steps whose results it uses."""
        return needed_steps(self.arguments.values())

    def to_json(self) -> JsonObject:
        arguments: JsonObject = {name: s.to_json() for name, s in self.arguments.items()}
        return {"tool": self.tool, "arguments": arguments, "version_id": self.version_id}

    @staticmethod
    def from_json(data: Any) -> "WorkflowStep":
        arguments = {name: source_from_json(s) for name, s in data["arguments"].items()}
        return WorkflowStep(str(data["tool"]), arguments, str(data.get("version_id", "")))


@dataclass(frozen=True, slots=True)
class Workflow:
    """A chain with its bindings; its result is the last step's.

    `support` is how often it was seen (a session counts only so often), `success` the share
    that went well, `confidence` how sure the bindings are.
    """

    id: str
    name: str
    steps: tuple[WorkflowStep, ...]
    support: int
    success: float
    confidence: float

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(step.tool for step in self.steps)

    @property
    def inputs(self) -> dict[str, tuple[int, str]]:
        """What the person has to name: each name's first step and argument."""
        found: dict[str, tuple[int, str]] = {}
        for number, step in enumerate(self.steps):
            for argument, source in step.arguments.items():
                if isinstance(source, FromRequest):
                    found.setdefault(source.name, (number, argument))
        return found

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "name": self.name,
            "steps": [step.to_json() for step in self.steps],
            "support": self.support,
            "success": self.success,
            "confidence": self.confidence,
        }

    @staticmethod
    def from_json(data: Any) -> "Workflow":
        return Workflow(
            id=str(data["id"]),
            name=str(data["name"]),
            steps=tuple(WorkflowStep.from_json(step) for step in data["steps"]),
            support=int(data["support"]),
            success=float(data["success"]),
            confidence=float(data["confidence"]),
        )


def workflow_of(version: Version) -> Workflow | None:
    """The workflow that a composite is made of; None for any other tool."""
    document = version.provenance.get(COMPOSITE)
    return Workflow.from_json(document) if isinstance(document, dict) else None


class Workflows:
    """The workflows that were learned, by the tools they use."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def suggest(self, text: str, tools: Sequence[str]) -> list[Workflow]:
        """Workflows made only of these tools, those asked for in similar words first.

        `tools` are the names that search found for the request. Workflows are shared by all, like
        the tools they are made of: they hold no tenant's words.
        """
        offered = set(tools)
        words = set(_WORD.findall(text.lower()))
        ranked: list[tuple[float, Workflow]] = []
        for row in await self._db.workflows.beginning_with(sorted(offered)):
            workflow = Workflow.from_json(row.document)
            if not offered.issuperset(workflow.tools):
                continue
            alike = max((_overlap(words, past) for past in row.requests), default=0.0)
            ranked.append((alike + workflow.confidence * workflow.success, workflow))
        ranked.sort(key=lambda pair: (-pair[0], pair[1].id))
        return [workflow for _, workflow in ranked]


class PartWatch:
    """An index that hides composites as soon as one of their parts is not what it was.

    A composite holds its parts' code. When a part gets another version or goes out of use, the
    parts are used again at once; when it comes back, so does the composite. The requests whose
    steps it was made of are `own` to it as long as it is found.
    """

    def __init__(self, index: ToolIndex, db: Database, own: "OwnRequests | None" = None) -> None:
        self._index = index
        self._db = db
        self._own = own

    async def index(self, tool: Tool) -> None:
        await self._show(tool)
        await self._check(tool.name)

    async def index_all(self, tools: Sequence[Tool]) -> None:
        await self._index.index_all(tools)
        await self._check(*(tool.name for tool in tools))

    async def remove(self, name: str) -> None:
        await self._index.remove(name)
        await self._check(name)

    async def _show(self, tool: Tool) -> None:
        await self._index.index(tool)
        if self._own is not None and tool.status not in HIDDEN:
            await self._own.take_over(tool)

    async def _check(self, *names: str) -> None:
        for row in await self._db.workflows.list(limit=10_000):
            workflow = Workflow.from_json(row.document)
            if not set(names) & set(workflow.tools):
                continue
            composite = await self._db.tools.find_sound(workflow.name)
            document = composite.version.provenance.get(COMPOSITE) if composite else None
            mine = isinstance(document, dict) and document.get("id") == workflow.id
            if composite is None or not mine or composite.status in HIDDEN:
                continue
            fits = await self._fits(workflow)
            if fits and not row.active:
                await self._show(composite)
            elif row.active and not fits:
                await self._index.remove(composite.name)
            if fits is not row.active:
                await self._db.workflows.switch(row.id, fits)

    async def _fits(self, workflow: Workflow) -> bool:
        """Whether every part is in use, in the version it was learned with."""
        for step in workflow.steps:
            part = await self._db.tools.find_sound(step.tool)
            if part is None or part.status in HIDDEN or part.version.id != step.version_id:
                return False
        return True


class OwnRequests:
    """Past requests that belong to a composite: those whose steps it was made of.

    They speak for the composite in search, and no longer for one of its parts. Taking the
    composite out of search forgets them with it.
    """

    def __init__(self, search: ToolSearch, db: Database) -> None:
        self._search = search
        self._db = db

    async def take_over(self, tool: Tool) -> None:
        """Let search learn the requests that a composite came from; any other tool has none."""
        workflow = workflow_of(tool.version)
        runs = tool.version.provenance.get("runs")
        if workflow is None or not isinstance(runs, list):
            return
        for id in dict.fromkeys(map(str, runs)):
            run = await self._db.runs.find(id)
            calls = await self._db.executions.of_run(id) if run is not None else []
            whole = sorted(calls, key=lambda call: call.number)
            if run is None or tuple(call.tool for call in whole) != workflow.tools:
                continue  # only a part of the chain: its request asked for that part
            for part in dict.fromkeys(workflow.tools):
                await self._search.unlearn(run.request, part, tenant=run.user)
            await self._search.learn(run.request, tool.name, PastOutcome.ANSWERED, run.user)


def _overlap(words: set[str], past: str) -> float:
    """The share of common words (Jaccard): 1 for the same words, 0 for none in common."""
    other = set(_WORD.findall(past.lower()))
    union = words | other
    return len(words & other) / len(union) if union else 0.0
