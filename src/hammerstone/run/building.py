"""When no tool fits: a spec, a verdict, and a new entry in the library."""

from dataclasses import dataclass, replace

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Role
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Spec, Status, Tool
from hammerstone.guard.budget import Budget
from hammerstone.guard.purity import depends_on_the_moment
from hammerstone.guard.scan import scan
from hammerstone.library.policies import BuildBudgetPolicy, ExecutionPolicy
from hammerstone.library.registry import Decision, NewVersion
from hammerstone.run.arguments import ArgumentReader
from hammerstone.run.context import Run
from hammerstone.synthesis.build import Builder, Job
from hammerstone.synthesis.examine.policy import ExaminePolicy
from hammerstone.synthesis.examine.verdict import Standing, Verdict
from hammerstone.synthesis.signature import parameter_schemas
from hammerstone.synthesis.spec_author import RequestKind, SpecAuthor
from hammerstone.synthesis.types import python_hint


@dataclass(frozen=True, slots=True)
class Built:
    """What building came to: a tool and the request's arguments for it, or why there is none."""

    kind: RequestKind
    tool: Tool | None = None
    arguments: JsonObject | None = None
    reason: str = ""


async def build(run: Run) -> Built:
    """Specify and prove a tool for the request; a few attempts, within the building budget."""
    policy = run.parts.policies.get(BuildBudgetPolicy)
    budget = run.budget.child(tokens=policy.tokens, model_calls=policy.model_calls, usd=policy.usd)
    complaint = ""
    built = Built(RequestKind.CALCULATION, reason="no attempt was made")
    for attempt in range(1, policy.attempts + 1):
        built = await _attempt(run, budget, complaint)
        if built.tool is not None or built.kind is not RequestKind.CALCULATION:
            return built
        complaint = built.reason
        if attempt < policy.attempts:
            await run.say(EventKind.REPAIRING, f"starting over: {complaint}", attempt=attempt)
    return built


async def _attempt(run: Run, budget: Budget, complaint: str) -> Built:
    await run.say(EventKind.SYNTHESIZING, "no tool fits: writing a specification")
    author = SpecAuthor(run.model(Role.PLANNER, budget))
    try:
        draft = await author.write(run.request.for_models, complaint)
    except ModelNonsense as error:
        return Built(RequestKind.CALCULATION, reason=error.message)
    if draft.spec is None:
        return Built(draft.kind)
    spec = _with_effect(run, draft.spec)
    names = ", ".join(parameter_schemas(spec))
    await run.say(
        EventKind.SYNTHESIZING,
        f"specified {spec.name}({names}): {spec.description}",
        name=spec.name,
        description=spec.description,
        parameters=spec.parameters,
        returns=spec.returns,
    )
    reader = ArgumentReader(run.model(Role.PLANNER, budget))
    attempts = run.parts.policies.get(ExecutionPolicy).extraction_attempts
    arguments = await reader.read(spec, run.request.for_models, attempts=attempts)
    if arguments.problem:
        reason = f"its parameters cannot be filled from the request ({arguments.problem})"
        if not run.request.forces_building:
            return Built(RequestKind.CALCULATION, reason=reason)
    values = None if arguments.problem else arguments.values
    existing = await _same_promise(run, spec)
    if existing is not None:
        await run.say(EventKind.TOOL_FOUND, f"{existing.name} already does this", tool=spec.name)
        return Built(RequestKind.CALCULATION, existing, values)
    verdict = await _prove(run, spec, values, budget)
    if verdict.standing is Standing.REJECTED or verdict.code is None:
        return Built(RequestKind.CALCULATION, reason=verdict.reason or "no candidate was right")
    findings = [finding for finding in scan(verdict.code, spec.effect) if finding.blocks]
    if findings:
        return Built(RequestKind.CALCULATION, reason=f"the code is not allowed: {findings[0]}")
    if spec.effect is Effect.PURE and depends_on_the_moment(verdict.code):
        spec = replace(spec, effect=Effect.READS)  # the clock or chance: never cached
    return Built(RequestKind.CALCULATION, await _register(run, spec, verdict), values)


def _with_effect(run: Run, spec: Spec) -> Spec:
    return replace(spec, effect=Effect.READS) if run.request.files else spec


async def _same_promise(run: Run, spec: Spec) -> Tool | None:
    """A tool of this name with parameters and a result of the same types: built already."""
    tool = await run.parts.registry.find(spec.name)
    if tool is None or tool.status in (Status.RETIRED, Status.DEPRECATED):
        return None
    return tool if _types(tool.version.spec) == _types(spec) else None


def _types(spec: Spec) -> JsonObject:
    """The types of a spec's parameters and result, without what is said about them."""
    hints: JsonObject = {name: python_hint(of) for name, of in parameter_schemas(spec).items()}
    return {**hints, "return": python_hint(spec.returns)}


async def _prove(run: Run, spec: Spec, values: JsonObject | None, budget: Budget) -> Verdict:
    builder = Builder(
        tester=run.model(Role.TESTER, budget),
        coder=run.model(Role.CODER, budget),
        sandbox=await run.parts.sandbox(),
    )
    job = Job(spec, run.request.for_models, values, run.request.named_files)
    policy = run.parts.policies.get(ExaminePolicy)
    return await builder.build(job, policy, notify=run.notify, ask=run.on_question)


async def _register(run: Run, spec: Spec, verdict: Verdict) -> Tool:
    verified = verdict.standing is Standing.VERIFIED
    name = await run.parts.registry.free_name(spec.name)
    code = verdict.code or ""
    if name != spec.name:
        # The function keeps its own name inside the module; the entry gets a free one.
        code = f"{code.rstrip()}\n\n\n{name} = {spec.name}\n"
    status = Status.VERIFIED if verified else Status.EXPERIMENTAL
    tool = await run.parts.registry.register(
        NewVersion(
            spec=replace(spec, name=name),
            code=code,
            suite=verdict.suite,
            rejected=verdict.rejected,
            status=status,
            confidence=verdict.confidence,
            evidence={**verdict.evidence, "mutation_score": verdict.mutation_score},
            provenance={
                "request": run.parts.clean_text(run.request.text),
                "run": run.id,
                "trace": run.trace_id,
                "model": run.parts.models.for_role(Role.CODER).name,
                "cost_tokens": run.budget.spent.tokens,
            },
        ),
        Decision("registered", "synthesis", verdict.reason, {"confidence": verdict.confidence}),
    )
    await run.say(
        EventKind.VERIFYING,
        f"{tool.name} is {status} ({verdict.confidence:.0%} sure, {len(verdict.suite)} cases kept)",
        tool=tool.name,
        status=str(status),
        confidence=verdict.confidence,
    )
    return tool
