"""A finished composite in place of the steps that it is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.dataflow import Constant, FromRequest
from hammerstone.core.hashing import canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, Status, Tool
from hammerstone.library.workflows import Workflow, Workflows, workflow_of
from hammerstone.run.bind.fill import fill
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Discovery, Finder
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.understand.reading import read


@dataclass(frozen=True, slots=True)
class RequestPart:
    """One part of a request: its words, what search found, and the tool that is settled."""

    words: str
    found: Discovery
    settled: str | None

    @property
    def tool(self) -> str | None:
        if self.settled is not None or not self.found.usable:
            return self.settled
        return self.found.hits[0].name


class CompositeFinder:
    """Finds the composite that does in one call what a request asks for in several parts."""

    def __init__(self, finder: Finder, workflows: Workflows) -> None:
        self._finder = finder
        self._workflows = workflows

    async def by_parts(self, run: Run, text: str, parts: Sequence[RequestPart]) -> Plan | None:
        """The plan with a composite of just the tools that the parts ask for, in their order.

        A part that brings a value of its own, where the composite uses what the step before
        gave, asks for something else.
        """
        tools = [part.tool for part in parts]
        if len(parts) < 2 or None in tools:
            return None
        words = [part.words for part in parts]
        for workflow, tool in await self._finished(run, text, [str(name) for name in tools]):
            said = words_of_parts(workflow, tool.version.spec, words)
            if said is not None:
                fit = _fit([part.found.probability for part in parts], workflow.support)
                return plan_of(tool, text, said, fit)
        return None

    async def by_path(self, run: Run, text: str, way: Plan) -> Plan | None:
        """The plan with a composite of just the steps of a way through the skill graph."""
        tools = [step.tool or "" for step in way.steps]
        for workflow, tool in await self._finished(run, text, tools):
            said: JsonObject = {}
            for parameter, (number, argument) in workflow.inputs.items():
                source = way.steps[number].arguments.get(argument)
                if isinstance(source, Constant):
                    said[parameter] = source.value
            return plan_of(tool, text, said, 1.0)
        return None

    async def _finished(
        self, run: Run, text: str, tools: Sequence[str]
    ) -> list[tuple[Workflow, Tool]]:
        """Proved composites of these tools in this order; those asked for in like words first."""
        found: list[tuple[Workflow, Tool]] = []
        for workflow in await self._workflows.suggest(text, tools):
            if list(workflow.tools) != list(tools):
                continue
            tool = await self._finder.known_tool(run, workflow.name)
            own = workflow_of(tool.version) if tool is not None else None
            if tool is None or own is None or own.id != workflow.id:
                continue
            if tool.status in (Status.VERIFIED, Status.TRUSTED):
                found.append((workflow, tool))
        return found


def plan_of(tool: Tool, text: str, said: Mapping[str, Json], fit: float) -> Plan:
    """One call of a composite, with the values that the parts of the words settle."""
    step = PlanStep("1", text, tool.name, said=said, fit=fit, whole=True)
    return Plan(Strategy.SINGLE, (step,), f"{tool.name} does all the steps")


def words_of_parts(workflow: Workflow, spec: Spec, words: Sequence[str]) -> JsonObject | None:
    """The composite's arguments that the parts settle, each by the words of its own step.

    None when a part gives a value that its step has no use for.
    """
    if len(words) != len(workflow.steps):
        return None
    said: JsonObject = {}
    for number, (step, text) in enumerate(zip(workflow.steps, words, strict=True)):
        asked = {
            argument: parameter
            for parameter, (own, argument) in workflow.inputs.items()
            if own == number
        }
        schemas: JsonObject = {one: spec.takes.schema_of(name) for one, name in asked.items()}
        takes: JsonObject = {"type": "object", "properties": schemas, "required": [*schemas]}
        filled = fill(replace(spec, parameters=takes), text)
        fixed = [s.value for s in step.arguments.values() if isinstance(s, Constant)]
        # What another step names already, this one may say again.
        again = [
            said[s.name]
            for s in step.arguments.values()
            if isinstance(s, FromRequest) and s.name in said
        ]
        spare = _spare(text, [*filled.values.values(), *fixed, *again])
        defaults = [one for one in filled.open if "default" in spec.takes.schema_of(asked[one])]
        if spare > len(filled.open):
            return None
        said |= {asked[one]: value for one, value in filled.values.items()}
        if not spare:
            said |= {asked[one]: spec.takes.schema_of(asked[one])["default"] for one in defaults}
    return said


def _spare(text: str, used: Sequence[Json]) -> int:
    """How many values the words give that are none of those used."""
    known = {canonical(each) for each in used}
    inside = {canonical(item) for each in used if isinstance(each, list) for item in each}
    given = (canonical(literal.value) for literal in read(text).literals)
    return sum(each not in known and each not in inside for each in given)


def _fit(probabilities: Sequence[float], support: int) -> float:
    """The chance that the composite is meant: every earlier run of just this chain speaks for
    what search found."""
    fit = 1.0
    for probability in probabilities:
        fit *= 1 - (1 - probability) / (1 + max(0, support))
    return fit
