"""From a request to a plan: by what is known where that decides, by one short question to a
model where it does not."""

import json
from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Prompt, Role
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, Tool
from hammerstone.library.workflows import Workflow
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Discovery, decide, look, rival, takes_all
from hammerstone.run.find.paths import by_path
from hammerstone.run.find.plan import (
    Constant,
    FromRequest,
    FromStep,
    Plan,
    Source,
    Step,
    Strategy,
)
from hammerstone.run.policy import PlanPolicy
from hammerstone.run.understand.literals import find_literals
from hammerstone.run.understand.request_parts import is_strong, leans_back, looks_complex, parts_of

_SYSTEM = (
    "Split the request into the fewest steps that must be done one after the other, each one "
    "call of one function. `do` repeats the words and values of the request that the step "
    "needs; it says 'the result of step 1' where it needs that. `after` lists the steps whose "
    "results it needs. Reply as JSON."
)
_EXAMPLE = (
    "Request: I have the words 'pear fig apple'. I'd like them sorted and want to know how long "
    "the first of them is.\n"
    '{"steps":[{"do":"sort the words \'pear fig apple\'","after":[]},{"do":"take the first word '
    'of the result of step 1","after":[1]},{"do":"count the letters of the result of step 2",'
    '"after":[2]}]}\n'
)


async def plan_for(run: Run, text: str, words: str, told: str) -> Plan:
    """The plan for a request. Asks no model when search, a workflow or the words decide.

    `words` is the text as search reads it best, without references; `told` is the text with
    the values it refers to.
    """
    if run.request.forces_building:
        return Plan(Strategy.BUILDING, (Step("1", text),), "a tool was asked for")
    await run.say(EventKind.SEARCHING, "searching the library")
    whole = await look(run, words)
    if whole.certain and _is_composite(whole.tool):
        return _single(await decide(run, whole, text), text)
    pieces = parts_of(text)
    most = run.parts.policies.get(PlanPolicy).most_steps
    if len(pieces) > most:
        why = f"{len(pieces)} steps are one tool's work"
        return Plan(Strategy.BUILDING, (Step("1", text),), why)
    if len(pieces) > 1 and (plan := await _by_words(run, text, pieces, whole)):
        return plan
    found = await decide(run, whole, told)
    if (
        found.tool is None
        and _worth_asking(run, whole, text)
        and (plan := await _by_model(run, text, most))
    ):
        return plan
    if found.tool is not None and (way := await by_path(run, found.tool, text)):
        return way
    other = await rival(run, found, words)
    return replace(_single(found, text), rival=other.name if other else None)


def _single(found: Discovery, text: str) -> Plan:
    tool = found.tool.name if found.tool else None
    strategy = Strategy.SINGLE if tool else Strategy.BUILDING
    step = Step("1", text, tool, unfit=tool is None)
    return Plan(strategy, (step,), "" if tool else "no tool fits")


def _is_composite(tool: Tool | None) -> bool:
    return tool is not None and "composite" in tool.version.provenance


def _worth_asking(run: Run, whole: Discovery, text: str) -> bool:
    """A plan is worth a model call if the library has something to plan with, the request
    looks like more than one thing, and there is room in the budget to explore."""
    near = [hit for hit in whole.hits if hit.considered]
    return bool(near) and looks_complex(text) and not run.budget.tight


async def _by_words(run: Run, text: str, pieces: Sequence[str], whole: Discovery) -> Plan | None:
    """The parts that the words separate, if the library has tools for them."""
    found = [await look(run, piece) for piece in pieces]
    if any(map(_has_rule, found)):
        return None
    certain = [each.certain for each in found]
    if not (all(certain) or (is_strong(text) and any(_near(run, each) for each in found))):
        return None
    names = [_settled(each, piece) for each, piece in zip(found, pieces, strict=True)]
    same = whole.tool.name if whole.certain and whole.tool else None
    if same is not None and not is_strong(text) and all(name in (None, same) for name in names):
        return None  # one tool for the whole and for every part: the words only look compound
    if learned := await _learned(run, text, names):
        return _of_workflow(learned, text, pieces)
    steps: list[Step] = []
    for number, (piece, name) in enumerate(zip(pieces, names, strict=True), 1):
        leans = number > 1 and (leans_back(piece) or not find_literals(piece))
        after = (str(number - 1),) if leans else ()
        steps.append(Step(str(number), piece, name, after=after))
    return _named(tuple(steps), "the words separate the steps")


def _has_rule(found: Discovery) -> bool:
    """Whether numbers are inside the tool: only the whole request tells if they are its own."""
    return found.tool is not None and bool(found.tool.version.spec.constants)


