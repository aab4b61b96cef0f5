"""From a request to a plan, by what search, learned workflows and the words say."""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.answers import EventKind
from hammerstone.core.dataflow import renamed
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.library.policies import Policies
from hammerstone.library.workflows import COMPOSITE, Workflow, workflow_of
from hammerstone.run.context import Run
from hammerstone.run.find.composites import (
    CompositeFinder,
    RequestPart,
    plan_of,
    words_of_parts,
)
from hammerstone.run.find.discover import (
    Discovery,
    Finder,
    needs_second_look,
    takes_all,
    tell_found,
)
from hammerstone.run.find.paths import GraphPaths
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.plan_policy import PlanPolicy
from hammerstone.run.services import Catalogue
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.understand.literals import LiteralKind
from hammerstone.run.understand.reading import asks, leans_back, read


class Planner:
    """The maker of plans: from search, learned workflows and the words; it asks no model."""

    def __init__(self, catalogue: Catalogue, finder: Finder, policies: Policies) -> None:
        self._registry = catalogue.registry
        self._workflows = catalogue.workflows
        self._finder = finder
        self._composites = CompositeFinder(finder, catalogue.workflows)
        self._paths = GraphPaths(catalogue.graph, policies)
        self._policies = policies

    async def plan_for(self, run: Run, text: str, words: str) -> Plan:
        """The plan for a request, by search, a learned workflow or the words.

        `words` is the text as search reads it best, without references.
        """
        if run.reading.forces_building:
            return Plan(Strategy.BUILDING, (PlanStep("1", text),), "you asked for a tool")
        await run.say(EventKind.SEARCHING, "searching the library")
        whole = await self._finder.look(run, words)
        pieces = read(text).parts
        composite = await self._one_call(run, whole, text, pieces)
        if composite is not None:
            return composite
        most = self._policies.get(PlanPolicy).most_steps
        if len(pieces) > most:
            why = f"one solution does all {len(pieces)} steps"
            return Plan(Strategy.SOLVING, (PlanStep("1", text, unfit=True),), why)
        parted = len(pieces) > 1 and not whole.same_words  # what was one call before is one again
        if parted and (plan := await self._by_words(run, text, pieces, whole)):
            return plan
        if (
            whole.certain
            and whole.tool
            and _has_data(run, text)
            and (way := await self._paths.by_path(run, whole.tool, text))
        ):
            return await self._composites.by_path(run, text, way) or way
        other = await self._finder.rival(run, whole, words)
        single = await self._single(run, whole, text)
        if parted and read(text).ordered:  # one tool for several parts may leave one out
            single = replace(single, steps=(replace(single.last, beside_solution=True),))
        return replace(single, rival=other.name if other else None)

    async def specs_of(self, plan: Plan) -> dict[str, Spec]:
        """The promises of the tools that a plan names."""
        specs: dict[str, Spec] = {}
        for name in {step.tool for step in plan.steps if step.tool}:
            tool = await self._registry.find(name)
            if tool is not None:
                specs[name] = tool.version.spec
        return specs

    async def _one_call(
        self, run: Run, whole: Discovery, text: str, pieces: Sequence[str]
    ) -> Plan | None:
        """The call that the whole request is: of the tool that it names, or of a composite."""
        if not whole.certain or whole.tool is None:
            return None
        version = whole.tool.version
        workflow = workflow_of(version) if COMPOSITE in version.provenance else None
        if workflow is None and (not whole.named or len(pieces) > 1):
            return None
        said: JsonObject | None = {}
        if workflow is not None and len(pieces) > len(workflow.steps) and not whole.named:
            return None  # a part is left over that none of its steps does
        if workflow is not None and len(pieces) == len(workflow.steps):
            said = words_of_parts(workflow, whole.tool.version.spec, pieces)
            if said is None and not whole.named:
                return None  # a part brings values of its own
        single = await self._single(run, whole, text)
        if workflow is not None:
            single = plan_of(whole.tool, text, said or {}, whole.probability)
        return replace(single, named=whole.named)

    async def _single(self, run: Run, found: Discovery, text: str) -> Plan:
        """One step: by the tool that was found, beside a solution where that only may fit."""
        if found.tool is None or not found.usable:
            step = PlanStep("1", text, unfit=True)
            return Plan(Strategy.SOLVING, (step,), "no tool fits")
        await tell_found(run, found)
        fit, beside = found.probability, needs_second_look(found, self._policies.get(AnswerPolicy))
        step = PlanStep("1", text, found.tool.name, fit=fit, beside_solution=beside)
        return Plan(Strategy.SINGLE, (step,))

    async def _by_words(
        self, run: Run, text: str, pieces: Sequence[str], whole: Discovery
    ) -> Plan | None:
        """The parts that the words separate, if the library has tools for them."""
        found = [
            await self._finder.look(run, piece, leans=number > 0 and leans_back(piece))
            for number, piece in enumerate(pieces)
        ]
        if any(map(_has_rule, found)):
            return None
        names = [_settled(each, piece) for each, piece in zip(found, pieces, strict=True)]
        parts = [RequestPart(*each) for each in zip(pieces, found, names, strict=True)]
        if composite := await self._composites.by_parts(run, text, parts):
            await _tell_composite(run, composite)
            return composite
        if not self._separable(text, pieces, found):
            return None
        same = whole.tool.name if whole.certain and whole.tool else None
        if (
            same is not None
            and not read(text).ordered
            and all(name in (None, same) for name in names)
        ):
            return None  # one tool for the whole and for every part: the words only look compound
        if learned := await self._learned(run, text, names):
            return _of_workflow(learned, text, pieces)
        steps: list[PlanStep] = []
        for number, (piece, name) in enumerate(zip(pieces, names, strict=True), 1):
            leans = number > 1 and (leans_back(piece) or not read(piece).literals)
            after = (str(number - 1),) if leans else ()
            fit = found[number - 1].probability if name else 1.0
            steps.append(PlanStep(str(number), piece, name, after=after, fit=fit))
        return _named(tuple(steps), "your request names the steps")

    def _separable(self, text: str, pieces: Sequence[str], found: Sequence[Discovery]) -> bool:
        """Whether the parts can be done one by one: the library has tools for them, or each of
        them asks for something of its own, with values of its own."""
        if all(each.certain for each in found):
            return True
        if read(text).ordered and any(self._near(each) for each in found):
            return True
        return all(asks(p) and read(p).literals and not leans_back(p) for p in pieces)

    def _near(self, found: Discovery) -> bool:
        """Whether the library has something for a part, certain or worth a look."""
        near = self._policies.get(PlanPolicy).choose_above_similarity
        return found.certain or any((hit.cosine or 0) >= near for hit in found.hits[:1])

    async def _learned(self, run: Run, text: str, names: Sequence[str | None]) -> Workflow | None:
        """A workflow that ran before with just these tools in this order."""
        tools = [name for name in names if name]
        if len(tools) < len(names):
            return None
        sure = self._policies.get(PlanPolicy).workflow_confidence
        for workflow in await self._workflows.suggest(text, tools):
            if list(workflow.tools) == tools and workflow.confidence >= sure:
                return workflow
        return None


