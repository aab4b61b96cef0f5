"""When no tool fits: a spec, a verdict, and a new entry in the library."""

import re
from dataclasses import dataclass, replace

from hammerstone.core.answers import EventKind
from hammerstone.core.approvals import Action, ActionKind
from hammerstone.core.chat import Role
from hammerstone.core.errors import BudgetExceeded, ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, Effect, Spec, Tool
from hammerstone.guard.budget import Budget
from hammerstone.library.duplicates import Duplicates
from hammerstone.library.policies import BuildBudgetPolicy, ExecutionPolicy
from hammerstone.run.amounts import in_numbers
from hammerstone.run.approval import is_refused, leave
from hammerstone.run.arguments import ArgumentReader
from hammerstone.run.context import Run
from hammerstone.run.kinds import kind_of_request
from hammerstone.run.known_promises import find_same_promise
from hammerstone.run.left_out import left_out
from hammerstone.run.rules import has_another_rule, with_rule
from hammerstone.synthesis.build import Builder
from hammerstone.synthesis.examine.policy import ExaminePolicy
from hammerstone.synthesis.examine.render import show
from hammerstone.synthesis.given import preview
from hammerstone.synthesis.jobs import Job
from hammerstone.synthesis.registering import Origin, Registrar
from hammerstone.synthesis.signature import parameter_schemas
from hammerstone.synthesis.spec_author import MOST_PARAMETERS, RequestKind, SpecAuthor
from hammerstone.synthesis.told import Contradiction, fit_spec, read_told