def _near(run: Run, found: Discovery) -> bool:
    """Whether the library has something for a part, certain or worth a look."""
    near = run.parts.policies.get(PlanPolicy).choose_above_similarity
    return found.certain or any((hit.cosine or 0) >= near for hit in found.hits[:1])


def _settled(found: Discovery, piece: str) -> str | None:
    """The tool of a part, unless its values do not fit there: that is looked at in its turn."""
    if found.tool is None or not found.certain:
        return None
    doubtful = find_literals(piece) and not takes_all(found.tool, piece)
    return None if doubtful else found.tool.name


def _named(steps: tuple[Step, ...], why: str) -> Plan:
    feeds = any(step.needs for step in steps) or len(steps) > 3
    return Plan(Strategy.COMPOSITION if feeds else Strategy.SEQUENCE, steps, why)


async def _learned(run: Run, text: str, names: Sequence[str | None]) -> Workflow | None:
    """A workflow that ran before with just these tools in this order."""
    workflows = run.parts.workflows
    tools = [name for name in names if name]
    if workflows is None or len(tools) < len(names):
        return None
    sure = run.parts.policies.get(PlanPolicy).workflow_confidence
    for workflow in await workflows.suggest(text, tenant=run.request.user, tools=tools):
        if list(workflow.tools) == tools and workflow.confidence >= sure:
            return workflow
    return None


def _of_workflow(workflow: Workflow, text: str, pieces: Sequence[str]) -> Plan:
    steps: list[Step] = []
    for number, (step, piece) in enumerate(zip(workflow.steps, pieces, strict=True), 1):
        arguments: dict[str, Source] = {}
        for name, source in step.arguments.items():
            if source.kind == "constant":
                arguments[name] = Constant(source.value)
            elif source.kind == "step":
                arguments[name] = FromStep(str(source.step + 1), source.path)
            else:
                arguments[name] = FromRequest()
        steps.append(Step(str(number), piece, step.tool, arguments))
    why = f"learned from {workflow.support} runs ({workflow.success:.0%} went well)"
    return Plan(Strategy.WORKFLOW, tuple(steps), why)


async def _by_model(run: Run, text: str, most: int) -> Plan | None:
    """One short call that splits the request; None when it is one thing or makes no sense."""
    prompt = Prompt.of(
        _SYSTEM,
        f"{_EXAMPLE}Request: {text}",
        schema=_split_schema(most + 1),
        max_tokens=60 * (most + 1) + len(text) // 2,
        purpose="plan",
    )
    try:
        reply = await run.model(Role.PLANNER).complete(prompt)
        steps = read_steps(reply.text)
    except ModelNonsense:
        return None
    if len(steps) < 2 or len(steps) > most:
        return None  # one thing, or so many that one tool had better do it all
    planned: list[Step] = []
    for step in steps:
        found = await look(run, step.text)
        if _has_rule(found):
            return None
        planned.append(
            replace(step, tool=found.tool.name if found.certain and found.tool else None)
        )
    if not any(step.tool for step in planned):
        return None  # everything would have to be built: one tool for the whole is less
    plan = _named(tuple(planned), "split by the planner")
    return None if plan.problem(await specs_of(run, plan)) else plan


def read_steps(text: str) -> list[Step]:
    """The steps a model wrote; one that it refers to wrongly keeps no reference."""
    try:
        data: Json = json.loads(text)
    except (ValueError, RecursionError):
        return []
    listed = data.get("steps") if isinstance(data, dict) else None
    steps: list[Step] = []
    for number, step in enumerate(listed if isinstance(listed, list) else [], 1):
        if not isinstance(step, dict) or not str(step.get("do", "")).strip():
            return []
        after = step.get("after")
        before = {n for n in after if isinstance(n, int)} if isinstance(after, list) else set()
        needs = tuple(str(n) for n in sorted(before) if 0 < n < number)
        steps.append(Step(str(number), str(step["do"]).strip()[:1000], after=needs))
    return steps


async def specs_of(run: Run, plan: Plan) -> dict[str, Spec]:
    """The promises of the tools that a plan names."""
    specs: dict[str, Spec] = {}
    for name in {step.tool for step in plan.steps if step.tool}:
        tool = await run.parts.registry.find(name)
        if tool is not None:
            specs[name] = tool.version.spec
    return specs


def _split_schema(most: int) -> JsonObject:
    step: JsonObject = {
        "type": "object",
        "properties": {
            "do": {"type": "string", "maxLength": 400},
            "after": {"type": "array", "items": {"type": "integer"}, "maxItems": most},
        },
        "required": ["do", "after"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"steps": {"type": "array", "items": step, "maxItems": most}},
        "required": ["steps"],
        "additionalProperties": False,
    }