def _has_data(run: Run, text: str) -> bool:
    """Whether the request brings a file or a text: what a way through the graph begins with."""
    return bool(run.files) or any(each.kind is LiteralKind.TEXT for each in read(text).literals)


async def _tell_composite(run: Run, plan: Plan) -> None:
    """Show which composite stands for the parts of the request."""
    step = plan.last
    await run.say(
        EventKind.TOOL_FOUND,
        f"found {step.tool} ({step.fit:.0%} likely to fit)",
        tool=step.tool,
        probability=step.fit,
        why="it does the steps that you ask for",
    )


def _has_rule(found: Discovery) -> bool:
    """Whether numbers are inside the tool: only the whole request tells if they are its own."""
    return found.tool is not None and bool(found.tool.version.spec.constants)


def _settled(found: Discovery, piece: str) -> str | None:
    """The tool of a part, unless its values do not fit there: that is looked at in its turn."""
    if found.tool is None or not found.certain:
        return None
    doubtful = read(piece).literals and not takes_all(found.tool, piece)
    return None if doubtful else found.tool.name


def _named(steps: tuple[PlanStep, ...], why: str) -> Plan:
    feeds = any(step.needs for step in steps) or len(steps) > 3
    return Plan(Strategy.COMPOSITION if feeds else Strategy.SEQUENCE, steps, why)


def _of_workflow(workflow: Workflow, text: str, pieces: Sequence[str]) -> Plan:
    steps: list[PlanStep] = []
    for number, (step, piece) in enumerate(zip(workflow.steps, pieces, strict=True)):
        arguments = {name: renamed(source, _id) for name, source in step.arguments.items()}
        steps.append(PlanStep(_id(number), piece, step.tool, arguments))
    well = f"{workflow.success:.0%} of them went well"
    why = f"the same steps as in {workflow.support} earlier requests ({well})"
    return Plan(Strategy.WORKFLOW, tuple(steps), why)


def _id(number: int) -> str:
    """The id in a plan of a workflow's step: a workflow counts from 0, a plan from 1."""
    return str(number + 1)
