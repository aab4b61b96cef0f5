"""From a pattern to a tool: bindings, spec, code, suite, and the proof by replay."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hammerstone.core import wire
from hammerstone.core.calls import Call, Program
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind, CaseOrigin, Effect, Spec, Status, Version
from hammerstone.judging.cases import meets
from hammerstone.judging.rendering import source_of
from hammerstone.learn.composites.bindings import Bindings, Instance, arguments_of, learn
from hammerstone.learn.composites.code import CannotCompose, compose
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.library.tools.registry import NewVersion
from hammerstone.library.tools.sharing import OPEN_CASES, open_places, with_people
from hammerstone.library.workflows import Workflow, WorkflowStep

MAX_NAME = 60
_ORDER = (Effect.PURE, Effect.READS, Effect.WRITES)


@dataclass(frozen=True, slots=True)
class CompositeAttempt:
    """A composite with its evidence, or why there is none."""

    workflow: Workflow | None = None
    new: NewVersion | None = None
    evidence: ProposalEvidence = field(default_factory=ProposalEvidence)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is known about a pattern besides its instances."""

    support: int
    success: float
    parts: Mapping[str, Version]
    alone: bool = True  # one person uses the library: what never varied is nobody's secret


async def build(
    instances: Sequence[Instance], recipe: Recipe, sandbox: Sandbox
) -> CompositeAttempt:
    """The composite of a pattern, proved on instances that were not used to learn it.

    Each instance is left out in turn: bindings learned from the others must give its result.
    """
    writing = [v.tool for v in recipe.parts.values() if v.spec.effect is Effect.WRITES]
    if writing:
        return CompositeAttempt(problem=f"{writing[0]} writes: each time needs its own leave")
    stale = _changed(instances, recipe.parts)
    if stale:
        return CompositeAttempt(problem=f"{stale} has another version than the recorded runs")
    bindings = learn(instances, defaults=_may_show(instances, recipe))
    if bindings.problem:
        return CompositeAttempt(problem=bindings.problem)
    try:
        new, workflow = make(bindings, instances, recipe)
        held_out = await _left_out(instances, recipe, sandbox)
    except CannotCompose as error:
        return CompositeAttempt(problem=str(error))
    new, workflow = _judged(new, workflow, held_out, _distinct(instances))
    pairs = await _parts_still_pass(new, recipe.parts, sandbox)
    seconds = [sum(step.seconds for step in one.steps) for one in instances]
    own = await _timed(new, workflow, instances, sandbox)
    evidence = ProposalEvidence(
        held_out=held_out,
        passes=pairs,
        equivalent=True,
        saved_calls=len(workflow.steps) - 1,
        saved_s=max(0.0, sum(seconds) / len(seconds) - own),
        sources=len(instances),
    )
    return CompositeAttempt(workflow, new, evidence)


def make(
    bindings: Bindings, instances: Sequence[Instance], recipe: Recipe
) -> tuple[NewVersion, Workflow]:
    """The version for these bindings; its suite are the recorded results."""
    steps = bindings.steps
    tools = [step.tool for step in steps]
    name = _name(tools)
    workflow = Workflow(
        id=digest(*tools, *(str(step.to_json()) for step in steps))[:16],
        name=name,
        steps=steps,
        support=recipe.support,
        success=recipe.success,
        confidence=0.0,  # until it was replayed
    )
    spec = _spec(workflow, bindings, recipe.parts)
    defaults = dict(bindings.defaults)
    parameters: list[tuple[str, str]] = []
    for parameter in workflow.inputs:
        value = defaults.get(parameter)
        default = (source_of(value) or "None") if parameter in defaults else ""
        parameters.append((parameter, default))
    parameters.sort(key=lambda pair: bool(pair[1]))  # those without a default come first
    code = compose(name, steps, recipe.parts, parameters, spec.description)
    suite = [_recorded(one, steps, defaults) for one in {_key(i): i for i in instances}.values()]
    free: list[Json] = []
    for version in recipe.parts.values():
        shown = set(open_places(version))
        for place, case in enumerate(version.suite):
            if case.call.source is not None:
                free += [len(suite)] if place in shown else []
                suite.append(case)
    provenance: JsonObject = {
        "composite": workflow.to_json(),
        "parts": {version.tool: version.id for version in recipe.parts.values()},
        "runs": [instance.run_id for instance in instances],
        OPEN_CASES: free,
    }
    new = NewVersion(
        spec=spec,
        code=code,
        suite=tuple(suite),
        rejected=(),
        status=Status.VERIFIED,
        confidence=workflow.confidence,
        evidence={},
        provenance=with_people(provenance, {instance.user for instance in instances}),
    )
    return new, workflow


def _judged(
    new: NewVersion, workflow: Workflow, replays: Sequence[ScorePair], distinct: int
) -> tuple[NewVersion, Workflow]:
    """The version with the confidence that its replays give: how often it came to the recorded
    result of a run that it was not learned from. Equal runs say it only once."""
    right = sum(pair.after >= 1.0 for pair in replays)
    share = right / len(replays) if replays else 0.0
    confidence = (share * distinct + 1) / (distinct + 2)
    workflow = replace(workflow, confidence=confidence)
    replayed: JsonObject = {"replayed": len(replays), "right": right, "different": distinct}
    provenance = {**new.provenance, "composite": workflow.to_json()}
    judged = replace(new, confidence=confidence, evidence=replayed, provenance=provenance)
    return judged, workflow


