"""From what a plan came to, to the answer: the result first, then what has to be known of it, and
the call behind it, every value by its name and with where it is from."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hammerstone.core import wire
from hammerstone.core.answers import (
    Answer,
    AnswerStatus,
    ArgumentOrigin,
    CallArgument,
    MadeFile,
    Proof,
    Sureness,
)
from hammerstone.core.approvals import Question
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.syntax import syntax_tree
from hammerstone.core.tools import Status, Tool
from hammerstone.judging.equality import decoded
from hammerstone.judging.literals import NotLiteral, literal
from hammerstone.judging.rendering import expression_of, in_words, joined_call, plain
from hammerstone.library.policies import Policies
from hammerstone.run.act.carry_out import PlanOutcome
from hammerstone.run.act.skill_work import steps_of
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.answer.confidence import confidence_of
from hammerstone.run.answer.prose import Prose
from hammerstone.run.bind.grounding import origins_of
from hammerstone.run.context import Run
from hammerstone.run.find.plan import Plan, Strategy
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.program import has_function
from hammerstone.run.understand.session_files import GIVEN
from hammerstone.synthesis.solutions.heads import HeadParameter, ParameterKind, head_of

_LONGEST_CALL = 500
_LONGEST_VALUE = 160
_UNREADABLE = (SyntaxError, ValueError)


def plain_answer(run: Run, text: str, tool: Tool | None = None) -> Answer:
    """An answer that is a text and no result."""
    return Answer(
        text=text,
        tool=tool.name if tool else None,
        version=tool.version.number if tool else None,
        tool_confidence=tool.chance if tool else None,
        proof=_proof(tool),
        cost=run.cost(),
        trace_id=run.trace_id,
        session_id=run.request.session_id,
        run_id=run.id,
        files=files_of(run),
    )


def with_remarks(run: Run, answer: Answer) -> Answer:
    """The answer with what has to be said beside it."""
    if not run.ledger.remarks:
        return answer
    return replace(answer, text="\n\n".join([answer.text, *run.ledger.remarks]))


def _proof(tool: Tool | None) -> Proof:
    if tool is None:
        return Proof.NONE
    proved = tool.status in (Status.VERIFIED, Status.TRUSTED)
    return Proof.PROVED if proved else Proof.UNPROVED


def failed(run: Run, text: str, tool: Tool | None = None) -> Answer:
    return replace(plain_answer(run, text, tool), status=AnswerStatus.FAILED)


def question_answer(run: Run, question: Question) -> Answer:
    """One short question; the session's next message answers it."""
    choices = "".join(f"\n{n}) {choice}" for n, choice in enumerate(question.choices, 1))
    return replace(plain_answer(run, question.text + choices), status=AnswerStatus.QUESTION)


class Wording:
    """The words of an answer, made of what a plan came to."""

    def __init__(self, prose: Prose, policies: Policies) -> None:
        self._prose = prose
        self._policies = policies

    async def answer_in_words(self, run: Run, plan: Plan, outcome: PlanOutcome) -> Answer:
        """The answer of a plan that was outcome out to its end."""
        last, several = outcome.done[plan.last.id], len(plan.steps) > 1
        ends = [step for step in plan.steps if not any(step.id in s.needs for s in plan.steps)]
        result: Json = last.result
        if len(ends) > 1:
            result = {step.text: outcome.done[step.id].result for step in ends}
        if run.reading.wants_prose:
            text = await self._prose.explain(
                run, result, plan.in_words() if len(plan.steps) > 1 else ""
            )
        elif len(ends) > 1:
            lines = (f"{s.text}: {in_words(outcome.done[s.id].result)}" for s in ends)
            text = "\n".join(lines)
        else:
            text = in_words(result)
        files = files_of(run)
        if files and result is None:
            text = ", ".join(file.name for file in files)
        policy = self._policies.get(AnswerPolicy)
        sure = confidence_of(list(outcome.done.values()), policy)
        told = notes(outcome)
        if sure.sureness is Sureness.UNSURE:
            told.insert(0, f"unsure: {sure.why}")
        text += "".join(f"\n({note})" for note in told)
        answer = plain_answer(run, text, last.tool)
        told_before = run.context.about if run.context is not None else ""
        call = readable_call(last, run.words, told_before)
        solved = last.solved.winner if last.tool is None and last.solved else None
        executed = [each.executed for each in outcome.done.values() if each.executed]
        return replace(
            answer,
            result=result,
            call=call.text,
            arguments=call.arguments,
            code=solved.code if solved is not None else "",
            confidence=sure.confidence,
            sureness=sure.sureness,
            why=sure.why,
            agree=sure.agree,
            solutions=sure.solutions,
            alternatives=sure.alternatives,
            proof=Proof.PENDING if run.ledger.proofs else _proof(last.tool),
            cached=bool(executed) and all(each.cached for each in executed),
            skill=last.skill.name if last.skill else None,
            strategy=str(Strategy.SKILL if last.skill and not several else plan.strategy),
            steps=_steps(outcome, last, several=several),
            checks=outcome.checks(),
        )


def _steps(outcome: PlanOutcome, last: StepOutcome, *, several: bool) -> tuple[JsonObject, ...]:
    """The steps of work that took several: of the plan, or of the one skill that did it."""
    if several:
        return tuple(node.to_json() for node in outcome.nodes)
    return steps_of(last.skill) if last.skill else ()


