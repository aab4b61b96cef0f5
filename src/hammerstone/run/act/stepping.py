"""One step: its tool, its arguments, the call, and what is done when it fails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hammerstone.connectors import Offer
from hammerstone.core.answers import EventKind
from hammerstone.core.approvals import Action, Question
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.core.tools import Tool
from hammerstone.run.act.approval import leave, rounds_of
from hammerstone.run.act.doubts import doubt_about
from hammerstone.run.act.execute import Executed, execute
from hammerstone.run.act.outside import as_tool, fitting_offer, reach
from hammerstone.run.act.recover import Remedy, Trouble, remedies, trouble_of
from hammerstone.run.act.results import keep, problem_with
from hammerstone.run.answer.respond import plain
from hammerstone.run.bind.binding import Bound, Given, bind
from hammerstone.run.bind.rules import has_another_rule
from hammerstone.run.building import Built, build
from hammerstone.run.context import Run
from hammerstone.run.find.discover import decide, known_tool, look
from hammerstone.run.find.plan import Step
from hammerstone.run.policy import PlanPolicy
from hammerstone.run.understand.mentions import find_mentions, in_kinds, with_values
from hammerstone.run.understand.request_parts import parts_of
from hammerstone.storage import SessionValue
from hammerstone.synthesis.spec_author import RequestKind


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a step came to: a value, an error, a question back, or what building said."""

    ok: bool
    tool: Tool | None = None
    arguments: JsonObject | None = None
    executed: Executed | None = None
    result: Json = None
    error: str = ""
    doubt: str = ""
    question: Question | None = None
    built: Built | None = None
    value: SessionValue | None = None


@dataclass(frozen=True, slots=True)
class Understood:
    """`words` are for search, `told` has the values in it; `problem` is what refers to nothing."""

    words: str
    told: str
    problem: str = ""


class StepRunner:
    """Runs steps of one request. `values` are the session's, newest first."""

    def __init__(
        self,
        values: Sequence[SessionValue] = (),
        known: Mapping[str, Json] | None = None,
        data: Mapping[str, Json] | None = None,
        *,
        closed: bool = False,
    ) -> None:
        """`known` is settled for a request of one step; `data` is what the last call was about.

        `closed`: `known` is all there is, nothing is read from the words.
        """
        self._values = values
        self._known = dict(known or {})
        self._data = dict(data or {})
        self._closed = closed

    def understood(self, run: Run, text: str) -> "Understood":
        """A request of one step, read with what it refers to."""
        if len(parts_of(text)) > 1:
            return Understood(text, text)  # "the result" may be that of the part before
        mentions = find_mentions(text, self._values, run.parts.clock.now())
        problem = next((each.problem for each in mentions if each.problem), "")
        return Understood(in_kinds(text, mentions), with_values(text, mentions), problem)

    async def run_step(self, run: Run, step: Step, done: Mapping[str, Stepped]) -> Stepped:
        if self._closed and step.tool is not None:
            tool = await run.parts.registry.get(step.tool)
            bound = Bound(self._known, dict.fromkeys(self._known, "request"), certain=True)
            return await self._attempts(run, tool, bound, Given(step, (), (), done, self._known))
        earlier = [done[id] for id in sorted(step.needs, reverse=True)]
        made = [stepped.value for stepped in earlier if stepped.value is not None]
        mentions = find_mentions(step.text, [*made, *self._values], run.parts.clock.now())
        if problem := next((each.problem for each in mentions if each.problem), ""):
            return Stepped(False, error=problem)
        work = run.about(with_values(step.text, mentions))
        tool, built = await self._tool(work, step)
        if isinstance(tool, Offer):
            given = Given(step, mentions, made, done, self._known, self._data)
            return await _outside(work, tool, given)
        if tool is None:
            return Stepped(False, built=built, error=built.reason if built else "no tool fits")
        if built is not None and built.arguments is None and run.request.forces_building:
            return Stepped(True, tool, built=built)
        given = Given(step, mentions, made, done, self._known, self._data)
        if built is None:
            bound = await bind(work, tool, given)
            if not _is_another(run, tool, bound, step):
                return await self._attempts(work, tool, bound, given)
            await _tell_another_rule(work, tool)
            built = await build(work)
            if built.tool is None:
                return Stepped(False, built=built, error=built.reason)
            tool = built.tool
        if not mentions:
            given = replace(given, known={**self._known, **(built.arguments or {})})
        return await self._attempts(work, tool, await bind(work, tool, given), given)

    async def _tool(self, run: Run, step: Step) -> tuple[Tool | Offer | None, Built | None]:
        if step.tool is not None:
            known = await known_tool(run, step.tool)
            return known or await run.parts.registry.get(step.tool), None
        if not run.request.forces_building and not step.unfit:
            found = await decide(run, await look(run, step.text), step.text)
            if found.tool is not None:
                return found.tool, None
        if not run.request.forces_building:
            offer = await fitting_offer(run, step.text)
            if offer is not None:
                return offer, None
        built = await build(run)
        return built.tool, built

    async def _attempts(self, run: Run, tool: Tool, bound: Bound, given: Given) -> Stepped:
        """Call, check, and try the remedies in their order, as often as the policy allows."""
        left = run.parts.policies.get(PlanPolicy).recovery_attempts
        left = min(left, rounds_of(run) - 1)
        queue: list[Remedy] | None = None
        tried = {tool.name}
        while True:
            if bound.question is not None or bound.problem:
                return Stepped(False, tool, error=bound.problem, question=bound.question)
            allowed = await leave(run, Action.of(tool, bound.values, preview=_preview(tool)))
            if not allowed.given:
                error = f"{tool.name} was not run: {allowed.reason}"
                return Stepped(False, tool, bound.values, error=error)
            executed = await execute(run, tool, bound.values, bound.sources)
            problem = "" if executed.failure else problem_with(tool.version.spec, executed.value)
            if executed.failure is None and not problem:
                return _kept(run, tool, bound, executed, given.step.text)
            trouble = trouble_of(executed, problem)
            error = executed.error or problem
            if queue is None or trouble is Trouble.TRANSIENT:
                queue = list(remedies(trouble, tight=run.budget.tight))
                if self._closed:  # the person named the tool and its arguments: no model, no other
                    queue = [remedy for remedy in queue if remedy is Remedy.RETRY]
            failed = _Failed(tool, bound, executed, error, trouble)
            found = None
            while queue and left > 0 and found is None:
                left -= 1
                found = await self._remedy(run, queue.pop(0), failed, given, tried)
            if found is None:
                return Stepped(False, tool, bound.values, executed, error=f"{tool.name}: {error}")
            tool, bound = found
            tried.add(tool.name)

    async def _remedy(
        self, run: Run, remedy: Remedy, failed: "_Failed", given: Given, tried: set[str]
    ) -> tuple[Tool, Bound] | None:
        """The call to make instead, or None when this remedy has none."""
        tool, bound = failed.tool, failed.bound
        anew = replace(given, known={})
        other: Tool | None = None
        if remedy is Remedy.RETRY:
            await _tell(run, failed, remedy)
            return tool, bound
        if remedy is Remedy.EXTRACT_AGAIN:
            if bound.certain:
                return None  # nothing was guessed: reading it again gives the same
            await _tell(run, failed, remedy)
            hint = f"(Tried: {bound.values}. It said: {failed.error})"
            new = await bind(run.about(f"{run.request.text}\n{hint}"), tool, anew)
            return None if new.values == bound.values else (tool, new)
        if remedy is Remedy.ANOTHER_TOOL:
            found = await look(run, given.step.text, without=frozenset(tried))
            other = found.tool if found.certain else None
            if other is not None and other.version.spec.constants:
                other = None  # its rule may be another one
        elif remedy is Remedy.REPAIR:
            other = await self._mended(run, failed)
        elif remedy is Remedy.BUILD:
            await _tell(run, failed, remedy)
            built = await build(run)
            other = built.tool if built.kind is RequestKind.CALCULATION else None
        if other is None or other.version.id == tool.version.id:
            return None
        await _tell(run, failed, remedy)
        return other, await bind(run, other, anew)

    async def _mended(self, run: Run, failed: "_Failed") -> Tool | None:
        if run.parts.repairer is None:
            return None
        await _tell(run, failed, Remedy.REPAIR)
        request = run.request
        return await run.parts.repairer.mend(
            FailedCall(
                tool=failed.tool,
                arguments=failed.bound.values,
                failure=failed.executed.failure,
                error=failed.error,
                request=request.text,
                session_id=request.session_id,
                user=request.user,
                run_id=run.id,
            )
        )


