"""What recorded runs say: the facts about one, for its judges, and scored ones as examples to train
on."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from hammerstone.core.calls import Failure
from hammerstone.core.errors import NotFound
from hammerstone.core.feedback import AGAINST, FOR, SAID, Feedback, FeedbackKind
from hammerstone.core.hashing import canonical, digest
from hammerstone.core.json_types import Json, is_dict, is_sequence
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.run_record import RunRecord
from hammerstone.judging.rendering import plain
from hammerstone.learn.evolution.judges.run_facts import CallFact, RunError, RunErrorKind, RunFacts
from hammerstone.learn.finetuning.examples import ChatTurn, TrainingRun
from hammerstone.library.skills.generate import DOCUMENTS
from hammerstone.run.solve.program import read_reply
from hammerstone.storage import Database, Execution, SpanRow, TraceRow
from hammerstone.storage.rows import RunRow
from hammerstone.tracing.genai import PURPOSE, RESPONSE_MODEL
from hammerstone.tracing.spans import ERROR_TYPE

SAME_CALLS = 3  # in one run: it went in circles
_SOLUTIONS = "solution"  # the purpose of model calls that write whole solutions
_BY_ERROR = {
    "ModelUnavailable": RunErrorKind.MODEL,
    "ModelMissing": RunErrorKind.MODEL,
    "ModelRefused": RunErrorKind.MODEL,
    "ModelError": RunErrorKind.MODEL,
    "TimeoutError": RunErrorKind.MODEL,
    "ModelNonsense": RunErrorKind.REPLY,
    "BudgetExceeded": RunErrorKind.LIMIT,
    "SandboxLost": RunErrorKind.SANDBOX,
    "SandboxRefused": RunErrorKind.SANDBOX,
    "SandboxError": RunErrorKind.SANDBOX,
    "MissingPart": RunErrorKind.FLOW,
    "StorageError": RunErrorKind.INSIDE,
}
_SELF_TEST = frozenset({"attack", "trial"})  # functions of the sandbox's own programs
_EXPECTED = frozenset({"BadRequest", "NotFound", "Refused", "Stopped", "Cancelled"})

PURPOSES = frozenset({"solution"})
_AUTHORS = ("system", "user", "assistant")


class RunReader:
    """Reads facts; what a run left nowhere stays unknown."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of_run(self, run_id: str) -> RunFacts:
        """The facts of one run. Raises `NotFound`."""
        run = await self._db.runs.get(run_id)
        calls = await self._db.executions.of_run(run_id)
        said = await self._db.feedback.of_run(run_id)
        trace, spans = await self._trace(run.trace_id)
        return facts_of(run, calls, said, trace, spans, _right_tool(said))

    async def _trace(self, trace_id: str) -> tuple[TraceRow | None, list[SpanRow]]:
        try:
            return await self._db.traces.get(trace_id)
        except NotFound:
            return None, []


def facts_of(
    run: RunRow,
    calls: Sequence[Execution],
    said: Sequence[Feedback],
    trace: TraceRow | None,
    spans: Sequence[SpanRow],
    right_tool: bool | None = None,
) -> RunFacts:
    """The facts in a run's rows. `right_tool` is known where its uses were judged."""
    answer = run.answer if isinstance(run.answer, dict) else {}
    programs, replies = _programs(spans)
    good, bad = _said(said)
    checks = answer.get("checks")
    known = checks if isinstance(checks, dict) else {}
    solutions = int(_number(answer, "solutions"))
    record = RunRecord.from_json(run.record) or RunRecord()
    return RunFacts(
        run_id=run.id,
        request=run.request,
        status="failed" if trace is not None and trace.status == "error" else run.status,
        given=_given(answer),
        said_for=good,
        said_against=bad,
        confidence=_share(answer.get("confidence")),
        agree=int(_number(answer, "agree")),
        solutions=max(solutions, len(replies)),
        confirmed=0 if solutions else _count(known.get("confirmed")),
        contradicted=_count(known.get("contradicted")),
        programs=programs,
        calls=tuple(_call(one) for one in calls),
        errors=tuple(_errors(spans, replies, calls)),
        assumed=tuple(_assumed(answer)),
        unsupported=answer.get("skill") == DOCUMENTS and answer.get("result") is None,
        tool=str(answer.get("tool") or ""),
        skill=str(answer.get("skill") or ""),
        strategy=str(answer.get("strategy") or ""),
        trace_id=run.trace_id,
        session_id=run.session_id,
        domain=record.kind,
        round=record.prompt_round,
        prompts={name: one.hash for name, one in record.prompts.items()},
        models=record.models,
        right_tool=right_tool,
    )


def _right_tool(said: Sequence[Feedback]) -> bool | None:
    """Whether the tool that was picked was the right one, as far as anybody has said."""
    kinds = {each.kind for each in said if each.tool}
    if FeedbackKind.WRONG_TOOL in kinds:
        return False
    return True if kinds & {FeedbackKind.CORRECTED, FeedbackKind.CONFIRMED} else None


def _given(answer: Mapping[str, Json]) -> str:
    if answer.get("status") == "failed":
        return ""
    result = answer.get("result")
    return str(answer.get("text") or "") if result is None else _shown(result)


def _shown(value: Json) -> str:
    return str(plain(value))