_CALL = re.compile(r"\w+\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Built:
    """What building came to: a tool and the request's arguments for it, or why there is none.

    `final`: another attempt would come to the same. `left_out`: numbers of the request that its
    specification had no parameter for. `tried`: specifications that nothing right came of.
    """

    kind: RequestKind
    tool: Tool | None = None
    arguments: JsonObject | None = None
    reason: str = ""
    final: bool = False
    left_out: tuple[str, ...] = ()
    tried: tuple[Spec, ...] = ()


async def build(run: Run) -> Built:
    """Specify and prove a tool for the request; a few attempts, within the building budget."""
    building = Action(ActionKind.BUILD, "building")
    if is_refused(run, building):
        kind = await kind_of_request(run)
        if kind is not RequestKind.CALCULATION:
            return Built(kind)  # an answer without a tool needs no leave
    allowed = await leave(run, building)
    if not allowed.given:
        return Built(RequestKind.CALCULATION, reason=allowed.reason, final=True)
    policy = run.parts.policies.get(BuildBudgetPolicy)
    budget = run.budget.child(tokens=policy.tokens, model_calls=policy.model_calls, usd=policy.usd)
    too_many = _too_many_parameters(run.request.text)
    if too_many:
        return Built(RequestKind.CALCULATION, reason=too_many, final=True)
    built = Built(RequestKind.CALCULATION)
    for attempt in range(1, policy.attempts + 1):
        try:
            came = await _attempt(run, budget, built)
            built = replace(came, tried=(*built.tried, *came.tried))
        except BudgetExceeded:
            if attempt == 1:
                raise
            return replace(built, reason=f"{built.reason}; the budget for building is used up")
        done = built.tool is not None or built.kind is not RequestKind.CALCULATION
        if done or built.final:
            return built
        if attempt < policy.attempts:
            await run.say(EventKind.REPAIRING, f"starting over: {built.reason}", attempt=attempt)
    return built


def _too_many_parameters(text: str) -> str:
    """Why a function with the head that the request names is not built."""
    most = max((len(match[1].split(",")) for match in _CALL.finditer(text)), default=0)
    names = [match[1] for match in _CALL.finditer(text) if len(match[1].split(",")) == most]
    plain = names and all(part.strip().isidentifier() for part in names[0].split(","))
    if most <= MOST_PARAMETERS or not plain:
        return ""
    return (
        f"a tool takes at most {MOST_PARAMETERS} parameters, not {most}: "
        "values that belong together can be one list or one object"
    )


async def _attempt(run: Run, budget: Budget, before: Built) -> Built:
    """One specification and its proof. `before` is what the attempt before came to."""
    text, files = run.request.text, run.request.named_files
    begins = await preview(files, await run.parts.sandbox()) if files else ""
    spec = await _specified(run, budget, before, begins)
    if isinstance(spec, Built):
        return spec
    filled = await _filled(run, spec, budget)
    if isinstance(filled, Built):
        return filled
    spec, values = filled
    missing = left_out(text, values) if values is not None and not spec.examples else []
    if missing and not before.reason:  # once: some numbers belong to the rule itself
        written = tuple(one.written for one in missing)
        reason = f"no parameter takes {' and '.join(written)} of the request, and it may vary"
        return Built(RequestKind.CALCULATION, reason=reason, left_out=written)
    if missing:
        spec = with_rule(spec, text, missing)
        spec = replace(spec, description=run.parts.clean_text(spec.description))
    if spec in before.tried:
        return replace(before, final=True)
    job = Job(spec, run.request.for_models, values, files, begins)
    return await _prove_and_register(run, job, budget)


async def _specified(run: Run, budget: Budget, before: Built, begins: str) -> Spec | Built:
    """The specification, or why there is none. `begins`: how the person's files begin."""
    await run.say(EventKind.SYNTHESIZING, "no tool fits: writing a specification")
    request = run.request
    author = SpecAuthor(run.model(Role.PLANNER, budget))
    try:
        draft = await author.write(
            request.for_models,
            "" if before.left_out else before.reason,
            files=begins,
            many_numbers=bool(before.left_out),
        )
    except ModelNonsense as error:
        return Built(RequestKind.CALCULATION, reason=error.message)
    if draft.spec is None:
        return Built(draft.kind)
    reads = bool(request.named_files)
    spec = fit_spec(request.text, replace(draft.spec, effect=Effect.READS) if reads else draft.spec)
    told = read_told(request.text, spec)
    if told.misfit:
        return Built(RequestKind.CALCULATION, reason=told.misfit)
    examples = list(told.cases)
    for against in told.contradictions:
        right = await _which(run, against)
        if right is None:
            reason = f"the examples contradict each other: {against}"
            return Built(RequestKind.CALCULATION, reason=reason, final=True)
        examples = [right if case is against.first else case for case in examples]
    spec = replace(spec, examples=tuple(examples))
    await _tell_spec(run, spec)
    return spec


async def _filled(run: Run, spec: Spec, budget: Budget) -> tuple[Spec, JsonObject | None] | Built:
    """The spec and the request's call of it; a tool that promises the same; or why neither."""
    forced = run.request.forces_building
    if known := await _known(run, spec, budget):
        return known
    values, problem = await _arguments(run, spec, budget)
    if values is None and not forced:
        reason = f"its parameters cannot be filled from the request ({problem})"
        return Built(RequestKind.CALCULATION, reason=reason)
    if values is None or forced or spec.examples:
        return spec, values
    plain, numbers = in_numbers(run.request.text, spec, values)
    if plain is not spec:
        names = ", ".join(parameter_schemas(plain))
        await run.say(EventKind.SYNTHESIZING, f"amounts as numbers: {spec.name}({names})")
        if known := await _known(run, plain, budget):
            return known
    return plain, numbers


async def _known(run: Run, spec: Spec, budget: Budget) -> Built | None:
    """A tool that promises the same, with the request's call of it."""
    existing = await find_same_promise(run, spec)
    if existing is None:
        return None
    promise = existing.version.spec
    values, _ = await _arguments(run, promise, budget)
    if values is None and not run.request.forces_building:
        return None
    if values is not None and has_another_rule(promise, run.request.text, values):
        return None
    await run.say(EventKind.TOOL_FOUND, f"{existing.name} already does this", tool=spec.name)
    return Built(RequestKind.CALCULATION, existing, values)


async def _which(run: Run, against: Contradiction) -> Case | None:
    """Which of two contradicting examples is right, if somebody is there to say so."""
    if run.on_question is None:
        return None
    results = (show(against.first.expected), show(against.second.expected))
    chosen = await run.on_question(f"What should {against.call} return?", results)
    return None if chosen is None else (against.first, against.second)[chosen]


async def _tell_spec(run: Run, spec: Spec) -> None:
    names = ", ".join(parameter_schemas(spec))
    text = f"specified {spec.name}({names}): {spec.description}"
    if spec.examples:
        count = len(spec.examples)
        text += f" ({count} example{'s' if count > 1 else ''} of yours)"
    await run.say(
        EventKind.SYNTHESIZING,
        text,
        name=spec.name,
        description=spec.description,
        parameters=spec.parameters,
        returns=spec.returns,
        edge_cases=list(spec.edge_cases),
        examples=[case.call.source for case in spec.examples],
        produces=list(spec.produces),
    )


async def _arguments(run: Run, spec: Spec, budget: Budget) -> tuple[JsonObject | None, str]:
    """The request's own call of the function, or why there is none."""
    reader = ArgumentReader(run.model(Role.PLANNER, budget))
    attempts = run.parts.policies.get(ExecutionPolicy).extraction_attempts
    try:
        read = await reader.read(spec, run.request.for_models, attempts=attempts)
    except ModelNonsense as error:
        return None, error.message
    return (None, read.problem) if read.problem else (read.values, "")


async def _prove_and_register(run: Run, job: Job, budget: Budget) -> Built:
    spec = job.spec
    builder = Builder(
        tester=run.model(Role.TESTER, budget),
        coder=run.model(Role.CODER, budget),
        sandbox=await run.parts.sandbox(),
        judge=run.model(Role.JUDGE, budget),
    )
    policy = run.parts.policies.get(ExaminePolicy)
    verdict = await builder.build(job, policy, notify=run.notify, ask=run.on_question)
    parts = run.parts
    duplicates = Duplicates(parts.registry, parts.search, parts.policies)
    registrar = Registrar(parts.registry, duplicates, parts.sandbox, run.notify)
    origin = Origin(
        request=parts.clean_text(run.request.text),
        run_id=run.id,
        trace_id=run.trace_id,
        model=parts.models.for_role(Role.CODER).name,
        tokens=run.budget.spent.tokens,
    )
    kept = await registrar.follow(spec, verdict, origin)
    if kept.tool is None:
        return Built(RequestKind.CALCULATION, reason=kept.reason, tried=(job.spec,))
    values = job.first_call
    if kept.parameters is not None and values is not None:
        values = {kept.parameters[name]: value for name, value in values.items()}
    return Built(RequestKind.CALCULATION, kept.tool, values)