def notes(outcome: PlanOutcome) -> list[str]:
    """What the person has to know beside the result and how sure it is."""
    told: list[str] = []
    for tool in {s.tool.name: s.tool for s in outcome.done.values() if s.tool}.values():
        if tool.status is Status.DEPRECATED:
            told.append(f"{tool.name} is deprecated: there is a better tool")
    told += [f"doubtful: {s.doubt}" for s in outcome.done.values() if s.doubt]
    return told


def unfinished_text(run: Run, plan: Plan, outcome: PlanOutcome) -> str:
    """Why a plan ended early, what was done until then, and what remains."""
    stopped = outcome.stopped
    lines = [stopped.error if stopped and stopped.error else "not all steps could be done"]
    if len(plan.steps) > 1:
        for node in outcome.nodes:
            mark = {"done": "done", "failed": "failed", "skipped": "not started"}.get(node.status)
            lines.append(f"- {node.step.text}: {mark or node.status}")
    if run.ledger.wrote:
        lines.append("Already changed, and not undone: " + "; ".join(run.ledger.wrote))
    return "\n".join(lines)


def files_of(run: Run) -> tuple[MadeFile, ...]:
    return tuple(
        MadeFile(row.id, row.name, row.media_type, row.size_bytes)
        for row, _ in run.ledger.files
        if row.step != GIVEN
    )


@dataclass(frozen=True, slots=True)
class ReadableCall:
    """A call in one line, cut where it holds much data, and its values one by one."""

    text: str = ""
    arguments: tuple[CallArgument, ...] = ()


def readable_call(step: StepOutcome, request: str, earlier: str = "") -> ReadableCall:
    """The call behind a step's result; `earlier` is what the person said before the request."""
    if step.skill is not None and step.skill.call:
        return ReadableCall(_cut(step.skill.call, _LONGEST_CALL))
    if step.tool is not None:
        return _tool_call(step, request, earlier)
    winner = step.solved.winner if step.solved else None
    if winner is None:
        return ReadableCall()
    call = _SolutionCall.of(winner.code, winner.function, winner.call)
    if call is None or not has_function(winner):
        return ReadableCall(_cut(winner.call, _LONGEST_CALL))
    return call.readable(request, earlier)


def _tool_call(step: StepOutcome, request: str, earlier: str) -> ReadableCall:
    tool, given = step.tool, step.arguments
    if tool is None or given is None:
        return ReadableCall()
    spec = tool.version.spec
    names = spec.takes.names
    complete = names and given.keys() >= set(names)  # nothing is left to a default
    head = None if complete else head_of(tool.version.code, spec.name)
    defaults = _defaults(head.parameters if head else (), taken=given)
    shown = {name: expression_of(decoded(value)) for name, value in (given | defaults).items()}
    origins = origins_of(given, request, earlier) | dict(step.origins)
    origins |= dict.fromkeys(defaults, ArgumentOrigin.DEFAULT)
    return _readable(joined_call(spec.name, (), shown) or spec.name, shown, origins)


def _defaults(
    parameters: tuple[HeadParameter, ...], taken: Mapping[str, object]
) -> dict[str, Json]:
    """What a function takes for the parameters that got no value; nothing where it takes none."""
    return {
        one.name: one.default
        for one in parameters
        if one.has_default and one.default is not None and one.name not in taken
    }


def _readable(
    text: str, shown: Mapping[str, str], origins: Mapping[str, ArgumentOrigin]
) -> ReadableCall:
    arguments = tuple(
        CallArgument(name, _cut(value, _LONGEST_VALUE), origins.get(name, ArgumentOrigin.STATED))
        for name, value in shown.items()
    )
    return ReadableCall(_cut(text, _LONGEST_CALL), arguments)


@dataclass(frozen=True, slots=True)
class _SolutionCall:
    """A solution's own call: the expression, and the function's arguments within it by name."""

    expression: ast.Expression
    call: ast.Call
    parameters: tuple[HeadParameter, ...]

    @staticmethod
    def of(code: str, function: str, source: str) -> "_SolutionCall | None":
        """The call as it is written; None where it cannot be told which value is which."""
        head = head_of(code, function)
        try:
            expression = syntax_tree(source, "eval")
        except _UNREADABLE:
            return None
        calls = [
            node
            for node in ast.walk(expression)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == function
        ]
        if head is None or len(calls) != 1:
            return None
        call, places = calls[0], head.parameters[: len(calls[0].args)]
        plain_ones = len(places) == len(call.args) and all(
            one.kind is ParameterKind.PLAIN for one in places
        )
        named = all(keyword.arg for keyword in call.keywords)
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        if not plain_ones or not named or starred:
            return None
        return _SolutionCall(expression, call, head.parameters)

    def readable(self, request: str, earlier: str) -> ReadableCall:
        names = (one.name for one in self.parameters)
        given = dict(zip(names, self.call.args, strict=False))
        given |= {keyword.arg or "": keyword.value for keyword in self.call.keywords}
        defaults = _defaults(self.parameters, taken=given)
        shown = {name: ast.unparse(node) for name, node in given.items()}
        shown |= {name: expression_of(decoded(value)) for name, value in defaults.items()}
        values: dict[str, Json] = {}
        for name, node in given.items():
            try:
                values[name] = plain(wire.encode(literal(node)))
            except NotLiteral:
                continue  # a name: what an earlier request gave, or a part of the program
        origins = origins_of(values, request, earlier)
        origins |= dict.fromkeys(defaults, ArgumentOrigin.DEFAULT)
        self.call.args = []
        self.call.keywords = [
            ast.keyword(name, syntax_tree(source, "eval").body) for name, source in shown.items()
        ]
        return _readable(ast.unparse(self.expression), shown, origins)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