def _distinct(instances: Sequence[Instance]) -> int:
    """How many of the recorded runs differ in their values."""
    return len({_key(instance) for instance in instances})


def _may_show(instances: Sequence[Instance], recipe: Recipe) -> bool:
    """Whether a value that never varied may be in the code, where everybody reads it."""
    return recipe.alone or len({instance.user for instance in instances}) > 1


def _key(instance: Instance) -> str:
    return repr([sorted(step.arguments.items(), key=str) for step in instance.steps])


def _recorded(
    instance: Instance, steps: Sequence[WorkflowStep], defaults: Mapping[str, Json]
) -> Case:
    arguments = {k: wire.encode(v) for k, v in arguments_of(steps, instance).items()}
    kept = {k: v for k, v in arguments.items() if k not in defaults or v != defaults[k]}
    call = Call(kwargs=kept)
    return Case(
        CaseKind.VALUE,
        call,
        instance.steps[-1].result,
        origin=f"{CaseOrigin.RUN} {instance.run_id}",
    )


def _name(tools: Sequence[str]) -> str:
    name = "_then_".join(dict.fromkeys(tools))
    if len(name) > MAX_NAME:
        name = f"{tools[0]}_then_{len(tools) - 2}_more_then_{tools[-1]}"
    return re.sub(r"\W+", "_", name)[: MAX_NAME * 2]


def _spec(workflow: Workflow, bindings: Bindings, parts: Mapping[str, Version]) -> Spec:
    """Parameters typed by the parts that take them, the result by the last part."""
    defaults = dict(bindings.defaults)
    properties: JsonObject = {}
    for parameter, (number, argument) in workflow.inputs.items():
        taken = parts[workflow.steps[number].tool].spec.takes
        typed: JsonObject = {**taken.schema_of(argument)}
        if parameter in defaults:
            typed["default"] = defaults[parameter]
        properties[parameter] = typed
    told = [parts[tool].spec.description.strip().rstrip(".") for tool in workflow.tools]
    effect = max((parts[t].spec.effect for t in workflow.tools), key=_ORDER.index)
    limits = "heavy" if any(parts[t].spec.limits == "heavy" for t in parts) else "standard"
    return Spec(
        name=workflow.name,
        description=f"{'; then '.join(told)}.",
        parameters={
            "type": "object",
            "properties": properties,
            "required": [p for p in workflow.inputs if p not in defaults],
        },
        returns=parts[workflow.tools[-1]].spec.returns,
        effect=effect,
        limits=limits,
    )


async def _left_out(
    instances: Sequence[Instance], recipe: Recipe, sandbox: Sandbox
) -> tuple[ScorePair, ...]:
    """Each instance predicted from the others; wrong, or not explained, is a loss."""
    pairs: list[ScorePair] = []
    for number, instance in enumerate(instances):
        others = [other for n, other in enumerate(instances) if n != number]
        pairs.append(
            ScorePair(
                f"run {instance.run_id}", 1.0, await _right(others, instance, recipe, sandbox)
            )
        )
    return tuple(pairs)


async def _right(
    others: Sequence[Instance], instance: Instance, recipe: Recipe, sandbox: Sandbox
) -> float:
    # Two instances cannot show what varies: with three, each is judged by the other two.
    enough = others if len(others) > 1 else [*others, *others]
    bindings = learn(enough, defaults=_may_show([*others, instance], recipe))
    if bindings.problem:
        return 0.0
    new, _ = make(bindings, others, recipe)
    case = _recorded(instance, bindings.steps, {})
    outcome = await sandbox.call(Program(new.code, new.spec.name), case.call)
    return float(meets(case, outcome))


async def _parts_still_pass(
    new: NewVersion, parts: Mapping[str, Version], sandbox: Sandbox
) -> tuple[ScorePair, ...]:
    """The parts' frozen suites inside the composite: isolating their names must break nothing."""
    cases = [
        (version.tool, case)
        for version in parts.values()
        for case in version.suite
        if case.call.source is not None and case.kind is not CaseKind.PROPERTY
    ]
    if not cases:
        return ()
    program = Program(new.code, new.spec.name)
    (row,) = await sandbox.matrix([program], [case.call for _, case in cases])
    return tuple(
        ScorePair(f"{tool}: {case.call.source}", 1.0, float(meets(case, outcome)))
        for (tool, case), outcome in zip(cases, row, strict=True)
    )


async def _timed(
    new: NewVersion, workflow: Workflow, instances: Sequence[Instance], sandbox: Sandbox
) -> float:
    """Seconds that one call of the composite takes."""
    case = _recorded(instances[0], workflow.steps, {})
    outcome = await sandbox.call(Program(new.code, new.spec.name), case.call)
    return outcome.use.wall_s


def _changed(instances: Sequence[Instance], parts: Mapping[str, Version]) -> str:
    """A part whose active version is not the one that most recorded runs used."""
    for step in instances[-1].steps if instances else ():
        part = parts.get(step.tool)
        if part is None or part.id != step.version_id:
            return step.tool
    return ""