def _said(events: Sequence[Feedback]) -> tuple[float, float]:
    last: dict[str, Feedback] = {each.user: each for each in events if each.kind in SAID}
    counted = [each for each in events if each.kind not in SAID] + [*last.values()]
    good = max((each.reliability for each in counted if each.kind in FOR), default=0.0)
    bad = max((each.reliability for each in counted if each.kind in AGAINST), default=0.0)
    return good, bad


def _programs(spans: Sequence[SpanRow]) -> tuple[tuple[str, ...], list[RunError | None]]:
    """The programs that models wrote for the request, and what was wrong with each reply."""
    programs: list[str] = []
    problems: list[RunError | None] = []
    for text in _replies(spans):
        read = read_reply(text)
        if read.solution is None:
            live = read.kind is RequestKind.LIVE_DATA
            problems.append(RunError(RunErrorKind.SERVICE, str(read.kind)) if live else None)
            continue
        problem = read.solution.error
        problems.append(RunError(RunErrorKind.REPLY, problem) if problem else None)
        if not problem:
            programs.append(f"{read.solution.code}\nanswer = {read.solution.call}")
    return tuple(programs), problems


def _replies(spans: Sequence[SpanRow]) -> Iterator[str]:
    for span in spans:
        if span.kind != "model" or span.attributes.get("hammerstone.purpose") != _SOLUTIONS:
            continue
        for each in span.output if isinstance(span.output, list) else []:
            if isinstance(each, dict) and isinstance(each.get("content"), str):
                yield str(each["content"])


def _errors(
    spans: Sequence[SpanRow], replies: Sequence[RunError | None], calls: Sequence[Execution]
) -> Iterator[RunError]:
    yield from filter(None, replies)
    for span in spans:
        lost = span.attributes.get("sandbox.failure")
        if lost == Failure.LOST:
            yield RunError(RunErrorKind.SANDBOX, "the sandbox was lost")
        elif span.kind == "sandbox" and lost and not _is_self_test(span):
            yield RunError(RunErrorKind.PROGRAM, f"{lost}: {span.output}"[:200])
        if span.error and (kind := _kind(span)) is not None:
            yield RunError(kind, span.error[:200])
    for call, times in Counter(_call(one).call for one in calls).items():
        if times >= SAME_CALLS:
            yield RunError(RunErrorKind.LOOP, f"the same call {times} times ({call})")
    for call in calls:
        if not call.ok:
            yield RunError(RunErrorKind.TOOL, f"{call.tool}: {call.error}"[:200])


def _is_self_test(span: SpanRow) -> bool:
    """Whether the sandbox was tried or attacked, to see what holds."""
    return span.attributes.get("sandbox.function") in _SELF_TEST


def _kind(span: SpanRow) -> RunErrorKind | None:
    """Whose error a span's is. A failed answer has the answer's text there, and no type."""
    name = str(span.attributes.get(ERROR_TYPE, ""))
    if span.kind == "model":
        return _BY_ERROR.get(name, RunErrorKind.MODEL)
    if name in _BY_ERROR:
        return _BY_ERROR[name]
    own = name and name not in _EXPECTED and span.kind in ("run", "step")
    return RunErrorKind.INSIDE if own else None


def _call(one: Execution) -> CallFact:
    return CallFact(
        one.tool,
        one.ok,
        str(one.failure or ""),
        one.error,
        one.version_id,
        digest(one.tool, canonical(one.arguments))[:16],
    )


def _assumed(answer: Mapping[str, Json]) -> Iterator[str]:
    arguments = answer.get("arguments")
    for each in arguments if isinstance(arguments, list) else []:
        if isinstance(each, dict) and each.get("assumed"):
            yield str(each.get("name"))


def _number(answer: Mapping[str, Json], name: str) -> float:
    value: Any = answer.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _share(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _count(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0


async def training_runs(
    db: Database, scored: Mapping[str, tuple[str, float]]
) -> AsyncIterator[TrainingRun]:
    """The exchanges of runs by their traces: `scored` maps a run to its trace and its score.

    Of an exchange with several replies the first is taken, which is the model's likeliest.
    """
    for run_id, (trace_id, score) in scored.items():
        try:
            _, spans = await db.traces.get(trace_id)
        except NotFound:
            continue
        for span in spans:
            one = exchange_of(span, run_id, score)
            if one is not None:
                yield one


def exchange_of(span: SpanRow, run_id: str, score: float) -> TrainingRun | None:
    """The exchange that a span tells of; None where it is none to train on."""
    attributes = span.attributes if is_dict(span.attributes) else {}
    if attributes.get(PURPOSE) not in PURPOSES:
        return None
    messages = _messages(span.input)
    replies = _messages(span.output)
    if not messages or not replies:
        return None
    model = str(attributes.get(RESPONSE_MODEL) or "")
    return TrainingRun(run_id, model, score, tuple(messages), replies[0].text)


def _messages(said: Any) -> list[ChatTurn]:
    rows: Sequence[Any] = said if is_sequence(said) else []
    found: list[ChatTurn] = []
    for row in rows:
        if is_dict(row) and row.get("role") in _AUTHORS and isinstance(row.get("content"), str):
            found.append(ChatTurn(str(row["role"]), str(row["content"])))
    return found