async def _outside(run: Run, offer: Offer, given: Given) -> Stepped:
    """A step that a connector does."""
    tool = as_tool(offer)
    bound = await bind(run, tool, given)
    if bound.question is not None or bound.problem:
        return Stepped(False, tool, error=bound.problem, question=bound.question)
    reached = await reach(run, offer, bound.values)
    if isinstance(reached, str):
        return Stepped(False, tool, bound.values, error=reached)
    return _kept(run, tool, bound, reached, given.step.text)


@dataclass(frozen=True, slots=True)
class _Failed:
    tool: Tool
    bound: Bound
    executed: Executed
    error: str
    trouble: Trouble


def _is_another(run: Run, tool: Tool, bound: Bound, step: Step) -> bool:
    """Whether the request states a rule of its own in place of the tool's."""
    if run.request.given_tool or not bound.values:
        return False  # the person wants this one, or it will be asked for what is missing
    text = run.request.text if run.ledger.together else step.text
    return has_another_rule(tool.version.spec, text, bound.values)


async def _tell_another_rule(run: Run, tool: Tool) -> None:
    numbers = " and ".join(f"{number:g}" for number in tool.version.spec.constants)
    text = f"{tool.name} has {numbers} inside, and the request other numbers: building another"
    await run.say(EventKind.SYNTHESIZING, text, tool=tool.name)


async def _tell(run: Run, failed: _Failed, remedy: Remedy) -> None:
    await run.say(
        EventKind.REPAIRING,
        f"{failed.tool.name} failed ({failed.trouble}): {remedy}",
        tool=failed.tool.name,
        trouble=str(failed.trouble),
        remedy=str(remedy),
        error=failed.error[:300],
    )


def _kept(run: Run, tool: Tool, bound: Bound, executed: Executed, about: str) -> Stepped:
    keep(run, tool, executed, about)
    return Stepped(
        True,
        tool,
        bound.values,
        executed,
        plain(executed.value),
        doubt=doubt_about(tool, bound.values, executed.value),
        value=run.ledger.values[-1],
    )


def _preview(tool: Tool) -> str:
    return tool.version.spec.description
